"""A compiled query made ready to run: prepared once, executed any number of times, from any thread.

    parameters ──checked──▶ Execution ──operators, driven by a strategy──▶ rows ──edge──▶ dicts in a Page

The edge is the last step: it turns a row of stored values into a dict of the values that users see. A query of one
scan takes the fast path instead, a generated function that does all of this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, NamedTuple, assert_never

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical import operators as physical
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.errors import InvalidCursor, NumberOutOfRange
from piql.runtime.execution.cursors import read_cursor, write_cursor
from piql.runtime.execution.execution import Execution
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.fast_path import FastExecute, FastPath, only_scan
from piql.runtime.execution.incidents import Incident, Reader, Watch, WatchedStore, distinct
from piql.runtime.execution.observation import Observation, Observer
from piql.runtime.execution.operators import prepare
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.parameters import ParameterChecks
from piql.runtime.execution.preparation import Preparation, page_order
from piql.runtime.execution.settling import RecordsOf, RowMoved, SettledStore
from piql.runtime.execution.strategy import Clock, Strategy, Timed, Timings, Work, drive
from piql.runtime.execution.supplied import Now, Occasion, SuppliedValues, utc_now
from piql.schema.catalog import Index
from piql.store.base import Consistency, Store
from piql.store.rows import Row


class Page(NamedTuple):
    """The result of an execution, and its cost.

    cursor               for the next page; None if there is none
    operations           requests to the store, at most the query's bound
    round_trips          waits for the store
    repair_operations    requests that settled interrupted writes (only without transactions)
    attempts             operations and repair_operations together
    statements           statements that carried the requests, where the store counts them
    rows_affected        rows that a write inserted, changed or deleted; None for a query. An UPDATE that sets what the
                         row has already counts its row
    incidents            what the execution found in the store that must not be there; empty, unless the store lies
    """

    rows: list[dict[str, Any]]
    cursor: str | None = None
    operations: int = 0
    round_trips: int = 0
    attempts: int = 0
    repair_operations: int = 0
    elapsed_ms: float = 0.0
    statements: int = 0
    rows_affected: int | None = None
    incidents: tuple[Incident, ...] = ()


class _Outcome(NamedTuple):
    """What a run took beside its rows: requests of repairs, statements where they are counted, and incidents."""

    work: Work
    repairs: int
    statements: int
    incidents: tuple[Incident, ...]


class PreparedQuery:
    """One SELECT over one deployment.

    `deployed` turns an index of the plan into that index as the store keeps it; `cursor_key` seals cursors; `clock`
    gives seconds, `now` the time that CURRENT_TIMESTAMP is. `records_of` settles what units
    hold (`settling`). With `is_shaped_by_data`, the bound relies on constraints of the data.
    """

    def __init__(
        self,
        query: CompiledQuery,
        store: Store,
        deployed: Callable[[Index], Index],
        version: int = 0,
        cursor_key: bytes = b"",
        clock: Clock = perf_counter,
        now: Now = utc_now,
        records_of: RecordsOf = lambda table: None,
    ) -> None:
        plan, bound = query.plan, query.bound
        assert plan is not None
        assert bound is not None
        assert not isinstance(plan, WritePlan | UnitPlan)
        self.name = query.name
        self._called = query.name or "the statement"
        self.query = query
        self._settled = SettledStore(store, records_of) if store.row_writes is not None else None
        self._store = self._settled or store
        self.version = version
        self._cursor_key = cursor_key
        self._clock = clock
        checks = ParameterChecks(query.parameters, store.codec)
        self._checked = checks.checked
        self.bound = bound.operations
        self._fetched = bound.rows_fetched
        self.is_shaped_by_data = _is_shaped_by_data(query)
        order = page_order(plan)
        self._is_paged = order is not None
        # What a cursor must be of: the same text and order, whatever the version.
        self._mark = hashlib.sha256(f"{query.text}\n{order!r}".encode()).hexdigest()[:16]
        self._slots_of_caller = len(checks.slots)
        self._supplied = SuppliedValues(plan, self._slots_of_caller, store.codec)
        self._now = now
        slots = {**checks.slots, **self._supplied.slots}
        self._watches: dict[object, Watch] = {}
        preparation = Preparation(self._store, slots, deployed, order or (), self._watches)
        self._top, edge, to_dict = _with_edge(plan, preparation)
        self._to_dicts: ToDicts = edge.function("rows, p", f"[{to_dict} for r in rows]")
        self._wants_snapshot = bound.operations > 1
        self._fast_path: FastPath | None = None
        self._fast_executes: dict[Consistency | None, FastExecute] = {}
        needs_snapshot = self._wants_snapshot and self._settled is None
        is_settled = self._settled is not None and self._settled.has_held
        if not needs_snapshot and not is_settled and (scan := only_scan(self._top)) is not None:
            names = {"Page": Page, "clock": clock, "out_of_range": self._out_of_range}
            supply = (lambda: self._supplied.of(Occasion(now))) if self._supplied else None
            watch = self._watches.get(scan)
            self._fast_path = FastPath(scan, store, self.bound, checks, edge, to_dict, names, watch, supply)

    @property
    def is_one_scan(self) -> bool:
        """Whether it takes the fast path: one scan, whose time is that of the whole execution."""
        return self._fast_path is not None

    def freshness(self, asked: Consistency | None, usual: Consistency | None) -> Consistency | None:
        """Return how fresh the rows have to be: never less than its policy, more where the caller asks for it.

        `usual` is for a query without a policy, None for what the store's address says.
        """
        match self.query.read:
            case "eventual":
                return asked or "eventual"
            case "quorum":
                return "quorum"
            case "session":
                return asked or "quorum"  # a session asks for less itself, where it needs no more
            case None:
                return asked or usual
            case _:
                assert_never(self.query.read)

    def execute(
        self,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy = "parallel",
        observer: Observer | None = None,
        consistency: Consistency | None = None,
    ) -> Page:
        """Run the query once.

        Raises InvalidParameter, InvalidCursor or StaleCursor before any request, NumberOutOfRange for a computed
        number, RepairPending where interrupted writes need too many requests, and errors of the store.
        """
        if self._fast_path is not None and strategy == "parallel" and observer is None and cursor is None:
            run = self._fast_executes.get(consistency) or self._fast_execute(self._fast_path, consistency)
            page: Page = run(parameters)
            return page
        clock = self._clock
        started = clock()
        values, position = self._values(parameters, cursor)
        execution = Execution(values, position, strategy == "lazy")
        timings = Timings() if observer is not None else None
        try:
            outcome = self._run(execution, strategy, timings.add if timings is not None else None, consistency)
            rows, operations, round_trips = outcome.work
            dicts = self._to_dicts(rows, values)
        except ArithmeticError:
            raise self._out_of_range() from None
        next_cursor = self._cursor_behind(execution)
        elapsed = (clock() - started) * 1000
        if observer is not None and timings is not None:
            self._report(observer, timings, elapsed, operations, round_trips, len(dicts))
        return Page(
            dicts,
            next_cursor,
            operations,
            round_trips,
            operations + outcome.repairs,
            outcome.repairs,
            elapsed,
            outcome.statements,
            None,
            outcome.incidents,
        )

    def _values(
        self, parameters: Mapping[str, object] | None, cursor: str | None
    ) -> tuple[list[Any], tuple[Any, ...] | None]:
        """Return the values of the slots and the position of a page: those that the caller gives, then those supplied.

        Supplied values, such as the time, are those of the first page on all later ones: the cursor holds them.
        """
        values = self._checked(parameters)
        if cursor is None:
            return (values + self._supplied.of(Occasion(self._now)) if self._supplied else values), None
        if not self._is_paged:
            raise InvalidCursor(f"{self._called} has no pages: only a query with PAGINATE takes a cursor")
        position, supplied = read_cursor(self._cursor_key, self.name, self._mark, cursor, values)
        return values + supplied, position

    def _cursor_behind(self, execution: Execution) -> str | None:
        """Return the cursor of the page behind this one; None if there is none."""
        if execution.page_end is None:
            return None
        values, count = execution.parameters, self._slots_of_caller
        return write_cursor(
            self._cursor_key, self.name, self._mark, self.version, execution.page_end, values[:count], values[count:]
        )

    def _run(
        self, execution: Execution, strategy: Strategy, timed: Timed | None, consistency: Consistency | None
    ) -> _Outcome:
        """Run the plan on the store: in a snapshot where it makes several requests, or settling interrupted writes."""
        incidents: list[Incident] = []
        if self._settled is not None:
            before = self._settled.statements_sent()
            work, repairs = self._drive_settling(self._settled, execution, strategy, timed, consistency, incidents)
            return _Outcome(work, repairs, self._settled.statements_sent() - before, distinct(incidents))
        with self._store.snapshot() if self._wants_snapshot else nullcontext():
            store = self._watched(self._store, incidents)
            work = drive(self._top.run(execution), store, self.bound, strategy, timed, consistency, self._clock)
        return _Outcome(work, 0, 0, distinct(incidents))

    def _watched(self, store: Reader, incidents: list[Incident]) -> Reader:
        """Return a store whose answers are checked, where the plan has something to look for."""
        return WatchedStore(store, self._watches, incidents) if self._watches else store

    def _fast_execute(self, fast_path: FastPath, consistency: Consistency | None) -> FastExecute:
        execute = self._fast_executes[consistency] = fast_path.generate(consistency)
        return execute

    def _out_of_range(self) -> NumberOutOfRange:
        return NumberOutOfRange(f"{self._called}: a number that it computes is too large")

    def _drive_settling(
        self,
        store: SettledStore,
        execution: Execution,
        strategy: Strategy,
        timed: Timed | None,
        consistency: Consistency | None,
        incidents: list[Incident],
    ) -> tuple[Work, int]:
        """Run on a store without transactions, again from the start whenever a record changed during the read.

        Return the work of the last run, and the requests of repairs.
        """
        session = store.session(self.bound, self._fetched)
        watched = self._watched(session, incidents)
        while True:
            try:
                work = drive(self._top.run(execution), watched, self.bound, strategy, timed, consistency, self._clock)
                return work, session.repair_operations
            except RowMoved:
                session.begin_again()
                incidents.clear()
                execution.begin_again()

    def _report(
        self, observer: Observer, timings: Timings, elapsed_ms: float, operations: int, round_trips: int, rows: int
    ) -> None:
        now = datetime.now(UTC)
        started_at = datetime.fromtimestamp(now.timestamp() - elapsed_ms / 1000, UTC)
        observer(
            Observation(
                self.name,
                self.version,
                started_at,
                elapsed_ms,
                operations,
                round_trips,
                rows,
                timings.by_operator(),
            )
        )


def _is_shaped_by_data(query: CompiledQuery) -> bool:
    """Return whether the bound relies on a constraint of the data: a CARDINALITY LIMIT or a UNIQUE key.

    A formula names such a limit by its table and columns, with a point between them.
    """
    bound = query.bound
    assert bound is not None
    formulas = (bound.formula, bound.rows_formula, *(operator.rows_formula for operator in bound.by_operator))
    return any("." in formula for formula in formulas) or any(index.is_unique for index in query.indexes)


ToDicts = Callable[[Sequence[Row], list[Any]], list[dict[str, Any]]]
"""From rows and parameters to the dicts of a page."""


def _with_edge(plan: physical.PhysicalNode, preparation: Preparation) -> tuple[Operator, ExpressionCompiler, str]:
    """Return the top operator, a compiler over its rows, and the source of a result dict from a row `r`.

    A projection at the top of the plan is no operator: it is computed while the dicts are made.
    """
    if isinstance(plan, physical.LocalProjection):
        top = prepare(plan.child, preparation, (0,))
        outputs = [(output.name, output.expression) for output in plan.outputs]
    else:
        top = prepare(plan, preparation)
        outputs = [(field.name if isinstance(field, ColumnRef) else str(field), field) for field in plan.fields]
    compiler = preparation.over(top.fields)
    items = [f"{name!r}: {compiler.value(expression)}" for name, expression in outputs]
    return top, compiler, f"{{{', '.join(items)}}}"
