"""Makes rows for SCADr and TPC-W: every execution of a case in `table-1.json` reads exactly what the case says.

Each value of a cardinality in the list has rows of its own:

follows 37        five users with 37 subscriptions each, all approved, to users with 60 thoughts each
authors 20        two words that 20 authors share, each with 10 books
lines 18, cart 6  20 orders with 18 lines, five carts with 6 books
count 33          of any subject, and any word of a title: there are 60 books, each by another author
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random

Row = dict[str, object]
Case = Mapping[str, object]

_NEWEST = datetime(2026, 6, 1, 12, tzinfo=UTC)
_AUTHORS, _BOOKS_EACH, _SUBJECTS = 120, 10, 20
_FOLLOWED, _THOUGHTS_EACH, _OWNERS_EACH = 100, 60, 5
_CUSTOMERS, _ORDERS_EACH, _WORDS_EACH = 40, 20, 2
_COUNTRIES = 30
_LEFT, _APPROVED = (0, 1), (2, 3, 4)  # which of five users lose a subscription, and which have one approved


def levels(cases: Iterable[Case], name: str) -> tuple[int, ...]:
    """The values that a cardinality takes in all cases."""
    return tuple(sorted({int(str(case[name])) for case in cases if name in case}))


def scadr(cases: Sequence[Case]) -> dict[str, list[Row]]:
    """SCADr's rows by table."""
    random = Random(1)
    authors = [_name("author", at) for at in range(_FOLLOWED)]
    owners = {level: [_name(f"follows{level}", at) for at in range(_OWNERS_EACH)] for level in levels(cases, "follows")}
    everyone = authors + [name for names in owners.values() for name in names]
    return {
        "users": [{"username": name, "hometown": _text(random, 64)} for name in everyone],
        "subscriptions": [
            {"owner": owner, "target": target, "approved": True}
            for level, names in owners.items()
            for owner in names
            for target in random.sample(authors, level)
        ],
        "thoughts": [
            {"owner": name, "posted": _NEWEST - timedelta(minutes=at), "text": _text(random, 140)}
            for name in authors
            for at in range(_THOUGHTS_EACH)
        ],
    }


def tpcw(cases: Sequence[Case]) -> dict[str, list[Row]]:
    """TPC-W's rows by table."""
    random = Random(2)
    items = [(author, book) for author in range(_AUTHORS) for book in range(_BOOKS_EACH)]
    orders = [
        (f"order-{level}-{at:03}", level, f"customer{at:03}")
        for level in levels(cases, "lines")
        for at in range(_ORDERS_EACH)
    ]
    carts = [(f"cart{level}-{at}", level) for level in levels(cases, "cart") for at in range(_OWNERS_EACH)]
    customers = [f"customer{at:03}" for at in range(_CUSTOMERS)] + [name for name, _ in carts]
    orders += [(f"order-last-{name}", 1, name) for name in customers]
    return {
        "country": [
            {"co_id": at, "co_name": _text(random, 50), "co_currency": "EUR", "co_exchange": 1.0}
            for at in range(_COUNTRIES)
        ],
        "address": [
            {
                "addr_id": f"{kind}-{name}",
                "addr_street1": _text(random, 40),
                "addr_street2": None,
                "addr_city": _text(random, 30),
                "addr_state": None,
                "addr_zip": _text(random, 10),
                "addr_co_id": random.randrange(_COUNTRIES),
            }
            for name in customers
            for kind in ("bill", "ship")
        ],
        "customer": [
            {
                "c_uname": name,
                "c_passwd": _text(random, 20),
                "c_fname": _text(random, 17),
                "c_lname": _text(random, 17),
                "c_addr_id": f"bill-{name}",
                "c_email": _text(random, 50),
                "c_since": date(2020, 1, 1),
                "c_discount": 0.1,
            }
            for name in customers
        ],
        "author": [
            {"a_id": _author(at), "a_fname": _word_of(at, cases), "a_lname": f"own{at:03}", "a_bio": _text(random, 500)}
            for at in range(_AUTHORS)
        ],
        "item": [
            {
                "i_id": _item(author, book),
                "i_title": f"about {_subject(author, book)} told{author:03} anew{book} {_text(random, 30)}",
                "i_a_id": _author(author),
                "i_pub_date": date(2000, 1, 1) + timedelta(days=random.randrange(9000)),
                "i_publisher": _text(random, 60),
                "i_subject": _subject(author, book),
                "i_desc": _text(random, 500),
                "i_image": _text(random, 60),
                "i_cost": Decimal(random.randrange(100, 9999)) / 100,
                "i_stock": 20,
            }
            for author, book in items
        ],
        "orders": [
            {
                "o_id": order,
                "o_c_uname": customer,
                "o_date_time": _NEWEST - timedelta(minutes=at),
                "o_total": Decimal(10),
                "o_ship_type": "AIR",
                "o_bill_addr_id": f"bill-{customer}",
                "o_ship_addr_id": f"ship-{customer}",
                "o_status": "PENDING",
            }
            for at, (order, _, customer) in enumerate(orders)
        ],
        "order_line": [
            {"ol_o_id": order, "ol_id": line, "ol_i_id": _item(*chosen), "ol_qty": 1}
            for order, level, _ in orders
            for line, chosen in enumerate(random.sample(items, level), 1)
        ],
        "shopping_cart_line": [
            {"scl_c_uname": name, "scl_i_id": _item(*chosen), "scl_qty": 1}
            for name, level in carts
            for chosen in random.sample(items, level)
        ],
    }


