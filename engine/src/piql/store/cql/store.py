"""The store on a CQL cluster: one table an index, every read within one partition, every write a step by itself."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from piql.errors import StoreUnavailable
from piql.schema.catalog import Index, SqlType, Table
from piql.store.base import SIGNING_KEY, Answers, Batch, Codec, Consistency, Reader, ReadShape, Row, Topology
from piql.store.cql.address import Address, parse_address
from piql.store.cql.layout import Layout, layout_of, quoted
from piql.store.cql.link import Link
from piql.store.cql.opening import open_link
from piql.store.cql.reads.grouping import Request, RowsByRequest, alone, given_back, grouped
from piql.store.cql.reads.listing import Listing, listing_for
from piql.store.cql.reads.reads import CqlRead, plan_read
from piql.store.cql.schema.tables import SETTINGS, Tables
from piql.store.cql.stored_values import STORED, codec_of, pack_long
from piql.store.cql.writes.copying import TableCopy
from piql.store.cql.writes.entries import CqlEntries, entries_of
from piql.store.cql.writes.row_writes import CqlRowWrites
from piql.store.cql.writes.together import Change, together

VERSION, IN_ORDER, BACKWARDS, FAN_OUT = "version", "in order", "backwards", "fan out"
_BEFORE_ALL_WRITES = 1

Requests = list[Request]


class CqlStore:
    """A keyspace of a cluster, or the part of it whose tables begin with a prefix."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._prefix = f"{address.prefix}|".encode()  # a key of CQL is never empty
        settings = f"{quoted(address.keyspace)}.{SETTINGS}"
        self._read_settings = f"SELECT name, value FROM {settings} WHERE prefix = ?"
        self._read_setting = f"SELECT value FROM {settings} WHERE prefix = ? AND name = ?"
        self._write_setting = f"INSERT INTO {settings} (prefix, name, value) VALUES (?, ?, ?)"
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
    def place(self) -> tuple[str, str]:
        """Return the keyspace and the prefix."""
        return self.address.keyspace, self.address.prefix

    def layout(self, table: Table, index: Index) -> Layout:
        layout = layout_of(table, index, *self.place, is_in_order=index.is_primary and self.is_in_order(table.name))
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
        waiting = _pending(batches)
        self._answer_all([pending for batch in waiting for pending in batch], consistency)
        return [[pending_read.rows for pending_read in batch] for batch in waiting]

    def _answer_all(self, pending: list[_Pending], consistency: Consistency | None) -> None:
        rounds = _rounds(pending)
        try:
            requests = next(rounds)
            while True:
                requests = rounds.send(self._answered(requests, consistency))
        except StopIteration:
            return

    def reader(self, read: CqlRead, consistency: Consistency | None = None) -> Reader:
        reader = read.readers.get(consistency)
        if reader is None:
            reader = read.readers[consistency] = self._make_reader(read, consistency)
        return reader

    def _make_reader(self, read: CqlRead, consistency: Consistency | None) -> Reader:
        has_many = len(read.statements) > 1

        def more(arguments: Row) -> tuple[list[Row], int]:
            pending = _Pending(read, arguments)
            if not has_many:
                pending.ask_for_more()
            return self._read_each(pending, consistency, 0 if has_many else 1)

        return more if has_many else self._reads.reader(read, consistency, more)

    def _listed(
        self, read: CqlRead, listing: Listing, arguments: Sequence[Row], consistency: Consistency | None
    ) -> list[list[Row]]:
        """Answer requests that differ in one column alone."""
        lister = listing.listers.get(consistency)
        if lister is None:
            lister = listing.listers[consistency] = self._reads.lister(read, listing, consistency)
        keys = listing.keys(arguments)
        different = list(dict.fromkeys(keys))
        rows_by_key, are_shown, statements = lister(arguments[0], different)
        self._sent.statements += statements
        if are_shown:
            return [rows_by_key[key] for key in keys]
        waiting = [_Pending(read, argument) for argument in arguments]
        left = [pending for key, pending in zip(keys, waiting, strict=True) if not pending.answered(rows_by_key[key])]
        self._answer_all(left, consistency)
        return [pending_read.rows for pending_read in waiting]

    def _read_each(self, pending: _Pending, consistency: Consistency | None, sent: int) -> tuple[list[Row], int]:
        while (request := pending.request()) is not None:
            sent += 1
            if pending.answered(self._reads.answer(alone(request, (0,)), consistency)):
                break
        return pending.rows, sent

    def _answered(self, requests: Requests, consistency: Consistency | None) -> RowsByRequest:
        sent = grouped(requests, self._reads.spread, self._grouped_from)
        self._sent.statements += len(sent)
        return given_back(sent, self._reads.answer_many(sent, consistency), len(requests))

    def start_many(
        self,
        batches: Sequence[Batch],
        done: Callable[[Answers | Exception], None],
        consistency: Consistency | None = None,
    ) -> None:
        """Begin the requests; the driver's thread goes on with those that come after others, and calls `done`."""
        waiting = _pending(batches)
        rounds = _rounds([pending for batch in waiting for pending in batch])

        def go_on(answers: RowsByRequest | StoreUnavailable | None) -> None:
            if isinstance(answers, StoreUnavailable):
                done(answers)
                return
            try:
                requests = next(rounds) if answers is None else rounds.send(answers)
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
        self._connection.answer(self._write_setting, [self._prefix, name.encode(), value.encode()])

    def is_in_order(self, table: str) -> bool:
        return table in self._in_order

    def note_in_order(self, table: str) -> None:
        """Note that a table is kept in the order of its key from now on."""
        tables = frozenset(json.loads(self.settings().get(IN_ORDER, "[]"))) | {table}
        self.set_setting(IN_ORDER, json.dumps(sorted(tables)))
        self._in_order = tables

    def create(self, layouts: Sequence[Layout]) -> None:
        """Create the tables of layouts, and keep which of them really run backwards: readers go by that."""
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
    """Say from how many keys on reads go together: what the address says, else what was measured, else from two."""
    if fan_out == "auto" and measured is not None:
        at_least = json.loads(measured)["grouped_from"]
        return math.inf if at_least is None else float(at_least)
    return math.inf if fan_out == "parallel" else 2


