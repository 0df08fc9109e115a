"""Estimates how long a profile run takes until the p99 of every point of a grid is known.

    python profiler/benchmarks/grid_time.py --minutes 10 --intervals 4 --load 0.5

    grid ──tasks of the profiler──▶ points ──calls_of──▶ calls ──law──▶ times drawn ──▶ known after so many executions

Nothing is executed. The calls of a point follow from its sizes, as on a store without transactions; their times are
drawn from the law of `table-1.json`. How long a real store takes, only `piql profile` can tell.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from piql_profiler.measure.grid import GRIDS, LOOK, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.precision import effective_number, is_precise
from piql_profiler.measure.workload import LINK_BYTES
from piql_profiler.runs.profile_run import second_tasks, tasks_of
from piql_profiler.runs.run_files import RunSettings
from piql_profiler.runs.runner import Task
from piql_profiler.runs.shares import half_width, known
from piql_profiler.validation.known_truth.service_times import Call, ServiceTimes
from table_1 import Lists

_CHECKED_EVERY = 250  # executions between two looks at the precision
_DRAWS_FOR_MEAN = 50
_CAUSES_AT_ONCE = 5_000  # whose draws fit into memory


def main() -> None:
    """Simulate the intervals of a run, print how many points are known after each, and those that never are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--grid", choices=tuple(GRIDS), default="default")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--intervals", type=int, default=4)
    parser.add_argument("--load", type=float, default=0.5)
    parser.add_argument("--precision", type=float, default=0.1)
    parser.add_argument("--request-us", type=float, help="instead of the law's")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    law = Lists.read().times
    law = law if options.request_us is None else replace(law, request_us=options.request_us)
    grid = GRIDS[options.grid]
    seconds = 60 * options.minutes / options.intervals
    settings = RunSettings(
        "", grid, seconds, options.intervals, 1, options.seed, "local", options.load, options.precision
    )
    random = np.random.default_rng(options.seed)
    so_far: list[Measurement] = []
    for interval in range(options.intervals):
        measured = measure_all(law, tasks_of(settings, "", interval, 1, None, so_far), options.precision, random)
        second = second_tasks(settings, "", interval, 1, measured, so_far)
        measured += measure_all(law, second, options.precision, random)
        so_far += measured
        print(f"interval {interval + 1}: {known(grid.measured, so_far, options.precision)}", flush=True)
    for point in grid.measured:
        cells = [cell for cell in so_far if cell.point == point]
        if half_width(cells) > options.precision:
            executions = sum(cell.histogram.total for cell in cells)
            print(f"  {point}: ± {half_width(cells):.0%} after {executions} executions")


def measure_all(
    law: ServiceTimes, tasks: Iterable[Task], precision: float, random: np.random.Generator
) -> list[Measurement]:
    """Measure every point of every task."""
    return [measure(law, task, point, precision, random) for task in tasks for point, _ in task.shares]


def measure(law: ServiceTimes, task: Task, point: Point, precision: float, random: np.random.Generator) -> Measurement:
    """Draw the executions of a point that fit into its share of a task, until its p99 is known within `precision`.

    Executions of the task's points take turns under the task's load, so those of one point are far apart.
    """
    seconds, seconds_of_all = dict(task.shares)[point], sum(share for _, share in task.shares)
    below, on_top = calls_of(point)
    calls = [*below, *on_top]
    mean_us = float(np.mean(draw(law, calls, np.zeros(_DRAWS_FOR_MEAN, dtype=np.float32), random)[0]))
    most = max(task.at_least, int(seconds * 1e6 * task.load / mean_us))
    apart_us = mean_us / task.load * seconds_of_all / seconds  # from the start of one execution to the next
    whole_us, on_top_us = draw(law, calls, lasting_causes(law, most, apart_us, random), random, len(below))
    checks = range(_CHECKED_EVERY, most, _CHECKED_EVERY)
    count = next((count for count in checks if is_precise(on_top_us[:count].tolist(), precision)), most)
    return Measurement(
        point,
        task.interval,
        Histogram.of(on_top_us[:count]),
        0.0,
        float(whole_us[:count].sum()) / 1e6 / task.load,
        effective=effective_number(on_top_us[:count]),
    )


def lasting_causes(law: ServiceTimes, count: int, apart_us: float, random: np.random.Generator) -> np.ndarray:
    """The common cause at each of `count` executions that begin `apart_us` after one another: an AR(1) process."""
    memory = np.exp(-apart_us / (1000 * law.lasting_ms))
    fresh = random.standard_normal(count) * np.sqrt(1 - memory**2)
    causes = np.empty(count, dtype=np.float32)
    cause = random.standard_normal()
    for number in range(count):
        cause = causes[number] = memory * cause + fresh[number]
    return causes


def draw(
    law: ServiceTimes, calls: list[Call], causes: np.ndarray, random: np.random.Generator, below: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Microseconds of executions, one for each cause: of all calls, and of those after the first `below` calls."""
    times = [np.concatenate([law.took_us(call, part, random) for part in _parts(causes)]) for call in calls]
    return np.sum(times, axis=0), np.sum(times[below:], axis=0)


def _parts(causes: np.ndarray) -> list[np.ndarray]:
    """Causes in parts, so that the draws of one call fit into memory."""
    return np.array_split(causes, max(1, len(causes) // _CAUSES_AT_ONCE))


def calls_of(point: Point) -> tuple[list[Call], list[Call]]:
    """The calls of an execution below the point's operator, and those of the operator itself."""
    n, rows, size, _ = point.coordinates
    one = Call(1, 0, 0)
    match point.operator:
        case Operator.WRITE:
            return [], [one] * 3 if n == 1 else [one, one, Call(n - 1, 0, 64), one, one, Call(n - 1, 0, 64), one]
        case Operator.LIMIT_CHECK:
            return [one] * 7, [one, one, *([Call(1, rows, 0)] if rows > 1 else [])] * n
        case Operator.REFERENCE_CHECK:
            return [one] * 7, [one] * n + ([] if rows == LOOK else [one, one])
        case _:
            scan = [] if point.is_query else [Call(1, n, n * LINK_BYTES)]
            return scan, [Call(n, n * rows, n * rows * size)]


if __name__ == "__main__":
    main()
