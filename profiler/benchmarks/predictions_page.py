"""Writes docs/measurements/predictions.md: one section for each store on which predictions were compared with actuals.

known_truth.py  ──▶ known_truth_section ──┐
on_cluster.py   ──▶ cluster_section    ───┴──▶ write_section ──▶ the page; sections written by hand stay at its end
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from piql_profiler.measure.grid import GRIDS
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.models import DEFAULT_MODEL
from piql_profiler.validation.case import Case
from piql_profiler.validation.goals import Goal, goal_of_unseen, goals_of_map, goals_of_queries
from piql_profiler.validation.scores import Row, covered, summary_of
from piql_profiler.validation.validate import Validation
from table_1 import Lists, name_of

PAGE = Path(__file__).parents[2] / "docs" / "measurements" / "predictions.md"
KNOWN_TRUTH, CLUSTER = "Known truth", "Three nodes of Cassandra"
CLUSTER_WRITES = "Writes on three nodes of Cassandra"
_PAPER = "paper"
_HEAD = """# Predictions against what queries took

The list of queries, cardinalities and seeds is [table-1.json](../../profiler/benchmarks/table-1.json), fixed before
the runs. *paper* is the model of VLDB 2012, *surface* the one that is used. Errors are predicted / actual − 1 of p99. A
goal is met or missed only where the intervals of the actual p99s (95 %) leave no other answer; else it is undecidable.
"""


def write_section(title: str, text: str) -> None:
    """Put a section into the page, in place of the one of that title."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else _HEAD
    sections = {part.splitlines()[0]: part for part in page.split("\n## ")[1:]}
    sections[title] = f"{title}\n\n{text.strip()}\n"
    first = [name for name in (KNOWN_TRUTH, CLUSTER, CLUSTER_WRITES) if name in sections]
    ordered = [sections[name] for name in dict.fromkeys([*first, *sections])]  # those written by hand come after
    PAGE.write_text(_HEAD + "".join(f"\n## {section.rstrip()}\n" for section in ordered), encoding="utf-8")


def known_truth_section(
    lists: Lists, rows: Mapping[str, Row], cases: Mapping[str, Case], profile: Measurements, seconds: float
) -> str:
    """The section of the simulated store: its law, whether the executions agree with the exact p99s, and the tables."""
    agree = sum(
        case.actual.low_us <= rows[name].actual.estimate_us <= case.actual.high_us for name, case in cases.items()
    )
    law = ", ".join(f"{key} {value:g}" for key, value in asdict(lists.times).items())
    known = _profile(lists, profile)
    protocol = (
        f"`python profiler/benchmarks/known_truth.py`. Operators and queries are executed by the engine on the "
        f"embedded store; the time of a call is drawn from the law in `service_times.py` with {law} (seed "
        f"{lists.seed}) and passes on a virtual clock. {known} The exact p99 is that of a million draws from the "
        f"same law, known to ± 0.4 %; the p99s of the queries as they were executed among the operators, about "
        f"2,000 times each, agree with it within their own 95 % intervals in {agree} of {len(cases)} cases. All goals "
        f"are held against the exact p99s: an under-prediction counts where the exact p99 lies above it. "
        f"Measuring took {seconds:.0f} s of processor time."
    )
    return "\n\n".join([protocol, *tables(lists, rows)])


def _profile(lists: Lists, profile: Measurements) -> str:
    """A sentence about the profile."""
    grid = GRIDS[lists.profile["grid"]]
    return (
        f"The profile: grid `{grid.name}`, {len(grid.points)} points and {len(grid.checks)} checks, "
        f"{profile.executions():,} executions, load {lists.profile['load']:g}, correlation {profile.correlation:.2f}."
    )


def cluster_section(lists: Lists, validation: Validation, where: str) -> str:
    """The section of a cluster: how it was measured, and the tables. `where` is a sentence about the nodes."""
    settings = validation.settings
    minutes = settings.intervals * settings.interval_seconds / 60
    executions = [row.histogram.total for row in validation.rows]
    protocol = (
        f"`python profiler/benchmarks/on_cluster.py`. {where}. Measured for {minutes:g} minutes, each query between "
        f"{min(executions):,} and {max(executions):,} times; a p99 of less than what 300 independent executions are "
        f"worth has no upper end, and its goals stay undecidable. {settings.intervals} rounds of "
        f"{settings.interval_seconds:g} s, in each of which every point of the grid `{settings.grid.name}` and every "
        f"query has its turn, in an order shuffled anew (seed {settings.seed}), open loop, the client busy for "
        f"{settings.load:.0%} of its time; what is known to ± {settings.precision:.0%} leaves time to others. An "
        "under-prediction counts only where the whole interval lies above the prediction."
    )
    rows = {row.query: row for row in validation.rows}
    return "\n\n".join([protocol, *tables(lists, rows)])


