"""Column types and values of them, drawn so that they collide, sort badly and sit on the edges of their types."""

from __future__ import annotations

import datetime as dt
import random
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

Value: TypeAlias = "int | float | Decimal | bool | str | bytes | dt.datetime | dt.date | dt.time | uuid.UUID | None"

NUMBERS = ("INT", "BIGINT", "DOUBLE", "DECIMAL")
TEXTS = ("VARCHAR", "TEXT")

WORDS = ("red", "Red", "blue", "sea", "écume", "Ω", "book", "a", "x1")
ODD_TEXTS = (
    "",
    " ",
    "a",
    "A",
    "b",
    "ab",
    "B",
    "é",
    "e\u0301",
    "Ω",
    "😀",
    "\uffff",
    "\U0010ffff",
    "o'hara",
    'x"y',
    "100%",
    "a_b",
)
RARE_TEXTS = ("\\", "\t", "a\nb", "\x00", "a\x00b", "\x7f", "--", "/*", ";", "[1: p]", " a ", "NULL")


@dataclass(frozen=True, slots=True)
class ValueType:
    """A column type of the language; `VARCHAR(12)`, `DECIMAL(8, 2)`."""

    kind: str
    length: int | None = None
    scale: int | None = None

    def __str__(self) -> str:
        if self.kind == "DECIMAL":
            return f"DECIMAL({self.length}, {self.scale})"
        return f"{self.kind}({self.length})" if self.length is not None else self.kind

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBERS

    @property
    def is_dated(self) -> bool:
        return self.kind in ("DATE", "TIMESTAMP")

    @property
    def is_text(self) -> bool:
        return self.kind in TEXTS


TIMEUUID = "\x01timeuuid "  # what a TIMEUUID begins with in DuckDB, where it is a text; no other text does

CLOCK = dt.datetime(2012, 8, 27, 10, 15, 1, tzinfo=dt.UTC)  # the time of every execution
DAY_UNITS = ("DAY", "WEEK", "MONTH", "YEAR")
DATE_PARTS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOW", "DOY", "HOUR", "MINUTE", "SECOND", "EPOCH")
TRUNCATED = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY")

INT = ValueType("INT")
BIGINT = ValueType("BIGINT")
DOUBLE = ValueType("DOUBLE")
BOOLEAN = ValueType("BOOLEAN")
TEXT = ValueType("TEXT")
TIMESTAMP = ValueType("TIMESTAMP")
TIME = ValueType("TIME")


def random_type(rng: random.Random, *, is_key: bool = False) -> ValueType:
    kinds = ["INT"] * 5 + ["VARCHAR"] * 5 + ["TIMESTAMP"] * 2 + ["BIGINT", "DATE", "UUID", "DECIMAL", "BOOLEAN", "TEXT"]
    kinds += ["TIMEUUID"]
    kinds += ["BLOB", "DOUBLE"] if not is_key or rng.random() < 0.3 else []
    kind = rng.choice(kinds)
    if kind == "VARCHAR":
        return ValueType("VARCHAR", rng.choice((8, 20, 40)))
    if kind == "DECIMAL":
        digits = ((8, 2), (5, 0), (12, 4), (38, 0), (38, 10))
        precision, scale = rng.choice(digits)
        return ValueType("DECIMAL", precision, scale)
    return ValueType(kind)


def random_value(rng: random.Random, type: ValueType) -> Value:
    """Return a value of the type, never NULL."""
    match type.kind:
        case "INT":
            return rng.choice((2**31 - 1, -(2**31))) if rng.random() < 0.02 else rng.randint(-3, 9)
        case "BIGINT":
            return rng.choice((2**63 - 1, -(2**63), 2**40, -(2**53) - 1)) if rng.random() < 0.2 else rng.randint(-3, 9)
        case "DOUBLE":
            odd = (1e300, 1.7e308, -1.7e308, 5e-324, -1e-7, 0.1, 1e15 + 0.5)
            return rng.choice(odd) if rng.random() < 0.15 else rng.randint(-12, 20) / 4
        case "DECIMAL":
            scale = type.scale or 0
            whole = (
                rng.choice((rng.randint(-3, 9), 10 ** ((type.length or 5) - scale) - 1))
                if rng.random() < 0.1
                else rng.randint(-3, 9)
            )
            return Decimal(f"{whole * 10**scale + rng.choice((0, 0, 5, 1)) * (1 if scale else 0)}E-{scale}")
        case "BOOLEAN":
            return rng.random() < 0.5
        case "VARCHAR" | "TEXT":
            return _random_text(rng, type.length or 40)
        case "BLOB":
            return rng.choice((b"", b"\x00", b"\xff", b"ab", b"a", b"a\x00", b"\x00\x01", b"\x80"))
        case "TIMESTAMP":
            base = rng.choice(
                (dt.datetime(2012, 8, 27, 10, 15, tzinfo=dt.UTC), dt.datetime(1969, 12, 31, 23, 59, 59, tzinfo=dt.UTC))
            )
            return base + dt.timedelta(milliseconds=rng.choice((0, 1, 2, 999, 1000, -1, 86_400_000)))
        case "DATE":
            return dt.date(2012, 2, 27) + dt.timedelta(days=rng.choice((0, 1, 2, 3, -20_000, 366)))
        case "TIME":
            return rng.choice((dt.time(), dt.time.max, dt.time(9), dt.time(10, 15, 0, 1), dt.time(10, 15, 0, 1000)))
        case "UUID":
            return uuid.UUID(int=rng.choice((0, 1, 2**127, 2**128 - 1, 2**64, 2**63, 12345)))
        case "TIMEUUID":
            return _random_time_uuid(rng)
    raise AssertionError(type)


