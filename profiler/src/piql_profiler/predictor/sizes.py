"""The size of executions, and the work of a plan at an observed size instead of at its limits.

    size        the requests that an execution made, and the rows that it returned
    at limits   thoughtstream makes 101 requests and returns 50 rows, with 100 subscriptions and pages of 50
    observed    11 requests and 10 rows: what the plan does with 10 subscriptions and pages of 10

The work is that under limits with which the plan makes exactly as many requests and returns exactly as many rows. It is
not known where there are no such limits, where different ones would ask different things of the store, and where
grouping hides how many rows were read. Rows that a selection drops after reading them are not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from piql.compiler.physical.operators import LocalCases, LocalDistinct, LocalGroupBy, PhysicalNode, RecursiveUnion
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery

from piql_profiler.predictor.cardinalities import Axis, PlanWork, Work, axes


@dataclass(frozen=True, slots=True)
class Size:
    """How many requests an execution made, and how many rows it returned."""

    requests: int
    rows: int


def size_at_limits(query: CompiledQuery, *, is_stepped: bool = True) -> Size | None:
    """The size that a query's prediction is made for; None where there is no plan, or grouping hides what was read."""
    plan = query.plan
    if isinstance(plan, WritePlan | UnitPlan):
        return None if query.bound is None else Size(query.bound.operations, 0)
    return None if plan is None or _is_hidden(plan) else _size_of(PlanWork(plan, is_stepped=is_stepped).under({}))


def work_at(query: CompiledQuery, size: Size, *, is_stepped: bool = True) -> Work | None:
    """The work of a SELECT in an execution of this size; None where that is not known."""
    plan = query.plan
    if plan is None or isinstance(plan, WritePlan | UnitPlan) or _is_hidden(plan):
        return None
    under = PlanWork(plan, is_stepped=is_stepped).under
    works = {(work.operators, work.composition): work for work in _works(axes(query), under, size)}
    return next(iter(works.values())) if len(works) == 1 else None


def _is_hidden(plan: PhysicalNode) -> bool:
    """Whether the rows that a plan returns do not tell how many it read, or in how many levels, or in which case."""
    kinds = (LocalCases, LocalGroupBy, LocalDistinct, RecursiveUnion)
    return any(next(iter(plan.find(kind)), None) is not None for kind in kinds)


def _size_of(work: Work) -> Size:
    return Size(sum(operator.point.child_rows for operator in work.operators), work.rows)


def _works(limits: tuple[Axis, ...], under: Callable[[Mapping[str, int]], Work], size: Size) -> Iterator[Work]:
    """The works of exactly this size: with the limits as they are, with one made smaller, and with two."""
    for first in (None, *limits):
        values = _solved(first, {}, under, lambda work: _size_of(work).requests, size.requests)
        if values is None:
            continue
        for second in (None, *(limit for limit in limits if limit is not first)):
            solved = _solved(second, values, under, lambda work: work.rows, size.rows)
            if solved is not None and _size_of(work := under(solved)) == size:
                yield work


def _solved(
    limit: Axis | None,
    values: Mapping[str, int],
    under: Callable[[Mapping[str, int]], Work],
    count: Callable[[Work], int],
    target: int,
) -> Mapping[str, int] | None:
    """The values with one limit added, such that `count` is the target; by bisection, as counts grow with every limit.

    Without a limit, the values as they are. None where the target cannot be reached.
    """
    if limit is None:
        return values if count(under(values)) == target else None
    low, high = 1, limit.current
    while low < high:
        middle = (low + high) // 2
        if count(under({**values, limit.symbol: middle})) < target:
            low = middle + 1
        else:
            high = middle
    solved = {**values, limit.symbol: low}
    return solved if count(under(solved)) == target else None
