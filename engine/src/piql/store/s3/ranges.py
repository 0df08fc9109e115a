"""The shape of a read → the range of keys that one request reads, and the columns that it returns.

WHERE a = ? AND b >= ? ORDER BY b       key(a, b) … end of key(a)
the page behind (a, b)                  end of key(a, b) … end of key(a)
the same backwards                      key(a) … key(a, b)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from piql.store.base import ReadShape
from piql.store.rows import Row
from piql.store.s3.keys import Encode, encoders_of, end_of, has_bucket, key_of, set_only


class KeyRange(NamedTuple):
    """The keys from `low` on, before `high` (None: to the end), at most `limit` rows, from the end if `backwards`."""

    low: bytes
    high: bytes | None
    limit: int
    backwards: bool


@dataclass(frozen=True, slots=True)
class S3Read:
    """A prepared read: `tree` names the index, `columns` are those to return, `key` encodes its key's columns."""

    tree: str
    shape: ReadShape
    columns: tuple[str, ...]
    key: tuple[Encode, ...]

    def range_of(self, arguments: Row) -> KeyRange | None:
        """Return the range of one request; None where nothing can be in it, as with `= NULL`."""
        shape = self.shape
        first = has_bucket(shape.index) + shape.prefix_length
        if self._has_null(arguments[:first]):
            return None
        base = key_of(self.key, arguments[:first])
        if shape.is_get:
            return KeyRange(base, end_of(base), 1, False)
        position = first + shape.after_length
        ends, limit = arguments[position:-1], arguments[-1]
        if None in ends or limit <= 0:
            return None
        lows: list[bytes | None] = [base]
        highs = [end_of(base)]
        for bound, is_low in self._ends(base, ends):
            (lows if is_low else highs).append(bound)
        if shape.after_length:
            at = key_of(self.key, arguments[:position])
            behind = end_of(at)
            if shape.is_ascending:
                lows.append(at if shape.is_after_included else behind)
            else:
                highs.append(behind if shape.is_after_included else at)
        if None in lows:  # behind every key
            return None
        low = max(bound for bound in lows if bound is not None)
        high = min((bound for bound in highs if bound is not None), default=None)
        if high is not None and low >= high:
            return None
        return KeyRange(low, high, limit, not shape.is_ascending)

    def _has_null(self, prefix: Row) -> bool:
        """Return whether a column of the prefix is asked to equal NULL, which nothing does."""
        if None not in prefix:
            return False
        names = [column.name for column in self.shape.index.columns[: self.shape.prefix_length]]
        values = prefix[len(prefix) - len(names) :]
        return any(value is None and name not in self.shape.nulls for name, value in zip(names, values, strict=True))

    def _ends(self, base: bytes, values: Row) -> Iterable[tuple[bytes | None, bool]]:
        """Yield the ends of the range of the first column behind the prefix, each with whether it is the lower key."""
        shape = self.shape
        if not (shape.has_low or shape.has_high or shape.skips_nulls):
            return
        column = shape.index.columns[shape.prefix_length]
        encode = self.key[has_bucket(shape.index) + shape.prefix_length]
        divider, is_behind = set_only(column.ascending)
        yield base + divider, is_behind
        arguments = iter(values)
        for is_there, is_included, is_from in (
            (shape.has_low, shape.is_low_included, True),
            (shape.has_high, shape.is_high_included, False),
        ):
            if is_there:
                at = base + encode(next(arguments))
                is_low = is_from == column.ascending
                yield (at if is_low == is_included else end_of(at)), is_low


def prepared(tree: str, shape: ReadShape) -> S3Read:
    """Return the prepared reads of a shape from a tree."""
    return S3Read(tree, shape, shape.columns, tuple(encoders_of(shape.table, shape.index)))
