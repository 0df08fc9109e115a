"""The narrow interface between the engine and what keeps the data: reads of one index range, and atomic writes.

The engine decides what to read; a store answers. Every adapter passes the suite in `tests/store/`.

Rows cross this line as flat tuples in the store's *stored form*: what `codec(type)` makes of a value, or the value
itself where there is no codec. Stored values of one type compare and equal each other as the values do, NULL is
None: the engine sorts, merges and joins without decoding, and decodes only what it shows or computes with.

    ReadShape  ──prepare──▶  PreparedRead  ──with arguments──▶  one request, at most `limit` rows

A store has transactions, or it has `row_writes` (`row_writes.py`): single rows changed one at a time.

The protocols: Store, Transaction (or SingleRowWrites), and Reads, which a transaction offers to constraint checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from piql.schema.catalog import Index, SqlType, Table
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import Codec, PreparedEntries, PreparedRead, Row

SIGNING_KEY = "cursor key"
"""The setting that holds the key with which cursors and session tokens are signed; made when first needed."""


@dataclass(frozen=True, slots=True)
class ReadShape:
    """What the reads of one operator have in common; an adapter prepares one statement for it.

    `columns` are what is returned, all held by `index`. The arguments of a read are laid out as

        (bucket, if the index has buckets) + prefix + after + (low)? + (high)? + (limit, unless is_get)

    low, high            bound the first column after the prefix, whatever its direction, and leave out NULL
    skips_nulls          leaves out NULL in that column without a bound
    nulls                the columns of the prefix that are NULL in the entries asked for; their arguments are None
    after_length         how many key columns after the prefix say where a page ended: the read goes on there, in its
                         own direction; these columns may be NULL. A shape has no `low` or `high` on that side
    is_after_included    begin with the entries at that position, not behind them
    sees_coming          return COMING records, too
    in_any_order         a walk of a whole table in any order; rows that share a partition come together
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
    nulls: tuple[str, ...] = ()
    after_length: int = 0
    is_after_included: bool = False
    sees_coming: bool = False
    in_any_order: bool = False

    @property
    def is_get(self) -> bool:
        """Return whether the whole key is fixed, so that at most one row answers and no limit is given."""
        return self.prefix_length == len(self.index.columns)


class Batch(NamedTuple):
    """The requests that one operator makes at once, one for each tuple of arguments; a store ignores `operator`."""

    read: PreparedRead
    arguments: Sequence[tuple[Any, ...]]
    operator: object = None


Consistency: TypeAlias = Literal["eventual", "quorum"]
"""How fresh the rows of a read are: what any one replica has, or what includes every write that was acknowledged."""

Answers: TypeAlias = list[list[list[Row]]]  # of each batch, of each request, its rows
Reader: TypeAlias = Callable[[Row], tuple[list[Row], int]]
"""Answers one request: from its arguments to its rows and the number of statements that it was sent as."""


class Reads(Protocol):
    """Single reads, as the constraints of a table need them."""

    def read(self, read: PreparedRead, arguments: tuple[Any, ...]) -> list[Row]:
        """Return the rows of one request."""
        ...

    def count(self, read: PreparedRead, arguments: tuple[Any, ...]) -> int:
        """Return how many rows `read` would return."""
        ...


