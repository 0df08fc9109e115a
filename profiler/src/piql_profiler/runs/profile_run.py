"""One profile run from start to end: prepares the store, measures interval by interval, keeps what is complete.

In each interval every point is measured, in groups shuffled anew whose executions are mixed at random: whatever slows
the store down for a while slows all points alike (the paper of VLDB 2012 interleaved operators and queries, too). The
first interval is shared equally, later ones by what the points still lack (`shares`). A point that is known well enough
is measured no longer; the rest of the interval goes to points that are not.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Literal

from piql_profiler.measure.benchmark import prepare
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.open_loop import AT_LEAST
from piql_profiler.measure.workload import store_for_profiling
from piql_profiler.runs.run_files import RunDirectory, RunInfo, RunSettings, read_cells
from piql_profiler.runs.runner import Runner, Task, sentence_of
from piql_profiler.runs.shares import known, least_lacking_first, shares

# Notes of a run that takes over what another measured: its folder, and of which operators.
KEPT_FROM, KEPT_OPERATORS = "kept_from", "kept_operators"
_TOGETHER = 30  # points of a group: the more, the less are consecutive executions of one point slow together
AGAIN = 5  # executions at least of a point that was measured before: a slow one must not use up the others' time
# How many points are known to the precision that was asked for, as `shares.Known`.
KNOWN = "known"


class Cancelled(BaseException):
    """The user stopped the run. Like KeyboardInterrupt it passes every `except Exception`."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; `points_done` and `points_total` count each point once in each interval."""

    state: Literal["starting", "running", "cancelled", "failed", "done"]
    points_done: int
    points_total: int
    eta_seconds: float | None = None
    message: str | None = None


def run_profile(
    settings: RunSettings,
    out: Path,
    runner: Runner,
    report: Callable[[Progress], None],
    label: str = "",
    *,
    prepare: Callable[[Grid, str], None] = prepare,
) -> RunInfo:
    """Measure the grid of the settings into the folder `out`; `report` is called with the progress.

    Every end is written down: done, failed, or cancelled, when Cancelled or KeyboardInterrupt is raised again.
    """
    return measure_into(RunDirectory(out, settings, label), runner, report, prepare)


def resume_profile(
    out: Path,
    runner: Runner,
    report: Callable[[Progress], None],
    *,
    prepare: Callable[[Grid, str], None] = prepare,
) -> RunInfo:
    """Go on with a run that was killed, stopped or failed, after its complete intervals."""
    return measure_into(RunDirectory.resume(out), runner, report, prepare)


def measure_into(
    directory: RunDirectory,
    runner: Runner,
    report: Callable[[Progress], None],
    prepare: Callable[[Grid, str], None],
) -> RunInfo:
    """Measure the intervals that a run lacks; measurements that its notes name are taken over from another run."""
    settings = directory.info.settings
    first = directory.info.complete_intervals
    kept_cells = _kept(directory.info)
    kept_points = {cell.point for cell in kept_cells}
    points = [point for point in settings.grid.measured if point not in kept_points]
    total = len(points) * settings.intervals
    before = done = len(points) * first
    seconds_left = settings.interval_seconds * (settings.intervals - first) * len(points) / len(settings.grid.measured)

    def end(state: Literal["cancelled", "failed", "done"], message: str | None = None) -> None:
        with contextlib.suppress(OSError):  # a run whose end cannot be written is read as failed, without a reason
            directory.end(state, message)
        report(Progress(state, done, total, message=message))

    try:
        report(Progress("starting", done, total, seconds_left))
        with store_for_profiling(settings.store_url) as store_url, runner:
            prepare(settings.grid, store_url)
            directory.update(state="running", notes={**directory.info.notes, "clients": list(runner.places)})
            report(Progress("running", done, total, seconds_left))
            spent, left = 0.0, seconds_left
            so_far = read_cells(directory.path)
            for interval in range(first, settings.intervals):
                measured: list[Measurement] = []
                for cell in runner.run(tasks_of(settings, store_url, interval, runner.clients, points, so_far)):
                    measured.append(cell)
                    done += 1
                    spent += cell.seconds
                    left = spent / (done - before) * (total - done) / runner.clients
                    report(Progress("running", done, total, left, _keep_notices(directory, runner)))
                measured += runner.run(second_tasks(settings, store_url, interval, runner.clients, measured, so_far))
                if (notices := _keep_notices(directory, runner)) is not None:
                    report(Progress("running", done, total, left, notices))
                so_far += measured
                taken_over = [cell for cell in kept_cells if cell.interval == interval]
                directory.write_interval(interval, [*measured, *taken_over])
        void = sum(cell.is_void for cell in read_cells(directory.path))
        known_note = {} if settings.precision is None else {KNOWN: asdict(known(points, so_far, settings.precision))}
        directory.update(notes={**directory.info.notes, "void_blocks": void, **known_note})
        end("done")
    except (Cancelled, KeyboardInterrupt):
        end("cancelled", "stopped before the end")
        raise
    except Exception as error:
        end("failed", sentence_of(error))
    return directory.info


