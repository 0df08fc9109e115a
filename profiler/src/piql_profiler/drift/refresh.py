"""Measures the stale operators of a profile again, into a new run; it takes all other measurements from the old run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from piql_profiler.drift.judge import stale_operators
from piql_profiler.drift.look import read_looks
from piql_profiler.measure.benchmark import prepare as prepare_store
from piql_profiler.measure.grid import Grid
from piql_profiler.runs.profile_run import KEPT_FROM, KEPT_OPERATORS, Progress, measure_into
from piql_profiler.runs.run_files import RunDirectory, RunInfo, UnreadableRun, read_info
from piql_profiler.runs.runner import Runner


def refresh_profile(
    old: Path,
    out: Path,
    runner: Runner,
    report: Callable[[Progress], None],
    label: str = "",
    *,
    prepare: Callable[[Grid, str], None] = prepare_store,
) -> RunInfo:
    """Measure the stale operators' points into the new folder `out`, and take over the others' measurements.

    Raises UnreadableRun where the old run is not done, or not known to be stale.
    """
    info = read_info(old)
    if info.state != "done":
        raise UnreadableRun(f"the run in {old} is {info.state}, not done")
    stale = stale_operators(read_looks(old))
    if not stale:
        raise UnreadableRun(f"the run in {old} is not known to be stale: run `piql profile --look` first")
    present = {point.operator for point in info.settings.grid.points}
    kept = sorted(operator.value for operator in present - set(stale))
    directory = RunDirectory(out, info.settings, label)
    directory.update(notes={KEPT_FROM: str(old.resolve()), KEPT_OPERATORS: kept})
    return measure_into(directory, runner, report, prepare)
