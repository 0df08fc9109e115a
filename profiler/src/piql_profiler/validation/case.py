"""One query as it is executed: its parameters drawn from the data, its latencies, and what it really asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import piql
from piql.compilation import Compilation, CompiledQuery
from piql.database import Observation
from piql.physical.operators import PhysicalNode

from piql_profiler.clock import REAL, Clock
from piql_profiler.grid import Operator, Point
from piql_profiler.histogram import Histogram, merge_all
from piql_profiler.open_loop import AT_LEAST, Block, offer
from piql_profiler.precision import Precision, effective_number_of_blocks, precision_of
from piql_profiler.predictor.cardinalities import Work, work_of
from piql_profiler.sampling import ParameterSampler

_ATTEMPTS = 2  # at a block that is not void
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


Draw = Callable[[], Mapping[str, object]]


class CaseSession:
    """Executes one deployed query again and again, and keeps what its operators did."""

    def __init__(
        self,
        name: str,
        query: CompiledQuery,
        database: piql.Database,
        seen: list[Observation],
        draw: Draw,
        clock: Clock = REAL,
    ) -> None:
        """Take a database whose observer appends to `seen`; `draw` gives the parameters of one execution."""
        assert query.plan is not None
        self.name = name
        self._query = query.name
        self._plan: PhysicalNode = query.plan  # type: ignore[assignment]
        self._seen = seen
        self._database = database
        self._draw = draw
        self._clock = clock
        self._sums: dict[Path, tuple[int, int]] = {}
        self._executions = 0
        self._blocks: list[Block] = []
        self._one_takes: float | None = None

    @classmethod
    def open(cls, url: str, query: CompiledQuery, compilation: Compilation, seed: int) -> CaseSession:
        """Connect, and draw parameters from the data."""
        seen: list[Observation] = []
        database = piql.connect(url, seen.append)
        sampler = ParameterSampler.of(query, compilation, database, seed)
        return cls(query.name, query, database, seen, sampler.draw)

    def offer(
        self, seconds: float, load: float, seed: int, *, at_least: int = AT_LEAST, at_most: int | None = None
    ) -> None:
        """Measure one block; where the client itself was late, another one."""
        for attempt in range(_ATTEMPTS):
            block = offer(
                self.execute,
                seconds / 2**attempt,
                load=load,
                seed=seed + attempt,
                at_least=at_least,
                at_most=at_most,
                one_takes=self._one_takes,
                clock=self._clock,
            )
            if not block.is_void:
                break
        self._blocks.append(block)
        self._one_takes = float(np.median(block.service_us)) / 1e6

    @property
    def executions(self) -> int:
        return sum(len(each.service_us) for each in self._blocks)

    def forget(self) -> None:
        """Begin anew, after a time of warming up."""
        self._sums, self._executions, self._blocks = {}, 0, []

    def close(self) -> None:
        self._database.close()

    def case(self) -> Case:
        """Give what was seen so far."""
        return Case(
            self.name,
            observed_work(self._plan, self._sums, self._executions),
            merge_all(Histogram.of(each.service_us) for each in self._blocks),
            effective_number_of_blocks([each.service_us for each in self._blocks]),
            merge_all(Histogram.of(each.response_us) for each in self._blocks),
        )

    def execute(self) -> float:
        """Execute it once, and give its latency in µs."""
        self._seen.clear()
        self._database.execute(self._query, self._draw())
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
