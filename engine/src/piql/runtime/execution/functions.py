"""What the scalar functions and operators of the language compute, on values; NULL in any argument gives NULL.

Each agrees with DuckDB, except that a division by zero is NULL. What is computed of numbers is in `numbers`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.runtime.execution.numbers import absolute, negate, round_half_away


def substring(text: str, start: int, length: int | None = None) -> str:
    """Return characters from `start`, counted from 1, or from the end when negative."""
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else -1
    if length is None:
        return text[max(begin, 0) :]
    if length < 0:
        begin, length = begin + length, -length
    return text[max(begin, 0) : max(begin + length, 0)]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "LOWER": str.lower,
    "UPPER": str.upper,
    "LENGTH": len,
    "SUBSTR": substring,
    "TRIM": lambda text: text.strip(" "),
    "ABS": absolute,
    "ROUND": round_half_away,
    "NEGATE": negate,
    "IF_FOUND": lambda value, key: value,
    "GREATEST": max,
    "LEAST": min,
    "NEXT": lambda number: number + 1,
    "PREVIOUS": lambda number: number - 1,
}
