"""A compiled write made ready to run: INSERT, UPDATE or DELETE, of one record or of several, one after another.

The records of an INSERT are written out in its text, or those of a list that it is given.

Each is a key and a decision (`decisions.py`). The store's write path (`paths.py`) reads the record, calls the decision,
checks the constraints and writes. Where a UNIQUE key leads to the row, the path looks up its primary key first; where
the rows are those of a section, `section.py` reads their keys first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, NamedTuple

from piql.compiler.bounds.writes import bound_of_write
from piql.compiler.logical.expressions import ColumnRef, Parameter
from piql.compiler.physical.unit_by_steps import records_held
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.errors import (
    ConstraintViolation,
    DuplicateKey,
    NumberOutOfRange,
    PiqlError,
    RepairPending,
    StoreUnavailable,
)
from piql.runtime.deployment import Redeployed
from piql.runtime.execution.observation import Observation, Observer, OperatorTiming
from piql.runtime.execution.parameters import ParameterChecks
from piql.runtime.execution.prepared_query import Page
from piql.runtime.execution.settling import RecordsOf
from piql.runtime.execution.strategy import Clock
from piql.runtime.execution.supplied import Now, Occasion, SuppliedValues, utc_now
from piql.runtime.writing.decisions import Decisions, Outcome
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.paths import SteppedPath, TransactionalPath, WritePath
from piql.runtime.writing.section import PreparedSection
from piql.runtime.writing.stepped.unit_try import UnitTry
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.table_rules.constraints import UniqueCheck
from piql.runtime.writing.table_rules.records import never_null
from piql.runtime.writing.transactional import TableWriter
from piql.runtime.writing.unit_by_steps import UnitPath
from piql.schema.catalog import Index
from piql.store.base import Store, Transaction
from piql.store.rows import Row


class Given(NamedTuple):
    """What one execution of a write is given: values of parameters, and the records of an INSERT or None."""

    values: list[Any]
    rows: Sequence[Row | None]


class PreparedWrite:
    """One write over one deployment; `stepped` is set on stores without transactions.

    `deployed` turns an index of the plan into that index as the store keeps it. `lets` are the names of the values of
    its unit: their slots are behind those of the parameters.

    bound          how many requests an execution makes at most, with the rules of the version in force
    held_beside    how many more its unit makes for records that rules name which were deployed after it was compiled
    """

    def __init__(
        self,
        query: CompiledQuery,
        store: Store,
        writer: TableWriter,
        deployed: Callable[[Index], Index],
        version: int = 0,
        stepped: SteppedWriter | None = None,
        clock: Clock = perf_counter,
        now: Now = utc_now,
        lets: Sequence[str] = (),
        records_of: RecordsOf = lambda table: None,
    ) -> None:
        plan, bound = query.plan, query.bound
        assert isinstance(plan, WritePlan)
        assert bound is not None
        self.name = query.name
        self.query = query
        self._plan = plan
        self._store = store
        self._writer = writer
        self._stepped = stepped
        self.version = version
        self._clock = clock
        of_others, self.held_beside = _cost_of_others(plan, writer) if version != writer.version else (0, 0)
        self.bound = bound.operations + of_others
        self._checks = ParameterChecks(query.parameters, store.codec)
        self._known = len(self._checks.slots) + len(lets)
        self._supplied = SuppliedValues(plan, self._known, store.codec)
        self._now = now
        of_lets = {name: len(self._checks.slots) + at for at, name in enumerate(lets)}
        self.uses_lets = any(part.is_read and part.name in of_lets for part in plan.find(Parameter))
        slots = {**self._checks.slots, **of_lets, **self._supplied.slots}
        self._list = self._checks.slots[plan.rows.name] if plan.rows is not None else None
        in_rows = (value.value for value in plan.values if plan.kind == "insert")
        columns = [value.name for value in in_rows if isinstance(value, Parameter) and value.is_of_row]
        slots |= {name: len(slots) + at for at, name in enumerate(columns)}
        read = plan.given_by.fields if plan.given_by is not None else ()
        slots |= {value.name: len(slots) + at for at, value in enumerate(read) if isinstance(value, ColumnRef)}
        self._looked_up = _looked_up(plan, writer)
        self._decisions = Decisions(plan, writer, slots, store)
        self._section = PreparedSection(plan.reads[0], store, slots, deployed, records_of) if plan.reads else None
        self._never_null = _never_null(plan, writer, slots)

    def execute(
        self,
        parameters: Mapping[str, object] | None = None,
        observer: Observer | None = None,
        before: Callable[[Transaction], None] | None = None,
        occasion: Occasion | None = None,
        look: Callable[[], None] | None = None,
    ) -> Page:
        """Run the write once; `before` is called when the transaction has begun, and may raise to stop it.

        On a store without transactions `look` is called when the rows of a section are known, and may raise as well.

        `occasion` gives the values of an execution that was begun before, and is made again.

        Raises InvalidParameter before any request, ConstraintViolation, ConditionFailed, and errors of the store.
        """
        started = self._clock()
        values = self._checks.checked(parameters)
        if self._supplied:
            occasion = occasion or Occasion(self._now)
        self._complete(values, occasion)
        meter = Meter(self.bound, None if observer is None else self._clock)
        records, of_section = self._run(values, meter, before, look, occasion)
        elapsed = (self._clock() - started) * 1000
        if observer is not None:
            started_at = datetime.fromtimestamp(datetime.now(UTC).timestamp() - elapsed / 1000, UTC)
            timings = meter.timings(self._plan.kind.capitalize(), elapsed, of_section)
            counts = meter.operations, meter.round_trips
            observer(Observation(self.name, self.version, started_at, elapsed, *counts, 0, timings))
        repairs = meter.repair_operations
        affected = len(records)
        rows = self._decisions.rows(records)
        return Page(rows, None, meter.operations, meter.round_trips, meter.attempts, repairs, elapsed, 0, affected)

    def _complete(self, values: list[Any], occasion: Occasion | None) -> None:
        """Add the supplied values to those of the parameters; raise ConstraintViolation for what no row can hold."""
        if self._supplied and occasion is not None:
            values += self._supplied.of(occasion)
        for slot, why in self._never_null:
            if values[slot] is None:
                raise ConstraintViolation(why)
        self._decisions.check_given(values)

    def given(self, checked: Sequence[Any], occasion: Occasion) -> Given:
        """Return what an execution in a transaction of others is given, from the checked parameters and the LETs.

        Raises ConstraintViolation for what no row can hold.
        """
        values = [*checked]
        self._complete(values, occasion)
        return Given(values, self._rows_given(values, occasion))

    def run_inside(self, path: WritePath, given: Given, meter: Meter) -> tuple[list[Row], Sequence[OperatorTiming]]:
        """Make the write among others; return the records affected, and the timings of the section."""
        rows, timings = self._rows_read(given, meter)
        return self._write(path, rows, given.values, meter), timings

    def path_in(self, transaction: Transaction, meter: Meter) -> WritePath:
        """Return the steps of the write in a transaction of others."""
        return TransactionalPath(self._writer, transaction, meter)

    def path_of(self, attempt: UnitTry, number: int, meter: Meter) -> WritePath:
        """Return the steps of the write as the `number`th statement of a unit, on a store without transactions."""
        assert self._stepped is not None
        return UnitPath(attempt, self._stepped, number, meter)

    def returned(self, records: Sequence[Row]) -> list[dict[str, Any]]:
        """Return the rows of RETURNING, of the records affected."""
        return self._decisions.rows(records)

    def _run(
        self,
        parameters: list[Any],
        meter: Meter,
        before: Callable[[Transaction], None] | None,
        look: Callable[[], None] | None,
        occasion: Occasion | None,
    ) -> tuple[list[Row], Sequence[OperatorTiming]]:
        """Make the write on the kind of store that there is.

        Return the records affected, and the timings of the section.
        """
        given = Given(parameters, self._rows_given(parameters, occasion))
        if self._stepped is not None:
            rows, timings = self._rows_read(given, meter)
            if self._section is not None and look is not None:
                look()
            return self._write(SteppedPath(self._stepped, meter), rows, parameters, meter), timings
        with self._store.transaction() as transaction:
            if before is not None:
                before(transaction)
            return self.run_inside(self.path_in(transaction, meter), given, meter)

    def _rows_given(self, parameters: list[Any], occasion: Occasion | None) -> Sequence[Row | None]:
        """Return the rows to write as far as they are known before anything is read."""
        is_known = self._plan.kind == "insert" and self._plan.given_by is None
        return self._records(parameters, occasion) if is_known else [None]

    def _rows_read(self, given: Given, meter: Meter) -> tuple[Sequence[Row | None], Sequence[OperatorTiming]]:
        """Return the rows to write, once what the write reads first is read, and the timings of that."""
        if self._section is None:
            return given.rows, ()
        rows, timings = self._section.read(given.values, meter)
        if self._plan.given_by is None:
            return rows, timings
        (values,) = rows
        return self._decisions.records([*given.values, *values]), timings

    def _records(self, parameters: list[Any], occasion: Occasion | None) -> list[Row]:
        """Return the records of an INSERT; those of a list are made of its rows."""
        if self._list is None:
            return self._decisions.records(parameters)
        known = parameters[: self._known]
        supplied: list[Any] = []
        rows: list[list[Any]] = []
        for number, row in enumerate(known[self._list], 1):
            if self._supplied and occasion is not None:
                supplied = self._supplied.of(occasion, number)
            rows.append([*known, *supplied, *row])
        return self._decisions.records_of_list(rows)

    def _write(self, path: WritePath, rows: Sequence[Row | None], parameters: list[Any], meter: Meter) -> list[Row]:
        """Write rows one after another; return the records affected.

        `rows` are the records of an INSERT or the keys of a section; None is the row that the parameters name.
        """
        affected: list[Row] = []
        for number, key_or_record in enumerate(rows, 1):
            try:
                row = self._write_row(path, key_or_record, parameters)
            except (PiqlError, Redeployed, ArithmeticError) as failure:
                are_written = self._stepped is not None and number > 1 and not isinstance(path, UnitPath)
                named = failure if len(rows) == 1 else _failure_of(failure, number, len(rows), are_written=are_written)
                if named is failure:
                    raise
                raise named from failure
            affected += [] if row is None else [row]
            meter.keep()
        return affected

    def _write_row(self, path: WritePath, key_or_record: Row | None, parameters: list[Any]) -> Row | None:
        """Write one row, which is a record of an INSERT or a key; return the record affected."""
        if key_or_record is None:
            return self._change(path, parameters)
        if self._plan.kind == "insert":
            return self._insert(path, key_or_record, parameters)
        outcome = Outcome()
        path.write(key_or_record, self._decisions.changes(key_or_record, parameters, outcome))
        return outcome.row

    def _change(self, path: WritePath, parameters: list[Any]) -> Row | None:
        """Make an UPDATE or DELETE of the row that the parameters name; return the record changed or deleted."""
        outcome, unique = Outcome(), self._decisions.found_by
        key = self._decisions.key(parameters)
        decide = self._decisions.changes(key, parameters, outcome)
        primary = path.owner(unique, key) if unique is not None and key is not None and None not in key else key
        if primary is None or None in primary:
            decide(None)  # no row can be meant
        else:
            path.write(primary, decide)
        return outcome.row

    def _insert(self, path: WritePath, record: Row, parameters: list[Any]) -> Row | None:
        """Make an INSERT; return the record that was inserted, or changed instead."""
        outcome, conflict = Outcome(), self._plan.conflict
        if self._decisions.found_by is not None:
            self._insert_or_resolve(path, self._decisions.found_by, record, parameters, outcome)
            return outcome.row
        if path.has_duplicate(self._looked_up, record):
            return None
        try:
            path.write(self._writer.key_of(record), self._decisions.inserts(record, parameters, outcome))
        except DuplicateKey:
            if conflict is None or conflict.key:
                raise
            return None  # DO NOTHING, whatever key it is
        return outcome.row

    def _insert_or_resolve(
        self, path: WritePath, unique: UniqueCheck, record: Row, parameters: list[Any], outcome: Outcome
    ) -> None:
        """Make an INSERT with ON CONFLICT on a UNIQUE key: look for the row with its value, then change it or insert.

        Each of the two may find that another writer came between. Then the other one is tried.
        """
        value = unique.value(record)
        while True:
            owner = path.owner(unique, value) if value is not None else None
            if owner is not None:
                path.write(owner, self._decisions.resolves(unique, record, parameters, outcome))
                if not outcome.has_moved:
                    return
                path.begin_again()
            try:
                path.write(self._writer.key_of(record), self._decisions.inserts(record, parameters, outcome))
                return
            except DuplicateKey as refusal:
                if set(refusal.columns) != set(unique.columns):
                    raise
                path.begin_again(refusal)


def _failure_of(failure: Exception, number: int, rows: int, *, are_written: bool) -> Exception:
    """Return the error of a row of several.

    Where the rows before it `are_written`, the statement must not be made again by itself: what asks for that
    becomes StoreUnavailable.
    """
    which = f"row {number} of {rows}"
    if not are_written:
        if isinstance(failure, PiqlError):
            failure.args = (f"{which}: {failure}",)
        return failure
    message = f"{which}: {str(failure) or 'the schema was changed meanwhile'}; the rows before it are written"
    if isinstance(failure, ArithmeticError):
        return NumberOutOfRange(message)
    if isinstance(failure, Redeployed | RepairPending):
        return StoreUnavailable(message)
    failure.args = (message,)
    return failure


def _looked_up(plan: WritePlan, writer: TableWriter) -> tuple[UniqueCheck, ...]:
    """Return the UNIQUE keys whose values are looked for before an INSERT, because it does nothing if one is there."""
    columns = {key.columns for key in plan.looked_up}
    return tuple(unique for unique in writer.unique if unique.key.columns in columns)


def _never_null(plan: WritePlan, writer: TableWriter, slots: Mapping[str, int]) -> tuple[tuple[int, str], ...]:
    """Return the parameters that are assigned to columns without NULL: position, and the message for a NULL."""
    table = writer.table
    columns = {column.name for column in table.columns if not column.nullable} | set(table.primary_key)
    assigned = (*plan.values, *plan.key) if plan.kind == "insert" else plan.values
    assigned += tuple(value for row in plan.more for value in row.values)
    return tuple(
        (slots[assignment.value.name], f"[{assignment.value.name}] is NULL: {never_null(table, assignment.column)}")
        for assignment in assigned
        if isinstance(assignment.value, Parameter) and _is_given(assignment.value) and assignment.column in columns
    )


def _is_given(parameter: Parameter) -> bool:
    """Whether the value of a parameter is known when an execution begins, and the same for all of its rows."""
    return not (parameter.is_of_row or parameter.is_read)


def _cost_of_others(plan: WritePlan, writer: TableWriter) -> tuple[int, int]:
    """Return the requests that rules, indexes and views add which were deployed after a write was compiled.

    The second number is what they add besides where it is a statement of a unit, on a store without transactions.
    """
    planned = writer.planned(plan)
    of_write = bound_of_write(planned).operations - bound_of_write(plan).operations
    of_unit = 2 * plan.most_rows * (records_held(planned) - records_held(plan))
    return max(of_write, 0), max(of_unit, 0)
