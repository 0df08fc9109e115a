"""Prints how long one prediction and heatmaps of SCADr's thoughtstream take, by every model.

    python profiler/benchmarks/heatmap.py

The profile is made up: the time depends on the numbers of points, intervals and cells, not on the latencies in it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import piql
from piql_profiler.measure.grid import GRIDS, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.heatmap import Slo, heatmap
from piql_profiler.predictor.model import Model
from piql_profiler.predictor.models import MODELS, build_model
from piql_profiler.predictor.predict import predict

ROUNDS = 7
SCADR = Path(__file__).parents[2] / "sample-apps" / "scadr"


def measurements(intervals: int) -> Measurements:
    """Make a profile in which a request costs 50 µs, a row 5 µs, a byte 2 ns."""
    random = np.random.default_rng(1)

    def histogram_of(point: Point) -> Histogram:
        rows = point.child_rows * point.rows
        median = 100 + 50 * point.child_rows + 5 * rows + 0.002 * rows * point.row_bytes
        return Histogram.of(median * random.lognormal(0.0, 0.4, size=5_000))

    cells = [
        Measurement(point, interval, histogram_of(point), 0.0, 1.0)
        for interval in range(intervals)
        for point in GRIDS["default"].points
    ]
    return Measurements.of(cells, 30.0)


def milliseconds(work: Callable[[], object]) -> str:
    """Do some work ROUNDS times; return its times in words."""
    wall, processor = [], []
    for _ in range(ROUNDS):
        began, processor_began = time.perf_counter(), time.process_time()
        work()
        wall.append((time.perf_counter() - began) * 1000)
        processor.append((time.process_time() - processor_began) * 1000)
    return (
        f"{statistics.median(wall):8.2f} ms, least {min(wall):8.2f} ms, first {wall[0]:8.2f} ms; "
        f"processor time {statistics.median(processor):8.2f} ms"
    )


def report(name: str, profile: Measurements) -> None:
    """Print the times of one model: over all intervals of the profile, and over these pooled into one."""
    query = piql.compile(SCADR).queries["thoughtstream"]
    plan = query.plan
    assert plan is not None
    pooled, full = build_model(profile.pooled(), name), build_model(profile, name)

    def square_heatmap(model: Model, side: int) -> Callable[[], object]:
        x, y = range(100 // side, 101, 100 // side), range(50 // side, 50 // side * side + 1, 50 // side)
        return lambda: heatmap(
            query, model, "subscriptions.owner", "count", x_values=x, y_values=y, slo=Slo(0.99, 50.0)
        )

    print(f"model {name}: median of {ROUNDS}; the first also computes what is computed once for a profile")
    print(f"  one prediction                     {milliseconds(lambda: predict(plan, pooled).p99_ms)}")
    print(f"  heatmap of 25 cells                {milliseconds(square_heatmap(pooled, 5))}")
    print(f"  heatmap of 400 cells               {milliseconds(square_heatmap(pooled, 20))}")
    print(f"  heatmap of 400 cells, 35 intervals {milliseconds(square_heatmap(full, 20))}")


def main() -> None:
    profile = replace(measurements(35), correlation=0.4)
    for name in MODELS:
        report(name, profile)


if __name__ == "__main__":
    main()
