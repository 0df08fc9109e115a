"""Bounds are not only safe: with limits full and parameters at their MAX, TPC-W's reads make exactly that many."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import piql
import pytest
from piql.compiler.logical.operators import QueryParameter
from tpcw.data import (
    MOST_AUTHORS_OF_A_WORD,
    MOST_CART_LINES,
    NEWEST,
    Row,
    author_name,
    generate,
    item_id,
    uname,
)

COMPILATION = piql.compile(Path(__file__).resolve().parent.parent)
READS = sorted(name for name, query in COMPILATION.queries.items() if query.kind == "select")
BOOKS = 120
WORD, SUBJECT, ORDER = "Everywhere", "EVERYTHING", "full"
VALUES = {
    "uname": uname(0),
    "item": item_id(0),
    "subject": SUBJECT,
    "word": WORD,
    "name": WORD,
    "order": ORDER,
}


def full() -> dict[str, list[Row]]:
    """One customer with a full cart and a full order; all books on one subject, with one word, each by another author.

    One word is in the names of as many authors as it may be.
    """
    data = generate(customers=1, items=4 * BOOKS, cart_lines=0)
    for number, author in enumerate(data["author"]):
        author["a_fname"], author["a_lname"] = author_name(number)
        if number < MOST_AUTHORS_OF_A_WORD:
            author["a_fname" if number % 2 else "a_lname"] = WORD
    data["item"] = data["item"][::4]  # the generator writes four books of each author
    for number, book in enumerate(data["item"]):
        book |= {"i_id": item_id(number), "i_title": f"{WORD} {number:03}", "i_subject": SUBJECT}
    at = {"o_date_time": NEWEST + timedelta(days=1)}
    addresses = [row["addr_id"] for row in data["address"]]
    data["address"][0]["addr_co_id"], data["address"][1]["addr_co_id"] = 1, 2
    data["orders"] = [
        data["orders"][0] | at | {"o_id": ORDER, "o_bill_addr_id": addresses[0], "o_ship_addr_id": addresses[1]}
    ]
    data["order_line"] = [
        {"ol_o_id": ORDER, "ol_id": number, "ol_i_id": item_id(number), "ol_qty": 1} for number in range(BOOKS)
    ]
    data["cc_xacts"] = []
    data["shopping_cart_line"] = [
        {"scl_c_uname": uname(0), "scl_i_id": item_id(number), "scl_qty": 1} for number in range(MOST_CART_LINES)
    ]
    return data


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as db:
        db.deploy(COMPILATION)
        for table, rows in full().items():
            db.load(table, rows)
        yield db


def at_most(parameter: QueryParameter) -> object:
    return parameter.max_value if parameter.max_value is not None else VALUES[parameter.name]


@pytest.mark.parametrize("name", READS)
def test_a_full_database_takes_as_many_requests_as_the_bound_says(db: piql.Database, name: str) -> None:
    query = COMPILATION.queries[name]
    assert query.bound is not None
    page = db.execute(name, {parameter.name: at_most(parameter) for parameter in query.parameters}, strategy="parallel")
    assert page.operations == query.bound.operations
    assert page.round_trips == query.bound.round_trips
    assert len(page.rows) == query.bound.rows


def test_one_line_too_many_in_a_cart_is_refused(db: piql.Database) -> None:
    line = {"uname": uname(0), "item": item_id(MOST_CART_LINES), "quantity": 1}
    with pytest.raises(piql.CardinalityViolation, match="100"):
        db.execute("addCartLine", line)
    assert len(db.execute("shoppingCart", {"uname": uname(0)}).rows) == MOST_CART_LINES


def test_one_author_too_many_of_a_name_is_refused(db: piql.Database) -> None:
    author = {"a_id": "another", "a_fname": "Some", "a_lname": WORD, "a_bio": None}
    with pytest.raises(piql.CardinalityViolation, match="50"):
        db.load("author", [author])
