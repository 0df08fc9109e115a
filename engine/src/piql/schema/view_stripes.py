"""Stripes of a view: each of its groups has several rows, of which a write changes one and a read adds up all.

    likes of post 7, STRIPES 4:    (7, 0, 12)  (7, 1, 9)  (7, 2, 11)  (7, 3, 14)    a like is in one, by its key

So writers of one group wait for each other less. The stripe of a row follows from its primary key alone: whoever takes
the row back, counts it again or finishes an interrupted write finds the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from uuid import UUID
from zlib import crc32

STRIPE = "stripe"
"""The column of a view that numbers the stripes of a group, from 0 on."""


@dataclass(frozen=True, slots=True)
class ViewStripes:
    """How many rows a group of a view has, and the columns of a row `by` which its stripe is found: a primary key."""

    count: int
    by: tuple[str, ...]

    def stripe_of(self, key: Sequence[object]) -> int:
        """Return the stripe of a row by the values of `by`, as they are stored."""
        return crc32("\0".join(map(_text, key)).encode(errors="surrogatepass")) % self.count


def _text(value: object) -> str:
    """Return a text that is the same for equal values, in each process."""
    match value:
        case int() | float() | Decimal():
            return str(hash(value)) if value == value else "nan"
        case bytes():
            return value.hex()
        case datetime() | date() | time():
            return value.isoformat()
        case UUID():
            return value.hex
    return str(value)
