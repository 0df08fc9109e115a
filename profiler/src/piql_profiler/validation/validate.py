"""Runs the deployed queries and a grid's points in the same intervals, and scores the models fitted to the points.

The protocol is that of VLDB 2012, Table 1: operators and queries are mixed at random within each interval, so whatever
slows the store down slows both alike. Unlike there, the load is open-loop, and each p99 has a confidence interval. Many
short intervals follow a drifting store more closely than few long ones.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import piql

from piql_profiler.measure.benchmark import Session, prepare
from piql_profiler.measure.grid import Point
from piql_profiler.measure.histogram import merge_all
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.measure.precision import FEWEST_FOR_P99, precision_of
from piql_profiler.measure.workload import store_for_profiling
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.models import DEFAULT_MODEL, MODELS, build_model
from piql_profiler.predictor.predict import predict_work
from piql_profiler.runs.profile_run import Cancelled
from piql_profiler.runs.run_files import RunDirectory, RunSettings, RunState, load
from piql_profiler.runs.runner import sentence_of
from piql_profiler.validation.case import Case, CaseSession
from piql_profiler.validation.scores import Row

_AT_LEAST = 5  # executions of a block: there are many blocks, and slow parts must not use up the others' time
_KNOWN = 0.3  # the share of a part that is known well enough, compared with that of one that is not


@dataclass(frozen=True, slots=True)
class Validation:
    """A row for each query with its prediction and its actual latencies; `left_out` has other queries, and why."""

    settings: RunSettings
    rows: tuple[Row, ...]
    left_out: tuple[tuple[str, str], ...]


def validate(
    settings: RunSettings,
    out: Path,
    names: Sequence[str] | None,
    report: Callable[[str], None],
    *,
    with_writes: bool = False,
) -> Validation:
    """Run deployed queries with parameters drawn from the data, keep the profile in the folder `out`, and compare.

    `names` are the queries, None for all that read. Writes change the data, and are executed only `with_writes`. Raises
    NotPredictable for a query that is not deployed, or may not be executed.
    """
    with piql.connect(settings.store_url, report="", otel=False) as database:
        compilation = database.deployment.compilation
    chosen = names or [name for name, query in compilation.queries.items() if with_writes or query.kind == "select"]
    if unknown := sorted(set(chosen) - set(compilation.queries)):
        raise NotPredictable(f"no query {unknown[0]!r} is deployed")
    writes = sorted(name for name in chosen if compilation.queries[name].kind != "select")
    if not chosen:
        raise NotPredictable(f"no query that reads is deployed on {settings.store_url}: there is nothing to validate")
    if writes and not with_writes:
        raise NotPredictable(f"{writes[0]} changes the data: add --writes to execute it again and again")
    sessions = [
        CaseSession.open(settings.store_url, compilation.queries[name], compilation, settings.seed * 100 + at)
        for at, name in enumerate(chosen)
    ]
    try:
        return validate_cases(settings, out, sessions, report)
    finally:
        for session in sessions:
            session.close()


def validate_cases(
    settings: RunSettings, out: Path, cases: Sequence[CaseSession], report: Callable[[str], None], warm_up: int = 0
) -> Validation:
    """Measure a grid and these queries for all intervals, keep the profile in the folder `out`, and compare.

    First, `warm_up` intervals are executed and forgotten: a server, such as one in Java, compiles what it runs often.
    """
    directory = RunDirectory(out, settings, "validation")
    try:
        directory.update(state="running")
        with store_for_profiling(settings.store_url) as store_url:
            prepare(settings.grid, store_url)
            session = Session.open(store_url, settings.grid)
            kept: list[Measurement] = []
            for interval in range(warm_up):
                _round(settings, session, settings.intervals + interval, cases, kept)
                report(f"warmed up {interval + 1} of {warm_up}")
            for case in cases:
                case.forget()
            for interval in range(settings.intervals):
                measured = _round(settings, session, interval, cases, kept)
                kept += measured
                directory.write_interval(interval, measured)
                report(f"interval {interval + 1} of {settings.intervals}")
    except (Cancelled, KeyboardInterrupt):
        _end(directory, "cancelled", "stopped before the end")
        raise
    except Exception as error:
        _end(directory, "failed", sentence_of(error))
        raise
    directory.end("done")
    refused = [(case.name, case.left_out) for case in cases if case.left_out is not None]
    return compare(settings, load(out).pooled(), [case.case() for case in cases if case.left_out is None], refused)


def _end(directory: RunDirectory, state: RunState, message: str) -> None:
    with contextlib.suppress(OSError):  # a run whose end cannot be written is read as failed once this process is gone
        directory.end(state, message)


def _round(
    settings: RunSettings,
    session: Session,
    interval: int,
    cases: Sequence[CaseSession],
    kept: Sequence[Measurement],
) -> list[Measurement]:
    """Execute points and queries mixed at random, each for its share of the time."""
    points, queries = settings.grid.measured, [case for case in cases if case.left_out is None]
    parts: list[Point | CaseSession] = [*points, *queries]
    widths = [_half_width(part, kept) for part in parts]
    shares = seconds_of(widths, settings.interval_seconds, settings.precision)
    measured, blocks = session.measure_mixed(
        dict(zip(points, shares, strict=False)),
        [query.part(seconds) for query, seconds in zip(queries, shares[len(points) :], strict=True)],
        interval=interval,
        seed=settings.seed * 1_000 + interval,
        load=settings.load,
        at_least=_AT_LEAST,
    )
    for query, block in zip(queries, blocks, strict=True):
        query.keep(block)
    return measured


def seconds_of(half_widths: Sequence[float], seconds: float, precision: float | None) -> list[float]:
    """The seconds of each part in an interval: parts that are known well enough have a smaller share than others."""
    weights = [_KNOWN if precision is not None and half_width <= precision else 1.0 for half_width in half_widths]
    return [seconds * weight / sum(weights) for weight in weights]


def _half_width(part: Point | CaseSession, kept: Sequence[Measurement]) -> float:
    """The half-width of a part's p99, as a share of it; infinite with too few executions."""
    if isinstance(part, CaseSession):
        return part.case().actual.half_width if part.executions >= FEWEST_FOR_P99 else math.inf
    cells = [cell for cell in kept if cell.point == part]
    histogram = merge_all(cell.histogram for cell in cells)
    if histogram.total < FEWEST_FOR_P99:
        return math.inf
    return precision_of(histogram, sum(cell.worth for cell in cells)).half_width


def compare(
    settings: RunSettings, measurements: Measurements, cases: Sequence[Case], refused: Sequence[tuple[str, str]] = ()
) -> Validation:
    """Predict each case under every model, at the cardinalities that it was executed with."""
    models = {name: build_model(measurements, name) for name in MODELS}
    rows: list[Row] = []
    left_out = [*refused]
    for case in cases:
        try:
            rows.append(_row(case, models))
        except NotPredictable as error:
            left_out.append((case.query, str(error)))
    return Validation(settings, tuple(rows), tuple(left_out))


def _row(case: Case, models: dict[str, Model]) -> Row:
    predictions = {name: predict_work(case.work, model) for name, model in models.items()}
    conservative = predictions[DEFAULT_MODEL].conservative_ms
    return Row(
        case.query,
        len(case.work.operators),
        case.actual,
        case.histogram,
        {name: prediction.p99_ms * 1000 for name, prediction in predictions.items()},
        None if conservative is None else conservative * 1000,
        {name: prediction.p50_ms * 1000 for name, prediction in predictions.items()},
    )
