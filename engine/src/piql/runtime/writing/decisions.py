"""The decisions of a compiled write: functions from the stored record to the record that the write leaves.

    UPDATE users SET age = age + 1 WHERE name = [1: name] IF age < 99
    key ("ada",);  decision ("ada", 41) → ("ada", 42), or ConditionFailed

A decision may be called again, with the record that another writer left. Its `Outcome` is that of the last call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from piql.compiler.logical.expressions import ColumnRef, Expression, conjuncts
from piql.compiler.logical.operators import Assignment
from piql.compiler.physical.write_plan import WritePlan
from piql.errors import ConditionFailed, ConstraintViolation, DuplicateKey, PiqlError
from piql.runtime.execution.expressions import ExpressionCompiler, words_for
from piql.runtime.execution.preparation import Preparation
from piql.runtime.writing.stepped.writer import Decide
from piql.runtime.writing.table_rules.check_constraint import CheckConstraint
from piql.runtime.writing.table_rules.constraints import UniqueCheck
from piql.runtime.writing.table_rules.records import Keep, keeper
from piql.runtime.writing.transactional import TableWriter
from piql.schema.types import WHOLE
from piql.store.base import Store
from piql.store.rows import Row

Values = Callable[[Row | None, Row | None, list[Any]], tuple[Any, ...]]
"""From the old record, the new record of an INSERT and the parameters to the values of some assignments."""

Test = Callable[[Row, list[Any]], bool]
"""From the old record and the parameters to whether one part of the IF condition is TRUE."""


@dataclass(slots=True)
class Outcome:
    """What the last decision of a write comes to.

    row          the record that it inserts, changes or deletes; None for no record
    has_moved    the record that a UNIQUE value led to does not have that value
    """

    row: Row | None = None
    has_moved: bool = False


@dataclass(frozen=True, slots=True)
class _GivenValues:
    """Values that a write gives to columns without looking at a row, and the CHECKs that they alone decide."""

    columns: tuple[str, ...]
    values: Values
    checks: tuple[CheckConstraint, ...]


class Decisions:
    """What one write decides, over the table as it is deployed.

    found_by    the UNIQUE key by which it finds its row; None for the primary key
    """

    def __init__(self, plan: WritePlan, writer: TableWriter, slots: Mapping[str, int], store: Store) -> None:
        self._plan = plan
        self._writer = writer
        table = writer.table
        self.found_by = writer.unique_check(plan.found_by.columns) if plan.found_by is not None else None
        self._at = {column.name: at for at, column in enumerate(table.columns)}
        self._keep: dict[str, Keep] = {column.name: keeper(table, column, store) for column in table.columns}
        self._whole = {column.name for column in table.columns if column.type.kind in WHOLE}
        known = {column.name for column in plan.table.columns}
        self._unknown = {at for at, column in enumerate(table.columns) if column.name not in known}
        preparation = Preparation(store, slots, lambda index: index)
        sources = (*plan.values, *plan.key) if plan.kind == "insert" else plan.key
        by_column = {value.column: value for value in sources}
        self._named = self._named_columns(tuple(by_column))
        rows = [by_column, *({value.column: value for value in row.values} for row in plan.more)]
        self._rows = [self._sources([row[name] for name in self._named], preparation) for row in rows]
        self._values = self._rows[0]
        changes = plan.values
        if plan.kind == "insert":
            changes = plan.conflict.changes if plan.conflict is not None else ()
        self._changed = tuple(change.column for change in changes)
        self._changes = self._sources(changes, preparation)
        self._given = self._given_values(plan, preparation) if plan.kind == "update" else None
        self._tests = self._compiled(plan.condition, preparation)
        self._affects = [test for _, test in self._compiled(plan.where, preparation)]
        self._returned = self._rows_returned(plan, preparation)

    def _named_columns(self, inserted: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns whose values the text gives to name a row: all of an INSERT, else those of a key."""
        if self._plan.kind == "insert":
            return inserted
        if self._plan.section is not None:
            return ()
        return self.found_by.columns if self.found_by is not None else self._writer.table.primary_key

    def _sources(self, assignments: Iterable[Assignment], preparation: Preparation) -> Values:
        """Return a function to the values of assignments, which may be computed from the old and the new record."""
        expressions = [assignment.value for assignment in assignments]
        compiler = self._over_records(expressions, preparation)
        return compiler.function("r, e, p", compiler.tuple_of(list(map(compiler.value, expressions))))

    def _compiled(self, condition: Expression | None, preparation: Preparation) -> tuple[tuple[str, Test], ...]:
        """Return the parts of an IF condition, which must all be TRUE: each as written, and its test."""
        parts = () if condition is None else conjuncts(condition)
        compiler = self._over_records(parts, preparation)
        return tuple((words_for(part), compiler.function("r, p", compiler.is_true(part))) for part in parts)

    def _over_records(self, expressions: Iterable[Expression], preparation: Preparation) -> ExpressionCompiler:
        """Return a compiler of expressions over the old record `r` and the new record `e` of an INSERT."""
        conflict = self._plan.conflict
        excluded = conflict.excluded if conflict is not None else None
        columns = {column for expression in expressions for column in expression.find(ColumnRef)}
        return preparation.over_sources(
            {column: f"{'e' if column.relation == excluded else 'r'}[{self._at[column.name]}]" for column in columns}
        )

    def _rows_returned(self, plan: WritePlan, preparation: Preparation) -> Callable[[Row], dict[str, Any]] | None:
        """Return a function from the record affected to the row of RETURNING; None without RETURNING."""
        if not plan.returning:
            return None
        compiler = self._over_records([output.expression for output in plan.returning], preparation)
        items = [f"{output.name!r}: {compiler.value(output.expression)}" for output in plan.returning]
        return compiler.function("r", f"{{{', '.join(items)}}}")

    def rows(self, records: Sequence[Row]) -> list[dict[str, Any]]:
        """Return the rows of RETURNING, of the records affected."""
        return [] if self._returned is None else list(map(self._returned, records))

    def _given_values(self, plan: WritePlan, preparation: Preparation) -> _GivenValues | None:
        """Return the values of an UPDATE that follow from its parameters alone, if a CHECK looks at nothing else."""
        given = tuple(change for change in plan.values if not any(True for _ in change.value.find(ColumnRef)))
        columns = {change.column for change in given}
        checks = tuple(check for check in self._writer.checks if columns.issuperset(check.rule.test.columns))
        if not checks:
            return None
        return _GivenValues(tuple(change.column for change in given), self._sources(given, preparation), checks)

    def check_given(self, parameters: list[Any]) -> None:
        """Raise ConstraintViolation where values of an UPDATE break a CHECK in whatever row they come to."""
        if self._given is None:
            return
        record: list[Any] = [None] * len(self._at)
        values = self._given.values(None, None, parameters)
        for name, value in zip(self._given.columns, values, strict=True):
            record[self._at[name]] = self._keep[name](value)
        for check in self._given.checks:
            check.check(tuple(record))

    def key(self, parameters: list[Any]) -> Row | None:
        """Return the key that an UPDATE or DELETE names; None for one that no row can have."""
        try:
            values = self._values(None, None, parameters)
            return tuple(
                self._keep[name](self._of_key(name, value)) for name, value in zip(self._named, values, strict=True)
            )
        except ConstraintViolation:
            return None

    def _of_key(self, name: str, value: Any) -> Any:
        """Return what a column is compared with: 3.00 is the whole number 3."""
        is_whole = name in self._whole and isinstance(value, float | Decimal) and value % 1 == 0
        return int(value) if is_whole else value

    def records(self, parameters: list[Any]) -> list[Row]:
        """Return the records of an INSERT; raise ConstraintViolation for a value that does not fit its column.

        Of several rows the error names the row.
        """
        return self._records([(values, parameters) for values in self._rows])

    def records_of_list(self, rows: Sequence[list[Any]]) -> list[Row]:
        """Return the records of an INSERT of a list: `rows` has the parameters with the values of each row."""
        return self._records([(self._values, row) for row in rows])

    def _records(self, sources: Sequence[tuple[Values, list[Any]]]) -> list[Row]:
        records: list[Row] = []
        for number, (values, parameters) in enumerate(sources, 1):
            try:
                row = values(None, None, parameters)
                records.append(self._writer.make(dict(zip(self._named, row, strict=True))))
            except PiqlError as failure:
                if len(sources) > 1:
                    failure.args = (f"row {number} of {len(sources)}: {failure}",)
                raise
        return records

    def inserts(self, record: Row, parameters: list[Any], outcome: Outcome) -> Decide:
        """Return the decision of an INSERT about the row with its primary key."""
        conflict, unique = self._plan.conflict, self.found_by

        def decide(old: Row | None) -> Row | None:
            if old is not None and conflict is not None:
                if unique is not None:
                    raise self._refused(unique, old, record)
                return self._resolved(old, record, parameters, outcome)
            if old is not None and self._plan.if_not_exists:
                raise self._writer.duplicate(self._writer.key_of(record))
            outcome.row = self._writer.keep_hidden(old, self._with_unknown(old, record))
            return outcome.row

        return decide

    def resolves(self, unique: UniqueCheck, record: Row, parameters: list[Any], outcome: Outcome) -> Decide:
        """Return the decision of ON CONFLICT about the row that has the UNIQUE value of the new one."""

        def decide(old: Row | None) -> Row | None:
            outcome.row = None
            outcome.has_moved = old is None or unique.value(old) != unique.value(record)
            if old is None or outcome.has_moved:
                return old
            return self._resolved(old, record, parameters, outcome)

        return decide

    def changes(self, key: Row | None, parameters: list[Any], outcome: Outcome) -> Decide:
        """Return the decision of an UPDATE or DELETE about one row; `key` is what names it."""
        unique, affects = self.found_by, self._affects

        def decide(old: Row | None) -> Row | None:
            is_meant = old is not None and (unique is None or unique.value(old) == key)
            if is_meant and old is not None and affects:
                is_meant = all(passes(old, parameters) for passes in affects)
            if self._tests:
                self._check_condition(old if is_meant else None, parameters)
            outcome.row = old if is_meant else None
            if old is None or not is_meant:
                return old
            if self._plan.kind == "delete":
                return None
            outcome.row = self._with_changes(old, None, parameters)
            return outcome.row

        return decide

    def _resolved(self, old: Row, record: Row, parameters: list[Any], outcome: Outcome) -> Row:
        """Return what ON CONFLICT makes of the row that exists."""
        if not self._changed:
            outcome.row = None
            return old
        outcome.row = self._with_changes(old, record, parameters)
        return outcome.row

    def _with_changes(self, old: Row, new: Row | None, parameters: list[Any]) -> Row:
        record = list(old)
        for name, value in zip(self._changed, self._changes(old, new, parameters), strict=True):
            record[self._at[name]] = self._keep[name](value)
        return tuple(record)

    def _refused(self, unique: UniqueCheck, old: Row, record: Row) -> DuplicateKey:
        """Return the error of a new row whose primary key exists, of a row with the same UNIQUE value or another."""
        value = unique.value(record)
        if value is not None and value == unique.value(old):
            return unique.violation(value)
        return self._writer.duplicate(self._writer.key_of(record))

    def _with_unknown(self, old: Row | None, record: Row) -> Row:
        """Return a record with the old values of those columns that the version of this statement does not know."""
        if old is None or not self._unknown:
            return record
        return tuple([old[at] if at in self._unknown else value for at, value in enumerate(record)])

    def _check_condition(self, old: Row | None, parameters: list[Any]) -> None:
        table = self._writer.table.name
        if old is None:
            raise ConditionFailed(f"{table}: there is no such row")
        for words, holds in self._tests:
            if not holds(old, parameters):
                raise ConditionFailed(f"{table}: {words} does not hold")