def _keep_notices(directory: RunDirectory, runner: Runner) -> str | None:
    """Add what has happened to clients to the notes of the run, and return it for the progress; None for nothing."""
    lost_clients = runner.notices()
    if lost_clients:
        before = directory.info.notes.get("lost_clients", [])
        directory.update(notes={**directory.info.notes, "lost_clients": [*before, *lost_clients]})
    return "; ".join(lost_clients) or None


def _kept(info: RunInfo) -> list[Measurement]:
    """The measurements that are taken over from another run: all of some operators."""
    if KEPT_FROM not in info.notes:
        return []
    operators = {Operator(name) for name in info.notes[KEPT_OPERATORS]}
    return [cell for cell in read_cells(Path(info.notes[KEPT_FROM])) if cell.point.operator in operators]


def tasks_of(
    settings: RunSettings,
    store_url: str,
    interval: int,
    clients: int,
    points: Sequence[Point] | None = None,
    so_far: Sequence[Measurement] = (),
) -> list[Task]:
    """The tasks of one interval: random groups of points, each point with its share of the seconds of all clients."""
    random = Random(settings.seed * 1_000 + interval)
    points = settings.grid.measured if points is None else points
    seconds = settings.interval_seconds * clients * len(points) / len(settings.grid.measured)
    seconds_of_points = shares(points, so_far, seconds, settings.precision)
    return _in_groups(settings, store_url, interval, clients, seconds_of_points, random)


def second_tasks(
    settings: RunSettings,
    store_url: str,
    interval: int,
    clients: int,
    measured: Sequence[Measurement],
    so_far: Sequence[Measurement] = (),
) -> list[Task]:
    """The tasks that use what is left of an interval, for points that are not known well enough; none without any."""
    seconds = settings.interval_seconds * len({cell.point for cell in measured}) / len(settings.grid.measured)
    left = seconds * clients - sum(cell.seconds for cell in measured)
    if settings.precision is None or left <= 0.0:
        return []
    points = [cell.point for cell in measured]
    seconds_of_points = least_lacking_first(points, [*so_far, *measured], left, settings.precision)
    random = Random(settings.seed * 1_000 + interval + 500)  # another seed than that of the interval's first tasks
    return _in_groups(settings, store_url, interval, clients, seconds_of_points, random)


def _in_groups(
    settings: RunSettings,
    store_url: str,
    interval: int,
    clients: int,
    seconds_of_points: Mapping[Point, float],
    random: Random,
) -> list[Task]:
    """Deal points out into groups that are measured mixed, the same number of groups for each client."""
    points = len(seconds_of_points)
    count = min(points, clients * math.ceil(points / clients / _TOGETHER))
    ordered = random.sample(list(seconds_of_points), points)
    at_least = AT_LEAST if interval == 0 else AGAIN
    return [
        Task(
            store_url,
            settings.grid,
            tuple((point, seconds_of_points[point]) for point in ordered[first::count]),
            interval,
            random.randrange(2**31),
            settings.load,
            settings.precision,
            at_least,
        )
        for first in range(count)
    ]