def open_cql(url: str) -> CqlStore:
    """Connect to the cluster that a URL names; the keyspace is created when it is missing."""
    return CqlStore(parse_address(url))


class CqlTransaction:
    """Changes of the schema: each call takes effect by itself, and may be repeated.

    New tables are created together, just before something else is done: nodes then agree once and not once a table.
    """

    def __init__(self, store: CqlStore) -> None:
        self._store = store
        self._connection = store.connection
        self._pending: list[Layout] = []
        self._unused: list[str] = []

    def finish(self) -> None:
        """Create what was asked for, and drop what nobody reads any more."""
        self.create_pending()
        for name in self._unused:
            self._store.tables.drop(name)

    def create_pending(self) -> None:
        """Create the tables that were asked for and are not there yet."""
        pending, self._pending = self._pending, []
        if pending:
            self._store.create(pending)

    def read(self, read: CqlRead, arguments: tuple[Any, ...]) -> list[Row]:
        self.create_pending()
        return self._store.read_many([Batch(read, [arguments])])[0][0]

    def count(self, read: CqlRead, arguments: tuple[Any, ...]) -> int:
        return len(self.read(read, arguments))

    def put(self, entries: CqlEntries, rows: Sequence[tuple[Any, ...]]) -> None:
        self.create_pending()
        at = self._time(entries)
        visible = entries.visible
        latest = {row[: entries.key_length]: row for row in rows}
        bytes_of = (entries.put_values(row, visible) for row in latest.values())
        length = entries.partition_length
        changes = (
            Change(entries.put, [*values, at], tuple(values[:length])) for values in bytes_of if values is not None
        )
        self._connection.answer_many(together(changes))

    def delete(self, entries: CqlEntries, keys: Sequence[tuple[Any, ...]]) -> None:
        self.create_pending()
        at = self._time(entries)
        bytes_of = map(entries.key, keys)
        self._connection.answer_many([(entries.delete, [at, *key]) for key in bytes_of if key is not None])

    def _time(self, entries: CqlEntries) -> bytes:
        return pack_long(time.time_ns() // 1000 if entries.layout.is_primary else _BEFORE_ALL_WRITES)

    def version(self) -> int:
        return self._store.version()

    def set_version(self, version: int) -> None:
        self.set_setting(VERSION, str(version))

    def set_setting(self, name: str, value: str) -> None:
        self.create_pending()
        self._store.set_setting(name, value)

    def create_table(self, table: Table, is_in_order: bool = False, is_backwards: bool = False) -> None:
        if is_in_order:
            self._store.note_in_order(table.name)
        self._plan(self._store.layout(table, table.primary_index()), is_backwards)

    def _plan(self, layout: Layout, is_backwards: bool) -> None:
        self._pending.append(layout if layout.is_backwards == is_backwards else layout.backwards())

    def keep_in_order(self, table: Table) -> None:
        """Copy a table into one that is one order, and go on with that; what is written meanwhile is copied, too.

        The table that was is dropped when the new version has been set: until then others still read it.
        """
        store = self._store
        if store.is_in_order(table.name):
            return
        before = store.layout(table, table.primary_index())
        store.tables.create([layout_of(table, table.primary_index(), *store.place, is_in_order=True)])
        copy = TableCopy(self._connection, table, before)
        copy.run()
        store.note_in_order(table.name)
        copy.run()
        self._unused.append(before.name)

    def add_columns(self, table: Table, names: Iterable[str]) -> None:
        layout = self._store.layout(table, table.primary_index())
        new = {name: column.type.kind for name in names if (column := table.column(name)) is not None}
        if new:
            self.create_pending()
            self._store.tables.add_columns(layout.name, {name: STORED[kind].cql for name, kind in new.items()})

    def create_index(self, table: Table, index: Index, is_backwards: bool = False) -> None:
        self._plan(self._store.layout(table, index), is_backwards)

    def drop_index(self, name: str) -> None:
        self.create_pending()
        self._store.tables.drop(name)

    def index_names(self) -> frozenset[str]:
        return self._store.tables.indexes() | {layout.name for layout in self._pending if not layout.is_primary}


class _Sent(threading.local):
    """How many statements each thread has sent for reads; one that a driver repeats counts once."""

    statements = 0


class _Pending:
    """One request of the engine, until it has its rows: most need one answer, some another range or a longer one."""

    __slots__ = ("arguments", "asked", "at", "missing", "read", "rows")

    def __init__(self, read: CqlRead, arguments: tuple[Any, ...]) -> None:
        self.read, self.arguments = read, arguments
        self.rows: list[Row] = []
        self.at = 0  # the statement to send next
        self.missing = self.asked = 1 if read.is_get else int(arguments[-1])

    def request(self) -> Request | None:
        """Return the next request, None when there is none left to make."""
        statements = self.read.statements
        while self.at < len(statements):
            statement = statements[self.at]
            arguments = self.arguments
            if not self.read.is_get and self.asked != arguments[-1]:
                arguments = (*arguments[:-1], self.asked)
            values = statement.bind(arguments)
            if values is not None:
                return statement, values
            self.at += 1
        return None

    def ask_for_more(self) -> None:
        """Double how many rows are asked for next: hidden rows took the place of others."""
        self.asked *= 2

    def answered(self, raw_rows: list[Row]) -> bool:
        """Take the rows of one answer; return whether the request is done."""
        finish = self.read.finish
        rows = finish(raw_rows) if finish else raw_rows
        if self.read.is_get:
            self.rows = rows
            return True
        if len(raw_rows) >= self.asked and len(rows) < self.missing:
            self.ask_for_more()
            return False
        self.rows += rows[: self.missing]
        self.missing -= len(rows)
        self.asked = self.missing
        self.at += 1
        return self.missing <= 0 or self.at >= len(self.read.statements)


def _pending(batches: Sequence[Batch]) -> list[list[_Pending]]:
    return [[_Pending(batch.read, arguments) for arguments in batch.arguments] for batch in batches]


def _rounds(waiting: list[_Pending]) -> Generator[Requests, RowsByRequest, None]:
    """Yield the requests that can be made at once, until all are answered."""
    while waiting:
        asked = [(pending_read, request) for pending_read in waiting if (request := pending_read.request()) is not None]
        if not asked:
            break
        answers = yield [request for _, request in asked]
        waiting = [pending for (pending, _), rows in zip(asked, answers, strict=True) if not pending.answered(rows)]
