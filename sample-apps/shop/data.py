"""Rows of the shop: the same rows for the same numbers, table by table in the order their foreign keys ask."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

Row = dict[str, object]

MOST_LINES = 50  # what schema.piql allows to one cart, and to one order
NEWEST = datetime(2026, 6, 1, 12, tzinfo=UTC)  # fixed, so that two runs give equal rows
OLDEST_MINUTES = 60 * 24 * 365

FIRST = "Ada Alan Anna Carol Dana Edgar Erna Grace Hedy Ivan Jean Kay Leslie Lynn Mary Noor Peter Ruth Tim Vera".split()
LAST = "Bell Birch Brook Cedar Dale Elm Field Finch Fox Glen Hart Heath Hill Lake Lark Marsh Moor Oak Pine Reed".split()
CATEGORIES = "bags books garden kitchen lamps music shoes tools toys travel".split()
KINDS = "Blue Compact Everyday Folding Large Light Little Old Plain Quiet Red Round Small Soft Sturdy Warm".split()
THINGS = "Basket Bench Bottle Bowl Box Brush Chair Clock Cup Hammer Jacket Kettle Lantern Mirror Pan Shelf".split()
OPINIONS = "Does what it says.|Broke after a week.|Better than the one before.|A gift, and liked.|Too small.".split("|")


def email(number: int) -> str:
    """The address of the customer with this number."""
    return f"customer{number:06}@example.org"


def sku(number: int) -> str:
    """The key of the product with this number."""
    return f"p{number:06}"


def generate(
    customers: int = 400, products: int = 1_000, orders_per_customer: int = 5, reviews: int = 2_000, seed: int = 2026
) -> dict[str, list[Row]]:
    """Rows by table. Low product numbers sell best; every tenth cart is full as far as there are products."""
    chance = random.Random(seed)
    goods = _products(chance, products)
    prices = {str(row["sku"]): Decimal(str(row["price"])) for row in goods}
    orders, lines = _orders(chance, customers, orders_per_customer, prices)
    return {
        "customers": [
            {"email": email(number), "name": f"{FIRST[number % 20]} {LAST[number // 20 % 20]}"}
            for number in range(customers)
        ],
        "products": goods,
        "cart_lines": [
            {"customer": email(number), "sku": chosen, "quantity": chance.randint(1, 4)}
            for number in range(customers)
            for chosen in _chosen(chance, list(prices), MOST_LINES if number % 10 == 0 else chance.randint(0, 6))
        ],
        "orders": orders,
        "order_lines": lines,
        "reviews": _reviews(chance, customers, products, reviews),
    }


def _products(chance: random.Random, count: int) -> list[Row]:
    return [
        {
            "sku": sku(number),
            "name": f"{chance.choice(KINDS)} {chance.choice(THINGS)} {number + 1}",
            "category": chance.choice(CATEGORIES),
            "price": Decimal(chance.randint(100, 30_000)) / 100,
            "stock": chance.randint(0, 200),
            "added": NEWEST.date() - timedelta(days=chance.randrange(700)),
        }
        for number in range(count)
    ]


def _chosen(chance: random.Random, products: list[str], count: int) -> list[str]:
    """At most `count` different products, those at the front more often."""
    if count >= len(products):
        return products
    chosen: dict[str, None] = {}
    while len(chosen) < count:
        chosen[products[int(len(products) * chance.random() ** 2)]] = None
    return list(chosen)


def _orders(
    chance: random.Random, customers: int, orders_per_customer: int, prices: dict[str, Decimal]
) -> tuple[list[Row], list[Row]]:
    orders: list[Row] = []
    lines: list[Row] = []
    for number in range(customers * orders_per_customer):
        key = UUID(int=(4 << 76) | (8 << 60) | number)
        placed = NEWEST - timedelta(minutes=chance.randrange(OLDEST_MINUTES))
        total = Decimal(0)
        for chosen in _chosen(chance, list(prices), chance.randint(1, 5)):
            quantity = chance.randint(1, 3)
            total += quantity * prices[chosen]
            lines.append({"order_id": key, "sku": chosen, "quantity": quantity, "price": prices[chosen]})
        status = "placed" if placed > NEWEST - timedelta(days=3) else "shipped"
        owner = email(number % customers)
        orders.append({"id": key, "customer": owner, "placed": placed, "total": total, "status": status})
    return orders, lines


def _reviews(chance: random.Random, customers: int, products: int, count: int) -> list[Row]:
    rows: dict[tuple[int, int], Row] = {}
    while len(rows) < min(count, customers * products // 2):
        product, customer = int(products * chance.random() ** 2), chance.randrange(customers)
        written: date = NEWEST.date() - timedelta(days=chance.randrange(365))
        rows[product, customer] = {
            "sku": sku(product),
            "customer": email(customer),
            "stars": chance.randint(1, 5),
            "written": written,
            "text": chance.choice(OPINIONS),
        }
    return list(rows.values())
