"""A unit on a store without transactions: its statements decide on records as they are read, then one try makes all.

    statements and LETs, in their order ──▶ records, as read and as they shall be ──▶ `stepped.unit_try`

A statement sees what those before it have decided. If another writer changes a record that was read, LETs included, the
unit begins again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from piql.compiler.physical.unit_groups import group_by
from piql.errors import DuplicateKey
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff
from piql.runtime.writing.stepped.unit_try import UnitTry
from piql.runtime.writing.stepped.writer import Decide, SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import UniqueCheck
from piql.schema.catalog import Table
from piql.store.base import Answers, Batch, Consistency, ReadShape, Store
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import PreparedRead, Row
from piql.store.wrapper import StoreWrapper


class _Get(NamedTuple):
    """A get of a record: its table, where the columns of the primary key are in the arguments, and those asked for."""

    table: str
    key: tuple[int, ...]
    columns: tuple[int, ...]


class _Scan(NamedTuple):
    """A scan of a group: its table, the columns of the foreign key, and how many rows name one row at most.

    group       where the values of these columns are in the arguments
    prefix      where the columns that the arguments fix are in a record, in their order
    order       where the columns behind them are, each with whether it is read upwards
    columns     those asked for
    low, high   how the range of the first column behind them ends: whether the end is included, None without one
    """

    table: str
    names: tuple[str, ...]
    most: int
    group: tuple[int, ...]
    prefix: tuple[int, ...]
    order: tuple[tuple[int, bool], ...]
    columns: tuple[int, ...]
    low: bool | None
    high: bool | None
    skips_nulls: bool

    def first(self, images: Iterable[Row], arguments: Row) -> list[Row]:
        """Return what a scan with these arguments reads of records: those that pass, in order, up to its limit."""
        values, ends = arguments[: len(self.prefix)], arguments[len(self.prefix) : -1]
        rows = [image for image in images if tuple([image[at] for at in self.prefix]) == values]
        if ends or self.skips_nulls:
            at = self.order[0][0]
            rows = [image for image in rows if self._is_within(image[at], ends)]
        for at, is_upwards in reversed(self.order):
            rows.sort(key=lambda image: (image[at] is not None, image[at]), reverse=not is_upwards)
        return [tuple([image[at] for at in self.columns]) for image in rows[: arguments[-1]]]

    def _is_within(self, value: Any, ends: Sequence[Any]) -> bool:
        if value is None or None in ends:
            return False
        if self.low is not None and (value < ends[0] or (value == ends[0] and not self.low)):
            return False
        return self.high is None or value < ends[-1] or (value == ends[-1] and self.high)


class UnitReads(StoreWrapper):
    """The reads of LETs and sections: records by their keys, and groups, as the unit of this thread has them so far.

    `tables` are those of the version of the unit.
    """

    def __init__(self, behind: Store, tables: Mapping[str, Table]) -> None:
        super().__init__(behind)
        self._tables = tables
        self._thread = threading.local()

    @property
    def row_writes(self) -> SingleRowWrites | None:
        """None: nothing that a unit has read is in doubt."""
        return None

    @contextmanager
    def of(self, attempt: UnitTry, meter: Meter) -> Iterator[None]:
        """Read, inside the context, what a try of a unit has; `meter` counts what the bounds of LETs do not."""
        self._thread.attempt, self._thread.meter = attempt, meter
        try:
            yield
        finally:
            del self._thread.attempt, self._thread.meter

    def prepare(self, shape: ReadShape) -> PreparedRead:
        names = [column.name for column in shape.index.columns]
        at = {column.name: position for position, column in enumerate(shape.table.columns)}
        columns = tuple(at[name] for name in shape.columns)
        if shape.is_get and shape.index.is_primary:
            return _Get(shape.table.name, tuple(names.index(name) for name in shape.table.primary_key), columns)
        fixed = names[: shape.prefix_length]
        group = group_by(self._tables.get(shape.table.name, shape.table), fixed, self._tables)
        if group is None:
            return None  # of a scan that reads no row: units with other ones are refused when they are deployed
        behind = shape.index.columns[shape.prefix_length :]
        return _Scan(
            shape.table.name,
            group.key.columns,
            group.most,
            tuple(fixed.index(name) for name in group.key.columns),
            tuple(at[name] for name in fixed),
            tuple((at[column.name], column.ascending == shape.is_ascending) for column in behind),
            columns,
            shape.is_low_included if shape.has_low else None,
            shape.is_high_included if shape.has_high else None,
            shape.skips_nulls,
        )

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        return [[self._rows(batch.read, arguments) for arguments in batch.arguments] for batch in batches]

    def _rows(self, read: _Get | _Scan, arguments: Row) -> list[Row]:
        return self._row(read, arguments) if isinstance(read, _Get) else self._rows_of_group(read, arguments)

    def _rows_of_group(self, read: _Scan, arguments: Row) -> list[Row]:
        """Return the rows of a group; what the statement does not count of it the unit counts."""
        key = tuple([arguments[at] for at in read.group])
        images = self._thread.attempt.group(read.table, read.names, key, read.most, self._thread.meter)
        return read.first(images, arguments)

    def _row(self, read: _Get, arguments: Row) -> list[Row]:
        key = tuple([arguments[at] for at in read.key])
        counted = Meter()  # the LET counts its gets itself
        image = self._thread.attempt.record(read.table, key, counted).new
        self._thread.meter.lose(counted.lost)
        return [] if image is None else [tuple([image[at] for at in read.columns])]


@dataclass(frozen=True, slots=True)
class UnitSteps:
    """What a unit needs for its steps: who writes, the writers of tables by their names, and what its LETs read."""

    identity: WriterIdentity
    writer_of: Callable[[str], SteppedWriter]
    reads: UnitReads

    def backoff(self) -> Backoff:
        """Return the waiting of a new execution."""
        return Backoff(self.identity.wait_policy)

    def begin(self, backoff: Backoff) -> UnitTry:
        """Begin a try."""
        return UnitTry(self.identity, self.writer_of, backoff)


class UnitPath:
    """The steps of one statement of a unit, the `number`th, which only decide."""

    def __init__(self, attempt: UnitTry, writer: SteppedWriter, number: int, meter: Meter) -> None:
        self._attempt = attempt
        self._writer = writer
        self._number = number
        self._meter = meter

    def write(self, key: Row, decide: Decide) -> None:
        """Change a record as the unit has it so far; raise what the decision raises, and violations of foreign keys."""
        writer = self._writer
        known = self._attempt.record(writer.writer.table.name, key, self._meter)
        new = decide(known.new)
        if new == known.new:
            return
        if new is not None:
            writer.writer.check_values(new)
            for reference in writer.references.references:
                parent = reference.key_named(known.new, new)
                if parent is not None:
                    table = reference.parent_table
                    if self._attempt.record(table, parent, self._meter).new is None:
                        raise reference.violation(new)
        known.new, known.statement = new, self._number

    def owner(self, unique: UniqueCheck, value: Row) -> Row | None:
        raise AssertionError("units that find rows by UNIQUE keys are refused when they are deployed")

    def has_duplicate(self, uniques: Sequence[UniqueCheck], record: Row) -> bool:
        return False

    def begin_again(self, refusal: DuplicateKey | None = None) -> None:
        assert refusal is not None
        raise refusal
