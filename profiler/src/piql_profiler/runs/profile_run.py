"""One profile run from start to end: prepares the store, measures interval by interval, keeps what is complete.

In each interval every point is measured, in groups shuffled anew whose executions are mixed at random, so that what
disturbs the store for a while disturbs all points alike (VLDB 2012 ran operators and queries interleaved too). The
first interval is shared equally, the later ones by what the points still lack (`shares`). Points that are known well
enough give their time back; what is left of an interval goes to those that are not.
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
_TOGETHER = 30  # points whose executions are mixed: the more, the less do those of one share what is slow
AGAIN = 5  # executions at least of a point that was measured before: what is slow must not take the time of others
# How many points are known to the precision that was asked for, as `shares.Known`.
KNOWN = "known"


class Cancelled(BaseException):
    """The user stopped the run. Like KeyboardInterrupt it passes every `except Exception`."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come; one measurement is one point in one interval."""

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
    """Measure the grid into the folder `out`. Every end is written down: done, cancelled (re-raised) or failed."""
    return measure_into(RunDirectory(out, settings, label), runner, report, prepare)


def resume_profile(
    out: Path,
    runner: Runner,
    report: Callable[[Progress], None],
    *,
    prepare: Callable[[Grid, str], None] = prepare,
) -> RunInfo:
    """Go on with a run that was killed, stopped or failed, behind the intervals that are whole."""
    return measure_into(RunDirectory.resume(out), runner, report, prepare)


def measure_into(
    directory: RunDirectory,
    runner: Runner,
    report: Callable[[Progress], None],
    prepare: Callable[[Grid, str], None],
) -> RunInfo:
    """Measure what a folder lacks of its intervals; what its notes say is kept is taken over from another run."""
    settings = directory.info.settings
    first = directory.info.complete_intervals
    kept_cells = _kept(directory.info)
    kept_points = {cell.point for cell in kept_cells}
    points = [point for point in settings.grid.measured if point not in kept_points]
    total = len(points) * settings.intervals
    before = done = len(points) * first
    seconds_left = settings.interval_seconds * (settings.intervals - first) * len(points) / len(settings.grid.measured)

    def end(state: Literal["cancelled", "failed", "done"], message: str | None = None) -> None:
        with contextlib.suppress(OSError):  # where not even that can be written, it reads as failed without a reason
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
                    report(Progress("running", done, total, left, _heard(directory, runner)))
                measured += runner.run(second_tasks(settings, store_url, interval, runner.clients, measured, so_far))
                if (heard := _heard(directory, runner)) is not None:  # while what was lacking was measured
                    report(Progress("running", done, total, left, heard))
                so_far += measured
                taken_over = [cell for cell in kept_cells if cell.interval == interval]
                directory.write_interval(interval, [*measured, *taken_over])
        void = sum(cell.is_void for cell in read_cells(directory.path))
        known_note = {} if settings.precision is None else {KNOWN: asdict(known(points, so_far, settings.precision))}
        directory.update(notes={**directory.info.notes, "void_blocks": void, **known_note})
        end("done")
    except (Cancelled, KeyboardInterrupt):
        end("cancelled", "stopped before its end")
        raise
    except Exception as error:
        end("failed", sentence_of(error))
    return directory.info


def _heard(directory: RunDirectory, runner: Runner) -> str | None:
    """Keep what has happened to clients with the run, and give it for people to know."""
    lost_clients = runner.notices()
    if lost_clients:
        before = directory.info.notes.get("lost_clients", [])
        directory.update(notes={**directory.info.notes, "lost_clients": [*before, *lost_clients]})
    return "; ".join(lost_clients) or None


def _kept(info: RunInfo) -> list[Measurement]:
    """Read what is taken over from another run: the whole of its measurements of some operators."""
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
    """The tasks of one interval: random groups of points, each with its share of the seconds."""
    random = Random(settings.seed * 1_000 + interval)
    chosen = settings.grid.measured if points is None else points
    seconds = settings.interval_seconds * clients * len(chosen) / len(settings.grid.measured)
    share = shares(chosen, so_far, seconds, settings.precision)
    return _in_groups(settings, store_url, interval, clients, share, random)


def second_tasks(
    settings: RunSettings,
    store_url: str,
    interval: int,
    clients: int,
    measured: Sequence[Measurement],
    so_far: Sequence[Measurement] = (),
) -> list[Task]:
    """Measure the points that are not known well enough yet in the time that is left of an interval."""
    seconds = settings.interval_seconds * len({cell.point for cell in measured}) / len(settings.grid.measured)
    left = seconds * clients - sum(cell.seconds for cell in measured)
    if settings.precision is None or left <= 0.0:
        return []
    points = [cell.point for cell in measured]
    shares_of = least_lacking_first(points, [*so_far, *measured], left, settings.precision)
    random = Random(settings.seed * 1_000 + interval + 500)
    return _in_groups(settings, store_url, interval, clients, shares_of, random)


def _in_groups(
    settings: RunSettings,
    store_url: str,
    interval: int,
    clients: int,
    share: Mapping[Point, float],
    random: Random,
) -> list[Task]:
    """Deal points out into groups that are measured mixed, as many for each client."""
    count = min(len(share), clients * math.ceil(len(share) / clients / _TOGETHER))
    ordered = random.sample(list(share), len(share))
    at_least = AT_LEAST if interval == 0 else AGAIN
    return [
        Task(
            store_url,
            settings.grid,
            tuple((point, share[point]) for point in ordered[at::count]),
            interval,
            random.randrange(2**31),
            settings.load,
            settings.precision,
            at_least,
        )
        for at in range(count)
    ]
