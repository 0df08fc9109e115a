"""One quantile along one limit: what a query costs as that limit grows, and how far it may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from piql.compiler.result import CompiledQuery

from piql_profiler.predictor.cells import known_axes, predict_cells
from piql_profiler.predictor.heatmap import HeatmapAxis, Slo, checked, default_values
from piql_profiler.predictor.model import Coverage, Model


@dataclass(frozen=True)
class Curve:
    """`latency_ms[x]` of the worst interval, `typical_ms[x]` of the median one; None too far beyond what was measured.

    `largest_safe` is the largest value that keeps the SLO and does not lie beyond the measured points.
    """

    query: str
    model: str
    quantile: float
    x: HeatmapAxis
    latency_ms: tuple[float | None, ...]
    typical_ms: tuple[float | None, ...]
    coverage: tuple[Coverage, ...]
    meets_slo: tuple[bool, ...] | None
    largest_safe: int | None
    warnings: tuple[str, ...]


def curve(
    query: CompiledQuery,
    model: Model,
    x: str,
    *,
    x_values: Sequence[int] | None = None,
    slo: Slo | None = None,
    values: Mapping[str, int] | None = None,
) -> Curve:
    """Predict a query over one of its limits, named by its symbol; `values` fixes further ones."""
    known = known_axes(query, (x, *(values or ())))
    along = HeatmapAxis(known[x], tuple(sorted(checked(x_values) or default_values(known[x].current))))
    quantile = slo.quantile if slo else 0.99
    cells = predict_cells(query, model, [{**(values or {}), x: value} for value in along.values], quantile)
    latency = np.maximum.accumulate(cells.latency_ms)  # a larger limit never reads less
    meets = None if slo is None else tuple(bool(latency_ms <= slo.threshold_ms) for latency_ms in latency)
    safe = [
        value
        for value, is_met, coverage in zip(along.values, meets or (), cells.coverage, strict=False)
        if is_met and coverage < Coverage.EXTRAPOLATED
    ]
    return Curve(
        query.name,
        model.name,
        quantile,
        along,
        _known(latency),
        _known(np.maximum.accumulate(cells.typical_ms)),
        cells.coverage,
        meets,
        max(safe, default=None),
        cells.warnings,
    )


def _known(cells: np.ndarray) -> tuple[float | None, ...]:
    return tuple(float(cell) if np.isfinite(cell) else None for cell in cells)
