"""On generated data every query gives the rows that plain Python finds, and keeps its bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from operator import itemgetter
from pathlib import Path

import piql
import pytest
from tpcw.data import NEWEST, SUBJECTS, Row, generate, item_id, uname

COMPILATION = piql.compile(Path(__file__).resolve().parent.parent)
CUSTOMERS, ITEMS = 30, 300
DATA = generate(customers=CUSTOMERS, items=ITEMS, orders_per_customer=3, cart_lines=6)
Run = Callable[..., list[Row]]


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as db:
        db.deploy(COMPILATION)
        for table, rows in DATA.items():
            db.load(table, rows)
        yield db


@pytest.fixture(scope="module")
def run(db: piql.Database) -> Run:
    """Executes a query by name, watching its bound."""

    def execute(name: str, /, **parameters: object) -> list[Row]:
        bound = COMPILATION.queries[name].bound
        assert bound is not None
        page = db.execute(name, parameters)
        assert page.operations <= bound.operations
        assert page.round_trips <= bound.round_trips
        assert len(page.rows) <= bound.rows
        return page.rows

    return execute


def by_key(table: str, column: str) -> dict[object, Row]:
    return {row[column]: row for row in DATA[table]}


CUSTOMER, ADDRESS, COUNTRY = by_key("customer", "c_uname"), by_key("address", "addr_id"), by_key("country", "co_id")
AUTHOR, ITEM = by_key("author", "a_id"), by_key("item", "i_id")


def pick(*sources: Row, names: str) -> Row:
    """The columns of these names, in that order, out of rows joined."""
    joined: Row = {}
    for source in sources:
        joined |= source
    return {name: joined[name] for name in names.split()}


def with_author(book: Row, names: str) -> Row:
    return pick(book, AUTHOR[book["i_a_id"]], names=names)


def words(*texts: object) -> set[str]:
    return {word for text in texts for word in str(text).lower().split()}


@pytest.mark.parametrize("number", range(0, CUSTOMERS, 7))
def test_customers_are_greeted_and_recognised(run: Run, number: int) -> None:
    customer = CUSTOMER[uname(number)]
    assert run("home", uname=uname(number)) == [pick(customer, names="c_fname c_lname")]
    assert run("orderDisplayCustomer", uname=uname(number)) == [pick(customer, names="c_uname c_passwd")]


@pytest.mark.parametrize(
    "name", ["home", "orderDisplayCustomer", "orderDisplayLastOrder", "buyRequest", "shoppingCart"]
)
def test_nobody_is_found_under_a_name_not_taken(run: Run, name: str) -> None:
    assert run(name, uname="nobody") == []


@pytest.mark.parametrize("subject", SUBJECTS[::5])
@pytest.mark.parametrize("count", [3, 50])
def test_new_products_are_the_latest_of_their_subject(run: Run, subject: str, count: int) -> None:
    books = [book for book in DATA["item"] if book["i_subject"] == subject]
    books.sort(key=itemgetter("i_pub_date", "i_id"), reverse=True)
    expected = [with_author(book, "i_id i_title i_pub_date a_fname a_lname") for book in books[:count]]
    assert expected
    assert run("newProducts", subject=subject, count=count) == expected


@pytest.mark.parametrize("subject", SUBJECTS[::5])
@pytest.mark.parametrize("count", [3, 50])
def test_a_subject_is_listed_by_title(run: Run, subject: str, count: int) -> None:
    books = [book for book in DATA["item"] if book["i_subject"] == subject]
    books.sort(key=itemgetter("i_title", "i_id"))
    expected = [with_author(book, "i_id i_title a_fname a_lname") for book in books[:count]]
    assert run("searchBySubject", subject=subject, count=count) == expected


@pytest.mark.parametrize("word", ["silent", "River", "GLASS", "the", "riv"])
def test_titles_are_found_by_a_whole_word_in_any_case(run: Run, word: str) -> None:
    books = [book for book in DATA["item"] if word.lower() in words(book["i_title"])]
    books.sort(key=itemgetter("i_title", "i_id"))
    expected = [with_author(book, "i_id i_title a_fname a_lname") for book in books[:50]]
    assert bool(expected) == (word != "riv")
    assert run("searchByTitle", word=word, count=50) == expected


@pytest.mark.parametrize("name", ["ada", "Bell", "BIRCH", "yuri", "be"])
@pytest.mark.parametrize("count", [5, 50])
def test_authors_are_found_by_their_first_or_last_name(run: Run, name: str, count: int) -> None:
    authors = {key for key, row in AUTHOR.items() if name.lower() in words(row["a_fname"], row["a_lname"])}
    books = [book for book in DATA["item"] if book["i_a_id"] in authors]
    books.sort(key=itemgetter("i_title", "i_a_id", "i_id"))
    expected = [with_author(book, "i_id i_title a_id") for book in books[:count]]
    assert bool(expected) == (name != "be")
    assert run("searchByAuthor", name=name, count=count) == expected


@pytest.mark.parametrize("number", range(0, ITEMS, 71))
def test_the_detail_of_a_book_names_its_author(run: Run, number: int) -> None:
    names = "i_id i_title i_subject i_desc i_image i_pub_date i_cost i_stock a_fname a_lname"
    assert run("productDetail", item=item_id(number)) == [with_author(ITEM[item_id(number)], names)]


@pytest.mark.parametrize("number", range(0, CUSTOMERS, 7))
def test_the_last_order_says_where_bill_and_books_go(run: Run, number: int) -> None:
    orders = [order for order in DATA["orders"] if order["o_c_uname"] == uname(number)]
    last = max(orders, key=itemgetter("o_date_time"))
    bill, ship = ADDRESS[last["o_bill_addr_id"]], ADDRESS[last["o_ship_addr_id"]]
    expected = pick(last, names="o_id o_date_time o_total o_status") | {
        "bill_city": bill["addr_city"],
        "bill_country": COUNTRY[bill["addr_co_id"]]["co_name"],
        "ship_city": ship["addr_city"],
        "ship_country": COUNTRY[ship["addr_co_id"]]["co_name"],
    }
    assert run("orderDisplayLastOrder", uname=uname(number)) == [expected]


@pytest.mark.parametrize("count", [2, 100])
def test_the_lines_of_an_order_come_in_their_order(run: Run, count: int) -> None:
    for order in DATA["orders"][:20]:
        lines = [line for line in DATA["order_line"] if line["ol_o_id"] == order["o_id"]]
        expected = [pick(line, ITEM[line["ol_i_id"]], names="ol_id i_id i_title ol_qty") for line in lines[:count]]
        assert run("orderDisplayLines", order=order["o_id"], count=count) == expected


@pytest.mark.parametrize("number", range(0, CUSTOMERS, 7))
def test_a_bill_goes_to_the_customers_own_address(run: Run, number: int) -> None:
    customer = CUSTOMER[uname(number)]
    address = ADDRESS[customer["c_addr_id"]]
    names = "c_fname c_lname c_discount addr_street1 addr_city addr_zip co_name"
    expected = pick(customer, address, COUNTRY[address["addr_co_id"]], names=names)
    assert run("buyRequest", uname=uname(number)) == [expected]


@pytest.mark.parametrize("number", range(0, CUSTOMERS, 7))
def test_the_cart_shows_what_was_chosen_with_its_price(run: Run, number: int) -> None:
    lines = [line for line in DATA["shopping_cart_line"] if line["scl_c_uname"] == uname(number)]
    expected = [pick(line, ITEM[line["scl_i_id"]], names="scl_i_id scl_qty i_title i_cost") for line in lines]
    page = run("shoppingCart", uname=uname(number))
    assert sorted(page, key=itemgetter("scl_i_id")) == sorted(expected, key=itemgetter("scl_i_id"))


def test_a_customer_registers_fills_a_cart_and_buys(run: Run) -> None:
    book, second_book = ITEM[item_id(5)], ITEM[item_id(6)]
    address = {"street1": "1 Mill Street", "street2": "", "city": "Oslo", "state": "", "zip": "0150", "country": 22}
    run("addAddress", address="new home", **address)
    person = {"password": "secret", "first": "Nina", "last": "Neu", "email": "nina@example.org", "discount": 0.1}
    run("addCustomer", uname="nina", address="new home", since="2026-06-01", **person)
    assert run("home", uname="nina") == [{"c_fname": "Nina", "c_lname": "Neu"}]
    with pytest.raises(piql.DuplicateKey):
        run("addCustomer", uname="nina", address="new home", since="2026-06-01", **person)

    run("addCartLine", uname="nina", item=book["i_id"], quantity=1)
    run("addCartLine", uname="nina", item=second_book["i_id"], quantity=2)
    run("updateCartLine", uname="nina", item=book["i_id"], quantity=4)
    run("removeCartLine", uname="nina", item=second_book["i_id"])
    cart = run("shoppingCart", uname="nina")
    expected = {"scl_i_id": book["i_id"], "scl_qty": 4, "i_title": book["i_title"], "i_cost": book["i_cost"]}
    assert cart == [expected]

    at = NEWEST + timedelta(minutes=1)
    where = {"billing": "new home", "delivery": "new home"}
    run("addOrder", order="first", uname="nina", at=at, total="12.50", shipping="MAIL", **where)
    run("addOrderLine", order="first", line=1, item=book["i_id"], quantity=4)
    run("addPayment", order="first", card="VISA", amount="12.50", at=at, country=22)
    stock = book["i_stock"]
    run("takeFromStock", item=book["i_id"], seen=stock, left=3)
    with pytest.raises(piql.ConditionFailed):
        run("takeFromStock", item=book["i_id"], seen=stock, left=2)
    assert [row["o_id"] for row in run("orderDisplayLastOrder", uname="nina")] == ["first"]
    line = {"ol_id": 1, "i_id": book["i_id"], "i_title": book["i_title"], "ol_qty": 4}
    assert run("orderDisplayLines", order="first", count=100) == [line]
    assert [row["i_stock"] for row in run("productDetail", item=book["i_id"])] == [3]


def test_what_does_not_exist_is_neither_put_into_a_cart_nor_bought(run: Run) -> None:
    with pytest.raises(piql.ForeignKeyViolation):
        run("addCartLine", uname=uname(3), item="no such book", quantity=1)
    with pytest.raises(piql.ForeignKeyViolation):
        run("addOrderLine", order="no such order", line=1, item=item_id(3), quantity=1)


def test_a_book_that_is_published_anew_becomes_a_new_product(run: Run) -> None:
    book = ITEM[item_id(9)]
    run("updateItem", item=book["i_id"], cost="1.25", image="images/new.png", published="2026-06-02")
    newest = run("newProducts", subject=book["i_subject"], count=50)
    assert newest[0]["i_id"] == book["i_id"]
    assert [row["i_id"] for row in newest].count(book["i_id"]) == 1
