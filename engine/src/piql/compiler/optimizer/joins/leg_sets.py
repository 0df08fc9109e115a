"""Sets of the legs of a region as numbers: each leg is the bit of its position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

Legs: TypeAlias = int


def positions_in(legs: Legs) -> Iterator[int]:
    """Yield the positions of the legs in a set, in ascending order."""
    while legs:
        lowest = legs & -legs
        yield lowest.bit_length() - 1
        legs ^= lowest


def leg_set(positions: Iterable[int]) -> Legs:
    """Return the set of the legs at these positions."""
    legs = 0
    for at in positions:
        legs |= 1 << at
    return legs
