"""One query as it is executed: its parameters drawn from the data, its latencies, and what it really asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import piql
from piql.compilation import Compilation, CompiledQuery
from piql.database import Observation
from piql.physical.operators import PhysicalNode

from piql_profiler.grid import Operator, Point
from piql_profiler.histogram import Histogram, merge_all
from piql_profiler.open_loop import Block, offer
from piql_profiler.precision import Precision, effective_number, precision_of
from piql_profiler.predictor.cardinalities import Work, work_of
from piql_profiler.sampling import ParameterSampler

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """What was seen of one query in all intervals; `work` holds the mean cardinalities of its executions."""

    query: str
    work: Work
    histogram: Histogram
    effective: float
    response: Histogram

    @property
    def actual(self) -> Precision:
        return precision_of(self.histogram, self.effective)


class CaseSession:
    """Executes one deployed query again and again, and keeps what its operators did."""

    def __init__(self, url: str, query: CompiledQuery, compilation: Compilation, seed: int) -> None:
        assert query.plan is not None
        self.query = query.name
        self._plan: PhysicalNode = query.plan  # type: ignore[assignment]
        self._seen: list[Observation] = []
        self._database = piql.connect(url, self._seen.append)
        self._sampler = ParameterSampler.of(query, compilation, self._database, seed)
        self._sums: dict[Path, tuple[int, int]] = {}
        self._executions = 0
        self._blocks: list[Block] = []

    def offer(self, seconds: float, load: float, seed: int) -> None:
        """Measure one block."""
        self._blocks.append(offer(self._execute, seconds, load=load, seed=seed))

    def close(self) -> None:
        self._database.close()

    def case(self) -> Case:
        """Give what was seen so far."""
        return Case(
            self.query,
            observed_work(self._plan, self._sums, self._executions),
            merge_all(Histogram.of(each.service_us) for each in self._blocks),
            sum(effective_number(each.service_us) for each in self._blocks),
            merge_all(Histogram.of(each.response_us) for each in self._blocks),
        )

    def _execute(self) -> float:
        self._seen.clear()
        self._database.execute(self.query, self._sampler.draw())
        (seen,) = self._seen
        self._executions += 1
        for each in seen.operators:
            requests, rows = self._sums.get(each.path, (0, 0))
            self._sums[each.path] = (requests + each.operations, rows + each.rows)
        return seen.elapsed_ms * 1000


def observed_work(plan: PhysicalNode, sums: Mapping[Path, tuple[int, int]], executions: int) -> Work:
    """Give the work of a plan with the mean requests and rows of its executions instead of its limits."""
    work = work_of(plan)
    operators = []
    for each in work.operators:
        requests, rows = sums.get(each.path, (0, 0))
        point = _observed(each.point, requests / max(executions, 1), rows / max(requests, 1))
        operators.append(replace(each, point=point))
    return Work(tuple(operators), work.composition)


def _observed(point: Point, requests: float, rows: float) -> Point:
    whole_requests, whole_rows = max(1, round(requests)), max(1, round(rows))
    match point.operator:
        case Operator.INDEX_SCAN:
            return replace(point, rows=whole_rows)
        case Operator.INDEX_FK_JOIN:
            return replace(point, child_rows=whole_requests)
        case Operator.SORTED_INDEX_JOIN:
            return replace(point, child_rows=whole_requests, rows=whole_rows)
