"""What a recount of a view has found, and how groups are shown to people: for stores of both kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from piql.schema.catalog import Table
from piql.store.base import Batch, Store
from piql.store.rows import PreparedRead, Row

STEP_ROWS = 1000  # of one read
MOST_ROUNDS = 5  # recounts of a repair, while writers change what is being repaired

Tell = Callable[[str, int], None]
"""Called after each read with the name of the view, and how many rows of its table were counted so far."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A group, and its columns as the view `held` them and as its table `gives` them; None where there is no row."""

    group: Mapping[str, Any]
    held: Mapping[str, Any] | None
    gives: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class StrayEntry:
    """An entry that an index of the view lacks or holds otherwise than the row of its group, or holds without one."""

    index: str
    group: Mapping[str, Any]
    is_lacking: bool


@dataclass(frozen=True, slots=True)
class Recount:
    """A view counted again from `rows` rows of its table, which give `groups` groups.

    `differences` and `strays` are those of the last recount. `repaired` counts the groups that were written anew before
    it, and `mended` the entries of indexes. Without transactions, `busy` counts the groups that writers changed in each
    round, so that they were not compared, and `left_out` the rows that the view does not count yet. Where it
    `is_sample`, there are more groups, which were not compared.
    """

    view: str
    rows: int
    groups: int
    differences: tuple[Difference, ...]
    repaired: int = 0
    strays: tuple[StrayEntry, ...] = ()
    mended: int = 0
    busy: int = 0
    left_out: int = 0
    is_sample: bool = False

    @property
    def is_right(self) -> bool:
        return not (self.differences or self.strays or self.left_out)


class ShownGroups:
    """The groups of a view, with their values as people know them."""

    def __init__(self, view: Table, store: Store) -> None:
        self._view = view
        self._store = store

    def difference(self, key: Row, held: Row | None, gives: Row | None) -> Difference:
        """Return a difference, from rows as they are stored."""
        values = (None if row is None else self._values(row) for row in (held, gives))
        return Difference(self.group(key), *values)

    def group(self, key: Row) -> dict[str, Any]:
        """Return the key of a group by the names of its columns."""
        names = self._view.primary_key
        return dict(zip(names, (self._value(name, part) for name, part in zip(names, key, strict=True)), strict=True))

    def _values(self, row: Row) -> dict[str, Any]:
        """Return the counts and sums of a row by their names."""
        values = {column.name: part for column, part in zip(self._view.columns, row, strict=True)}
        return {name: self._value(name, part) for name, part in values.items() if name not in self._view.primary_key}

    def _value(self, name: str, stored: Any) -> Any:
        column = self._view.column(name)
        assert column is not None
        codec = self._store.codec(column.type)
        return codec.decode(stored) if codec is not None and stored is not None else stored


class StoreReads:
    """Single reads outside of a transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, read: PreparedRead, arguments: tuple[Any, ...]) -> list[Row]:
        ((rows,),) = self._store.read_many([Batch(read, [arguments])])
        return list(rows)

    def count(self, read: PreparedRead, arguments: tuple[Any, ...]) -> int:
        return len(self.read(read, arguments))
