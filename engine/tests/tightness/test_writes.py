"""Without transactions the writes of SCADr and TPC-W make as many requests as their bounds say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import piql
import pytest

SAMPLES = Path(__file__).resolve().parents[3] / "sample-apps"
START = datetime(2026, 1, 1, tzinfo=UTC)
FULL = 100
Row = Mapping[str, object]
APPS = {name: piql.compile(SAMPLES / name) for name in ("scadr", "tpcw")}

# A new row has no stale entries, and one that is replaced has the foreign keys of its primary key already.
EXCEPTIONS = {"addOrderLine": 2, "addPayment": 2}


def address(name: str) -> dict[str, object]:
    return {"addr_id": name, "addr_city": "Oslo", "addr_co_id": 1}


def customer(name: str) -> dict[str, object]:
    return {"c_uname": name, "c_passwd": "", "c_addr_id": "a"}


def book(number: int) -> dict[str, object]:
    return {"i_id": f"i{number:03}", "i_title": "one", "i_a_id": "x", "i_pub_date": date(2020, 1, 1), "i_subject": "s"}


# All but one of what the limits let a user, or a cart, have.
DATA: Mapping[str, Mapping[str, list[Row]]] = {
    "scadr": {
        "users": [{"username": f"u{number:03}", "hometown": "Oslo"} for number in range(FULL + 2)],
        "subscriptions": [{"owner": "u000", "target": f"u{number:03}", "approved": False} for number in range(1, FULL)],
        "thoughts": [{"owner": "u000", "posted": START, "text": "first"}],
    },
    "tpcw": {
        "country": [{"co_id": number, "co_name": "Norway"} for number in (1, 2)],
        "address": [address("a"), address("b")],
        "customer": [customer("c")],
        "author": [{"a_id": "x", "a_fname": "Ann", "a_lname": "Lee"}],
        "item": [{**book(number), "i_cost": Decimal(1), "i_stock": 5} for number in range(FULL + 1)],
        "shopping_cart_line": [
            {"scl_c_uname": "c", "scl_i_id": f"i{number:03}", "scl_qty": 1} for number in range(FULL - 1)
        ],
        "orders": [{"o_id": "o", "o_c_uname": "c", "o_date_time": START, "o_bill_addr_id": "a", "o_ship_addr_id": "a"}],
    },
}

# The execution of each write that has the most to do; they follow one another.
WRITES: Mapping[str, Mapping[str, dict[str, object]]] = {
    "scadr": {
        "addUser": {"username": "new", "hometown": "Rome"},
        "approve": {"owner": "u000", "target": "u001"},
        "postThought": {"me": "u000", "posted": START + timedelta(days=1), "text": "second"},
        "subscribe": {"owner": "u000", "target": "u100"},
        "unsubscribe": {"owner": "u000", "target": "u001"},
        "deleteThought": {"me": "u000", "posted": START},
    },
    "tpcw": {
        "addAddress": dict(zip(("street1", "street2", "city", "state", "zip"), "abcde", strict=True))
        | {"address": "a", "country": 2},
        "addCustomer": dict(zip(("password", "first", "last", "email"), "abcd", strict=True))
        | {"uname": "d", "address": "b", "since": date(2020, 1, 1), "discount": 0.0},
        "addCartLine": {"uname": "c", "item": "i100", "quantity": 1},
        "updateCartLine": {"uname": "c", "item": "i001", "quantity": 2},
        "removeCartLine": {"uname": "c", "item": "i001"},
        "addOrder": {"order": "p", "uname": "c", "at": START + timedelta(days=1), "total": Decimal(1), "shipping": "x"}
        | {"billing": "a", "delivery": "b"},
        "addOrderLine": {"order": "o", "line": 1, "item": "i002", "quantity": 1},
        "addPayment": {"order": "o", "card": "v", "amount": Decimal(1), "at": START, "country": 1},
        "takeFromStock": {"item": "i001", "seen": 5, "left": 4},
        "updateItem": {"item": "i001", "cost": Decimal(2), "image": "z", "published": date(2021, 1, 1)},
    },
}


@pytest.fixture(scope="module", params=sorted(APPS))
def app(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["stepwise:?synchronous=NORMAL", "embedded:"])
def made(request: pytest.FixtureRequest, app: str) -> Iterator[tuple[str, dict[str, int]]]:
    """Return the requests that each write of an application made on a store."""
    with piql.connect(request.param) as db:
        db.deploy(APPS[app])
        for table, rows in DATA[app].items():
            db.load(table, rows)
        yield (
            request.param,
            {name: db.execute(name, parameters).operations for name, parameters in WRITES[app].items()},
        )


def bounds(app: str) -> dict[str, int]:
    return {
        name: query.bound.operations
        for name, query in APPS[app].queries.items()
        if query.kind != "select" and query.bound is not None
    }


def test_every_write_is_executed(app: str) -> None:
    assert set(WRITES[app]) == set(bounds(app))


def test_a_write_makes_the_requests_that_its_bound_says(made: tuple[str, dict[str, int]], app: str) -> None:
    url, operations = made
    if url == "embedded:":  # within one transaction there are no intents, doubts and marks
        assert all(operations[name] <= bound for name, bound in bounds(app).items())
        return
    expected = {name: bound - EXCEPTIONS.get(name, 0) for name, bound in bounds(app).items()}
    assert operations == expected
