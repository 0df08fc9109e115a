"""The primary keys that a load has met, as numbers of 8 bytes, to notice a row that may have one of them again."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import Any

_MOST_RECENT = 1_000_000  # numbers in a set, before they are sorted into 8 bytes each


class SeenKeys:
    """A set that takes a new key for an old one once in some 10⁷ files of a million rows, and never the reverse.

    So who is told that a key is not new has to look at the rows themselves.
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._older: list[array[int]] = []  # each sorted

    def add(self, key: tuple[Any, ...]) -> bool:
        """Add a key, and return whether it is surely new."""
        number = hash(repr(key))
        recent = self._recent
        if number in recent or any(_holds(numbers, number) for numbers in self._older):
            return False
        recent.add(number)
        if len(recent) >= _MOST_RECENT:
            self._older.append(array("q", sorted(recent)))
            recent.clear()
        return True


def _holds(numbers: array[int], number: int) -> bool:
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number
