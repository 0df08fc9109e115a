"""A unit on a store without transactions: its statements decide on records as they are read, then one try makes all.

    statements and LETs, in their order ──▶ records, as read and as they shall be ──▶ `stepped.unit_try`

A statement sees what those before it have decided. If another writer changes a record that was read, LETs included, the
unit begins again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from piql.errors import DuplicateKey
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff
from piql.runtime.writing.stepped.unit_try import UnitTry
from piql.runtime.writing.stepped.writer import Decide, SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import UniqueCheck
from piql.store.base import Answers, Batch, Consistency, ReadShape, Store
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import PreparedRead, Row
from piql.store.wrapper import StoreWrapper


class _Get(NamedTuple):
    """A get of a record: its table, where the columns of the primary key are in the arguments, and those asked for."""

    table: str
    key: tuple[int, ...]
    columns: tuple[int, ...]


class UnitReads(StoreWrapper):
    """The reads of LETs: of records by their primary keys, as the unit of this thread has them so far."""

    def __init__(self, behind: Store) -> None:
        super().__init__(behind)
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
        if not shape.is_get or not shape.index.is_primary:
            return None  # of a scan that reads no row: units with other ones are refused when they are deployed
        names = [column.name for column in shape.index.columns]
        at = {column.name: position for position, column in enumerate(shape.table.columns)}
        key = tuple(names.index(name) for name in shape.table.primary_key)
        return _Get(shape.table.name, key, tuple(at[name] for name in shape.columns))

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        return [[self._row(batch.read, arguments) for arguments in batch.arguments] for batch in batches]

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
