"""Buy Confirm as a unit: an order with its lines and payment, the stock and the cart change together or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import piql
import pytest
from tpcw.data import generate, item_id, uname

HERE = Path(__file__).resolve().parent.parent
FOLDERS = (HERE, HERE.parent / "tpcw-units")
ME, BOOK = uname(7), item_id(3)


def texts() -> Mapping[str, str]:
    return {path.name: path.read_text() for folder in FOLDERS for path in sorted(folder.rglob("*.piql"))}


@pytest.fixture(params=["embedded:", "stepwise:"])
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as db:
        db.deploy(piql.compile(texts()))
        for table, rows in generate(customers=20, items=40).items():
            db.load(table, rows)
        yield db


def address_of(db: piql.Database) -> str:
    (address,) = (row[1] for row in db.some_rows("customer", ("c_uname", "c_addr_id"), 99) if row[0] == ME)
    return str(address)


def bought(db: piql.Database, order: str, quantity: int) -> piql.Page:
    home = db.execute("buyRequest", {"uname": ME}).rows[0]
    assert home["co_name"]
    cart = db.execute("shoppingCart", {"uname": ME}).rows
    lines = [
        {"ol_o_id": order, "ol_id": number, "ol_i_id": line["scl_i_id"], "ol_qty": line["scl_qty"]}
        for number, line in enumerate(cart, 1)
    ]
    parameters: dict[str, Any] = {"order": order, "uname": ME, "shipping": "MAIL", "lines": lines}
    parameters |= {"delivery": address_of(db), "card": "VISA", "country": 22}
    return db.execute("buyConfirm", parameters | {"item": BOOK, "quantity": quantity})


def test_a_purchase_is_whole(db: piql.Database) -> None:
    (stock,) = (row["i_stock"] for row in db.execute("productDetail", {"item": BOOK}).rows)
    cart = db.execute("shoppingCart", {"uname": ME}).rows
    in_cart = len(cart)
    assert in_cart > 0
    costs = {row[0]: row[1] for row in db.some_rows("item", ("i_id", "i_cost"), 99)}
    total = sum(costs[line["scl_i_id"]] * line["scl_qty"] for line in cart)
    page = bought(db, "mine", 2)
    bound = db.deployment.compilation.queries["buyConfirm"].bound
    assert bound is not None
    assert page.operations <= bound.operations
    assert page.rows == [{"i_stock": stock - 2}]
    assert page.rows_affected == 3 + 2 * in_cart
    orders = {row[0]: row[1:] for row in db.some_rows("orders", ("o_id", "o_total", "o_bill_addr_id"), 999)}
    assert orders["mine"] == (total, address_of(db))
    paid = dict(db.some_rows("cc_xacts", ("cx_o_id", "cx_amt"), 999))
    assert paid["mine"] == total
    assert db.execute("shoppingCart", {"uname": ME}).rows == []
    assert db.execute("orderDisplayLastOrder", {"uname": ME}).rows[0]["o_id"] == "mine"
    assert len(db.execute("orderDisplayLines", {"order": "mine", "count": 100}).rows) == in_cart


def test_or_nothing_of_it_is_there(db: piql.Database) -> None:
    cart = db.execute("shoppingCart", {"uname": ME}).rows
    payments = db.some_rows("cc_xacts", ("cx_o_id",), 999)
    with pytest.raises(
        piql.ConditionFailed, match=r"^statement 6 of 7: item: i_stock >= \[9: quantity\] does not hold$"
    ):
        bought(db, "mine", 1_000_000)
    assert db.execute("shoppingCart", {"uname": ME}).rows == cart
    assert db.execute("orderDisplayLines", {"order": "mine", "count": 100}).rows == []
    assert db.some_rows("cc_xacts", ("cx_o_id",), 999) == payments
    bought(db, "mine", 1)
    with pytest.raises(piql.DuplicateKey, match=r"^statement 3 of 7: orders: "):
        bought(db, "mine", 1)


def test_its_statements_are_formatted_and_warn_of_nothing() -> None:
    compilation = piql.compile(texts())
    assert [finding for finding in compilation.diagnostics if finding.severity != "info"] == []
