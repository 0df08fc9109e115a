"""The narrow interface between the engine and what keeps the data: reads of one index range, and atomic write batches.

The engine decides what to read; a store answers. Every adapter passes the suite in `tests/store/`.
Values cross this line as the engine's Python values (see `piql.values`), in the order of the columns named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from piql.catalog import Index, Table

Row: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RangeEnd:
    """One side of a range over the key columns that follow the prefix, as a tuple of leading values."""

    values: tuple[object, ...]
    is_included: bool


@dataclass(frozen=True, slots=True)
class ReadShape:
    """What the reads of one operator have in common; an adapter prepares one statement for it.

    `columns` are what is returned (held by `index`); `prefix_length` key columns are fixed; `low`/`high` say how many
    further key columns each end names (0: open) and whether it is included. Ends are in index order, not walk order.
    With `low_after`/`high_before` a cursor narrows the range further (tuples over the columns after the prefix).
    """

    index: Index
    columns: tuple[str, ...]
    prefix_length: int
    is_ascending: bool = True
    low_length: int = 0
    is_low_included: bool = False
    high_length: int = 0
    is_high_included: bool = False
    skips_nulls: bool = False  # the first column after the prefix must not be NULL


@dataclass(frozen=True, slots=True)
class Read:
    """One request: a contiguous range of one index, at most `limit` rows. `limit` is not optional."""

    shape: ReadShape
    prefix: tuple[object, ...]
    limit: int
    low: tuple[object, ...] = ()
    high: tuple[object, ...] = ()


class Store(Protocol):
    """Keeps tables and their indexes. The exact write interface is the adapters' (see `embedded.py`)."""

    def read_many(self, reads: Sequence[Read]) -> list[list[Row]]:
        """Answer each read; reads of one call may run in parallel."""
        ...

    def start_many(self, reads: Sequence[Read], done: Callable[[list[list[Row]] | Exception], None]) -> None:
        """Begin the reads and call `done` once, from any thread, with all answers or the failure."""
        ...

    def create_table(self, table: Table) -> None: ...

    def create_index(self, table: Table, index: Index) -> None: ...

    def close(self) -> None: ...
