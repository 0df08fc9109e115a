"""Measures the canaries of a profile on its store again, and keeps the looks in `drift.json` in the run's folder.

    {"looks": [{"at": 1767225600.0,
                "canaries": [{"point": ["IndexScan", 1, 10, 200, 1],
                              "then_us": [410.0, 380.0, 450.0], "now_us": [620.0, 560.0, null]}]}]}

A p99 is written as its estimate and the ends of its 95 % interval, in µs; null where there is no upper end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from piql_profiler.drift.judge import Canary, Look
from piql_profiler.measure.benchmark import Session, prepare
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import merge_all
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.precision import FEWEST_FOR_P99, Precision, precision_of
from piql_profiler.measure.workload import store_for_profiling
from piql_profiler.runs.run_files import UnreadableRun, move_into_place, read_cells, read_info

SECONDS = 3.0  # of each canary in each look
_FILE = "drift.json"


def canaries_of(grid: Grid) -> tuple[Point, ...]:
    """The cheapest point of each operator; of a join, the cheapest that makes more than one request."""
    cheapest = []
    for operator in Operator:
        points = [point for point in grid.points if point.operator is operator]
        several = [point for point in points if point.child_rows > 1]
        if points:
            cheapest.append(min(several or points, key=lambda point: (point.child_rows * point.rows, point.row_bytes)))
    return tuple(cheapest)


def look(run: Path, looks: int, seconds: float, report: Callable[[Look], None]) -> list[Look]:
    """Measure the canaries of a profile `looks` times, `seconds` each, and add the looks to its file; return all looks.

    `report` is called with each look. Raises UnreadableRun where the run is not complete.
    """
    info = read_info(run)
    if info.state != "done":
        raise UnreadableRun(f"the run in {run} is {info.state}, not done")
    settings = info.settings
    canaries = canaries_of(settings.grid)
    cells = read_cells(run)
    profiled = {point: _precision([cell for cell in cells if cell.point == point]) for point in canaries}
    all_looks = read_looks(run)
    with store_for_profiling(settings.store_url) as store_url:
        prepare(settings.grid, store_url)
        session = Session.open(store_url, settings.grid)
        for _ in range(looks):
            measured, _ = session.measure_mixed(
                dict.fromkeys(canaries, seconds),
                seed=settings.seed * 1_000 + len(all_looks),
                load=settings.load,
                at_least=FEWEST_FOR_P99,
            )
            results = tuple(Canary(cell.point, profiled[cell.point], _precision([cell])) for cell in measured)
            all_looks.append(Look(time.time(), results))
            _write(run, all_looks)
            report(all_looks[-1])
    return all_looks


def read_looks(run: Path) -> list[Look]:
    """The looks at a profile that are kept, the oldest first; UnreadableRun where the file is damaged."""
    try:
        content = json.loads((run / _FILE).read_text(encoding="utf-8"))
        return [Look(look["at"], tuple(_canary(canary) for canary in look["canaries"])) for look in content["looks"]]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableRun(f"{run / _FILE} is damaged: {error}") from None


def _write(run: Path, looks: Sequence[Look]) -> None:
    content = {
        "looks": [
            {
                "at": look.at,
                "canaries": [
                    {
                        "point": [canary.point.operator.value, *canary.point.coordinates],
                        "then_us": _numbers(canary.then),
                        "now_us": _numbers(canary.now),
                    }
                    for canary in look.canaries
                ],
            }
            for look in looks
        ]
    }
    part = run / "drift.part"
    part.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    move_into_place(part, run / _FILE)


def _precision(cells: Sequence[Measurement]) -> Precision:
    return precision_of(merge_all(cell.histogram for cell in cells), sum(cell.worth for cell in cells))


def _numbers(precision: Precision) -> list[float | None]:
    """A precision as JSON: estimate, lower and upper end in µs; null where there is no upper end."""
    return [precision.estimate_us, precision.low_us, precision.high_us if precision.high_us != float("inf") else None]


def _canary(content: dict[str, Any]) -> Canary:
    operator, *sizes = content["point"]
    then, now = (
        Precision(estimate, low, float("inf") if high is None else high)
        for estimate, low, high in (content["then_us"], content["now_us"])
    )
    return Canary(Point(Operator(operator), *sizes), then, now)