class Transaction(Reads, Protocol):
    """Reads and writes that happen together or not at all; nobody else writes meanwhile.

    A store with `row_writes` has one, too, for changes of the schema only. There each call takes effect by itself:
    `put` writes entries as VISIBLE and older than those of any write (`at` 1), and records without a write (WRITE "").
    """

    def get_many(self, read: PreparedRead, keys: Sequence[tuple[Any, ...]]) -> list[Row | None]:
        """Return for each whole key its row, None where there is none: of many keys far quicker than one by one."""
        ...

    def put(self, entries: PreparedEntries, rows: Sequence[tuple[Any, ...]]) -> None:
        """Put entries: the bucket, if the index has buckets, then its key columns, then its covering columns."""
        ...

    def delete(self, entries: PreparedEntries, keys: Sequence[tuple[Any, ...]]) -> None:
        """Delete entries by the bucket, if the index has buckets, and their key columns."""
        ...

    def version(self) -> int:
        """Return the epoch: how often what writers must know of the schema has changed."""
        ...

    def set_version(self, version: int) -> None:
        """Set the epoch."""
        ...

    def set_setting(self, name: str, value: str) -> None:
        """Set one of `Store.settings`."""
        ...

    def create_table(self, table: Table, is_in_order: bool = False, is_backwards: bool = False) -> None:
        """Create an empty table; `is_in_order` if queries will walk the whole of it in the order of its key.

        With `is_backwards` most reads begin at the end: a store may keep the table in descending order.
        """
        ...

    def keep_in_order(self, table: Table) -> None:
        """Let queries walk an existing table in the order of its key, or raise CompilationRefused."""
        ...

    def add_columns(self, table: Table, names: Iterable[str]) -> None:
        """Extend a table by columns that are NULL in every row so far."""
        ...

    def create_index(self, table: Table, index: Index, is_backwards: bool = False) -> None:
        """Create an empty index; `is_backwards` as for a table."""
        ...

    def drop_index(self, name: str) -> None:
        """Drop an index by its stored name."""
        ...

    def index_names(self) -> frozenset[str]:
        """Return the stored names of all indexes."""
        ...


class Node(NamedTuple):
    """A node of a cluster; `is_up` as the driver sees it."""

    address: str
    is_up: bool
    version: str
    datacenter: str
    rack: str


class Topology(NamedTuple):
    """The nodes of a cluster, and how this process is connected to it."""

    keyspace: str
    replication: str
    consistency: str
    driver: str
    nodes: tuple[Node, ...]


class Store(Protocol):
    """A store: keeps tables and their indexes. Its calls raise StoreUnavailable where it does not answer."""

    @property
    def row_writes(self) -> SingleRowWrites | None:
        """Return the writes of a store without transactions; None for a store that has transactions."""
        ...

    def codec(self, type: SqlType) -> Codec | None:
        """Return how values of a type are stored; None where they are stored as they are."""
        ...

    def keeps_alike(self, before: SqlType, after: SqlType) -> bool:
        """Return whether a column's type can change from one to another while its rows stay as they are."""
        ...

    def prepare(self, shape: ReadShape) -> PreparedRead:
        """Prepare the reads of a shape, once for any number of requests."""
        ...

    def prepare_entries(self, table: Table, index: Index) -> PreparedEntries:
        """Prepare the writes of an index, or of the table itself by its primary index."""
        ...

    def stored_name(self, table: Table, index: Index) -> str:
        """Return the name under which an index is stored; indexes with different definitions have different names."""
        ...

    def reader(self, read: PreparedRead, consistency: Consistency | None = None) -> Reader:
        """Return a function that answers one request of `read` as `read_many` does, but faster.

        `statements_sent` need not count the statements that this function sends, since it returns their number.
        """
        ...

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Answer requests, those of one call possibly at the same time; consistency None is the address's default."""
        ...

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        """Begin the requests and call `done` once, from any thread, with all answers or the failure."""
        ...

    def statements_sent(self) -> int:
        """Return how many statements this thread has sent for reads so far; 0 for a store in this process."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """Let the reads of this thread inside the context see one state, if the store has transactions."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction; it is committed at the end of the context, and undone if an exception leaves it."""
        ...

    def settings(self) -> Mapping[str, str]:
        """Return what the engine stores beside the data, by name: deployed texts, keys."""
        ...

    def version(self) -> int:
        """Return the epoch (see Transaction)."""
        ...

    def is_empty(self) -> bool:
        """Return whether the store holds nothing but the key that signs cursors and session tokens."""
        ...

    def estimate_rows(self, table: Table) -> int:
        """Return about how many rows a table holds, to show progress; 0 where the store cannot tell quickly."""
        ...

    def flush(self) -> None:
        """Write all rows from memory to files, so that measurements read them from there, as they would much later."""
        ...

    def topology(self) -> Topology | None:
        """Return the nodes of the store without asking them; None for a store in this process."""
        ...

    def close(self) -> None:
        """Let go of connections and threads; the store is not used after this."""
        ...
