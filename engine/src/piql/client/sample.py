"""A random sample of keys, taken while all rows are walked once: those of the smallest ranks, as many as are asked for.

rank of a key    a number that a secret of the sample gives it: as good as random, and the same for the same key
ceiling          the rank above which keys are not of the sample; it only sinks

So a key that is of the sample in the end was of it whenever one of its rows came, and all of them were counted. Whoever
asks on both sides, what rows give and what is kept, asks about the same keys. Memory holds the keys of a sample and
those of one step.
"""

from __future__ import annotations

import secrets
from typing import Any

from piql.store.rows import Row

_RANKS = 1 << 64


class Sample:
    """At most `most` keys of those that were met, one more where two have one rank; all of them where it is None."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self._secret = secrets.randbits(64)
        self._ceiling = _RANKS

    @property
    def is_whole(self) -> bool:
        """Whether no key was left out so far."""
        return self._ceiling == _RANKS

    def holds(self, key: Row) -> bool:
        """Return whether a key is of the sample, as far as it is known."""
        return self.is_whole or self._rank(key) <= self._ceiling

    def prune(self, by_key: dict[Row, Any]) -> None:
        """Take from a dictionary what is not of the sample, once it has more keys than are asked for.

        To be called after each step in which rows were added to it, whichever keys they have.
        """
        if self.most is None:
            return
        ranks = {key: self._rank(key) for key in by_key}
        if len(by_key) > self.most:
            self._ceiling = min(self._ceiling, sorted(ranks.values())[self.most - 1])
        for key in [key for key, rank in ranks.items() if rank > self._ceiling]:
            del by_key[key]

    def _rank(self, key: Row) -> int:
        """Return the rank of a key: equal keys have equal hashes, whose bits are mixed once more."""
        number = (hash((self._secret, key)) * 0x9E3779B97F4A7C15) % _RANKS
        number ^= number >> 32
        return (number * 0xD6E8FEB86659FD93) % _RANKS
