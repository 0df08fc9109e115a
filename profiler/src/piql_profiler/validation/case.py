"""One query as it is executed: with parameters drawn from the data, its latencies, and the sizes that it really had.

CaseSession   executes a query: make_ready (draw parameters) → run, block by block
Case          the result: latencies, and the plan's work at the mean sizes of the executions, to predict from
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import piql
from piql.client.database import Observation
from piql.compiler.physical.unit_plan import QueryPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import CardinalityViolation, ConditionFailed, ConstraintViolation, DuplicateKey, ForeignKeyViolation

from piql_profiler.measure.clock import REAL, Clock
from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import Histogram, merge_all
from piql_profiler.measure.mixed_load import Part
from piql_profiler.measure.open_loop import AT_LEAST, Block, offer, offer_until_not_void
from piql_profiler.measure.precision import Precision, effective_number_of_blocks, precision_of
from piql_profiler.measure.sampling import ParameterSampler
from piql_profiler.predictor.cardinalities import Work, work_of

_DRAWS = 50  # of parameters, until a write is neither refused nor has nothing to do
_REFUSALS = (CardinalityViolation, ConditionFailed, ConstraintViolation, DuplicateKey, ForeignKeyViolation)
Path = tuple[int, ...]


class NotExecutable(Exception):
    """A write was refused, or had nothing to do, with all parameters that were drawn."""


@dataclass(frozen=True, slots=True)
class Case:
    """One query in all intervals: service times and responses; `work` has the mean sizes of its executions.

    `effective` is how many independent executions they are worth.
    """

    query: str
    work: Work
    histogram: Histogram
    effective: float
    response: Histogram

    @property
    def actual(self) -> Precision:
        return precision_of(self.histogram, self.effective)


Draw = Callable[[], Mapping[str, object]]
Before = Callable[[Mapping[str, object]], None]


class CaseSession:
    """Executes one deployed query again and again, and sums up the requests and rows of its operators.

    `left_out` says why a query could not be executed, None while it could.
    """

    def __init__(
        self,
        name: str,
        query: CompiledQuery,
        database: piql.Database,
        observations: list[Observation],
        draw: Draw,
        clock: Clock = REAL,
        before: Before | None = None,
    ) -> None:
        """Take a database whose observer appends to `observations`; `draw` returns the parameters of one execution.

        `before` is called with them, and is not measured: it may delete a row that the query is to insert.
        """
        assert query.plan is not None
        self.name = name
        self._query = query.name
        self._plan = query.plan
        self._is_stepped = database.store.row_writes is not None
        self._before = before
        self._parameters: Mapping[str, object] = {}
        self.left_out: str | None = None
        self._observations = observations
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
        observations: list[Observation] = []
        database = piql.connect(url, observations.append, report="", otel=False)
        sampler = ParameterSampler.of(query, compilation, database, seed)
        return cls(query.name, query, database, observations, sampler.draw)

    def offer(
        self, seconds: float, load: float, seed: int, *, at_least: int = AT_LEAST, at_most: int | None = None
    ) -> None:
        """Measure one block; a block that is void is measured once more, in half of its time."""
        if self.left_out is not None:
            return
        try:
            block = offer_until_not_void(
                lambda attempt: offer(
                    self.execute,
                    seconds / 2**attempt,
                    load=load,
                    seed=seed + attempt,
                    at_least=at_least,
                    at_most=at_most,
                    one_takes=self._one_takes,
                    clock=self._clock,
                )
            )
        except NotExecutable as error:
            self.left_out = str(error)
            return
        self.keep(block)

    def part(self, seconds: float) -> Part:
        """This query as a part of a mixed schedule; once it cannot be executed, it takes no more time."""
        return Part(self._execute_unless_left_out, seconds, self._one_takes)

    def _execute_unless_left_out(self) -> float:
        if self.left_out is None:
            try:
                return self.execute()
            except NotExecutable as error:
                self.left_out = str(error)
        return 0.0

    def keep(self, block: Block) -> None:
        """Add a block to the executions, unless the query is left out."""
        if self.left_out is None:
            self._blocks.append(block)
            self._one_takes = float(np.median(block.service_us)) / 1e6

    @property
    def executions(self) -> int:
        return sum(len(block.service_us) for block in self._blocks)

    def forget(self) -> None:
        """Forget all executions so far, after a warm-up."""
        self._sums, self._executions, self._blocks = {}, 0, []

    def close(self) -> None:
        self._database.close()

    def case(self) -> Case:
        """The case of all executions so far."""
        return Case(
            self.name,
            observed_work(self._plan, self._sums, self._executions, is_stepped=self._is_stepped),
            merge_all(Histogram.of(block.service_us) for block in self._blocks),
            effective_number_of_blocks([block.service_us for block in self._blocks]),
            merge_all(Histogram.of(block.response_us) for block in self._blocks),
        )

    def make_ready(self) -> None:
        """Draw the parameters of the next execution, and call `before` with them."""
        self._parameters = self._draw()
        if self._before is not None:
            self._before(self._parameters)
        self._observations.clear()

    def execute(self) -> float:
        """Draw parameters and execute the query once; return its latency in µs. NotExecutable after too many draws."""
        why = ""
        for _ in range(_DRAWS):
            self.make_ready()
            try:
                took = self.run()
            except _REFUSALS as refusal:
                why = str(refusal)
                continue
            if took is not None:
                return took
            why = "there was nothing to change"
        raise NotExecutable(f"none of {_DRAWS} draws of its parameters could be executed: {why}")

    def run(self) -> float | None:
        """Execute the query with the parameters that were drawn; None for a write that had nothing to do."""
        self._database.execute(self._query, self._parameters)
        (observation,) = self._observations
        if isinstance(self._plan, WritePlan) and observation.operations <= 1:
            return None
        self._executions += 1
        for operator in observation.operators:
            requests, rows = self._sums.get(operator.path, (0, 0))
            self._sums[operator.path] = (requests + operator.operations, rows + operator.rows)
        return observation.elapsed_ms * 1000


def observed_work(
    plan: QueryPlan,
    sums: Mapping[Path, tuple[int, int]],
    executions: int,
    *,
    is_stepped: bool = True,
) -> Work:
    """The work of a plan with the mean requests and rows of its executions instead of its limits.

    `sums` has the requests and rows of each operator over all executions; those of a recursive step are taken to be
    alike on all levels. The checks of a write are as in its plan.
    """
    work = work_of(plan, is_stepped=is_stepped)
    runs = Counter(operator.path for operator in work.operators)
    operators = []
    for operator in work.operators:
        requests, rows = sums.get(operator.path, (0, 0))
        point = _observed(
            operator.point, requests / max(executions, 1) / runs[operator.path], rows / max(requests, 1), is_stepped
        )
        operators.append(replace(operator, point=point))
    return Work(tuple(operators), work.composition)


def _observed(point: Point, requests: float, rows: float, is_stepped: bool) -> Point:
    whole_requests, whole_rows = max(1, round(requests)), max(1, round(rows))
    match point.operator:
        case Operator.INDEX_SCAN:
            return replace(point, rows=whole_rows)
        case Operator.INDEX_FK_JOIN:
            return replace(point, child_rows=whole_requests)
        case Operator.SORTED_INDEX_JOIN | Operator.FORWARD_JOIN:
            return replace(point, child_rows=whole_requests, rows=whole_rows)
        case Operator.DEREFERENCE:
            return replace(point, child_rows=whole_requests)
        case Operator.WRITE:  # besides entries: 2 requests for its record, and by steps 2 for an intent, 2 an entry
            entries = max(0, whole_requests - 4) / 2 if is_stepped else whole_requests - 2
            return replace(point, child_rows=1 + max(0, round(entries)))
        case Operator.LIMIT_CHECK | Operator.REFERENCE_CHECK:
            return point
