"""CAST: the conversions from one type to another that have one meaning, as functions of values.

    12.5 → INT   13: a half goes away from zero, that of a DOUBLE to the even number
    '12' → INT   12                    'x' → INT   ValueMismatch

Each agrees with DuckDB where both accept a value. What does not fit raises ValueMismatch: no text is cut off, and no
number loses digits before its point. A text that is a number too large for a DOUBLE is NULL, as every such result is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, InvalidOperation
from typing import Any

from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import MAX_EXPONENT, unit, without_minus_zero
from piql.schema.types import IDS, NUMBERS, TEXTS, WHOLE, convert
from piql.schema.values import ValueMismatch, shown

Conversion = Callable[[Any], Any]
"""From a value that is not NULL to one of another type; raises ValueMismatch."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_MOST_CHARACTERS = 1000  # of a text that is read as a number
_ROUNDING = Context(prec=2000, rounding=ROUND_HALF_UP, Emin=-10_000, Emax=10_000, traps=[InvalidOperation])
_TRUE, _FALSE = {"true", "t", "yes", "y", "1"}, {"false", "f", "no", "n", "0"}
_FLAGS = {Kind.BOOLEAN, *WHOLE}
_TIMES = {Kind.DATE, Kind.TIMESTAMP}


def conversion(source: SqlType, target: SqlType) -> Conversion | None:
    """Return the conversion from one type to another; None where there is none with one meaning."""
    kinds = {source.kind, target.kind}
    if source.kind is Kind.NULL or kinds == {Kind.BLOB}:
        return lambda value: value
    if Kind.BLOB in kinds:
        return None
    if target.kind in TEXTS:
        return lambda value: convert(_text_of(value, source), target)
    if source.kind in TEXTS:
        return lambda text: _of_text(text, target)
    if kinds <= set(NUMBERS):
        return lambda number: _number(number, target)
    if Kind.BOOLEAN in kinds and kinds <= _FLAGS:
        return bool if target.kind is Kind.BOOLEAN else int
    if kinds == _TIMES:
        return _midnight if source.kind is Kind.DATE else datetime.date
    if len(kinds) == 1 or kinds <= set(IDS):
        return lambda value: convert(value, target)
    return None


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _text_of(value: Any, type: SqlType) -> str:
    """Return the text of a value; a DECIMAL has as many digits after the point as its type says, else as needed."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case Decimal() if type.scale is not None:
            return f"{_ROUNDING.quantize(value, unit(type.scale)):f}"
        case Decimal():
            return f"{value.normalize(_ROUNDING):f}"
        case str():
            return value
        case datetime():
            value = value.replace(tzinfo=None)
    text = str(value)
    return text.rstrip("0") if "." in text else text


def _of_text(text: str, type: SqlType) -> Any:
    """Return the value of another type that a text stands for, without the blanks around it."""
    if type.kind is Kind.BOOLEAN:
        word = text.lower()
        if word not in _TRUE | _FALSE:
            raise ValueMismatch(f"{shown(text)} is not {type.with_article}")
        return word in _TRUE
    stripped = text.strip(" \t\r\n")
    if type.kind not in NUMBERS:
        return convert(stripped, type)
    if len(stripped) > _MOST_CHARACTERS or not _NUMBER.fullmatch(stripped):
        raise ValueMismatch(f"{shown(text)} is not a number")
    if type.kind is Kind.DOUBLE:
        number = float(stripped)
        return number + 0.0 if math.isfinite(number) else None
    return _number(Decimal(stripped), type)


def _number(number: Any, type: SqlType) -> Any:
    """Return a number in another type of numbers, rounded to the digits that this type has after its point."""
    try:
        if type.kind is Kind.DOUBLE:
            return float(number) + 0.0
        if isinstance(number, Decimal) and number and number.adjusted() > MAX_EXPONENT:
            raise ValueMismatch(f"{shown(number)} is not {type.with_article}")
        if type.kind in WHOLE:
            return convert(number if isinstance(number, int) else _nearest_whole(number), type)
        return convert(_decimal(number, type.scale if type.precision is not None else None), type)
    except (DecimalException, OverflowError):
        raise ValueMismatch(f"{shown(number)} is not {type.with_article}") from None


def _nearest_whole(number: Decimal | float) -> int:
    return round(number) if isinstance(number, float) else int(_ROUNDING.quantize(number, Decimal(1)))


def _decimal(number: Decimal | float, scale: int | None) -> Decimal:
    """Return a number as a DECIMAL with so many digits after the point; None for as many as it has."""
    if scale is None:
        return number if isinstance(number, Decimal) else Decimal(repr(number))
    if isinstance(number, float):  # scaled as a DOUBLE: 1.005 is a little less, 1.00
        step = 10.0**scale
        scaled = _ROUNDING.quantize(Decimal(number * step), Decimal(1))
        return without_minus_zero(scaled.scaleb(-scale, _ROUNDING))
    return without_minus_zero(_ROUNDING.quantize(Decimal(number), unit(scale)))
