"""Values of one column, by its type and by its name: drawn at random, or counted through so that no two are equal."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any
from uuid import UUID

from piql.generating.vocabulary import COUNTRIES, FIRST_NAMES, KINDS, LAST_NAMES, STREETS, TOWNS
from piql.generating.words import fitting, in_base_36, plain_text
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import for_each_kind, range_of
from piql.schema.values import TimeUUID

_FIRST_MOMENT = datetime(2024, 1, 1, tzinfo=UTC)  # not the present time: the same seed gives the same rows
_SPAN = timedelta(days=730)  # of moments that are drawn
_BETWEEN = timedelta(seconds=61)  # two moments that are counted through
_LAST_MOMENT = datetime(9999, 1, 1, tzinfo=UTC)
_UUID_EPOCH = datetime(1582, 10, 15, tzinfo=UTC)
_NAMED = 16  # characters of a text that has room for a name and a number
_MAILED = 28  # characters of a text that has room for an address
_DIGITS_OF_DECIMAL = 12  # a DECIMAL without a precision is drawn with at most so many
_BLOB_BYTES = 32
_SHORT_NAME = 30  # characters of what is called a name or a title


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The values of one column.

    `nth` gives a value for each number below `distinct` (None: without end), no two of them equal. `draw` gives one
    that may have been given before.
    """

    distinct: int | None
    nth: Callable[[int], Any]
    draw: Callable[[random.Random], Any]


def values_of(table: str, name: str, type: SqlType, length: int | None, seed: int) -> ColumnValues:
    """Return the values of a column; `length` is what its texts may have at most, for those that refer to them too."""
    return _KINDS[type.kind](_Column(table.lower(), name.lower(), type, length, seed))


@dataclass(frozen=True, slots=True)
class _Column:
    """The column whose values are made; names are in lower case."""

    table: str
    name: str
    type: SqlType
    length: int | None
    seed: int

    def is_called(self, pattern: str) -> bool:
        return _is_called(pattern, self.name)


def _is_called(pattern: str, name: str) -> bool:
    return re.search(rf"(?:^|_)(?:{pattern})(?:s|_|\d|$)", name) is not None


def _whole(column: _Column) -> ColumnValues:
    _, most = range_of(column.type)
    if column.is_called("year"):
        low, high = 1950, 2026
    elif column.is_called("age"):
        low, high = 1, 95
    elif column.is_called("price|amount|cost|total|salary"):
        low, high = 1, 20_000
    elif column.is_called("star|rating|rank|level"):
        low, high = 1, 5
    elif column.is_called("qty|quantity"):
        low, high = 1, 12
    else:
        low, high = 0, 1000
    is_skewed = high >= 1000

    def draw(rng: random.Random) -> int:
        return min(high, int(rng.paretovariate(1.2)) + low - 1) if is_skewed else rng.randint(low, high)

    return ColumnValues(most, lambda n: n + 1, draw)


def _double(column: _Column) -> ColumnValues:
    return ColumnValues(2**53, lambda n: float(n + 1), lambda rng: round(rng.lognormvariate(3, 1), 3))


def _decimal(column: _Column) -> ColumnValues:
    precision, scale = column.type.precision, column.type.scale or 0
    before = _DIGITS_OF_DECIMAL if precision is None else min(precision - scale, _DIGITS_OF_DECIMAL)
    most = 10**before - 1
    if precision is not None and before < 6:  # the digits behind the point count, too
        distinct = 10 ** min(precision, _DIGITS_OF_DECIMAL)
        unit = Decimal(1).scaleb(-min(scale, _DIGITS_OF_DECIMAL - before))
        return ColumnValues(distinct, lambda n: n * unit, lambda rng: Decimal(rng.randrange(distinct)) * unit)
    shown = Decimal(1).scaleb(-min(scale if precision is not None else 2, 2))

    def draw(rng: random.Random) -> Decimal:
        return Decimal(min(most, rng.lognormvariate(3, 1.2))).quantize(shown)

    return ColumnValues(most, lambda n: Decimal(n + 1), draw)


def _boolean(column: _Column) -> ColumnValues:
    return ColumnValues(2, lambda n: n == 0, lambda rng: rng.random() < 0.8)


def _text(column: _Column) -> ColumnValues:
    length = column.length
    if length is not None and length < _NAMED:
        return ColumnValues(36**length, in_base_36, lambda rng: fitting(_drawn_text(column, rng), length))
    is_mail = column.is_called("e?mail|mail") and (length is None or length >= _MAILED)
    if column.is_called("id|sku|code|isbn|number|no|key"):
        letter = next((letter for letter in column.table if letter.isascii() and letter.isalpha()), "x")
        return ColumnValues(10**9, lambda n: f"{letter}{n + 1}", lambda rng: fitting(_drawn_text(column, rng), length))

    def nth(n: int) -> str:
        number, place = divmod(n, len(FIRST_NAMES))
        name = FIRST_NAMES[place] + (str(number) if number else "")
        return f"{name}@example.com" if is_mail else name

    return ColumnValues(len(FIRST_NAMES) * 10**9, nth, lambda rng: fitting(_drawn_text(column, rng), length))


