"""Ends of ranges over number columns: CQL compares a column with numbers of its own type alone.

An INT column is compared with 2.5, or with 3000000000, by the next whole number of its type that is in the range:

    int_column > 2.5           int_column >= 3
    int_column < 3000000000    int_column <= 2147483647
    int_column > 3000000000    no number is left, and no request is made
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from piql.schema.catalog import Kind
from piql.schema.types import COLUMN_TYPES
from piql.store.cql.stored_values import ToBytes


def _whole_end(value: Any, is_low: bool, is_included: bool, range_: tuple[int, int]) -> int | None:
    """Return the whole number that ends a range, itself included; None if the range has no number of the type.

    `range_` has the smallest and the largest number of the type.
    """
    if is_low:
        end = math.ceil(value) if is_included else math.floor(value) + 1
        return max(end, range_[0]) if end <= range_[1] else None
    end = math.floor(value) if is_included else math.ceil(value) - 1
    return min(end, range_[1]) if end >= range_[0] else None


def _double_end(value: Any, is_low: bool, is_included: bool) -> float:
    """Return the double that ends a range, itself included, for an end of any kind of number."""
    away = math.inf if is_low else -math.inf
    try:
        end = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    beyond = end < value if is_low else end > value
    if beyond or (end == value and not is_included):
        end = math.nextafter(end, away)
    return end


NumberEnd = Callable[[Any, bool, bool], "int | float | None"]
"""From a number, whether it is the low end, and whether it is included, to the end that is included."""


def end_of(kind: Kind) -> NumberEnd | None:
    """Return the function that ends ranges over a column of a kind; None for kinds that are compared as they are."""
    if kind is Kind.DOUBLE:
        return _double_end
    range_ = COLUMN_TYPES[kind].range
    return None if range_ is None else lambda value, is_low, included: _whole_end(value, is_low, included, range_)


def number_end(end_of_range: NumberEnd, is_low: bool, is_included: bool) -> Callable[[Any], Any]:
    """Return the function from a number to the end of one side of a range."""
    return lambda value: end_of_range(value, is_low, is_included)


def in_bytes(end_of_value: Callable[[Any], Any], to_bytes: ToBytes) -> Callable[[Any], bytes | None]:
    """Return the same function with its result as bytes."""
    return lambda value: None if (end := end_of_value(value)) is None else to_bytes(end)
