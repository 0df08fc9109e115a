"""The size of executions, and the work of a plan at a size that was seen instead of at its limits.

    size      the requests that were made and the rows that came out
    at limits thoughtstream makes 101 requests and gives 50 rows, with 100 subscriptions and pages of 50
    seen      11 requests and 10 rows: what the plan does under 10 subscriptions and pages of 10

Limits are looked for under which the plan makes just as many requests and gives just as many rows. Where several are
that ask different things of the store, where there are none, and where grouping hides how much was read, nothing is
known of what executions of that size did. What a selection drops after reading it is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from piql.compiler.physical.operators import LocalDistinct, LocalGroupBy, PhysicalNode, WritePlan
from piql.compiler.result import CompiledQuery

from piql_profiler.predictor.cardinalities import Axis, PlanWork, Work, axes


@dataclass(frozen=True, slots=True)
class Size:
    """How many requests an execution made, and how many rows it gave."""

    requests: int
    rows: int


def size_at_limits(query: CompiledQuery, *, is_stepped: bool = True) -> Size | None:
    """The size that a query's prediction is made for; None where rows that were read are not seen to be."""
    plan = query.plan
    if isinstance(plan, WritePlan):
        return None if query.bound is None else Size(query.bound.operations, 0)
    return None if plan is None or _is_hidden(plan) else _size_of(PlanWork(plan, is_stepped=is_stepped).under({}))


def work_at(query: CompiledQuery, size: Size, *, is_stepped: bool = True) -> Work | None:
    """What a SELECT asks of the store in an execution of this size; None where that is not known."""
    plan = query.plan
    if plan is None or isinstance(plan, WritePlan) or _is_hidden(plan):
        return None
    under = PlanWork(plan, is_stepped=is_stepped).under
    works = {(work.operators, work.composition): work for work in _works(axes(query), under, size)}
    return next(iter(works.values())) if len(works) == 1 else None


def _is_hidden(plan: PhysicalNode) -> bool:
    return any(next(iter(plan.find(kind)), None) is not None for kind in (LocalGroupBy, LocalDistinct))


def _size_of(work: Work) -> Size:
    return Size(sum(operator.point.child_rows for operator in work.operators), work.rows)


def _works(limits: tuple[Axis, ...], under: Callable[[Mapping[str, int]], Work], size: Size) -> Iterator[Work]:
    """The work under the limits as they are, under one that is smaller, and under two, where the size is right."""
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
    """The values with a limit added under which as many are counted: counts grow with every limit."""
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
