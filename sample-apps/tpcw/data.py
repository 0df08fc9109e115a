"""TPC-W's data: the same rows for the same numbers, table by table in the order their foreign keys ask."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

Row = dict[str, object]

MOST_CART_LINES = 100  # what schema.piql allows to one customer
MOST_AUTHORS_OF_A_WORD = 50  # what schema.piql allows to one word of a name
MOST_ORDER_LINES = 5  # what this generator puts into one order
NEWEST = datetime(2026, 6, 1, 12, tzinfo=UTC)  # fixed, so that two runs give equal rows
OLDEST_MINUTES = 60 * 24 * 60
OLDEST_DAYS = 20_000

COUNTRIES = (
    "Argentina Australia Austria Belgium Brazil Canada Chile Denmark Egypt Finland France Germany Ghana Greece Iceland "
    "India Ireland Italy Japan Kenya Mexico Nepal Norway Peru Poland Portugal Spain Sweden Turkey Uruguay"
).split()
SUBJECTS = (
    "ARTS BIOGRAPHIES BUSINESS CHILDREN COMPUTERS COOKING HEALTH HISTORY HOME HUMOR LITERATURE MYSTERY NON-FICTION "
    "PARENTING POLITICS REFERENCE RELIGION ROMANCE SELF-HELP SCIENCE-NATURE SCIENCE-FICTION SPORTS YOUTH TRAVEL"
).split()
FIRST = (
    "Ada Alan Anna Barbara Bjarne Carol Dana Dennis Edgar Edsger Erna Frances George Grace Hedy Ivan Jean John Juris "
    "Kay Ken Kurt Leslie Lynn Margaret Mary Niklaus Noor Peter Radia Robin Ruth Sophie Stephen Susan Tim Tony Vera "
    "Wanda Yuri"
).split()
LAST = (
    "Bell Birch Brook Cedar Dale Elm Field Finch Fox Glen Hart Heath Hill Lake Lark "
    "Marsh Moor Oak Pine Reed Rook Stone Thorn Vale Wren"
).split()
TOWNS = "Aarhus Accra Bergen Bogota Cork Dakar Delft Ghent Hobart Izmir Kyoto Leeds Lima Lyon Oslo Porto Riga".split()
STREETS = "Abbey Bridge Castle Church Garden Harbour High Market Mill Orchard Park School Station Tower Well".split()
QUALITIES = (
    "Amber Blue Broken Distant First Golden Hidden Last Little Lost Quiet Red Second Secret Silent White".split()
)
THINGS = "Atlas Bird Bridge City Clock Door Garden House Island Journey Letter Map Mirror River Sea Window".split()
PLACES = "Autumn Dust Glass Ice Iron Light Memory Morning Night Paper Rain Salt Silver Smoke Winter Wood".split()
PUBLISHERS = "Anchor Beacon Compass Lantern Meridian Quill".split()
SHIPPING = "AIR COURIER FEDEX MAIL SHIP UPS".split()
STATUSES = "PENDING PROCESSING SHIPPED DENIED".split()
CARDS = "AMEX DINERS DISCOVER MASTERCARD VISA".split()


def uname(number: int) -> str:
    """The name by which the customer with this number signs in."""
    return f"customer{number:06}"


def item_id(number: int) -> str:
    """The key of the book with this number."""
    return f"item{number:06}"


def author_name(number: int) -> tuple[str, str]:
    """First and last name of the author with this number: no word is shared by more than the schema allows."""
    again, index = divmod(number, len(FIRST) * len(LAST))
    suffix = str(again + 1) if again else ""
    return FIRST[index % len(FIRST)] + suffix, LAST[index // len(FIRST)] + suffix


def generate(
    customers: int = 1_000, items: int = 1_000, orders_per_customer: int = 1, cart_lines: int = 3, seed: int = 2012
) -> dict[str, list[Row]]:
    """Rows by table: four books an author, two addresses a customer, a cart with this many lines for each."""
    if cart_lines > MOST_CART_LINES:
        raise ValueError(f"the schema allows {MOST_CART_LINES} lines in one cart")
    chance = random.Random(seed)
    books = _items(chance, items)
    orders = _orders(chance, customers, orders_per_customer if books else 0)
    lines = _order_lines(chance, orders, books)
    return {
        "country": _countries(),
        "address": _addresses(chance, 2 * customers),
        "customer": _customers(chance, customers),
        "author": _authors(chance, (items + 3) // 4),
        "item": books,
        "orders": orders,
        "order_line": lines,
        "cc_xacts": _payments(chance, orders),
        "shopping_cart_line": _cart_lines(chance, customers, books, cart_lines),
    }


def _address_id(number: int) -> str:
    return f"address{number:06}"


def _author_id(number: int) -> str:
    return f"author{number:06}"


def _countries() -> list[Row]:
    return [
        {"co_id": number, "co_name": name, "co_currency": name[:3].upper(), "co_exchange": 1.0 + number / 8}
        for number, name in enumerate(COUNTRIES, 1)
    ]


def _addresses(chance: random.Random, count: int) -> list[Row]:
    return [
        {
            "addr_id": _address_id(number),
            "addr_street1": f"{chance.randint(1, 99)} {chance.choice(STREETS)} Street",
            "addr_street2": None,
            "addr_city": chance.choice(TOWNS),
            "addr_state": None,
            "addr_zip": f"{chance.randrange(100_000):05}",
            "addr_co_id": chance.randint(1, len(COUNTRIES)),
        }
        for number in range(count)
    ]


def _customers(chance: random.Random, count: int) -> list[Row]:
    return [
        {
            "c_uname": uname(number),
            "c_passwd": f"pw{chance.randrange(10**8):08}",
            "c_fname": chance.choice(FIRST),
            "c_lname": chance.choice(LAST),
            "c_addr_id": _address_id(2 * number),
            "c_email": f"{uname(number)}@example.org",
            "c_since": _day(chance, 1_000),
            "c_discount": chance.randrange(50) / 100,
        }
        for number in range(count)
    ]


def _authors(chance: random.Random, count: int) -> list[Row]:
    rows: list[Row] = []
    for number in range(count):
        first, last = author_name(number)
        bio = f"{first} {last} lives in {chance.choice(TOWNS)}."
        rows.append({"a_id": _author_id(number), "a_fname": first, "a_lname": last, "a_bio": bio})
    return rows


def _items(chance: random.Random, count: int) -> list[Row]:
    rows: list[Row] = []
    for number in range(count):
        title = f"The {chance.choice(QUALITIES)} {chance.choice(THINGS)} of {chance.choice(PLACES)}"
        rows.append(
            {
                "i_id": item_id(number),
                "i_title": title,
                "i_a_id": _author_id(number // 4),
                "i_pub_date": _day(chance, OLDEST_DAYS),
                "i_publisher": chance.choice(PUBLISHERS),
                "i_subject": chance.choice(SUBJECTS),
                "i_desc": f"{title}, told anew.",
                "i_image": f"images/{item_id(number)}.png",
                "i_cost": Decimal(chance.randint(100, 9_999)) / 100,
                "i_stock": chance.randint(10, 30),
            }
        )
    return rows


def _orders(chance: random.Random, customers: int, per_customer: int) -> list[Row]:
    rows: list[Row] = []
    for number in range(customers):
        for minutes in chance.sample(range(OLDEST_MINUTES), per_customer):
            rows.append(
                {
                    "o_id": f"order{len(rows):06}",
                    "o_c_uname": uname(number),
                    "o_date_time": NEWEST - timedelta(minutes=minutes),
                    "o_total": Decimal(0),
                    "o_ship_type": chance.choice(SHIPPING),
                    "o_bill_addr_id": _address_id(2 * number),
                    "o_ship_addr_id": _address_id(2 * number + chance.randrange(2)),
                    "o_status": chance.choice(STATUSES),
                }
            )
    return rows


def _order_lines(chance: random.Random, orders: list[Row], books: list[Row]) -> list[Row]:
    """Draw the lines of every order, and write into the order what they cost together."""
    rows: list[Row] = []
    for order in orders:
        total = Decimal(0)
        chosen = chance.sample(books, min(chance.randint(1, MOST_ORDER_LINES), len(books)))
        for line, book in enumerate(chosen, 1):
            quantity = chance.randint(1, 9)
            total += Decimal(str(book["i_cost"])) * quantity
            rows.append({"ol_o_id": order["o_id"], "ol_id": line, "ol_i_id": book["i_id"], "ol_qty": quantity})
        order["o_total"] = total
    return rows


def _payments(chance: random.Random, orders: list[Row]) -> list[Row]:
    return [
        {
            "cx_o_id": order["o_id"],
            "cx_type": chance.choice(CARDS),
            "cx_amt": order["o_total"],
            "cx_date": order["o_date_time"],
            "cx_co_id": chance.randint(1, len(COUNTRIES)),
        }
        for order in orders
    ]


def _cart_lines(chance: random.Random, customers: int, books: list[Row], per_customer: int) -> list[Row]:
    return [
        {"scl_c_uname": uname(number), "scl_i_id": book["i_id"], "scl_qty": chance.randint(1, 5)}
        for number in range(customers)
        for book in chance.sample(books, min(per_customer, len(books)))
    ]


def _day(chance: random.Random, oldest: int) -> date:
    return NEWEST.date() - timedelta(days=chance.randrange(oldest))