def _random_time_uuid(rng: random.Random) -> uuid.UUID:
    """Return a UUID of version 1 of few times, whose numbers sort otherwise than their times do."""
    low, middle, high = rng.choice(((0, 0, 0), (9, 0, 0), (0, 9, 0), (1, 0, 9), (2**32 - 1, 2**16 - 1, 2**12 - 1)))
    return uuid.UUID(fields=(low, middle, 1 << 12 | high, rng.choice((0x80, 0xBF)), 0, rng.choice((1, 127, 128, 255))))


def _by_time(value: uuid.UUID) -> str:
    """Write a TIMEUUID as a text that sorts as PIQL sorts the id, which stands at its end."""
    last = [byte + 128 & 255 for byte in value.bytes[8:]]
    return f"{TIMEUUID}{value.time:015x}{bytes(last).hex()}{value}"


def _random_text(rng: random.Random, length: int) -> str:
    chance = rng.random()
    if chance < 0.02:
        return rng.choice(RARE_TEXTS)[:length]
    if chance < 0.5:
        return rng.choice(ODD_TEXTS)[:length]
    return " ".join(rng.choice(WORDS) for _ in range(rng.choice((1, 1, 2, 3))))[:length]


def duckdb_literal(value: Value, type: ValueType) -> str:
    """Write a value as DuckDB reads it."""
    sql_type = str(type) if type.kind not in ("TEXT", "TIMEUUID") else "VARCHAR"
    match value:
        case None:
            return f"CAST(NULL AS {sql_type})"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            pieces = ["'" + piece.replace("'", "''") + "'" for piece in value.split("\x00")]
            return "(" + " || chr(0) || ".join(pieces) + ")" if len(pieces) > 1 else pieces[0]
        case bytes():
            return f"from_hex('{value.hex()}')"
        case dt.datetime():
            moment = value.astimezone(dt.UTC).replace(tzinfo=None)
            return f"TIMESTAMP '{moment.isoformat(sep=' ', timespec='milliseconds')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case dt.time():
            return f"TIME '{value.isoformat()}'"
        case uuid.UUID() if type.kind == "TIMEUUID":
            return f"'{_by_time(value)}'"
        case uuid.UUID():
            return f"CAST('{value}' AS UUID)"
    if type.kind == "DECIMAL":
        return f"CAST('{value}' AS DECIMAL(38, {type.scale or 0}))"
    return f"CAST('{value!r}' AS {sql_type})"


def piql_literal(value: Value) -> str:
    """Write a value as PIQL text does."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex()}'"
        case dt.datetime():
            return f"'{value.isoformat(timespec='milliseconds').replace('+00:00', 'Z')}'"
        case dt.date() | dt.time() | uuid.UUID():
            return f"'{value}'"
        case float():
            return repr(value) if "e" in repr(value) else f"{value!r}e0"
    return str(value)


def can_be_literal(value: Value) -> bool:
    """Return whether a value may be written in a query: texts end on their line."""
    return not isinstance(value, str) or not any(character in value for character in "\n\r\x00")


def from_duckdb(value: object) -> object:
    """Return DuckDB's value as the engine gives it: timestamps are aware, and ids that sort by time are no texts."""
    if isinstance(value, str) and value.startswith(TIMEUUID):
        return uuid.UUID(value[-36:])
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)
    return value
