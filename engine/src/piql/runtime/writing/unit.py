"""A compiled unit made ready to run: its writes in one transaction, which commits all of them or none.

    parameters ──checked once──▶ values and records of each statement ──▶ transaction: statement 1, 2, … ──▶ Page

The value of a LET goes into a slot of its own, behind the parameters, where the statements behind it find it.

Each statement has its own bound, which its own meter holds it to; the bound of the unit is their sum. A statement sees
what those before it have written, in its reads, its constraint checks and its views.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import Any

from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.result import CompiledQuery
from piql.errors import (
    CardinalityViolation,
    ConditionFailed,
    ConstraintViolation,
    ConversionFailed,
    DuplicateKey,
    ForeignKeyViolation,
    NumberOutOfRange,
)
from piql.runtime.execution.observation import Observation, Observer, OperatorTiming
from piql.runtime.execution.parameters import ParameterChecks
from piql.runtime.execution.prepared_query import Page
from piql.runtime.execution.strategy import Clock
from piql.runtime.execution.supplied import Now, Occasion, utc_now
from piql.runtime.writing.let import PreparedLet
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.paths import WritePath
from piql.runtime.writing.stepped.unit_try import GroupMoved, StatementRefused, UnitTry
from piql.runtime.writing.unit_by_steps import UnitSteps
from piql.runtime.writing.write import Given, PreparedWrite
from piql.store.base import Store, Transaction

_REFUSALS = (
    CardinalityViolation,
    ConditionFailed,
    ConstraintViolation,
    ConversionFailed,
    DuplicateKey,
    ForeignKeyViolation,
    NumberOutOfRange,
)
"""What a row or a value may refuse: the message of these names the statement."""


@dataclass(slots=True)
class _Run:
    """One execution: the values of its parameters and LETs, what its statements were given, and what came of them.

    With a `clock`, its statements are timed.
    """

    values: list[Any]
    given: list[Given | None]
    occasion: Occasion
    clock: Clock | None
    rows: list[dict[str, object]] = field(default_factory=list)
    meters: list[Meter] = field(default_factory=list)
    timings: list[OperatorTiming] = field(default_factory=list)
    affected: int = 0

    def begin(self) -> None:
        """Begin again, with nothing that came of the statements."""
        self.rows, self.meters, self.timings, self.affected = [], [], [], 0


class PreparedUnit:
    """One unit over one deployment; `statements` are its writes in their order.

    `steps` is what it needs on a store without transactions.
    """

    def __init__(
        self,
        query: CompiledQuery,
        store: Store,
        statements: Sequence[PreparedWrite | PreparedLet],
        version: int = 0,
        clock: Clock = perf_counter,
        now: Now = utc_now,
        steps: UnitSteps | None = None,
    ) -> None:
        assert isinstance(query.plan, UnitPlan)
        self.name = query.name
        self.query = query
        self.version = version
        parts = query.bound.by_operator if query.bound is not None else ()
        deciding = sum(part.operations for part in parts if not part.path)
        if steps is not None:
            deciding += sum(statement.held_beside for statement in statements if isinstance(statement, PreparedWrite))
        self.bound = deciding + sum(statement.bound for statement in statements)
        self._steps = steps
        self._store = store
        self._statements = statements
        self._lets = sum(len(statement.places) for statement in statements if isinstance(statement, PreparedLet))
        self._checks = ParameterChecks(query.parameters, store.codec)
        self._clock = clock
        self._now = now

    def execute(
        self,
        parameters: Mapping[str, object] | None = None,
        observer: Observer | None = None,
        before: Callable[[Transaction], None] | None = None,
        occasion: Occasion | None = None,
        look: Callable[[], None] | None = None,
    ) -> Page:
        """Run all statements or none; the arguments and errors are those of `PreparedWrite.execute`.

        A statement that uses the value of a LET is checked when its turn comes, any other one before the first.
        """
        started = self._clock()
        checked = self._checks.checked(parameters)
        occasion = occasion or Occasion(self._now)
        values = [*checked, *[None] * self._lets]
        given = [self._given_first(number, values, occasion) for number in range(len(self._statements))]
        run = _Run(values, given, occasion, None if observer is None else self._clock)
        unit = Meter(self.bound)
        if self._steps is not None:
            if look is not None:
                look()
            self._make_by_steps(self._steps, run, unit)
        else:
            with self._store.transaction() as transaction:
                if before is not None:
                    before(transaction)
                self._run(run, lambda statement, number, meter: statement.path_in(transaction, meter))
        elapsed = (self._clock() - started) * 1000
        meters = [*run.meters, unit]
        operations = sum(meter.operations for meter in meters)
        round_trips = sum(meter.round_trips for meter in meters)
        if observer is not None:
            started_at = datetime.fromtimestamp(datetime.now(UTC).timestamp() - elapsed / 1000, UTC)
            of_statements = sum(part.elapsed_ms for part in run.timings)
            whole = OperatorTiming((), "Unit", unit.operations, 0, elapsed - of_statements)
            timings = (whole, *run.timings)
            observer(Observation(self.name, self.version, started_at, elapsed, operations, round_trips, 0, timings))
        attempts = sum(meter.attempts for meter in meters)
        repairs = sum(meter.repair_operations for meter in meters)
        return Page(run.rows, None, operations, round_trips, attempts, repairs, elapsed, 0, run.affected)

    def _run(self, run: _Run, path_of: Callable[[PreparedWrite, int, Meter], WritePath]) -> None:
        """Run all statements, in their order, each along its path."""
        for number, statement in enumerate(self._statements):
            meter = Meter(statement.bound, run.clock)
            run.meters.append(meter)
            began = self._clock()
            try:
                if isinstance(statement, PreparedLet):
                    parts = statement.read(run.values, run.occasion, meter)
                else:
                    of_statement = run.given[number] or statement.given(run.values, run.occasion)
                    records, of_section = statement.run_inside(path_of(statement, number, meter), of_statement, meter)
                    run.affected += len(records)
                    run.rows += statement.returned(records)
                    parts = ()
                    if run.clock is not None:
                        elapsed = (run.clock() - began) * 1000
                        parts = meter.timings(statement.query.kind.capitalize(), elapsed, of_section)
            except _REFUSALS as refusal:
                raise self._named(number, refusal)  # noqa: B904
            run.timings += (replace(part, path=(number, *part.path)) for part in parts)

    def _make_by_steps(self, steps: UnitSteps, run: _Run, unit: Meter) -> None:
        """Make the unit on a store without transactions, again and again until no other writer comes between."""
        backoff = steps.backoff()
        while True:
            run.begin()
            attempt = steps.begin(backoff)
            with steps.identity.units.counted_by(unit):
                try:
                    with steps.reads.of(attempt, unit):
                        self._run(run, partial(_path_of, attempt))
                    unit.bound = self.bound - sum(meter.operations for meter in run.meters)
                    is_made = attempt.make(unit)
                except StatementRefused as refused:
                    raise self._named(refused.number, refused.refusal) from None
                except _REFUSALS:
                    if attempt.is_as_read(unit):
                        raise
                    is_made = False
                except GroupMoved:
                    is_made = False
            if is_made:
                return
            unit.lose(sum(meter.attempts for meter in run.meters))
            unit.begin_again()
            backoff.pause()

    def _given_first(self, number: int, checked: Sequence[object], occasion: Occasion) -> Given | None:
        """Return what a statement is given before the transaction begins; None for what waits for a LET."""
        statement = self._statements[number]
        if isinstance(statement, PreparedLet) or statement.uses_lets:
            return None
        try:
            return statement.given(checked, occasion)
        except _REFUSALS as refusal:
            raise self._named(number, refusal)  # noqa: B904

    def _named(self, number: int, refusal: Exception) -> Exception:
        """Return a refusal with the number of its statement in its message."""
        refusal.args = (f"statement {number + 1} of {len(self._statements)}: {refusal}",)
        return refusal


def _path_of(attempt: UnitTry, statement: PreparedWrite, number: int, meter: Meter) -> WritePath:
    return statement.path_of(attempt, number, meter)