def parameters(case: Case, random: Random) -> dict[str, object]:
    """Draw the parameters of one execution of a case."""
    customer = f"customer{random.randrange(_CUSTOMERS):03}"
    count = {"count": case["count"]} if "count" in case else {}
    match case["query"]:
        case "home" | "orderDisplayCustomer" | "orderDisplayLastOrder" | "buyRequest":
            return {"uname": customer}
        case "newProducts":
            return {"subject": f"subject{random.randrange(_SUBJECTS):02}", **count}
        case "searchByTitle":
            return {"word": f"subject{random.randrange(_SUBJECTS):02}", **count}
        case "productDetail":
            return {"item": _item(random.randrange(_AUTHORS), random.randrange(_BOOKS_EACH))}
        case "searchByAuthor":
            return {"name": f"word{case['authors']}x{random.randrange(_WORDS_EACH)}", **count}
        case "orderDisplayLines":
            return {"order": f"order-{case['lines']}-{random.randrange(_ORDERS_EACH):03}", "count": 100}
        case "shoppingCart":
            return {"uname": f"cart{case['cart']}-{random.randrange(_OWNERS_EACH)}"}
        case "usersFollowedBy" | "thoughtstream":
            return {"me": _name(f"follows{case['follows']}", random.randrange(_OWNERS_EACH)), **count}
        case "myThoughts":
            return {"me": _name("author", random.randrange(_FOLLOWED))}
        case "findUser":
            return {"username": _name("author", random.randrange(_FOLLOWED))}
        case "addUser":
            return {"username": _text(random, 32), "hometown": _text(random, 64)}
        case "postThought":
            posted = _NEWEST + timedelta(milliseconds=random.randrange(10**9))
            return {"me": _name("author", 0), "posted": posted, "text": _text(random, 140)}
        case "subscribe" | "unsubscribe" | "approve":
            owners = _APPROVED if case["query"] == "approve" else _LEFT
            target = _name("author", random.randrange(_FOLLOWED))
            return {"owner": _name(f"follows{case['follows']}", random.choice(owners)), "target": target}
        case "addCartLine" | "updateCartLine":
            owner = random.randrange(_OWNERS_EACH)
            line = {"uname": f"cart{case['cart']}-{owner}", "item": _item(owner, 0)}
            return line | {"quantity": random.randrange(1, 100)}
        case query:
            raise ValueError(f"table-1.json has no parameters for {query}")


def before(case: Case, parameters: Mapping[str, object]) -> list[tuple[str, dict[str, object]]]:
    """The writes, with their parameters, that have to be run before one, so that it finds the rows it needs."""
    pair = {name: parameters[name] for name in ("owner", "target") if name in parameters}
    line = {name: parameters[name] for name in ("uname", "item") if name in parameters}
    match case["query"]:
        case "subscribe":
            return [("unsubscribe", pair)]
        case "unsubscribe":
            return [("subscribe", pair)]
        case "approve":
            return [("unsubscribe", pair), ("subscribe", pair)]
        case "addCartLine":
            return [("removeCartLine", line)]
        case "updateCartLine":
            return [("addCartLine", line | {"quantity": 100})]
        case _:
            return []


def _word_of(author: int, cases: Sequence[Case]) -> str:
    """The word in an author's name: of each level of `authors`, so many authors share each of its two words."""
    first = 0
    for level in levels(cases, "authors"):
        for word in range(_WORDS_EACH):
            if first <= author < first + level:
                return f"word{level}x{word}"
            first += level
    return f"alone{author:03}"


def _name(kind: str, number: int) -> str:
    return f"{kind}_{number:03}".ljust(32, "z")


def _author(number: int) -> str:
    return f"author{number:03}".ljust(36, "z")


def _item(author: int, book: int) -> str:
    return f"item{author:03}-{book}".ljust(36, "z")


def _subject(author: int, book: int) -> str:
    """One of 20 subjects, such that each author has at most one book of it."""
    return f"subject{2 * book + author % 2:02}"


def _text(random: Random, length: int) -> str:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=length))
