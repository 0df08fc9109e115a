"""The narrow interface between the engine and what keeps the data: reads of one index range, and atomic writes.

The engine decides what to read; a store answers. Every adapter passes the suite in `tests/store/`.

Rows cross this line as flat tuples in the store's *stored form*: what `codec(type)` makes of a value, or the value
itself where there is no codec. Stored values of one type compare and equal each other as the values do, NULL is
None: the engine sorts, merges and joins without decoding, and decodes only what it shows or computes with.

    ReadShape  ──prepare──▶  PreparedRead  ──with arguments──▶  one request, at most `limit` rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from piql.catalog import Index, SqlType, Table

Row: TypeAlias = tuple[Any, ...]
PreparedRead: TypeAlias = Any  # the adapter's own
PreparedEntries: TypeAlias = Any  # the adapter's own


class Codec(NamedTuple):
    """How the values of one type are stored; neither function is ever given None."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class ReadShape:
    """What the reads of one operator have in common; an adapter prepares one statement for it.

    `columns` are what is returned, all held by `index`. The arguments of a read are laid out as

        (bucket, if the index has buckets) + prefix + after + (low)? + (high)? + (limit, unless is_get)

    `low`/`high` bound the first column after the prefix, whatever its direction, and leave out NULL; `skips_nulls` does
    so without a bound. `after_length` key columns say where a page was left: the read starts there in walk order (NULLs
    allowed); the side that `after` narrows is then given neither by `low` nor by `high`.
    """

    table: Table
    index: Index
    columns: tuple[str, ...]
    prefix_length: int
    is_ascending: bool = True
    has_low: bool = False
    is_low_included: bool = False
    has_high: bool = False
    is_high_included: bool = False
    skips_nulls: bool = False
    after_length: int = 0
    is_after_included: bool = False  # begin with the entries at that place, else behind them

    @property
    def is_get(self) -> bool:
        """Say whether the whole key is fixed, so that at most one row answers and no limit is given."""
        return self.prefix_length == len(self.index.columns)


class Batch(NamedTuple):
    """The requests that one operator makes at once: one for each tuple of arguments; stores ignore whose they are."""

    read: PreparedRead
    arguments: Sequence[tuple[Any, ...]]
    operator: object = None


Answers: TypeAlias = list[list[list[Row]]]  # of each batch, of each request, its rows


class Transaction(Protocol):
    """Reads and writes that happen together or not at all; nobody else writes meanwhile."""

    def read(self, read: PreparedRead, arguments: tuple[Any, ...]) -> list[Row]: ...

    def count(self, read: PreparedRead, arguments: tuple[Any, ...]) -> int:
        """Say how many rows `read` would give."""
        ...

    def put(self, entries: PreparedEntries, rows: Sequence[tuple[Any, ...]]) -> None:
        """Put entries: the index's key columns (after its bucket, if it has buckets), then its covering columns."""
        ...

    def delete(self, entries: PreparedEntries, keys: Sequence[tuple[Any, ...]]) -> None:
        """Delete entries by their key columns (after the bucket, if any)."""
        ...

    def version(self) -> int:
        """Give the number of the deployment that is in force."""
        ...

    def set_version(self, version: int) -> None: ...

    def set_setting(self, name: str, value: str) -> None: ...

    def create_table(self, table: Table) -> None: ...

    def add_columns(self, table: Table, names: Iterable[str]) -> None:
        """Extend a table by columns that are NULL in every row so far."""
        ...

    def create_index(self, table: Table, index: Index) -> None:
        """Create an index, empty."""
        ...

    def drop_index(self, name: str) -> None:
        """Drop an index by its stored name."""
        ...

    def index_names(self) -> frozenset[str]:
        """Give the stored names of the indexes there are."""
        ...


class Store(Protocol):
    """Keeps tables and their indexes."""

    def codec(self, type: SqlType) -> Codec | None: ...

    def prepare(self, shape: ReadShape) -> PreparedRead: ...

    def prepare_entries(self, table: Table, index: Index) -> PreparedEntries: ...

    def stored_name(self, table: Table, index: Index) -> str:
        """Give the name under which an index is kept; another definition has another name."""
        ...

    def read_many(self, batches: Sequence[Batch]) -> Answers:
        """Answer the requests; those of one call may run at the same time."""
        ...

    def start_many(self, batches: Sequence[Batch], done: Callable[[Answers | Exception], None]) -> None:
        """Begin the requests and call `done` once, from any thread, with all answers or the failure."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """Let the reads of this thread inside the context see one state, where the store can."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]: ...

    def settings(self) -> Mapping[str, str]:
        """Give what the engine keeps beside the data: deployed texts, keys."""
        ...

    def version(self) -> int: ...

    def close(self) -> None: ...
