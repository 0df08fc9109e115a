"""A compiled query made ready to run: prepared once, executed any number of times, from any thread."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, NamedTuple

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.logical.operators import SortKey
from piql.compiler.physical import operators as physical
from piql.compiler.result import CompiledQuery
from piql.errors import InvalidCursor, NumberOutOfRange
from piql.runtime.execution.at_once import AtOnce, ShortWay, only_scan
from piql.runtime.execution.cursors import read_cursor, write_cursor
from piql.runtime.execution.execution import Execution
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.observation import Observation, Observer
from piql.runtime.execution.operators import prepare
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.parameters import ParameterChecks
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.settling import RowMoved, SettledStore
from piql.runtime.execution.strategy import Clock, Strategy, Timed, Timings, Work, drive
from piql.schema.catalog import Index
from piql.store.base import Consistency, Row, Store


class Page(NamedTuple):
    """What an execution gave, and what it took to get it."""

    rows: list[dict[str, Any]]
    cursor: str | None = None
    operations: int = 0
    round_trips: int = 0
    attempts: int = 0
    repair_operations: int = 0
    elapsed_ms: float = 0.0
    statements: int = 0


class PreparedQuery:
    """One SELECT over one deployment."""

    def __init__(
        self,
        query: CompiledQuery,
        store: Store,
        deployed: Callable[[Index], Index],
        deployment: int = 0,
        cursor_key: bytes = b"",
        clock: Clock = perf_counter,
    ) -> None:
        plan, bound = query.plan, query.bound
        assert plan is not None
        assert bound is not None
        assert not isinstance(plan, physical.WritePlan)
        self.name = query.name
        self._called = query.name or "the statement"
        self.query = query
        self._settled = SettledStore(store) if store.row_writes is not None else None
        self._store = self._settled or store
        self._deployment = deployment
        self._cursor_key = cursor_key
        self._clock = clock
        checks = ParameterChecks(query.parameters, store.codec)
        self._checked = checks.checked
        self._bound = bound.operations
        self.is_shaped_by_data = _is_shaped_by_data(query)
        order = _page_order(plan)
        self._is_paged = order is not None
        self._mark = hashlib.sha256(f"{query.text}\n{order!r}".encode()).hexdigest()[:16]
        preparation = Preparation(self._store, checks.slots, deployed, order or ())
        self._top, edge, to_dict = _with_edge(plan, preparation)
        self._to_dicts: ToDicts = edge.function("rows, p", f"[{to_dict} for r in rows]")
        self._wants_snapshot = bound.operations > 1
        self._at_once: AtOnce | None = None
        self._short_ways: dict[Consistency | None, ShortWay] = {}
        needs_snapshot = self._wants_snapshot and self._settled is None
        if not needs_snapshot and (scan := only_scan(self._top)) is not None:
            names = {"Page": Page, "clock": clock, "out_of_range": self._out_of_range}
            self._at_once = AtOnce(scan, store, self._bound, checks, edge, to_dict, names)

    def execute(
        self,
        parameters: Mapping[str, object] | None = None,
        cursor: str | None = None,
        strategy: Strategy = "parallel",
        observer: Observer | None = None,
        consistency: Consistency | None = None,
    ) -> Page:
        """OperatorRun the query once."""
        if self._at_once is not None and strategy == "parallel" and observer is None and cursor is None:
            run = self._short_ways.get(consistency) or self._short_way(self._at_once, consistency)
            page: Page = run(parameters)
            return page
        clock = self._clock
        started = clock()
        values = self._checked(parameters)
        position = None
        if cursor is not None:
            if not self._is_paged:
                raise InvalidCursor(f"{self._called} has no pages: only a query with PAGINATE takes a cursor")
            position = read_cursor(self._cursor_key, self.name, self._mark, cursor, values)
        execution = Execution(values, position, strategy == "lazy")
        timings = Timings() if observer is not None else None
        timed = timings.add if timings is not None else None
        repairs = statements = 0
        try:
            if self._settled is not None:
                statements = self._settled.statements_sent()
                work, repairs = self._drive_settling(self._settled, execution, strategy, timed, consistency)
                statements = self._settled.statements_sent() - statements
            elif self._wants_snapshot:
                with self._store.snapshot():
                    work = drive(
                        self._top.run(execution), self._store, self._bound, strategy, timed, consistency, clock
                    )
            else:
                work = drive(self._top.run(execution), self._store, self._bound, strategy, timed, consistency, clock)
            rows, operations, round_trips = work
            dicts = self._to_dicts(rows, values)
        except ArithmeticError:
            raise self._out_of_range() from None
        next_cursor = None
        if execution.page_end is not None:
            next_cursor = write_cursor(
                self._cursor_key, self.name, self._mark, self._deployment, execution.page_end, values
            )
        elapsed = (clock() - started) * 1000
        if observer is not None and timings is not None:
            self._report(observer, timings, elapsed, operations, round_trips, len(dicts))
        return Page(dicts, next_cursor, operations, round_trips, operations + repairs, repairs, elapsed, statements)

    def _short_way(self, at_once: AtOnce, consistency: Consistency | None) -> ShortWay:
        short_way = self._short_ways[consistency] = at_once.way(consistency)
        return short_way

    def _out_of_range(self) -> NumberOutOfRange:
        return NumberOutOfRange(f"{self._called}: a number that it computes is too large")

    def _drive_settling(
        self,
        store: SettledStore,
        execution: Execution,
        strategy: Strategy,
        timed: Timed | None,
        consistency: Consistency | None,
    ) -> tuple[Work, int]:
        """OperatorRun on a store without transactions: begin again where a record moved under the read."""
        session = store.session(self._bound)
        while True:
            try:
                work = drive(self._top.run(execution), session, self._bound, strategy, timed, consistency, self._clock)
                return work, session.repair_operations
            except RowMoved:
                session.begin_again()
                execution.begin_again()

    def _report(
        self, observer: Observer, timings: Timings, elapsed_ms: float, operations: int, round_trips: int, rows: int
    ) -> None:
        now = datetime.now(UTC)
        started_at = datetime.fromtimestamp(now.timestamp() - elapsed_ms / 1000, UTC)
        observer(
            Observation(
                self.name,
                self._deployment,
                started_at,
                elapsed_ms,
                operations,
                round_trips,
                rows,
                timings.by_operator(),
            )
        )


def _page_order(plan: physical.PhysicalNode) -> tuple[SortKey, ...] | None:
    """Return the order of the page of a PAGINATE query, None for other queries."""
    return next((node.order for node in plan.find(physical.LocalStop) if node.is_page), None)


def _is_shaped_by_data(query: CompiledQuery) -> bool:
    """Return whether a constraint on the data, not the query itself, says how many rows a read may find at most."""
    bound = query.bound
    assert bound is not None
    formulas = (bound.formula, bound.rows_formula, *(operator.rows_formula for operator in bound.by_operator))
    return any("." in formula for formula in formulas) or any(index.is_unique for index in query.indexes)


ToDicts = Callable[[Sequence[Row], list[Any]], list[dict[str, Any]]]


def _with_edge(plan: physical.PhysicalNode, preparation: Preparation) -> tuple[Operator, ExpressionCompiler, str]:
    """Return the operators below the edge, and the source of a dict of values out of their row `r`, with its compiler.

    A projection at the top is computed while the dicts are made.
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