def tables(lists: Lists, rows: Mapping[str, Row]) -> list[str]:
    """The goals, then Table 1, the unseen cardinalities, the cells of figure 6 and writes, as far as listed."""
    parts = {part: [rows[name_of(case)] for case in cases] for part, cases in lists.parts.items()}
    goals: list[Goal] = []
    sections: list[str] = []
    if of_table_1 := parts.get("table_1"):
        goals += goals_of_queries(of_table_1, DEFAULT_MODEL, _PAPER)
        sections.append("### Table 1\n\n" + _rows(of_table_1))
    if unseen := parts.get("unseen"):
        goals.append(goal_of_unseen(unseen, DEFAULT_MODEL))
        sections.append("### Unseen cardinalities\n\n" + _rows(unseen))
    if cells := parts.get("figure_6"):
        width = len({case["count"] for case in lists.parts["figure_6"]})
        goals += goals_of_map(cells, DEFAULT_MODEL, width)
        sections.append("### The 25 cells of figure 6\n\n" + _map(cells))
    if writes := parts.get("writes"):
        sections.append("### Writes\n\n" + _rows(writes))
    held, bounded = covered([case for part in parts.values() for case in part])
    return [
        *([_goals(goals)] if goals else []),
        f"The bound that should hold for 9 of 10 held for {held} of {bounded}.",
        *sections,
    ]


def _goals(goals: Sequence[Goal]) -> str:
    """The table of goals; a range that holds the limit is undecidable."""
    lines = ["| goal | limit | value | range | |", "| --- | ---: | ---: | ---: | --- |"]
    for goal in goals:
        show = (lambda value: f"{value:.1%}") if goal.is_share else (lambda value: f"{value:.3f}")
        sign = "≥" if goal.is_least else "≤"
        ends = f"{show(min(goal.best, goal.worst))} … {show(max(goal.best, goal.worst))}"
        lines.append(f"| {goal.name} | {sign} {show(goal.limit)} | {show(goal.value)} | {ends} | {goal.verdict} |")
    return "\n".join(lines)


def _rows(rows: Sequence[Row]) -> str:
    """The table of queries, and below it a line for each model."""
    lines = [
        "| query | operators | p99, ms (95 %) | paper | error | surface | error | 9 of 10 within |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        predicted = " | ".join(
            f"{row.predicted_us[name] / 1000:.2f} | {row.error(name):+.1%}" for name in (_PAPER, DEFAULT_MODEL)
        )
        actual = row.actual
        bound = "–" if row.conservative_us is None else f"{row.conservative_us / 1000:.2f}"
        lines.append(
            f"| {row.query} | {row.operators} | {actual.estimate_us / 1000:.2f} "
            f"({actual.low_us / 1000:.2f} – {_ms(actual.high_us)}) | {predicted} | {bound} |"
        )
    return "\n".join([*lines, "", *_summaries(rows)])


def _summaries(rows: Sequence[Row]) -> list[str]:
    """A line for each model with its errors over all rows."""
    lines = []
    for name in (_PAPER, DEFAULT_MODEL):
        summary = summary_of(name, rows)
        medians = summary.median_absolute_error
        of_medians = "" if medians is None else f" (of medians {medians:.1%})"
        lines.append(
            f"- {name}: mean absolute error {summary.mean_absolute_error:.1%}{of_medians}, bias {summary.bias:+.1%}, "
            f"worst {summary.worst_over:+.1%} and {summary.worst_under:+.1%}, "
            f"excess pinball loss {summary.excess_pinball_us:.2f} µs, "
            f"false-safe {summary.false_safe:.1%}, false-alarm {summary.false_alarm:.1%}"
        )
    return lines


def _map(rows: Sequence[Row]) -> str:
    """The table of figure 6: p99 and the error of its prediction, a line for each number of subscriptions."""
    cells: dict[str, list[Row]] = {}
    for row in rows:
        _, follows, _ = row.query.split(", ")
        cells.setdefault(follows, []).append(row)
    counts = [cell.query.split()[-1] for cell in next(iter(cells.values()))]
    lines = [f"| subscriptions ╲ page | {' | '.join(counts)} |", "| --- |" + " ---: |" * len(counts)]
    for follows, line in cells.items():
        texts = (f"{row.actual.estimate_us / 1000:.2f} ms, {row.error(DEFAULT_MODEL):+.1%}" for row in line)
        lines.append(f"| {follows} | {' | '.join(texts)} |")
    return "\n".join([*lines, "", *_summaries(rows)])


def _ms(microseconds: float) -> str:
    return "∞" if math.isinf(microseconds) else f"{microseconds / 1000:.2f}"
