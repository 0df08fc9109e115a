"""Reads of a store without transactions: entries in doubt are settled by their records before anybody sees them.

    entry VISIBLE     is as its record
    entry DOUBTFUL    a get of the record says whether it holds; where the answer became short, it is read on
                      (each range is asked for one entry more than needed, so that one in doubt leaves none short)
    record by key     that no longer has the entry which led to it: the execution begins again

These requests are `repair_operations`: at most the bound again, else RepairPending.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from piql.errors import RepairPending
from piql.schema.catalog import Index, Table
from piql.schema.words import words_of
from piql.store.base import STATE, Answers, Batch, Consistency, PreparedRead, ReadShape, Row, State, Store
from piql.store.wrapper import StoreWrapper

SPARE = 1


class RowMoved(Exception):
    """A record was changed between the read of its entry and its own."""


class _Entry:
    """Says whether a record has an entry: `entry` picks the key columns out of a raw row of the index."""

    def __init__(self, table: Table, index: Index, columns: tuple[str, ...]) -> None:
        positions = {column.name: at for at, column in enumerate(table.columns)}
        raw = {name: at for at, name in enumerate(columns)}
        self._equal: list[tuple[int, int]] = []
        self._words: list[tuple[int, tuple[int, ...]]] = []
        for key_column in index.columns:
            if key_column.token_of:
                self._words.append((raw[key_column.name], tuple(positions[name] for name in key_column.token_of)))
            else:
                self._equal.append((raw[key_column.name], positions[key_column.name]))
        self._primary = tuple(raw[name] for name in table.primary_key)
        self._shown = tuple((positions.get(name, -1), at) for at, name in enumerate(columns))

    def primary(self, row: Row) -> Row:
        return tuple([row[at] for at in self._primary])

    def is_of(self, row: Row, record: Row) -> bool:
        return all(row[at] == record[position] for at, position in self._equal) and all(
            row[at] in words_of(*(record[position] for position in texts)) for at, texts in self._words
        )

    def from_record(self, row: Row, record: Row) -> Row:
        """Return the row as the record has it."""
        return tuple([record[position] if position >= 0 else row[at] for position, at in self._shown])


@dataclass(frozen=True, slots=True)
class _SettledRead:
    """A read of an index with all key columns and the state behind the columns asked for."""

    shape: ReadShape
    raw: PreparedRead
    further: PreparedRead  # from behind the last row of a short answer
    get: PreparedRead  # the whole record
    entry: _Entry
    width: int  # how many columns were asked for
    keys: tuple[int, ...]  # where the key columns behind the prefix stand in a row

    def further_arguments(self, arguments: Row, last: Row, limit: int) -> Row:
        shape = self.shape
        head = shape.prefix_length + (shape.index.buckets > 1)
        ends = arguments[head + shape.after_length : -1]
        column = shape.index.columns[shape.prefix_length]
        if column.ascending == shape.is_ascending:
            ends = ends[-1:] if shape.has_high else ()
        else:
            ends = ends[:1] if shape.has_low else ()
        return (*arguments[:head], *(last[at] for at in self.keys), *ends, limit)


@dataclass(frozen=True, slots=True)
class _RecordRead:
    """A get of the record behind an entry, whole, so that it can be held against the entry."""

    table: Table
    raw: PreparedRead
    places: tuple[int, ...]


class SettledStore(StoreWrapper):
    """Prepares reads so that a session can settle them."""

    def __init__(self, behind: Store) -> None:
        super().__init__(behind)
        self.dereferenced: set[str] = set()

    def prepare(self, shape: ReadShape) -> PreparedRead:
        if shape.index.is_primary:
            return self.behind.prepare(shape)
        keys = tuple(key_column.name for key_column in shape.index.columns)
        columns = (*shape.columns, *(name for name in keys if name not in shape.columns))
        with_state = replace(shape, columns=(*columns, STATE))
        further: PreparedRead = None
        if not shape.is_get:
            column = shape.index.columns[shape.prefix_length]
            walks_up = column.ascending == shape.is_ascending
            further = self.behind.prepare(
                replace(
                    with_state,
                    after_length=len(keys) - shape.prefix_length,
                    is_after_included=False,
                    has_low=shape.has_low and not walks_up,
                    has_high=shape.has_high and walks_up,
                )
            )
        return _SettledRead(
            shape,
            self.behind.prepare(with_state),
            further,
            self.behind.prepare(_whole(shape.table)),
            _Entry(shape.table, shape.index, columns),
            len(shape.columns),
            tuple(columns.index(name) for name in keys[shape.prefix_length :]),
        )

    def prepare_record(self, shape: ReadShape) -> PreparedRead:
        """Prepare the get of a record that an entry led to."""
        self.dereferenced.add(shape.table.name)
        positions = {column.name: at for at, column in enumerate(shape.table.columns)}
        raw = self.behind.prepare(_whole(shape.table))
        return _RecordRead(shape.table, raw, tuple(positions[name] for name in shape.columns))

    def session(self, bound: int) -> SettlingSession:
        return SettlingSession(self, bound)


def _whole(table: Table) -> ReadShape:
    return ReadShape(
        table, table.primary_index(), tuple(column.name for column in table.columns), len(table.primary_key)
    )


class SettlingSession(StoreWrapper):
    """The reads of one execution."""

    def __init__(self, store: SettledStore, bound: int) -> None:
        super().__init__(store.behind)
        self._dereferenced = store.dereferenced
        self._bound = bound
        self.repair_operations = 0
        self.requests = 0
        self._consistency: Consistency | None = None
        self._seen: dict[tuple[str, Row], list[tuple[_Entry, Row]]] = {}

    @property
    def repairs_left(self) -> int:
        return self._bound - self.repair_operations

    def repair(self, requests: int) -> None:
        """Count requests for a repair before they are made."""
        if requests > self.repairs_left:
            raise RepairPending(
                "interrupted or concurrent writes left more to settle than the "
                f"{self._bound} requests that a read may add: try again"
            )
        self.repair_operations += requests

    def begin_again(self) -> None:
        """Forget what was read, and count it as repair: a record changed meanwhile. Raises RepairPending."""
        self.repair(self.requests)
        self.requests = 0
        self._seen.clear()

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        self._consistency = consistency
        if len(batches) == 1 and not isinstance(batches[0].read, _RecordRead | _SettledRead):
            self.requests += len(batches[0].arguments)
            return self.behind.read_many(batches, consistency)
        self.requests += sum(len(batch.arguments) for batch in batches)
        raw = self.behind.read_many([_raw(batch) for batch in batches], consistency)
        return [self._answers(batch, answers) for batch, answers in zip(batches, raw, strict=True)]

    def _answers(self, batch: Batch, answers: list[list[Row]]) -> list[list[Row]]:
        read = batch.read
        if isinstance(read, _RecordRead):
            return [self._records(read, key, rows) for key, rows in zip(batch.arguments, answers, strict=True)]
        if not isinstance(read, _SettledRead):
            return answers
        if any(row[-1] for rows in answers for row in rows):
            answers = [
                self._settled(read, arguments, rows) for arguments, rows in zip(batch.arguments, answers, strict=True)
            ]
        elif not read.shape.is_get:
            answers = [rows[: arguments[-1]] for arguments, rows in zip(batch.arguments, answers, strict=True)]
        if read.shape.table.name in self._dereferenced:
            for rows in answers:
                for row in rows:
                    shown_rows = self._seen.setdefault((read.shape.table.name, read.entry.primary(row)), [])
                    shown_rows.append((read.entry, row))
        width = read.width
        return [[row[:width] for row in rows] for rows in answers]

    def _records(self, read: _RecordRead, key: Row, rows: list[Row]) -> list[Row]:
        for entry, row in self._seen.get((read.table.name, tuple(key)), ()):
            if not rows or not entry.is_of(row, rows[0]):
                raise RowMoved
        return [tuple([record[position] for position in read.places]) for record in rows]

    def _settled(self, read: _SettledRead, arguments: Row, rows: list[Row]) -> list[Row]:
        settled = self._holding(read, rows)
        if read.shape.is_get:
            return settled
        limit: int = arguments[-1]
        asked = limit + SPARE
        while len(settled) < limit and len(rows) == asked:
            self.repair(1)
            asked = limit - len(settled) + SPARE
            further = read.further_arguments(arguments, rows[-1], asked)
            rows = self.behind.read_many([Batch(read.further, [further])], self._consistency)[0][0]
            settled += self._holding(read, rows)
        return settled[:limit]

    def _holding(self, read: _SettledRead, rows: list[Row]) -> list[Row]:
        """Return the rows that their records have, those in doubt as the records have them."""
        doubtful = list(dict.fromkeys(read.entry.primary(row) for row in rows if row[-1] != State.VISIBLE))
        records: dict[Row, Row] = {}
        if doubtful:
            self.repair(len(doubtful))
            answers = self.behind.read_many([Batch(read.get, doubtful)], self._consistency)[0]
            records = {key: rows_of_key[0] for key, rows_of_key in zip(doubtful, answers, strict=True) if rows_of_key}
        holding: list[Row] = []
        for row in rows:
            if row[-1] == State.VISIBLE:
                holding.append(row)
                continue
            record = records.get(read.entry.primary(row))
            if record is not None and read.entry.is_of(row, record):
                holding.append((*read.entry.from_record(row, record), State.VISIBLE))
        return holding


def _raw(batch: Batch) -> Batch:
    read: Any = batch.read
    if isinstance(read, _RecordRead):
        return batch._replace(read=read.raw)
    if not isinstance(read, _SettledRead):
        return batch
    if read.shape.is_get:
        return batch._replace(read=read.raw)
    return batch._replace(
        read=read.raw, arguments=[(*argument[:-1], argument[-1] + SPARE) for argument in batch.arguments]
    )
