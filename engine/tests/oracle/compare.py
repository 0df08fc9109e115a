"""Whether rows are those expected: a list where an order was asked, a bag otherwise, a part of it with LIMIT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from uuid import UUID

EXACT = 2**53


def plain(value: object) -> object:
    """Return a value in a form in which equal values of either engine are equal: numbers by value, the rest by kind."""
    if value is None or isinstance(value, bool | str | bytes):
        return (type(value).__name__, value)
    if isinstance(value, int):
        return ("number", str(value))
    if isinstance(value, float | Decimal):
        if value == int(value) and abs(value) < EXACT:
            return ("number", str(int(value)))
        return ("number", f"{float(value):.11g}")
    if isinstance(value, UUID):
        return ("UUID", str(value))
    return (type(value).__name__, str(value))


def exact(value: object) -> object:
    """Return a stored value in a form in which only equal ones are equal: numbers by all their digits."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return ("number", Fraction(value))
    return plain(value)


def difference(
    rows: Sequence[Sequence[object]], expected: Sequence[Sequence[object]], width: int, is_total: bool, most: int | None
) -> str | None:
    """Say in which way `rows` are wrong, or None.

    Of the expected rows the first `width` values are compared, the rest are what they are ordered by: rows equal in it
    may come in any order (all of them, where nothing was asked), unless the order is total.
    """
    plain_rows = [tuple(map(plain, row)) for row in rows]
    expected_rows = [(tuple(map(plain, row[:width])), tuple(map(plain, row[width:]))) for row in expected]
    size = len(expected_rows) if most is None else min(most, len(expected_rows))
    if len(plain_rows) != size:
        return f"{len(plain_rows)} rows instead of {size}"
    if is_total:
        for number, (one, (expected_row, _)) in enumerate(zip(plain_rows, expected_rows, strict=False)):
            if one != expected_row:
                return f"row {number} differs"
        return None
    at = 0
    for _, group in groupby(expected_rows, key=lambda pair: pair[1]):
        tied = Counter(pair[0] for pair in group)
        here = plain_rows[at : at + tied.total()]
        surplus = Counter(here) - tied
        if surplus:
            return f"rows {at} to {at + len(here)} should not be there, or not there"
        at += len(here)
    return None
