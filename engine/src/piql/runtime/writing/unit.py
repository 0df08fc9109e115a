"""A compiled unit made ready to run: its writes in one transaction, which commits all of them or none.

    parameters ──checked once──▶ values and records of each statement ──▶ transaction: statement 1, 2, … ──▶ Page

The value of a LET goes into a slot of its own, behind the parameters, where the statements behind it find it.

Each statement has its own bound, which its own meter holds it to; the bound of the unit is their sum. A statement sees
what those before it have written, in its reads, its constraint checks and its views.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter

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


class PreparedUnit:
    """One unit over one deployment, on a store with transactions; `statements` are its writes in their order."""

    def __init__(
        self,
        query: CompiledQuery,
        store: Store,
        statements: Sequence[PreparedWrite | PreparedLet],
        version: int = 0,
        clock: Clock = perf_counter,
        now: Now = utc_now,
    ) -> None:
        assert isinstance(query.plan, UnitPlan)
        self.name = query.name
        self.query = query
        self.version = version
        self.bound = sum(statement.bound for statement in statements)
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
        clock = None if observer is None else self._clock
        rows: list[dict[str, object]] = []
        meters: list[Meter] = []
        timings: list[OperatorTiming] = []
        affected = 0
        with self._store.transaction() as transaction:
            if before is not None:
                before(transaction)
            for number, statement in enumerate(self._statements):
                meter = Meter(statement.bound, clock)
                began = self._clock()
                try:
                    if isinstance(statement, PreparedLet):
                        parts = statement.read(values, occasion, meter)
                    else:
                        of_statement = given[number] or statement.given(values, occasion)
                        records, of_section = statement.run_inside(transaction, of_statement, meter)
                        affected += len(records)
                        rows += statement.returned(records)
                        parts = ()
                        if clock is not None:
                            elapsed = (clock() - began) * 1000
                            parts = meter.timings(statement.query.kind.capitalize(), elapsed, of_section)
                except _REFUSALS as refusal:
                    raise self._named(number, refusal)  # noqa: B904
                meters.append(meter)
                timings += (replace(part, path=(number, *part.path)) for part in parts)
        elapsed = (self._clock() - started) * 1000
        operations = sum(meter.operations for meter in meters)
        round_trips = sum(meter.round_trips for meter in meters)
        if observer is not None:
            started_at = datetime.fromtimestamp(datetime.now(UTC).timestamp() - elapsed / 1000, UTC)
            of_statements = sum(part.elapsed_ms for part in timings)
            whole = OperatorTiming((), "Unit", 0, 0, elapsed - of_statements)
            observer(
                Observation(self.name, self.version, started_at, elapsed, operations, round_trips, 0, (whole, *timings))
            )
        attempts = sum(meter.attempts for meter in meters)
        return Page(rows, None, operations, round_trips, attempts, 0, elapsed, 0, affected)

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
