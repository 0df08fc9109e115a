"""The queries of the shop keep the bounds that its README promises, and its data the limits of its schema."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import piql
import pytest
from shop.data import MOST_LINES, email, generate

READS = {
    "cart": ("II", 51, "1 + cart_lines.customer"),
    "cartTotal": ("II", 51, "1 + cart_lines.customer"),
    "cheapest": ("I", 1, "1"),
    "myOrders": ("I", 1, "1"),
    "newest": ("I", 1, "1"),
    "orderLines": ("II", 51, "1 + order_lines.order_id"),
    "product": ("I", 1, "1"),
    "reviewsOf": ("I", 1, "1"),
    "search": ("I", 1, "1"),
}
WRITES = {
    "addCustomer",
    "addOrderLine",
    "placeOrder",
    "putIntoCart",
    "removeFromCart",
    "review",
    "ship",
    "takeFromStock",
}
SMALL = generate(customers=20, products=80, orders_per_customer=2, reviews=50)


def test_every_query_compiles_and_stands_here(compilation: piql.Compilation) -> None:
    assert [diagnostic.message for diagnostic in compilation.diagnostics] == []
    assert set(compilation.queries) == READS.keys() | WRITES


@pytest.mark.parametrize("name", READS)
def test_a_read_keeps_its_bound(compilation: piql.Compilation, name: str) -> None:
    query = compilation.queries[name]
    assert query.bound is not None
    assert (query.scaling_class, query.bound.operations, query.bound.formula) == READS[name]


def test_equal_numbers_give_equal_rows() -> None:
    assert generate(customers=10, products=30) == generate(customers=10, products=30)


def test_carts_and_orders_stay_within_their_limits() -> None:
    carts = Counter(row["customer"] for row in SMALL["cart_lines"])
    assert carts[email(0)] == max(carts.values()) == MOST_LINES
    assert max(Counter(row["order_id"] for row in SMALL["order_lines"]).values()) <= MOST_LINES


def test_a_full_cart_adds_up_and_takes_no_more(compilation: piql.Compilation) -> None:
    prices = {row["sku"]: row["price"] for row in SMALL["products"]}
    lines = [row for row in SMALL["cart_lines"] if row["customer"] == email(0)]
    total = sum((Decimal(str(row["quantity"])) * Decimal(str(prices[row["sku"]])) for row in lines), Decimal(0))
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in SMALL.items():
            db.load(table, rows)
        page = db.execute("cartTotal", {"customer": email(0)})
        assert page.rows == [{"products": MOST_LINES, "total": total}]
        assert page.operations == 1 + MOST_LINES
        left = next(key for key in prices if key not in {row["sku"] for row in lines})
        with pytest.raises(piql.CardinalityViolation):
            db.execute("putIntoCart", {"customer": email(0), "sku": left, "quantity": 1})


def test_an_order_is_shipped_once(compilation: piql.Compilation) -> None:
    shipped = next(row for row in SMALL["orders"] if row["status"] == "shipped")
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in SMALL.items():
            db.load(table, rows)
        with pytest.raises(piql.ConditionFailed, match="status = 'placed'"):
            db.execute("ship", {"order": shipped["id"]})
