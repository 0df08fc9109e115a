"""Values that many rows share: those of parents, and pools of values of one column. The first are the most wanted."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Values: TypeAlias = tuple[Any, ...]
_LONGEST_WALK = 64  # candidates that are looked at in a row for one that is open


def zipf(rng: random.Random, count: int) -> int:
    """Return a rank below `count`; rank r is about 1 / (r + 1) as likely as rank 0."""
    return min(count - 1, int((count + 1) ** rng.random()) - 1)


class OpenRanks:
    """The ranks from 0 without end, some of which are closed for good."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}  # of a closed rank, one behind it that may be open

    def close(self, rank: int) -> None:
        self._next.setdefault(rank, rank + 1)

    def is_open(self, rank: int) -> bool:
        return rank not in self._next

    def at_or_after(self, rank: int) -> int:
        """Return the first open rank from a rank on; the way there is short the next time."""
        path = []
        while (further := self._next.get(rank)) is not None:
            path.append(rank)
            rank = further
        for closed in path:
            self._next[closed] = rank
        return rank


class Choice:
    """A list of values for some columns of a table, each with its rank, the position in the list.

    With `is_growing`, the values at ranks beyond `usual`, among which rows usually choose, are taken once those before
    them are closed; `size` is None where there is no end.
    """

    def __init__(
        self,
        columns: Sequence[str],
        value: Callable[[int], Values | None],
        size: Callable[[], int | None],
        usual: Callable[[], int],
        nullable: Sequence[str] = (),
        is_reference: bool = False,
    ) -> None:
        self.columns = tuple(columns)
        self.nullable = frozenset(nullable)
        self.is_reference = is_reference
        self._value, self._size, self._usual = value, size, usual
        self._open = OpenRanks()
        self._by_known: dict[tuple[int, ...], _Grouped] = {}

    @property
    def size(self) -> int | None:
        return self._size()

    def value(self, rank: int) -> Values | None:
        """Return the values at a rank, in the order of `columns`; None where those of the parent fit no column."""
        return self._value(rank)

    def close(self, rank: int) -> None:
        """Choose the values at a rank no more: their groups are full."""
        self._open.close(rank)

    def draw(self, rng: random.Random) -> int | None:
        """Return an open rank, a small one more often; None where all are closed."""
        usual = self._usual()
        return self.open_from(zipf(rng, usual)) if usual else None

    def open_from(self, rank: int) -> int | None:
        """Return the first open rank from a rank on, from 0 on where there is none; None where all are closed."""
        size = self.size
        for start in (rank, 0):
            open_rank = self._open.at_or_after(start)
            if size is None or open_rank < size:
                return open_rank
        return None

    def ranks_with(self, known: Mapping[str, Any]) -> Sequence[int]:
        """Return the ranks whose values equal those that are known of some of the columns: for references only."""
        positions, values = self._known(known)
        return self._grouped(positions).ranks(values)

    def draw_with(self, rng: random.Random, known: Mapping[str, Any]) -> int | None:
        """Return an open rank among `ranks_with`."""
        ranks = self.ranks_with(known)
        if not ranks:
            return None
        start = zipf(rng, len(ranks))
        for step in range(min(len(ranks), _LONGEST_WALK)):
            rank = ranks[(start + step) % len(ranks)]
            if self._open.is_open(rank):
                return rank
        return None

    def largest(self, columns: Sequence[str], most: int) -> list[Values]:
        """Return the values of some of the columns that most ranks share, at most `most`, the largest group first."""
        positions = tuple(at for at, name in enumerate(self.columns) if name in columns)
        return self._grouped(positions).largest(most)

    def _known(self, known: Mapping[str, Any]) -> tuple[tuple[int, ...], Values]:
        positions = tuple(at for at, name in enumerate(self.columns) if name in known)
        return positions, tuple(known[self.columns[at]] for at in positions)

    def _grouped(self, positions: tuple[int, ...]) -> _Grouped:
        grouped = self._by_known.get(positions)
        if grouped is None:
            grouped = self._by_known[positions] = _Grouped(positions)
        grouped.extend(self._value, self.size or 0)
        return grouped


class _Grouped:
    """The ranks of a choice by some of their values; those of parents that come later are added by `extend`."""

    def __init__(self, positions: tuple[int, ...]) -> None:
        self._positions = positions
        self._ranks: dict[Values, list[int]] = {}
        self._size = 0

    def extend(self, value: Callable[[int], Values | None], size: int) -> None:
        for rank in range(self._size, size):
            values = value(rank)
            if values is not None:
                self._ranks.setdefault(tuple(values[at] for at in self._positions), []).append(rank)
        self._size = size

    def ranks(self, values: Values) -> Sequence[int]:
        return self._ranks.get(values, ())

    def largest(self, most: int) -> list[Values]:
        ordered = sorted(self._ranks.items(), key=lambda group: (-len(group[1]), group[1][0]))
        return [values for values, _ in ordered[:most]]
