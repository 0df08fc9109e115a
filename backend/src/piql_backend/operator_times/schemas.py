"""Where the time of executions goes, and how well operators are predicted."""

from __future__ import annotations

from typing import Literal

from piql_backend.latency.sources import Source
from piql_backend.web.schemas import Read


class SpentRead(Read):
    """The mean time of one operator, and its requests, in the slowest and in typical sampled executions.

    `path` is its place in the plan, child numbers from the root with points between. `operator` is empty for the time
    outside of all operators. `predicted_ms` is its part of the p99 that is predicted at the query's limits; null where
    nothing is predicted.
    """

    path: str
    operator: str
    slow_ms: float
    typical_ms: float
    slow_requests: float
    typical_requests: float
    predicted_ms: float | None


class BlameRead(Read):
    """How the time of a query is divided: of `samples` executions, the `slowest` took `slow_from_ms` or longer."""

    query: str
    samples: int
    slowest: int
    slow_from_ms: float
    spent: list[SpentRead]


class OperatorOutcomesRead(Read):
    """How many operators are slower or faster than predicted, and for how many that is not known."""

    slower: int
    faster: int
    agrees: int
    undecided: int
    too_few: int


class OperatorKindRead(Read):
    """All operators of one kind that make `least_requests` to `most_requests` requests, over all queries and sizes.

    `ratio` is the median of observed by predicted p99; the ratios go from `least_ratio` to `most_ratio`. They are null
    where no operator has 100 samples.
    """

    operator: str
    least_requests: int
    most_requests: int
    samples: int
    outcomes: OperatorOutcomesRead
    ratio: float | None
    least_ratio: float | None
    most_ratio: float | None


class OperatorCellRead(Read):
    """One operator of a query, in one class of sizes; the predictions are of the largest size that was seen in it.

    `predicted_p99_ms` is that of the profile's median interval, `worst_p99_ms` that of its worst one.
    """

    query: str
    path: str
    operator: str
    requests: float
    samples: int
    observed_p99_ms: float | None
    predicted_p99_ms: float
    worst_p99_ms: float
    ratio: float | None
    outcome: Literal["too few", "slower", "faster", "agrees", "undecided"]


class OperatorTimesRead(Read):
    """Where the time of sampled executions goes, of the queries of a deployment with samples enough.

    `cells` are the operators that are farthest from their predictions, of `cells_in_all`. A window of an hour or more
    begins at the begin of an hour. Queries of one scan are not sampled: their time is that of their operator.
    """

    deployment_id: str
    window_seconds: float
    source: Source
    samples: int
    samples_needed: int
    blame: list[BlameRead]
    kinds: list[OperatorKindRead]
    cells: list[OperatorCellRead]
    cells_in_all: int
