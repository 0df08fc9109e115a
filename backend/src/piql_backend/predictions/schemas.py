"""Predicted latencies of one plan, and of the same plan over one or two of its limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from piql_backend.web.schemas import RangeRead, Read, SloWrite, SourceFiles, Write

CellState = Literal["measured", "interpolated", "extrapolated", "refused"]
AxisValue = Annotated[int, Field(ge=1, le=1_000_000)]


class PredictionCreate(Write):
    """Asks for the latency of one query, from a profile run; with an `slo`, also whether it is kept."""

    files: SourceFiles
    query: str = Field(max_length=200)
    run_id: str = Field(max_length=100)
    slo: SloWrite | None = None


class OperatorPredictionRead(Read):
    """One operator; `path` is the id of its node in the physical plan.

    `p99_ms` is its own p99 in its worst interval, `typical_p99_ms` that in the median one. `part_of_p99_ms` is its part
    of the query's in the worst interval: the parts add up to it.
    """

    path: str
    operator: str
    typical_p99_ms: float
    p99_ms: float
    part_of_p99_ms: float
    state: CellState


class RiskRead(Read):
    """Of the profile's intervals, how many are predicted to break the SLO; the true share lies in `low … high` (95 %).

    `is_shown`: there are intervals enough to decide by.
    """

    violations: int
    intervals: int
    low: float
    high: float
    is_shown: bool


class EstimateRead(Read):
    """A predicted p99: `typical_p99_ms` of the run's median interval, `worst_p99_ms` of its worst one.

    In 9 of 10 cases the p99 stays below `conservative_p99_ms`; null when the profile has too few points to check it by.
    """

    typical_p99_ms: float
    conservative_p99_ms: float | None
    worst_p99_ms: float


class PredictionRead(Read):
    """`typical_p99_ms` is the estimate, of the median interval; `p99_ms` is the worst interval's.

    `slo_quantile_ms` is the worst interval's value at the SLO's own quantile. In 9 of 10 cases the p99 stays below
    `conservative_p99_ms`; null when the profile has too few points to check it by. `is_noisy`: the intervals differ by
    more than a factor of two.
    """

    query: str
    run_id: str
    model: str
    p50_ms: float
    typical_p99_ms: float
    p99_ms: float
    is_noisy: bool
    conservative_p99_ms: float | None
    p99_by_interval_ms: list[float]
    operators: list[OperatorPredictionRead]
    slo_quantile_ms: float | None
    meets_slo: bool | None
    risk: RiskRead | None
    warnings: list[str]


class MissingPointRead(Read):
    """What a run would have to measure, in the words of a grid; `child_rows` counts requests, `rows` those of each."""

    operator: str
    child_rows: int
    rows: int
    row_bytes: int
    columns: int


class NoPredictionRead(Read):
    """Says why a query has no prediction: it needs something that the run has not measured. That is no error.

    `not-measured`: the operator was not measured. `beyond-measured`: it was, but only with much smaller sizes.
    `missing` is what a run has to measure.
    """

    query: str
    run_id: str
    kind: Literal["not-measured", "beyond-measured"]
    reason: str
    missing: MissingPointRead


class PredictionSetCreate(Write):
    """`queries` names those to predict; null stands for all of the files."""

    files: SourceFiles
    queries: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=1_000)] | None = None
    run_id: str = Field(max_length=100)
    slo: SloWrite | None = None


class PredictionSetRead(Read):
    """One answer a query, in the order asked for; what is not in the files, or has no bound, is left out."""

    run_id: str
    predictions: list[PredictionRead | NoPredictionRead]


class PagePredictionCreate(Write):
    """`page` names queries: `a, b | c` runs a first, then b and c at the same time."""

    files: SourceFiles
    page: str = Field(min_length=1, max_length=4_000)
    run_id: str = Field(max_length=100)
    slo: SloWrite | None = None


class PagePartRead(Read):
    """One query of a page; `typical_p99_ms` and `p99_ms` are its own when it runs alone, as in a prediction.

    `part_of_p99_ms` is its part of the page's, in the worst interval.
    """

    query: str
    operations: int
    typical_p99_ms: float
    p99_ms: float
    part_of_p99_ms: float


class PagePredictionRead(Read):
    """`operations` and `round_trips` are the bound of the whole page; the latencies are as in a prediction."""

    page: str
    run_id: str
    model: str
    operations: int
    round_trips: int
    p50_ms: float
    typical_p99_ms: float
    p99_ms: float
    is_noisy: bool
    conservative_p99_ms: float | None
    p99_by_interval_ms: list[float]
    parts: list[PagePartRead]
    slo_quantile_ms: float | None
    meets_slo: bool | None
    risk: RiskRead | None
    warnings: list[str]


class HeatmapAxisCreate(Write):
    """A symbol of the query's `axes`; without values, sensible ones around the current number are chosen."""

    symbol: str = Field(max_length=400)
    values: Annotated[list[AxisValue], Field(min_length=1, max_length=100)] | None = None


