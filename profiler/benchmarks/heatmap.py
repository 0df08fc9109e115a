"""Prints how long a heatmap and one prediction of SCADr's thoughtstream take, over a profile of a stated truth."""

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

    def seen(point: Point) -> Histogram:
        rows = point.child_rows * point.rows
        median = 100 + 50 * point.child_rows + 5 * rows + 0.002 * rows * point.row_bytes
        return Histogram.of(median * random.lognormal(0.0, 0.4, size=5_000))

    cells = [
        Measurement(point, interval, seen(point), 0.0, 1.0)
        for interval in range(intervals)
        for point in GRIDS["default"].points
    ]
    return Measurements.of(cells, 30.0)


def milliseconds(work: Callable[[], object]) -> str:
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


def report(name: str, worst: Measurements) -> None:
    query = piql.compile(SCADR).queries["thoughtstream"]
    plan = query.plan
    assert plan is not None
    pooled, full = build_model(worst.pooled(), name), build_model(worst, name)

    def over(model: Model, cells: int) -> Callable[[], object]:
        x, y = range(100 // cells, 101, 100 // cells), range(50 // cells, 50 // cells * cells + 1, 50 // cells)
        return lambda: heatmap(
            query, model, "subscriptions.owner", "count", x_values=x, y_values=y, slo=Slo(0.99, 50.0)
        )

    print(f"model {name}: median of {ROUNDS}, and what is computed once for a profile in the first")
    print(f"  one prediction                     {milliseconds(lambda: predict(plan, pooled).p99_ms)}")
    print(f"  heatmap of 25 cells                {milliseconds(over(pooled, 5))}")
    print(f"  heatmap of 400 cells               {milliseconds(over(pooled, 20))}")
    print(f"  heatmap of 400 cells, 35 intervals {milliseconds(over(full, 20))}")


def main() -> None:
    worst = replace(measurements(35), correlation=0.4)
    for name in MODELS:
        report(name, worst)


if __name__ == "__main__":
    main()
