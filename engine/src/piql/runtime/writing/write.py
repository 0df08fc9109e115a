"""A compiled write made ready to run: INSERT, UPDATE or DELETE of one record.

Each is a key and a decision: a function from the record as it is to the record as it shall be. The store's write path
(`transactional.py` or `stepped/writer.py`) reads the record, calls the decision, checks the constraints and writes.

    UPDATE users SET age = age + 1 WHERE name = [1: name] IF age < 99
    key ("ada",);  decision ("ada", 41) → ("ada", 42), or ConditionFailed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from piql.compiler.bounds.writes import most_entries
from piql.compiler.logical.expressions import ColumnRef, Expression, Parameter, conjuncts
from piql.compiler.logical.operators import Assignment
from piql.compiler.physical.operators import WritePlan
from piql.compiler.result import CompiledQuery
from piql.errors import ConditionFailed, ConstraintViolation
from piql.runtime.execution.expressions import ExpressionCompiler, words_for
from piql.runtime.execution.observation import Observation, Observer
from piql.runtime.execution.parameters import ParameterChecks
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.prepared_query import Page
from piql.runtime.execution.strategy import Clock
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.writer import Decide, SteppedWriter
from piql.runtime.writing.table_rules.records import Keep, keeper, never_null
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Row, Store, Transaction

Values = Callable[[Row | None, list[Any]], tuple[Any, ...]]
"""From the old record and the parameters to the values of some assignments."""

Test = Callable[[Row, list[Any]], bool]
"""From the old record and the parameters to whether one part of the IF condition is TRUE."""


class PreparedWrite:
    """One write over one deployment; `stepped` is set on stores without transactions."""

    def __init__(
        self,
        query: CompiledQuery,
        store: Store,
        writer: TableWriter,
        deployment: int = 0,
        stepped: SteppedWriter | None = None,
        clock: Clock = perf_counter,
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
        self._deployment = deployment
        self._clock = clock
        self._bound = bound.operations + _cost_of_others(plan, writer)
        self._checks = ParameterChecks(query.parameters, store.codec)
        preparation = Preparation(store, self._checks.slots, lambda index: index)
        table = writer.table
        values = (
            {assignment.column: assignment for assignment in (*plan.values, *plan.key)} if plan.kind == "insert" else {}
        )
        if plan.kind == "insert":
            self._columns = tuple(values)
            self._values = self._sources(tuple(values.values()), preparation)
            self._key: Values = lambda old, parameters: ()
        else:
            by_column = {assignment.column: assignment for assignment in plan.key}
            self._key = self._sources(tuple(by_column[name] for name in table.primary_key), preparation)
            self._columns = tuple(value.column for value in plan.values)
            self._values = self._sources(plan.values, preparation)
        self._tests = self._compiled(plan.condition, preparation)
        self._never_null = _never_null(plan, writer, self._checks.slots)
        self._keep: dict[str, Keep] = {column.name: keeper(table, column, store) for column in table.columns}
        known = {column.name for column in plan.table.columns}
        self._unknown = {at for at, column in enumerate(table.columns) if column.name not in known}
        self._positions = {column.name: at for at, column in enumerate(table.columns)}

    def _sources(self, assignments: tuple[Assignment, ...], preparation: Preparation) -> Values:
        """Return a function to the values of assignments, which may be computed from the old record."""
        compiler = self._over_old((assignment.value for assignment in assignments), preparation)
        return compiler.function(
            "r, p", compiler.tuple_of([compiler.value(assignment.value) for assignment in assignments])
        )

    def _compiled(self, condition: Expression | None, preparation: Preparation) -> tuple[tuple[str, Test], ...]:
        """Return the parts of an IF condition, which must all be TRUE: each as written, and its test."""
        parts = () if condition is None else conjuncts(condition)
        compiler = self._over_old(parts, preparation)
        return tuple((words_for(part), compiler.function("r, p", compiler.is_true(part))) for part in parts)

    def _over_old(self, expressions: Iterable[Expression], preparation: Preparation) -> ExpressionCompiler:
        """Return a compiler of these expressions over the old record `r`."""
        at = {column.name: position for position, column in enumerate(self._writer.table.columns)}
        return preparation.over_sources(
            {ref: f"r[{at[ref.name]}]" for expression in expressions for ref in expression.find(ColumnRef)}
        )

    def execute(
        self,
        parameters: Mapping[str, object] | None = None,
        observer: Observer | None = None,
        before: Callable[[Transaction], None] | None = None,
    ) -> Page:
        """Run the write once; `before` is called when the transaction has begun, and may raise to stop it.

        Raises InvalidParameter before any request, ConstraintViolation, ConditionFailed, and errors of the store.
        """
        started = self._clock()
        values = self._checks.checked(parameters)
        for slot, why in self._never_null:
            if values[slot] is None:
                raise ConstraintViolation(why)
        meter = Meter(self._bound, None if observer is None else self._clock)
        key, decide = self._insert(values) if self._plan.kind == "insert" else self._change(values)
        if self._stepped is None:
            with self._store.transaction() as transaction:
                if before is not None:
                    before(transaction)
                if key is None:
                    decide(None)
                else:
                    old = self._writer.read(transaction, meter, key)
                    self._writer.apply(transaction, meter, old, decide(old))
        elif key is None:
            decide(None)
        else:
            self._stepped.write(key, decide, meter)
        elapsed = (self._clock() - started) * 1000
        if observer is not None:
            started_at = datetime.fromtimestamp(datetime.now(UTC).timestamp() - elapsed / 1000, UTC)
            timings = meter.timings(self._plan.kind.capitalize(), elapsed)
            counts = meter.operations, meter.round_trips
            observer(Observation(self.name, self._deployment, started_at, elapsed, *counts, 0, timings))
        repairs = meter.repair_operations
        return Page([], None, meter.operations, meter.round_trips, meter.attempts, repairs, elapsed)

    def _insert(self, parameters: list[Any]) -> tuple[Row, Decide]:
        """Return the key and the decision of an INSERT."""
        values = self._values(None, parameters)
        record = self._writer.make(dict(zip(self._columns, values, strict=True)))
        key = self._writer.key_of(record)

        def decide(old: Row | None) -> Row | None:
            if old is not None and self._plan.if_not_exists:
                raise self._writer.duplicate(key)
            return self._writer.keep_hidden(old, self._with_unknown(old, record))

        return key, decide

    def _with_unknown(self, old: Row | None, record: Row) -> Row:
        """Return a record with the old values of those columns that the version of this statement does not know."""
        if old is None or not self._unknown:
            return record
        return tuple([old[at] if at in self._unknown else value for at, value in enumerate(record)])

    def _change(self, parameters: list[Any]) -> tuple[Row | None, Decide]:
        """Return the key and the decision of an UPDATE or DELETE; the key is None if no row can have it."""

        def decide(old: Row | None) -> Row | None:
            if self._tests:
                self._check_condition(old, parameters)
            if old is None or self._plan.kind == "delete":
                return None
            record = list(old)
            for name, value in zip(self._columns, self._values(old, parameters), strict=True):
                record[self._positions[name]] = self._keep[name](value)
            return tuple(record)

        return self._key_named(parameters), decide

    def _key_named(self, parameters: list[Any]) -> Row | None:
        """Return the key that the write names; None for one that no row can have."""
        names = self._writer.table.primary_key
        try:
            values = self._key(None, parameters)
            return tuple(self._keep[name](value) for name, value in zip(names, values, strict=True))
        except ConstraintViolation:
            return None

    def _check_condition(self, old: Row | None, parameters: list[Any]) -> None:
        table = self._writer.table.name
        if old is None:
            raise ConditionFailed(f"{table}: there is no such row")
        for words, holds in self._tests:
            if not holds(old, parameters):
                raise ConditionFailed(f"{table}: {words} does not hold")


def _never_null(plan: WritePlan, writer: TableWriter, slots: Mapping[str, int]) -> tuple[tuple[int, str], ...]:
    """Return the parameters that are assigned to columns without NULL: position, and the message for a NULL."""
    table = writer.table
    columns = {column.name for column in table.columns if not column.nullable} | set(table.primary_key)
    assigned = (*plan.values, *plan.key) if plan.kind == "insert" else plan.values
    return tuple(
        (slots[assignment.value.name], f"[{assignment.value.name}] is NULL: {never_null(table, assignment.column)}")
        for assignment in assigned
        if isinstance(assignment.value, Parameter) and assignment.column in columns
    )


def _cost_of_others(plan: WritePlan, writer: TableWriter) -> int:
    """Return the requests that indexes add which were deployed after the write was compiled."""
    planned = {index.name for index in plan.indexes}
    new_indexes = [entries.index for entries in writer.indexes if entries.index.name not in planned]
    return sum(4 * most_entries(plan.table, index) + 2 for index in new_indexes)
