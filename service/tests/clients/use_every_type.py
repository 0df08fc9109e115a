"""What the Python client of every_type.piql does; started with the address of a service."""

import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from piql_client import Connection, InvalidParameter, Queries, Things

queries = Queries(Connection(sys.argv[1]))


def add(thing: Things) -> None:
    queries.addThing(
        id=thing.id,
        big=thing.big,
        price=thing.price,
        double=thing.double,
        is_new=thing.is_new,
        str=thing.str_,
        date=thing.date,
        made=thing.made,
        raw=thing.raw,
        uuid=thing.uuid,
        event=thing.event,
    )


def things(id: int, big: int | None, made: datetime | None) -> Things:
    return Things(id, big, None, None, None, None, None, made, None, None, None)


full = Things(
    1,
    2**53 + 1,
    Decimal("12345678901234567890.0123456789"),
    0.1,
    True,
    "ü€😀",
    date(2026, 1, 31),
    datetime(2026, 1, 31, 12, 0, 0, 125000, tzinfo=UTC),
    b"\x00\xff",
    UUID("123e4567-e89b-42d3-a456-426614174000"),
    UUID("123e4567-e89b-12d3-a456-426614174000"),
)
empty = things(2, -(2**63) + 1, None)
for thing in (full, empty):
    add(thing)
    assert queries.findThing(id=thing.id).rows == [thing]
assert [(row.id, row.more) for row in queries.findThings(ids=[1, 2]).rows] == [(1, 2**53 + 2), (2, -(2**63) + 2)]
assert [row.id for row in queries.bigOnes(bigs=(7, 2**53 + 1)).rows] == [1]
(row,) = queries.nothing().rows
assert (row.count, row.nothing) == (1, None)

written = queries.putPage(class_=1, from_=2, parameters=3, proto__=4, constructor=None)
assert [(row.class_, row.a_b, row.proto__) for row in written.rows] == [(1, 2, 4)]
assert queries.class_(p1=1).rows == queries.constructor(constructor=1).rows
assert [(row.a_b, row.a_b_) for row in queries.class_(p1=1).rows] == [(2, 3)]
assert [row.größe for row in queries.it_s_______1(self_=1).rows] == [3]

with pytest.raises(InvalidParameter) as refused:
    queries.findThing(id=2**31)
assert refused.value.parameter == "id"
with pytest.raises(ValueError, match="no time zone"):
    add(things(3, None, datetime(2026, 1, 31)))

if TYPE_CHECKING:  # a wrong type does not pass: mypy reports an ignored error that is none
    queries.findThings(ids="12")  # type: ignore[arg-type]
    queries.findThings(ids=["1"])  # type: ignore[list-item]
    queries.bigOnes(bigs=[1.5])  # type: ignore[list-item]
    queries.putPage(class_=None, from_=1, parameters=1, proto__=1, constructor=1)  # type: ignore[arg-type]