_TEXTS: tuple[tuple[str, Callable[[random.Random], str]], ...] = (
    ("e?mail|mail", lambda rng: f"{rng.choice(FIRST_NAMES)}.{rng.choice(LAST_NAMES)}@example.com"),
    ("user_?name|u_?name|nick|login|owner|author", lambda rng: rng.choice(FIRST_NAMES)),
    ("first_?name|f_?name|given_?name", lambda rng: rng.choice(FIRST_NAMES).title()),
    ("last_?name|l_?name|sur_?name", lambda rng: rng.choice(LAST_NAMES).title()),
    ("full_?name|customer|person", lambda rng: _full_name(rng)),
    ("country", lambda rng: rng.choice(COUNTRIES)),
    ("city|town|home_?town|place|location", lambda rng: rng.choice(TOWNS)),
    ("street|address", lambda rng: f"{rng.randint(1, 240)} {rng.choice(STREETS)}"),
    ("phone|mobile|fax", lambda rng: f"+41 44 {rng.randint(200, 999)} {rng.randint(10, 99)} {rng.randint(10, 99)}"),
    ("zip|post_?code", lambda rng: f"{rng.randint(1000, 99999)}"),
    ("ip", lambda rng: f"192.0.2.{rng.randint(1, 254)}"),
    ("url|link|website|image|photo", lambda rng: f"https://example.com/{in_base_36(rng.getrandbits(30))}"),
    ("status|state|kind|type|category|role|color|colour", lambda rng: KINDS[min(5, int(rng.expovariate(1)))]),
    ("currency", lambda rng: rng.choice(("EUR", "USD", "GBP", "JPY", "CHF"))),
    ("lang|language|locale", lambda rng: rng.choice(("en", "de", "fr", "es", "ja", "pt"))),
    ("token|hash|digest|password|secret|key", lambda rng: f"{rng.getrandbits(128):032x}"),
)


_PEOPLE = "user|person|people|customer|member|employee|account|owner|contact|player|author|patient|student|teacher"


def _full_name(rng: random.Random) -> str:
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}".title()


def _drawn_text(column: _Column, rng: random.Random) -> str:
    """Return a text as the name of the column suggests; else some words."""
    for pattern, make in _TEXTS:
        if column.is_called(pattern):
            return make(rng)
    if column.is_called("name") and _is_called(_PEOPLE, column.table):
        return _full_name(rng)
    return plain_text(rng, _SHORT_NAME if column.is_called("name|title|subject") else column.length)


def _blob(column: _Column) -> ColumnValues:
    size = _BLOB_BYTES if column.length is None else min(column.length, _BLOB_BYTES)
    counted = min(size, 8)
    return ColumnValues(
        256**counted, lambda n: n.to_bytes(counted, "big"), lambda rng: rng.randbytes(rng.randint(0, size))
    )


def _timestamp(column: _Column) -> ColumnValues:
    def draw(rng: random.Random) -> datetime:
        return _FIRST_MOMENT + timedelta(milliseconds=int(rng.random() * _SPAN.total_seconds() * 1000))

    return ColumnValues((_LAST_MOMENT - _FIRST_MOMENT) // _BETWEEN, lambda n: _FIRST_MOMENT + n * _BETWEEN, draw)


def _date(column: _Column) -> ColumnValues:
    first = _FIRST_MOMENT.date()
    is_birth = column.is_called("birth|birthday|born|dob")

    def draw(rng: random.Random) -> date:
        days = rng.randint(18 * 365, 85 * 365) if is_birth else -rng.randint(0, _SPAN.days)
        return first - timedelta(days=days)

    return ColumnValues(first.toordinal(), lambda n: first - timedelta(days=n), draw)


def _time(column: _Column) -> ColumnValues:
    def of(seconds: int) -> time:
        return time(seconds // 3600, seconds // 60 % 60, seconds % 60)

    return ColumnValues(86_400, of, lambda rng: of(rng.randrange(1440) * 60))


def _uuid(column: _Column) -> ColumnValues:
    """Return ids of version 4 whose bits are a digest of the seed and the number."""

    def nth(n: int) -> UUID:
        return UUID(
            bytes=blake2b(f"{column.seed}/{column.table}/{column.name}/{n}".encode(), digest_size=16).digest(),
            version=4,
        )

    return ColumnValues(None, nth, lambda rng: UUID(int=rng.getrandbits(128), version=4))


def _time_uuid(column: _Column) -> ColumnValues:
    moments = _timestamp(column)
    last = int.from_bytes(
        blake2b(f"{column.seed}/{column.table}/{column.name}".encode(), digest_size=8).digest(), "big"
    )

    def of(moment: datetime, suffix: int) -> TimeUUID:
        ticks = (moment - _UUID_EPOCH) // timedelta(microseconds=1) * 10
        high = (ticks & 0xFFFFFFFF) << 32 | (ticks >> 32 & 0xFFFF) << 16 | 0x1000 | ticks >> 48
        return TimeUUID(int=high << 64 | 2 << 62 | suffix % 2**62)

    return ColumnValues(
        moments.distinct, lambda n: of(moments.nth(n), last), lambda rng: of(moments.draw(rng), rng.getrandbits(62))
    )


_KINDS: dict[Kind, Callable[[_Column], ColumnValues]] = for_each_kind(
    {
        Kind.INT: _whole,
        Kind.BIGINT: _whole,
        Kind.DOUBLE: _double,
        Kind.DECIMAL: _decimal,
        Kind.BOOLEAN: _boolean,
        Kind.VARCHAR: _text,
        Kind.TEXT: _text,
        Kind.BLOB: _blob,
        Kind.TIMESTAMP: _timestamp,
        Kind.DATE: _date,
        Kind.TIME: _time,
        Kind.UUID: _uuid,
        Kind.TIMEUUID: _time_uuid,
    }
)
