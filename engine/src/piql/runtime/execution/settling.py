"""Reads of a store without transactions: entries in doubt are settled by their records before operators see them.

    read of entries     a VISIBLE entry agrees with its record. A DOUBTFUL one is compared with its record, which is
                        read for that, and dropped if the record does not have it. If too few entries are left, the
                        range is read on; each range is asked for one entry more than needed, so that one dropped
                        entry costs no second request.
    read of a record    if the record does not have the entry that led to it, it changed in between: RowMoved, and the
                        execution begins again

    held by a unit      a record of a table that units write may be held (docs/decisions/0083): its unit is looked at.
                        If that is open, the row is as it was; if it is made, the row is what it was to become. Records
                        of such tables are read as entries are: a DOUBTFUL or COMING one is settled. Rows that were read
                        before a unit held theirs may be those from before it. So where a unit turns out to be made, or
                        a row in doubt has changed since, the range is read again, until nothing new is seen.

A row as it is read here has, behind the columns asked for, the other key columns of its index and then its State, as
`row[-1]`; VISIBLE is 0, so `any(row[-1] …)` asks whether an entry is in doubt.

The requests that this adds are counted as `repair_operations`; if they would be more than the query's bound, the
session raises RepairPending. `SettledStore` prepares the reads of a query, a `SettlingSession` makes those of one
execution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from piql.errors import RepairPending
from piql.schema.catalog import Index, Table
from piql.schema.words import words_of
from piql.store.base import Answers, Batch, Consistency, ReadShape, Store
from piql.store.rows import STATE, PreparedRead, Row, State
from piql.store.wrapper import StoreWrapper

MADE = "unit "  # begins the name of a unit that is made, as what has changed a record
SPARE = 1  # entries that each range is asked for beyond its limit


class HeldRecords(Protocol):
    """The records of a table that units write; `read` gets one, with its WRITE and its State behind all columns."""

    @property
    def read(self) -> PreparedRead: ...

    def free(
        self,
        keys: Sequence[Row],
        answers: Sequence[list[Row]],
        read_again: Callable[[Row], list[Row]],
        count: Callable[[], None],
    ) -> tuple[list[list[Row]], list[str | None]]:
        """Return the records of `answers` to gets of `keys`, without WRITE and State, as their units leave them.

        The second list has what has changed each, a write or a unit that is made; None where a unit holds it that is
        not made. `count` is called before each request, and may raise; `read_again` counts for itself.
        """
        ...


RecordsOf: TypeAlias = Callable[[Table], HeldRecords | None]


class RowMoved(Exception):
    """A record was changed between the read of its entry and that of the record."""


class _Entry:
    """Compares rows of an index, which hold `columns`, with records, which hold all columns of the table."""

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
        self._from_record_positions = tuple((positions.get(name, -1), at) for at, name in enumerate(columns))

    def primary(self, row: Row) -> Row:
        """Return the primary key of the record behind a row of the index."""
        return tuple([row[at] for at in self._primary])

    def is_of(self, row: Row, record: Row) -> bool:
        """Return whether a record has the index entry that a row was read from."""
        return all(row[at] == record[position] for at, position in self._equal) and all(
            row[at] in words_of(*(record[position] for position in texts)) for at, texts in self._words
        )

    def from_record(self, row: Row, record: Row) -> Row:
        """Return a row of the index with the values that the record has in its columns."""
        return tuple([record[position] if position >= 0 else row[at] for position, at in self._from_record_positions])


@dataclass(frozen=True, slots=True)
class _SettledRead:
    """A read of an index that was asked for some columns; it reads all key columns and the entry's state, too.

    shape      the read that was asked for
    raw        that read, prepared by the store behind, with all key columns and the State
    further    continues `raw` behind the last row of an answer; None for a get
    get        reads the whole record of an entry
    entry      compares a row with its record
    records    what settles a record of a table that units write; None for other tables
    width      how many columns were asked for: the first ones of a row
    keys       the positions in a row of the key columns behind the prefix
    """

    shape: ReadShape
    raw: PreparedRead
    further: PreparedRead
    get: PreparedRead
    entry: _Entry
    records: HeldRecords | None
    width: int
    keys: tuple[int, ...]

    def further_arguments(self, arguments: Row, last: Row, limit: int) -> Row:
        """Return the arguments to read on behind the row `last`, from those of the read that returned it."""
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
    """A get of the record behind an entry: it reads all columns, so that record and entry can be compared.

    `positions` are those of the columns that were asked for. `records` settles a record of a table that units write.
    """

    table: Table
    raw: PreparedRead
    positions: tuple[int, ...]
    records: HeldRecords | None


class SettledStore(StoreWrapper):
    """Prepares the reads of a query so that a session can settle them.

    `dereferenced` names the tables whose records are read behind entries: their entries are remembered by sessions.
    `records_of` gives what settles the records of a table that units write, None for another one.
    """

    def __init__(self, behind: Store, records_of: RecordsOf = lambda table: None) -> None:
        super().__init__(behind)
        self.dereferenced: set[str] = set()
        self._records_of = records_of
        self.has_held = False

    def prepare(self, shape: ReadShape) -> PreparedRead:
        """Prepare a read; one of records that no unit holds needs no settling and is prepared as it is."""
        records = self._held(shape.table)
        if shape.index.is_primary:
            if records is None:
                return self.behind.prepare(shape)
            shape = replace(shape, sees_coming=True)
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
            records.read if records is not None else self.behind.prepare(_whole(shape.table)),
            _Entry(shape.table, shape.index, columns),
            records,
            len(shape.columns),
            tuple(columns.index(name) for name in keys[shape.prefix_length :]),
        )

    def prepare_record(self, shape: ReadShape) -> PreparedRead:
        """Prepare the get of a record that an entry led to."""
        self.dereferenced.add(shape.table.name)
        positions = {column.name: at for at, column in enumerate(shape.table.columns)}
        records = self._held(shape.table)
        raw = records.read if records is not None else self.behind.prepare(_whole(shape.table))
        return _RecordRead(shape.table, raw, tuple(positions[name] for name in shape.columns), records)

    def _held(self, table: Table) -> HeldRecords | None:
        """Return what settles the records of a table, if units write it."""
        records = self._records_of(table)
        self.has_held |= records is not None
        return records

    def session(self, bound: int, rows: int) -> SettlingSession:
        """Return the session of one execution of a plan that makes `bound` requests, which fetch so many rows, at most.

        Its repairs may make `bound` requests; among units three for each request and for each row. A record that a unit
        holds takes one for itself, one for the unit, and one to see it again once the unit is over; a range is read
        again.
        """
        return SettlingSession(self, 3 * (bound + rows) if self.has_held else bound)


def _whole(table: Table) -> ReadShape:
    """Return the get of a whole record by its primary key."""
    return ReadShape(
        table, table.primary_index(), tuple(column.name for column in table.columns), len(table.primary_key)
    )


class SettlingSession(StoreWrapper):
    """The reads of one execution, settled.

    `requests` counts those since the execution last began, `repair_operations` those of settling, over all beginnings.
    """

    def __init__(self, store: SettledStore, bound: int) -> None:
        super().__init__(store.behind)
        self._dereferenced = store.dereferenced
        self._bound = bound
        self.repair_operations = 0
        self.requests = 0
        self._consistency: Consistency | None = None
        self._seen: dict[tuple[str, Row], list[tuple[_Entry, Row]]] = {}
        self._changed_by: set[tuple[str, Row, str]] = set()

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
        """Forget the answers, and count their requests as repairs; raise RepairPending if those are too many."""
        self.repair(self.requests)
        self.requests = 0
        self._seen.clear()

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Answer batches, settled; raise RowMoved if a record does not have the entry that led to it."""
        self._consistency = consistency
        if len(batches) == 1 and not isinstance(batches[0].read, _RecordRead | _SettledRead):
            self.requests += len(batches[0].arguments)
            return self.behind.read_many(batches, consistency)
        self.requests += sum(len(batch.arguments) for batch in batches)
        raw = self.behind.read_many([_raw(batch) for batch in batches], consistency)
        return [self._answers(batch, answers) for batch, answers in zip(batches, raw, strict=True)]

    def _answers(self, batch: Batch, answers: list[list[Row]]) -> list[list[Row]]:
        """Return the answers to a batch, settled, from those of the store."""
        read = batch.read
        if isinstance(read, _RecordRead):
            if read.records is not None:
                answers, _ = self._free(read.records, batch.arguments, answers)
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
        """Return the columns asked for of a record (none or one row), if it has all entries that led to its key."""
        for entry, row in self._seen.get((read.table.name, tuple(key)), ()):
            if not rows or not entry.is_of(row, rows[0]):
                raise RowMoved
        return [tuple([record[position] for position in read.positions]) for record in rows]

    def _free(
        self, records: HeldRecords, keys: Sequence[Row], answers: list[list[Row]]
    ) -> tuple[list[list[Row]], list[str | None]]:
        """Return whole records as their units, which were looked at, leave them to readers, and what changed them."""

        def read_again(key: Row) -> list[Row]:
            self.repair(1)
            return self.behind.read_many([Batch(records.read, [key])], self._consistency)[0][0]

        def repair() -> None:
            self.repair(1)

        return records.free(keys, answers, read_again, repair)

    def _settled(self, read: _SettledRead, arguments: Row, rows: list[Row]) -> list[Row]:
        """Return up to the limit of rows whose records have them, all as of one moment."""
        while True:
            settled, is_still = self._read_on(read, arguments, rows)
            if is_still or read.shape.is_get:
                return settled
            self.repair(1)
            rows = self.behind.read_many([_raw(Batch(read, [arguments]))], self._consistency)[0][0]

    def _read_on(self, read: _SettledRead, arguments: Row, rows: list[Row]) -> tuple[list[Row], bool]:
        """Return up to the limit of rows whose records have them, reading on while some are missing.

        The second value says whether those in doubt have not changed since the rows were read, as far as is known.
        """
        settled, is_still = self._confirmed(read, rows)
        if read.shape.is_get:
            return settled, is_still
        limit: int = arguments[-1]
        entries_asked = limit + SPARE
        while len(settled) < limit and len(rows) == entries_asked:
            self.repair(1)
            entries_asked = limit - len(settled) + SPARE
            next_arguments = read.further_arguments(arguments, rows[-1], entries_asked)
            rows = self.behind.read_many([Batch(read.further, [next_arguments])], self._consistency)[0][0]
            further, are_still = self._confirmed(read, rows)
            settled += further
            is_still &= are_still
        return settled[:limit], is_still

    def _confirmed(self, read: _SettledRead, rows: list[Row]) -> tuple[list[Row], bool]:
        """Return the rows whose records have them; a row in doubt gets its record's values.

        The second value says whether all of these are known to be as they were when the rows were read.
        """
        is_still = True
        doubtful = list(dict.fromkeys(read.entry.primary(row) for row in rows if row[-1] != State.VISIBLE))
        records: dict[Row, Row] = {}
        if doubtful:
            self.repair(len(doubtful))
            answers = self.behind.read_many([Batch(read.get, doubtful)], self._consistency)[0]
            if read.records is not None:
                answers, changes = self._free(read.records, doubtful, answers)
                known = [self._is_known(read, key, by) for key, by in zip(doubtful, changes, strict=True)]
                is_still = all(known)
            records = {key: rows_of_key[0] for key, rows_of_key in zip(doubtful, answers, strict=True) if rows_of_key}
        confirmed: list[Row] = []
        for row in rows:
            if row[-1] == State.VISIBLE:
                confirmed.append(row)
                continue
            record = records.get(read.entry.primary(row))
            if record is not None and read.entry.is_of(row, record):
                confirmed.append((*read.entry.from_record(row, record), State.VISIBLE))
        return confirmed, is_still

    def _is_known(self, read: _SettledRead, key: Row, changed_by: str | None) -> bool:
        """Return whether a record was seen before with the same last change; remember it.

        Then it had that when the rows were read, which was in between. Of a unit, any of its records will do.
        """
        if changed_by is None:
            return True
        change = (read.shape.table.name, () if changed_by.startswith(MADE) else key, changed_by)
        is_known = change in self._changed_by
        self._changed_by.add(change)
        return is_known


def _raw(batch: Batch) -> Batch:
    """Return the batch that is sent to the store for one of this store's reads; ranges ask for SPARE more entries."""
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
