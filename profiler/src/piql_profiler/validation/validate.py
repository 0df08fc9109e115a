"""Runs the deployed queries and a grid's points in the same intervals, and scores the models fitted to the points.

The protocol is that of VLDB 2012, Table 1: operators and queries are mixed at random within each interval, so that what
disturbs the store disturbs both alike; here under open-loop load, and with the confidence interval of each p99.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import piql
from piql.compilation import Compilation

from piql_profiler.benchmark import prepare
from piql_profiler.grid import Point
from piql_profiler.measurements import Measurement, Measurements
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.models import MODELS, build_model
from piql_profiler.predictor.predict import predict_work
from piql_profiler.profile_run import task_of
from piql_profiler.run_files import RunDirectory, RunSettings, load
from piql_profiler.validation.case import Case, CaseSession
from piql_profiler.validation.scores import Row
from piql_profiler.workload import store_for_profiling


@dataclass(frozen=True, slots=True)
class Validation:
    """What was predicted and what was seen; `left_out` says of each query that has no row why."""

    settings: RunSettings
    rows: tuple[Row, ...]
    left_out: tuple[tuple[str, str], ...]


def validate(
    settings: RunSettings, out: Path, names: Sequence[str] | None, report: Callable[[str], None]
) -> Validation:
    """Measure for all intervals, keep the profile in the folder `out`, and compare."""
    with piql.connect(settings.store_url) as database:
        compilation = database.deployment.compilation
    chosen = names or [name for name, each in compilation.queries.items() if each.kind == "select"]
    if unknown := sorted(set(chosen) - set(compilation.queries)):
        raise NotPredictable(f"no query {unknown[0]!r} is deployed")
    directory = RunDirectory(out, settings, "validation")
    try:
        cases = _measure(settings, directory, compilation, chosen, report)
    except BaseException as error:
        directory.end("failed", f"{type(error).__name__}: {error}".splitlines()[0])
        raise
    directory.end("done")
    measurements = load(out).pooled()
    return compare(settings, measurements, cases)


def _measure(
    settings: RunSettings,
    directory: RunDirectory,
    compilation: Compilation,
    names: Sequence[str],
    report: Callable[[str], None],
) -> list[Case]:
    directory.update(state="running")
    sessions = [
        CaseSession(settings.store_url, compilation.queries[name], compilation, settings.seed * 100 + at)
        for at, name in enumerate(names)
    ]
    try:
        with store_for_profiling(settings.store_url) as store_url:
            prepare(settings.grid, store_url)
            parts: list[Point | CaseSession] = [*settings.grid.measured, *sessions]
            share = settings.interval_seconds / len(parts)
            for interval in range(settings.intervals):
                random = Random(settings.seed * 1_000 + interval)
                measured: list[Measurement] = []
                for part in random.sample(parts, len(parts)):
                    seed = random.randrange(2**31)
                    if isinstance(part, CaseSession):
                        part.offer(share, settings.load, seed)
                    else:
                        measured.append(task_of(settings, store_url, part, interval, share, seed).run())
                directory.write_interval(interval, measured)
                report(f"interval {interval + 1} of {settings.intervals}")
        return [each.case() for each in sessions]
    finally:
        for each in sessions:
            each.close()


def compare(settings: RunSettings, measurements: Measurements, cases: Sequence[Case]) -> Validation:
    """Predict each case under every model, at the cardinalities that it was executed with."""
    models = {name: build_model(measurements, name) for name in MODELS}
    rows, left_out = [], []
    for each in cases:
        try:
            rows.append(_row(each, models))
        except NotPredictable as error:
            left_out.append((each.query, str(error)))
    return Validation(settings, tuple(rows), tuple(left_out))


def _row(case: Case, models: dict[str, Model]) -> Row:
    found = {name: predict_work(case.work, model) for name, model in models.items()}
    conservative = found["surface"].conservative_ms
    return Row(
        case.query,
        len(case.work.operators),
        case.actual,
        case.histogram,
        {name: each.p99_ms * 1000 for name, each in found.items()},
        None if conservative is None else conservative * 1000,
    )
