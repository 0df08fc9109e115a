"""From an SLO to limits: the largest that keep it, for one query and for all queries of a schema at once.

Every prediction is monotone in every limit, so bisection finds the largest safe value exactly. Nothing is called safe
beyond the largest measured point. A write binds the limits whose groups it enters, and the growth of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from piql.compiler.result import CompiledQuery

from piql_profiler.predictor.cardinalities import Axis, PlanWork, limits_of
from piql_profiler.predictor.composition import quantile_us
from piql_profiler.predictor.heatmap import Slo
from piql_profiler.predictor.model import Coverage, Model
from piql_profiler.predictor.predict import composed, correlation_of

_MOST = 1_000_000  # no larger limit is tried
_STAIRS = 12  # values of x that `pareto` tries
Values = Mapping[str, int]  # of limits, by their symbols


@dataclass(frozen=True, slots=True)
class SafeLimit:
    """One limit of the schema or of a query: its largest safe value while the others stay as they are.

    `largest` is None where the SLO is broken however small the limit is; `binding` is the query that breaks it first
    beyond that value, or None where the measured range ends first.
    """

    axis: Axis
    queries: tuple[str, ...]
    largest: int | None
    binding: str | None


@dataclass(frozen=True, slots=True)
class SafeLimits:
    """All limits of a set of queries.

    `growth` is how many times as large all of them may be together, None where no factor keeps the SLOs. `binding` is
    the query that breaks its SLO beyond that, None where the measured range ends first. `breaking` are those that break
    it as the limits are.
    """

    limits: tuple[SafeLimit, ...]
    growth: float | None
    binding: str | None
    breaking: tuple[str, ...]


def pareto(query: CompiledQuery, model: Model, slo: Slo, x: str, y: str) -> tuple[tuple[int, int], ...]:
    """The pairs (x, y) of two limits that keep the SLO while neither can grow alone, by rising x."""
    check = _Check(query, model, slo)
    pairs: list[tuple[int, int]] = []
    top = _largest(lambda value: check.keeps({x: value, y: 1}))
    for step in range(1, _STAIRS + 1 if top else 1):
        at_x = max(1, round((top or 1) * step / _STAIRS))
        at_y = _largest(partial(check.keeps_at, {x: at_x}, y))
        if at_y is None:
            continue
        widest = _largest(partial(check.keeps_at, {y: at_y}, x)) or at_x
        if not pairs or pairs[-1] != (widest, at_y):
            pairs.append((widest, at_y))
    return tuple(pairs)


def safe_limits(queries: Sequence[CompiledQuery], model: Model, slos: Mapping[str, Slo]) -> SafeLimits:
    """The largest value of every limit of the queries; `slos` are by query name, queries without one are left out."""
    checks = {
        query.name: _Check(query, model, slos[query.name])
        for query in queries
        if query.name in slos and query.plan is not None
    }
    axis_of_limit: dict[str, Axis] = {}
    owners: dict[str, list[str]] = {}
    for name, check in checks.items():
        for symbol, axis in check.axes.items():
            key = symbol if _is_of_schema(symbol) else f"{name}: {symbol}"
            axis_of_limit.setdefault(key, axis)
            owners.setdefault(key, []).append(name)
    limits = []
    for key, axis in axis_of_limit.items():
        checks_of_limit = [checks[name] for name in owners[key]]
        largest, binding = _solve(checks_of_limit, partial(_alone, axis.symbol))
        limits.append(SafeLimit(axis, tuple(owners[key]), largest, binding))
    percent, binding = _solve(list(checks.values()), _Check.grown)
    breaking = tuple(name for name, check in checks.items() if not check.keeps({}))
    return SafeLimits(tuple(limits), None if percent is None else percent / 100, binding, breaking)


class _Check:
    """One query or write under many values of its limits."""

    def __init__(self, query: CompiledQuery, model: Model, slo: Slo) -> None:
        assert query.plan is not None
        self.name = query.name
        is_stepped = not model.has_transactions
        self.axes = {axis.symbol: axis for axis in limits_of(query, is_stepped=is_stepped)}
        self._work = PlanWork(query.plan, is_stepped=is_stepped)
        self._model = model
        self._slo = slo

    def keeps(self, values: Values) -> bool:
        """Whether the SLO is kept in every interval, and all operators lie within the measured range."""
        return self.is_measured(values) and self.latency_ms(values) <= self._slo.threshold_ms

    def keeps_at(self, fixed: Values, symbol: str, value: int) -> bool:
        """`keeps` with one limit more."""
        return self.keeps({**fixed, symbol: value})

    def is_measured(self, values: Values) -> bool:
        """Whether all operators lie within the measured range."""
        work = self._work.under(values)
        return all(self._model.coverage(operator.point) < Coverage.EXTRAPOLATED for operator in work.operators)

    def latency_ms(self, values: Values) -> float:
        """The latency at the SLO's quantile in the worst interval."""
        work = self._work.under(values)
        curves = [self._model.curves(operator.point) for operator in work.operators]
        latencies_us = quantile_us(
            composed(work, self._model), curves, self._slo.quantile, correlation=correlation_of(work, self._model)
        )
        return float(latencies_us.max()) / 1000

    def grown(self, percent: int) -> Values:
        """All limits at a percentage of what they are."""
        return {symbol: max(1, axis.current * percent // 100) for symbol, axis in self.axes.items()}


def _solve(checks: Sequence[_Check], values_of: Callable[[_Check, int], Values]) -> tuple[int | None, str | None]:
    """The largest number at which all queries keep their SLOs, and the name of one that breaks its SLO at the next.

    `values_of` turns a number into values of a query's limits. The name is None where the next number is not measured.
    """
    largest = _largest(lambda number: all(check.keeps(values_of(check, number)) for check in checks))
    beyond = (largest or 0) + 1
    breaking = (check for check in checks if not check.keeps(values_of(check, beyond)))
    return largest, next((check.name for check in breaking if check.is_measured(values_of(check, beyond))), None)


def _alone(symbol: str, check: _Check, value: int) -> Values:
    """One limit has a value, the others stay as they are."""
    return {symbol: value}


def _largest(keeps: Callable[[int], bool]) -> int | None:
    """The largest value from 1 for which `keeps` is true, None if it is false for 1; it never becomes true again."""
    if not keeps(1):
        return None
    low, high = 1, 2
    while high <= _MOST and keeps(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


def _is_of_schema(symbol: str) -> bool:
    """Whether a symbol is a table's limit, `table.columns`; a query's own limits have the names of its parameters."""
    return "." in symbol