FurtherLimits = Annotated[
    dict[Annotated[str, Field(max_length=400)], AxisValue], Field(default_factory=dict, max_length=50)
]


class HeatmapCreate(Write):
    """Asks for latencies over the limits `x` and `y`, without `y` along one limit.

    `values` sets further limits, by their symbols, to other numbers than those of the text.
    """

    files: SourceFiles
    query: str = Field(max_length=200)
    run_id: str = Field(max_length=100)
    x: HeatmapAxisCreate
    y: HeatmapAxisCreate | None = None
    slo: SloWrite
    values: FurtherLimits


class HeatmapAxisRead(Read):
    """One limit with its values; `current` is the number in the text, at `number_range`."""

    symbol: str
    label: str
    values: list[int]
    current: int
    number_range: RangeRead | None


class SafeLimitRead(Read):
    """A pair of limits that keeps the SLO while the next larger value of either breaks it; along one limit only `x`."""

    x: int
    y: int | None


class HeatmapRead(Read):
    """Cells are `[y][x]`, along one limit a single row.

    `p99_ms` is the latency at the SLO's quantile in the worst interval, `typical_p99_ms` that in the median one. A cell
    in the state `refused` is so far beyond what was measured that it has no number: null. In 9 of 10 cases the latency
    stays below `upper_factor` times that of the cell; null when the profile has too few points to check it by.
    """

    query: str
    run_id: str
    model: str
    quantile: float
    x: HeatmapAxisRead
    y: HeatmapAxisRead | None
    typical_p99_ms: list[list[float | None]]
    p99_ms: list[list[float | None]]
    state: list[list[CellState]]
    meets_slo: list[list[bool]]
    largest_safe: list[SafeLimitRead]
    upper_factor: float | None
    warnings: list[str]


class SafeLimitsCreate(Write):
    """Asks for the largest limits; `slo` is that of every bounded query that has none of its own in `slos`."""

    files: SourceFiles
    run_id: str = Field(max_length=100)
    slo: SloWrite
    slos: dict[Annotated[str, Field(max_length=200)], SloWrite] = Field(default_factory=dict, max_length=1_000)


class LargestLimitRead(Read):
    """The largest value of one limit that keeps the SLOs of its `queries` while the other limits stay as they are.

    `largest` is null where no value keeps them. `binding` is the query that breaks its SLO at the next larger value,
    null where the measured range ends first.
    """

    symbol: str
    label: str
    current: int
    largest: int | None
    queries: list[str]
    binding: str | None
    number_range: RangeRead | None


class SafeLimitsRead(Read):
    """All limits of the files' queries; `growth` is how many times all of them may grow together.

    `breaking` are the queries that break their SLO as the limits are, `left_out` those that cannot be predicted.
    """

    run_id: str
    limits: list[LargestLimitRead]
    growth: float | None
    binding: str | None
    breaking: list[str]
    left_out: list[str]


class SloAtRiskRead(Read):
    """A query whose saved SLO is predicted to be broken.

    `typical_ms` and `worst_ms` are its latencies at the SLO's quantile in the median and in the worst interval.
    """

    query: str
    quantile: float
    threshold_ms: float
    typical_ms: float
    worst_ms: float
