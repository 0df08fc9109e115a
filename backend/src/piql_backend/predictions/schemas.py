"""Predicted latencies of one plan, and of the same plan over two of its limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from piql_backend.schema import RangeRead, Read, SloWrite, SourceFiles, Write

CellState = Literal["measured", "interpolated", "extrapolated"]
AxisValue = Annotated[int, Field(ge=1, le=1_000_000)]


class PredictionCreate(Write):
    files: SourceFiles
    query: str = Field(max_length=200)
    run_id: str = Field(max_length=100)
    slo: SloWrite | None = None


class OperatorPredictionRead(Read):
    """The share of one operator; `path` is the id of its node in the physical plan."""

    path: str
    operator: str
    p99_ms: float
    state: CellState


class PredictionRead(Read):
    """`p99_ms` is the worst interval's; `slo_quantile_ms` is the worst interval's value at the SLO's own quantile."""

    query: str
    run_id: str
    model: str
    p50_ms: float
    p99_ms: float
    p99_by_interval_ms: list[float]
    operators: list[OperatorPredictionRead]
    slo_quantile_ms: float | None
    meets_slo: bool | None
    warnings: list[str]


class HeatmapAxisCreate(Write):
    """A symbol of the query's `axes`; without values, sensible ones around the current number are chosen."""

    symbol: str = Field(max_length=400)
    values: Annotated[list[AxisValue], Field(min_length=1, max_length=100)] | None = None


class HeatmapCreate(Write):
    files: SourceFiles
    query: str = Field(max_length=200)
    run_id: str = Field(max_length=100)
    x: HeatmapAxisCreate
    y: HeatmapAxisCreate
    slo: SloWrite


class HeatmapAxisRead(Read):
    symbol: str
    label: str
    values: list[int]
    current: int
    number_range: RangeRead | None


class SafeLimitRead(Read):
    """A pair of limits that keeps the SLO while the next larger value of either breaks it."""

    x: int
    y: int


class HeatmapRead(Read):
    """Cells are `[y][x]`; `p99_ms` holds the SLO's quantile, which is 0.99 unless the SLO says otherwise."""

    query: str
    run_id: str
    model: str
    quantile: float
    x: HeatmapAxisRead
    y: HeatmapAxisRead
    p99_ms: list[list[float]]
    state: list[list[CellState]]
    meets_slo: list[list[bool]]
    largest_safe: list[SafeLimitRead]
    elapsed_ms: float
    warnings: list[str]
