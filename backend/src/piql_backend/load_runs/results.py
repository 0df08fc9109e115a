"""The result of a load run: its words are those of `piql load-test`, and its page is that of `--html`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from piql_profiler.load_runs.comparison import compare
from piql_profiler.load_runs.page import as_page
from piql_profiler.load_runs.result import LoadRun
from piql_profiler.load_runs.result_file import UnreadableResult, read_result
from piql_profiler.load_runs.verdicts import Objectives
from piql_profiler.load_runs.wording import (
    COMPARED,
    HEADINGS,
    STATED,
    cells,
    comparison_cells,
    ending,
    heading,
    remarks,
    step_heading,
    threshold_text,
)
from piql_profiler.predictor.openslo import Objective

from piql_backend.load_runs.schemas import (
    LoadComparisonRead,
    LoadedQueryRead,
    LoadResultRead,
    LoadSecondRead,
    LoadStepRead,
)
from piql_backend.web.errors import ApiError


def objectives_of(queries: Iterable[LoadedQueryRead]) -> Objectives:
    """The SLOs of a run as they were when it began."""
    objectives: Mapping[str, Objective] = {
        query.name: Objective(query.name, query.slo_quantile, query.slo_threshold_ms, 600.0)
        for query in queries
        if query.slo_quantile is not None and query.slo_threshold_ms is not None
    }
    return objectives


def result_of(path: Path, objectives: Objectives) -> LoadResultRead:
    """The result in a file; ApiError 409 where it cannot be read."""
    run = _read(path)
    steps = [
        LoadStepRead(
            heading=step_heading(run, step),
            rows=[cells(run, line) for line in run.lines_of(step)],
            remarks=list(remarks(run, step, objectives)),
        )
        for step in range(len(run.setting.steps))
        if run.lines_of(step)
    ]
    return LoadResultRead(
        heading=heading(run),
        endings=list(ending(run)),
        columns=list(HEADINGS),
        steps=steps,
        thresholds=[threshold_text(threshold) for threshold in run.thresholds],
        timeline=[LoadSecondRead.model_validate(second) for second in run.timeline],
    )


def page_of(path: Path, objectives: Objectives) -> str:
    """The result in a file as a page that needs nothing else."""
    return as_page(_read(path), objectives)


def comparison_of(first: Path, second: Path) -> LoadComparisonRead:
    """Two results, query by query."""
    comparison = compare(_read(first), _read(second))
    return LoadComparisonRead(
        columns=list(COMPARED),
        rows=[comparison_cells(pair) for pair in comparison.pairs],
        differences=[f"Not the same: {difference}." for difference in comparison.differences],
        stated=STATED if comparison.pairs else "No query was called at the same rate in both runs.",
    )


def _read(path: Path) -> LoadRun:
    try:
        return read_result(path)
    except UnreadableResult as error:
        raise ApiError(409, "result-not-read", f"{error}.", "Run it again.") from None
