"""Reckons how long it takes until a grid's points are known: scheduled as by the profiler, times drawn from a law.

    python profiler/benchmarks/grid_time.py --minutes 10 --intervals 4 --load 0.5

Nothing is executed: a point's calls follow from its sizes, as a store without transactions gets them, and what they
take is drawn from the law of `table-1.json`. How long a real store takes is for `piql profile` to say.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from piql_profiler.measure.grid import GRIDS, LOOK, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.precision import effective_number, is_precise
from piql_profiler.runs.profile_run import second_tasks, tasks_of
from piql_profiler.runs.run_files import RunSettings
from piql_profiler.runs.runner import Task
from piql_profiler.runs.shares import half_width, known
from piql_profiler.validation.known_truth.service_times import Call, ServiceTimes
from table_1 import Lists

_CHECKED_EVERY = 250
_LINK = 32


def main() -> None:
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
    spent = 0.0
    for interval in range(options.intervals):
        measured: list[Measurement] = []
        for task in tasks_of(settings, "", interval, 1, None, so_far):
            measured += [measure(law, task, point, options.precision, random) for point, _ in task.shares]
        for task in second_tasks(settings, "", interval, 1, measured, so_far):
            measured += [measure(law, task, point, options.precision, random) for point, _ in task.shares]
        so_far += measured
        spent += sum(cell.seconds for cell in measured)
        print(f"interval {interval + 1}: {known(grid.measured, so_far, options.precision)}", flush=True)
    for point in grid.measured:
        mine = [cell for cell in so_far if cell.point == point]
        if half_width(mine) > options.precision:
            executions = sum(cell.histogram.total for cell in mine)
            print(f"  {point}: ± {half_width(mine):.0%} after {executions} executions")


def measure(law: ServiceTimes, task: Task, point: Point, precision: float, random: np.random.Generator) -> Measurement:
    """Draw the executions that fit into a point's seconds beside the others of its task, until the p99 is known."""
    seconds, of_all = dict(task.shares)[point], sum(share for _, share in task.shares)
    below, own = calls_of(point)
    one_us = float(np.mean(drawn(law, [*below, *own], np.zeros(50, dtype=np.float32), random)[0]))
    most = max(task.at_least, int(seconds * 1e6 * task.load / one_us))
    memory = np.exp(-one_us / task.load * of_all / seconds / (1000 * law.lasting_ms))
    noise = random.standard_normal(most) * np.sqrt(1 - memory**2)
    causes = np.empty(most, dtype=np.float32)
    last = random.standard_normal()
    for at in range(most):
        last = causes[at] = memory * last + noise[at]
    whole, took = drawn(law, [*below, *own], causes, random, len(below))
    count = next(
        (at for at in range(_CHECKED_EVERY, most, _CHECKED_EVERY) if is_precise(took[:at].tolist(), precision)), most
    )
    return Measurement(
        point,
        task.interval,
        Histogram.of(took[:count]),
        0.0,
        float(whole[:count].sum()) / 1e6 / task.load,
        effective=effective_number(took[:count]),
    )


def drawn(
    law: ServiceTimes, calls: list[Call], causes: np.ndarray, random: np.random.Generator, skipped: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """What all calls take, one execution for each cause, and what those behind the first ones do."""
    parts = [np.concatenate([law.took_us(call, part, random) for part in _parts(causes)]) for call in calls]
    return np.sum(parts, axis=0), np.sum(parts[skipped:], axis=0)


def _parts(causes: np.ndarray) -> list[np.ndarray]:
    return np.array_split(causes, max(1, len(causes) // 5_000))


def calls_of(point: Point) -> tuple[list[Call], list[Call]]:
    """The calls of the rest of a point's execution, and its own."""
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
            scan = [] if point.is_query else [Call(1, n, n * _LINK)]
            return scan, [Call(n, n * rows, n * rows * size)]


if __name__ == "__main__":
    main()
