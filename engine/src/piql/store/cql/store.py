"""The store on a CQL cluster: one table an index, every read within one partition, every write a step by itself.

Reads take the quickest of three ways: a single request by the driver's `reader`, a batch whose requests differ in one
column by a `Lister`, and all others as `PendingRead`s, which are grouped into few statements round by round.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from piql.errors import StoreUnavailable
from piql.schema.catalog import Index, SqlType, Table
from piql.store.base import SIGNING_KEY, Answers, Batch, Consistency, Reader, ReadShape, Topology
from piql.store.cql.address import Address, parse_address
from piql.store.cql.layout import Layout, layout_of, quoted
from piql.store.cql.levels import levels_of
from piql.store.cql.link import Link
from piql.store.cql.opening import open_link
from piql.store.cql.reads.grouping import RowsByRequest, grouped, rows_of_requests, single
from piql.store.cql.reads.listing import Listing, listing_for
from piql.store.cql.reads.pending import PendingRead, Requests, pending_reads, rounds
from piql.store.cql.reads.reads import CqlRead, plan_read
from piql.store.cql.schema.tables import SETTINGS, Tables
from piql.store.cql.stored_values import STORED, codec_of
from piql.store.cql.transaction import VERSION, CqlTransaction
from piql.store.cql.writes.entries import CqlEntries, entries_of
from piql.store.cql.writes.row_writes import CqlRowWrites
from piql.store.rows import Codec, Row

IN_ORDER, BACKWARDS, FAN_OUT = "in order", "backwards", "fan out"
"""Names of settings: the tables kept in the order of their keys, those kept backwards, and `grouped_from`."""


class CqlStore:
    """A `Store` in a keyspace of a cluster, or in the part of it whose tables begin with a prefix.

    `settings()` also reads again which tables are kept in order or backwards, and from how many keys on reads are
    grouped: other processes may have changed them.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self._prefix = f"{address.prefix}|".encode()  # a key of CQL is never empty
        settings = f"{quoted(address.keyspace)}.{SETTINGS}"
        self._read_settings = f"SELECT name, value FROM {settings} WHERE prefix = ?"
        self._read_setting = f"SELECT value FROM {settings} WHERE prefix = ? AND name = ?"
        self._write_setting = f"INSERT INTO {settings} (prefix, name, value) VALUES (?, ?, ?)"
        self._usual = levels_of(address).usual
        self._connection = open_link(address)
        try:
            self.tables = Tables(self._connection)
            self.tables.make_keyspace()
            self._replication = self.tables.replication()
            self._in_order: frozenset[str] = frozenset()
            self._backwards: frozenset[str] = frozenset()
            self.settings()
        except BaseException:
            self._connection.close()
            raise
        self._row_writes = CqlRowWrites(self._connection)
        self._reads = self._connection.reads()
        self._sent = _Sent()

    @property
    def connection(self) -> Link:
        return self._connection

    @property
    def row_writes(self) -> CqlRowWrites:
        return self._row_writes

    def codec(self, type: SqlType) -> Codec | None:
        return codec_of(type)

    def keeps_alike(self, before: SqlType, after: SqlType) -> bool:
        """Return whether CQL has one type for both: it cannot change the type of a column."""
        return STORED[before.kind].cql == STORED[after.kind].cql

    @property
    def keyspace_and_prefix(self) -> tuple[str, str]:
        """Return the keyspace and the prefix."""
        return self.address.keyspace, self.address.prefix

    def layout(self, table: Table, index: Index) -> Layout:
        """Return how an index is stored, or the table itself by its primary index."""
        is_in_order = index.is_primary and self.is_in_order(table.name)
        layout = layout_of(table, index, *self.keyspace_and_prefix, is_in_order=is_in_order)
        return layout.backwards() if layout.name in self._backwards else layout

    def prepare(self, shape: ReadShape) -> CqlRead:
        return plan_read(shape, self.layout(shape.table, shape.index), self._connection.selected_as)

    def prepare_entries(self, table: Table, index: Index) -> CqlEntries:
        return entries_of(self.layout(table, index))

    def stored_name(self, table: Table, index: Index) -> str:
        return self.layout(table, index).name

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        if len(batches) == 1:
            (batch,) = batches
            read, arguments = batch.read, batch.arguments
            if len(arguments) == 1:
                rows, statements = self.reader(read, consistency)(arguments[0])
                self._sent.statements += statements
                return [[rows]]
            if len(arguments) >= self._grouped_from and (listing := listing_for(read.listings, arguments)):
                return [self._listed(read, listing, arguments, consistency)]
        waiting = pending_reads(batches)
        self._answer_all([pending for batch in waiting for pending in batch], consistency)
        return [[pending_read.rows for pending_read in batch] for batch in waiting]

    def _answer_all(self, pending: list[PendingRead], consistency: Consistency | None) -> None:
        """Send requests round by round until all reads are complete."""
        requests_of_rounds = rounds(pending)
        try:
            requests = next(requests_of_rounds)
            while True:
                requests = requests_of_rounds.send(self._answered(requests, consistency))
        except StopIteration:
            return

    def reader(self, read: CqlRead, consistency: Consistency | None = None) -> Reader:
        reader = read.readers.get(consistency)
        if reader is None:
            reader = read.readers[consistency] = self._make_reader(read, consistency)
        return reader

    def _make_reader(self, read: CqlRead, consistency: Consistency | None) -> Reader:
        """Return the function that answers single requests of a read, over one statement or over several."""
        consistency = consistency or self._usual
        has_many = len(read.statements) > 1

        def more(arguments: Row) -> tuple[list[Row], int]:
            pending = PendingRead(read, arguments)
            if not has_many:
                pending.ask_for_more()
            return self._read_each(pending, consistency, 0 if has_many else 1)

        return more if has_many else self._reads.reader(read, consistency, more)

    def _listed(
        self, read: CqlRead, listing: Listing, arguments: Sequence[Row], consistency: Consistency | None
    ) -> list[list[Row]]:
        """Answer the requests of a batch by a listing; ask again where hidden rows took places under the LIMIT."""
        lister = listing.listers.get(consistency)
        if lister is None:
            lister = listing.listers[consistency] = self._reads.lister(read, listing, consistency or self._usual)
        keys = listing.keys(arguments)
        different = list(dict.fromkeys(keys))
        rows_by_key, are_shown, statements = lister(arguments[0], different)
        self._sent.statements += statements
        if are_shown:
            return [rows_by_key[key] for key in keys]
        waiting = [PendingRead(read, argument) for argument in arguments]
        left = [pending for key, pending in zip(keys, waiting, strict=True) if not pending.answered(rows_by_key[key])]
        self._answer_all(left, consistency)
        return [pending_read.rows for pending_read in waiting]

    def _read_each(self, pending: PendingRead, consistency: Consistency | None, sent: int) -> tuple[list[Row], int]:
        """Send the statements of one request one after another; return its rows, and `sent` plus how many they were."""
        while (request := pending.request()) is not None:
            sent += 1
            if pending.answered(self._reads.answer(single(request, (0,)), consistency)):
                break
        return pending.rows, sent

    def _answered(self, requests: Requests, consistency: Consistency | None) -> RowsByRequest:
        """Send one round of requests, grouped, and return the rows of each."""
        sent = grouped(requests, self._reads.spread, self._grouped_from)
        self._sent.statements += len(sent)
        answers = self._reads.answer_many(sent, consistency or self._usual)
        return rows_of_requests(sent, answers, len(requests))

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        """Begin the requests; the driver's thread goes on with those that come after others, and calls `done`."""
        consistency = consistency or self._usual
        waiting = pending_reads(batches)
        requests_of_rounds = rounds([pending for batch in waiting for pending in batch])

        def go_on(answers: RowsByRequest | StoreUnavailable | None) -> None:
            if isinstance(answers, StoreUnavailable):
                done(answers)
                return
            try:
                requests = next(requests_of_rounds) if answers is None else requests_of_rounds.send(answers)
            except StopIteration:
                done([[pending_read.rows for pending_read in batch] for batch in waiting])
            except Exception as failure:
                done(failure)
            else:
                self._connection.start([(statement.cql, values) for statement, values in requests], go_on, consistency)

        go_on(None)

    def statements_sent(self) -> int:
        return self._sent.statements

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Do nothing: a cluster has no snapshots, so each read sees what is there when it is made."""
        yield

    @contextmanager
    def transaction(self) -> Iterator[CqlTransaction]:
        transaction = CqlTransaction(self)
        yield transaction
        transaction.finish()

    def settings(self) -> Mapping[str, str]:
        rows = self._connection.answer(self._read_settings, [self._prefix])
        settings: dict[str, str] = dict(rows)
        self._in_order = frozenset(json.loads(settings.get(IN_ORDER, "[]")))
        self._backwards = frozenset(json.loads(settings.get(BACKWARDS, "[]")))
        self._grouped_from = grouped_from(self.address.fan_out, settings.get(FAN_OUT))
        return settings

    def version(self) -> int:
        rows = self._connection.answer(self._read_setting, [self._prefix, VERSION.encode()])
        return int(rows[0][0]) if rows else 0

    def set_setting(self, name: str, value: str) -> None:
        """Set one of the settings."""
        self._connection.answer(self._write_setting, [self._prefix, name.encode(), value.encode()])

    def is_in_order(self, table: str) -> bool:
        """Return whether a table is stored as one order (see `layout_of`)."""
        return table in self._in_order

    def note_in_order(self, table: str) -> None:
        """Note that a table is kept in the order of its key from now on."""
        tables = frozenset(json.loads(self.settings().get(IN_ORDER, "[]"))) | {table}
        self.set_setting(IN_ORDER, json.dumps(sorted(tables)))
        self._in_order = tables

    def create(self, layouts: Sequence[Layout]) -> None:
        """Create the tables of layouts, and store which of them are backwards in fact: reads are planned by that."""
        self.tables.create(layouts)
        backwards_before = frozenset(json.loads(self.settings().get(BACKWARDS, "[]")))
        backwards = (backwards_before - {layout.name for layout in layouts}) | self.tables.kept_backwards(layouts)
        if backwards != backwards_before:
            self.set_setting(BACKWARDS, json.dumps(sorted(backwards)))
            self._backwards = backwards

    def is_empty(self) -> bool:
        """Return whether the prefix has no table and no setting; without one, whether the keyspace has no table."""
        return not self.tables.others() and not self.settings().keys() - {SIGNING_KEY}

    def estimate_rows(self, table: Table) -> int:
        """Return 0: a cluster counts its rows only by reading them."""
        return 0

    def flush(self) -> None:
        self.tables.flush()

    def topology(self) -> Topology:
        return Topology(
            self.address.keyspace,
            self._replication,
            self.address.consistency,
            self._connection.driver,
            self._connection.nodes(),
        )

    def close(self) -> None:
        self._connection.close()


def grouped_from(fan_out: str, measured: str | None) -> float:
    """Return from how many keys on reads are grouped.

    The address may say `grouped` (from two) or `parallel` (never); with `auto` it is what was measured and stored as
    the setting FAN_OUT, or two.
    """
    if fan_out == "auto" and measured is not None:
        at_least = json.loads(measured)["grouped_from"]
        return math.inf if at_least is None else float(at_least)
    return math.inf if fan_out == "parallel" else 2


def open_cql(url: str) -> CqlStore:
    """Connect to the cluster that a URL names; the keyspace is created when it is missing."""
    return CqlStore(parse_address(url))


class _Sent(threading.local):
    """How many statements each thread has sent for reads; one that a driver repeats counts once."""

    statements = 0
