"""The known name nearest to a misspelt one, quickly even where thousands are known and thousands misspelt.

A short list of names is compared one by one. For a long one, sets of names as bits tell how many letters each name
shares with the misspelt one; those that share most are compared first, until no other could be nearer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher, get_close_matches
from math import ceil

from piql.trees.cached_property import cached_property
from piql.trees.caches import Cached

CUTOFF = 0.6  # least similarity: twice the letters in common, divided by the sum of the lengths
FEW = 50  # names that are compared one by one
MOST_KEPT = 256  # cached answers
MOST_COMPARED = 8  # of a long list; a name beyond these is nearer only where as many share as many letters


class NearNames:
    """A set of known names, for suggestions of what a misspelt name was meant to be."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        self._cached: dict[str, str | None] = {}  # a file may misspell one name many times

    def nearest(self, name: str) -> str | None:
        """Return the known name nearest to a misspelt one; None if none is near.

        Of names that are equally near, a short list gives the last in alphabetical order.
        """
        fold = name.lower()
        if fold not in self._cached:
            if len(self._cached) >= MOST_KEPT:
                self._cached.clear()
            nearest = self._cached[fold] = self._nearest(fold)
            return nearest
        return self._cached.get(fold)

    def _nearest(self, fold: str) -> str | None:
        if len(self._by_fold) <= FEW:
            close = get_close_matches(fold, self._by_fold, n=1, cutoff=CUTOFF)
            return self._by_fold[close[0]] if close else None
        return self._best(fold)

    @cached_property
    def _by_fold(self) -> dict[str, str]:
        return {name.lower(): name for name in self.names}

    @cached_property
    def _letters(self) -> _Letters:
        return _Letters(sorted(self._by_fold))

    def _best(self, fold: str) -> str | None:
        """Compare the names that share most letters, until no other could be nearer or MOST_COMPARED are compared."""
        compared = 0
        best = (0.0, "")
        matcher = SequenceMatcher(b=fold)
        for most, group in self._letters.groups(fold):
            for candidate in self._letters.promising(group, fold):
                if best[0] >= most or compared == MOST_COMPARED:
                    return self._by_fold[best[1]] if best[0] >= CUTOFF else None
                matcher.set_seq1(candidate)
                best = max(best, (matcher.ratio(), candidate))
                compared += 1
        return self._by_fold[best[1]] if best[0] >= CUTOFF else None


def near_names(names: tuple[str, ...]) -> NearNames:
    """Return a NearNames for these names; it is cached with its answers, such as for the columns of a table."""
    return _near.recall((names,), lambda: NearNames(names))


_near: Cached[NearNames] = Cached(256, is_by_value=True)


class _Letters:
    """Sets of names as numbers, by the letters in them: the bit `1 << at` stands for `names[at]`."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.with_letter: dict[tuple[str, int], int] = defaultdict(int)  # as often as that, or more often
        self.of_length: dict[int, int] = defaultdict(int)
        self.beginning: dict[str, int] = defaultdict(int)
        self.ending: dict[str, int] = defaultdict(int)
        for at, name in enumerate(names):
            bit = 1 << at
            for letter, times in Counter(name).items():
                for time in range(times):
                    self.with_letter[letter, time] |= bit
            self.of_length[len(name)] |= bit
            self.beginning[name[:2]] |= bit
            self.ending[name[-2:]] |= bit

    def groups(self, fold: str) -> Iterator[tuple[float, int]]:
        """Yield sets of names of one length that share as many letters, each with the best similarity possible in it.

        The set with the best comes first. How many letters each name shares is added up for all names at once:
        `digits[0]` holds the names for which the binary number ends with 1.
        """
        digits: list[int] = []
        for letter, times in Counter(fold).items():
            for time in range(times):
                carry = self.with_letter.get((letter, time), 0)
                for bit, digit in enumerate(digits):
                    digits[bit], carry = digit ^ carry, digit & carry
                if carry:
                    digits.append(carry)
        bounds = [
            (2 * shared / (length + len(fold)), length, shared)
            for length in self.of_length
            for shared in range(max(1, ceil(CUTOFF * (length + len(fold)) / 2)), min(length, len(fold)) + 1)
        ]
        for most, length, shared in sorted(bounds, reverse=True):
            group = self.of_length[length]
            if shared >> len(digits):
                continue
            for bit, digit in enumerate(digits):
                group &= digit if shared >> bit & 1 else ~digit
            if group:
                yield most, group

    def promising(self, group: int, fold: str) -> Iterator[str]:
        """Yield the names of a set: those that begin and end as the misspelt one first, by two letters each."""
        beginning, ending = self.beginning.get(fold[:2], 0), self.ending.get(fold[-2:], 0)
        for part in (
            group & beginning & ending,
            group & (beginning ^ ending),
            group & ~(beginning | ending),
        ):
            while part:
                at = part.bit_length() - 1
                part ^= 1 << at
                yield self.names[at]
