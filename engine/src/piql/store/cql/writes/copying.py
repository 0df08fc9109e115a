"""Copies a table that is spread over the cluster into one that is kept as one order, while writers go on."""

from __future__ import annotations

from dataclasses import replace

from piql.schema.catalog import Table
from piql.store.base import ReadShape
from piql.store.cql.layout import Layout, layout_of
from piql.store.cql.link import Link
from piql.store.cql.reads.grouping import Values
from piql.store.cql.reads.reads import CqlRead, plan_read
from piql.store.cql.stored_values import pack_long
from piql.store.cql.writes.entries import CqlEntries, entries_of
from piql.store.rows import STATE, WRITE, Row, State

_CHUNK = 1000  # rows read at a time


class TableCopy:
    """A copy from the layout `before` to one in order; each run copies what has been written since the run before.

    `_time` is the timestamp, in microseconds, of the rows that a run copies: before all writes, later with each run.
    """

    def __init__(self, connection: Link, table: Table, before: Layout) -> None:
        self._connection = connection
        index = table.primary_index()
        address = connection.address
        self._to: CqlEntries = entries_of(layout_of(table, index, address.keyspace, address.prefix, is_in_order=True))
        names = (*(column.name for column in index.columns), *index.covering, WRITE, STATE)
        first = ReadShape(table, index, names, 0, in_any_order=True)
        self._first = plan_read(first, before)
        self._further = plan_read(replace(first, after_length=len(index.columns)), before)
        self._key_length = len(index.columns)
        self._time = 0

    def run(self) -> int:
        """Copy every row whose last write is not in the copy yet; return how many there were.

        Rows are copied at a timestamp older than that of any write, so a row that a writer has changed in the copy
        already stays as it is.
        """
        self._time += 1
        copied = 0
        last_key: Row | None = None
        while True:
            rows = self._next(last_key)
            copied += self._put(rows)
            if len(rows) < _CHUNK:
                return copied
            last_key = rows[-1][: self._key_length]

    def _next(self, last_key: Row | None) -> list[Row]:
        """Return the next rows behind a key; fewer than _CHUNK are the last."""
        read: CqlRead = self._first if last_key is None else self._further
        arguments = (_CHUNK,) if last_key is None else (*last_key, _CHUNK)
        rows: list[Row] = []
        for statement in read.statements:
            values = statement.bind((*arguments[:-1], _CHUNK - len(rows)))
            assert values is not None
            raw_rows = self._connection.answer(statement.cql, values)
            rows += read.finish(raw_rows) if read.finish else raw_rows
            if len(rows) >= _CHUNK:
                break
        return rows

    def _put(self, rows: list[Row]) -> int:
        """Put the rows whose write is later than that of the copy's row; return how many they were."""
        keys: list[Values] = []
        for row in rows:
            key = self._to.key(row)
            assert key is not None
            keys.append(key)
        old_answers = self._connection.answer_many([(self._to.find, key) for key in keys])
        requests: list[tuple[str, Values]] = []
        for (*record, write, state), key, old_rows in zip(rows, keys, old_answers, strict=True):
            if not old_rows or (old_rows[0][0] or "") < write:
                values = self._to.values(tuple(record))
                hidden = self._to.hidden(State(state), write)
                requests.append((self._to.put, [*key, *values, *hidden, pack_long(self._time)]))
        self._connection.answer_many(requests)
        return len(requests)
