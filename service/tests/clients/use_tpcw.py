"""What the Python client of TPC-W does; started with the address of a service whose store has three customers."""

import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from piql_client import ConditionFailed, Connection, DuplicateKey, OrderDisplayLastOrderRow, Queries

queries = Queries(Connection(sys.argv[1]))
HERE = "python"

queries.addAddress(address=HERE, street1="1 Mill", street2=None, city="Cork", state=None, zip="T12", country=1)


def register(since: date | None, discount: float | None) -> None:
    queries.addCustomer(
        uname=HERE,
        password="secret",
        first="Ada",
        last=None,
        address=HERE,
        email=None,
        since=since,
        discount=discount,
    )


register(date(2026, 1, 31), 0.1)
with pytest.raises(DuplicateKey):
    register(None, None)

(greeting,) = queries.home(uname=HERE).rows
assert (greeting.c_fname, greeting.c_lname) == ("Ada", None)
moment = datetime(2026, 2, 1, 12, 30, tzinfo=UTC)
total = Decimal("99999999.99")
queries.addOrder(order=HERE, uname=HERE, at=moment, total=total, shipping=None, billing=HERE, delivery=HERE)
assert queries.orderDisplayLastOrder(uname=HERE).rows == [
    OrderDisplayLastOrderRow(HERE, moment, total, "PENDING", "Cork", "Argentina", "Cork", "Argentina")
]

item = "item000000"
queries.updateItem(item=item, cost=Decimal("9.50"), image=None, published=date(2026, 1, 31))
(detail,) = queries.productDetail(item=item).rows
assert (detail.i_cost, str(detail.i_cost)) == (Decimal("9.50"), "9.50")
assert (detail.i_pub_date, detail.i_image) == (date(2026, 1, 31), None)
assert detail.i_stock is not None
queries.takeFromStock(item=item, seen=detail.i_stock, left=detail.i_stock - 1)
with pytest.raises(ConditionFailed):
    queries.takeFromStock(item=item, seen=detail.i_stock, left=0)
queries.addCartLine(uname=HERE, item=item, quantity=2)
assert [(line.scl_qty, line.i_cost) for line in queries.shoppingCart(uname=HERE).rows] == [(2, Decimal("9.50"))]
assert all(row.a_lname for row in queries.searchBySubject(subject="ARTS", count=50).rows)

if TYPE_CHECKING:  # a wrong type does not pass: mypy reports an ignored error that is none
    queries.updateItem(item=item, cost=9.5, image=None, published=None)  # type: ignore[arg-type]
    queries.updateItem(item=item, cost=None, image=None, published="2026-01-31")  # type: ignore[arg-type]
    queries.searchBySubject(subject="ARTS", count="50")  # type: ignore[arg-type]
