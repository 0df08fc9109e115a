"""types.md: the column types, from the tables of binding, values and widths."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID

from piql.compiler.binding.types import BARE, is_comparable
from piql.schema.catalog import Kind
from piql.schema.decimals import MAX_EXPONENT, MAX_PRECISION
from piql.schema.types import COLUMN_TYPES, KINDS, UNSIZED_BYTES, convert, has_size, value_bytes
from piql.schema.values import ValueMismatch
from piql.store.values import STORED

from reference.markdown import code, codes, table

_ID = UUID("123e4567-e89b-12d3-a456-426614174000")  # of version 1, which every type of ids takes
_SAMPLES: tuple[tuple[str, object], ...] = (
    ("int", 7),
    ("float", 7.5),
    ("Decimal", Decimal("7.5")),
    ("bool", True),
    ("str", "no date"),
    ("ISO str", "2026-05-17"),
    ("ISO str", "7.5"),
    ("ISO str", str(_ID)),
    ("bytes", b"\x00"),
    ("aware datetime", datetime(2026, 5, 17, tzinfo=UTC)),
    ("naive datetime", datetime(2026, 5, 17)),
    ("date", date(2026, 5, 17)),
    ("time", time(12, 30)),
    ("ISO str", "12:30:00"),
    ("UUID", _ID),
)


def pages() -> dict[str, str]:
    """Return the page about column types, by file name."""
    holds = [(code(kind.value), codes(_other_names(kind)) or "–", COLUMN_TYPES[kind].holds) for kind in KINDS]
    python = [(code(kind.value), code(_python_type(kind)), ", ".join(_accepted(kind))) for kind in KINDS]
    stored = [(code(kind.value), _compared(kind), _bytes(kind), code(STORED[kind].affinity)) for kind in KINDS]
    text = f"""
# Types

{table(("type", "also written", "holds"), holds)}

A column without NOT NULL may hold NULL, unless it belongs to the primary key, or to a foreign key that is not
declared NULL. NULL sorts first ascending and last descending; a comparison with it is neither true nor false.

## In Python

The table shows what rows return, and what parameters and loaded values accept. A value that does not fit is
`InvalidParameter` or `ConstraintViolation`; nothing is cut, and only two are rounded: a moment to its millisecond, and
a number given to a DOUBLE to the nearest DOUBLE, so that 2⁵³ + 1 is 2⁵³ and 1E-400 is 0. There is one zero: -0.0 is
given back as 0.0. Digits are those of ASCII, in a text as in a parameter.

{table(("type", "given", "accepted"), python)}

## Computing

What is computed is a value of its type, or there is none: nothing is rounded to fit. The types of results are under
[functions and operators](functions.md). What the application does to its own `decimal` context changes nothing.

| result | does not fit | then |
| --- | --- | --- |
| `INT`, `BIGINT` | outside of the range above | `NumberOutOfRange` |
| `DECIMAL` | takes more than {MAX_PRECISION} digits, or is beyond 1E±{MAX_EXPONENT} | `NumberOutOfRange` |
| `DOUBLE` | is not finite: infinity, NaN | NULL, as after a division by zero |

`NumberOutOfRange` ends the execution, and nothing is written. A value that fits its result but not the column that
it is put into is `ConstraintViolation`. Zeros at the ends of a DECIMAL are no digits here.

## Comparing and counting

Values are compared, joined and sorted within one family of types; text by its UTF-8 bytes. Whole numbers are compared
with any other number exactly: `v < 2.5` is `v <= 2`. A DECIMAL beside a DOUBLE is compared as DOUBLE.

The bytes are what a [bound](../language.md#bounds) counts for one value. Where the type says no length,
{UNSIZED_BYTES:,} bytes are assumed, and [unsized-column](codes/unsized-column.md) says so. The last column is the
column's type in the embedded store.

{table(("type", "compares with", "bytes", "in SQLite"), stored)}
"""
    return {"types.md": text}


def _other_names(kind: Kind) -> list[str]:
    return list(COLUMN_TYPES[kind].names[1:])


def _python_type(kind: Kind) -> str:
    """Return the name of the Python type of the engine's values."""
    for _, sample in _SAMPLES:
        try:
            return type(convert(sample, BARE[kind])).__name__
        except ValueMismatch:
            continue
    raise AssertionError(f"no sample of {kind}")


def _accepted(kind: Kind) -> list[str]:
    """Return the names of the samples that a type accepts."""
    names: dict[str, None] = {}
    for name, sample in _SAMPLES:
        try:
            convert(sample, BARE[kind])
        except ValueMismatch:
            continue
        names[name] = None
    if "str" in names:
        names.pop("ISO str", None)
    return list(names)


def _compared(kind: Kind) -> str:
    return codes(column_kind.value for column_kind in KINDS if is_comparable(BARE[kind], BARE[column_kind]))


def _bytes(kind: Kind) -> str:
    if kind is Kind.VARCHAR:
        return f"4·n; without a length {UNSIZED_BYTES:,}"
    if kind is Kind.DECIMAL:
        return f"p/2 + 2; without digits {value_bytes(BARE[kind])}"
    return f"{value_bytes(BARE[kind]):,}" + ("" if has_size(BARE[kind]) else " assumed")
