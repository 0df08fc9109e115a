"""What `piql capacity` prints of a `Report`, as tables or as JSON.

                a second  of a node  p99 now                             SLO
thoughtstream         10       23 %  ≈ 160 ms (9 of 10 from 96 to 240)   200 ms, kept

Nodes are busy to ≈ 24 % (9 of 10 from 20 to 31 %): under-used.
All rates together may grow ≈ 2.1 times (9 of 10 from 1.6 to 2.8).
Breaks first: thoughtstream, in 93 of 100 draws, when nodes are busy to ≈ 50 %.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from piql_profiler.capacity.limits import First
from piql_profiler.capacity.load import QueryLoad
from piql_profiler.capacity.mix import NODES
from piql_profiler.capacity.report import Report, Success
from piql_profiler.capacity.success import Stage
from piql_profiler.capacity.uncertain import Answer

_UNITS = ("", "k", "M", "G", "T", "P", "E")


def as_json(report: Report, notes: Sequence[str]) -> dict[str, Any]:
    """The report as an object; answers are lists of the 5, 50 and 95 % points, null where they are without end."""
    load, capacity = report.load, report.capacity
    return {
        "nodes": load.cluster.nodes,
        "cores": load.cluster.cores,
        "demands": report.origin,
        "queries": [
            {
                "query": query.name,
                "per_second": [query.per_second.low, query.per_second.mid, query.per_second.high],
                "share_of_node": share,
                "p99_ms": _points(p99),
                "slo_ms": None if query.slo is None else query.slo.threshold_ms,
            }
            for query, share, p99 in zip(load.queries, capacity.shares, capacity.p99_ms, strict=True)
        ],
        "utilisation": _points(capacity.utilisation),
        "state": capacity.state,
        "growth": _points(capacity.growth),
        "breaks_first": [
            {
                "name": first.name,
                "share_of_draws": first.share,
                "utilisation": first.utilisation,
                "is_slow_alone": first.is_slow_alone,
            }
            for first in capacity.firsts
        ],
        "nodes_needed": None if report.nodes is None or report.nodes.answer is None else _points(report.nodes.answer),
        "success": None
        if report.success is None
        else [_stage_json(report.success, at) for at in report.success.stages],
        "users_of_one_node": None
        if report.success is None or report.success.of_one_node is None
        else _points(report.success.of_one_node),
        "unbounded_breaks_at_users": None if report.success is None else list(report.success.breaks_at),
        "notes": list(notes),
    }


def print_report(report: Report, notes: Sequence[str]) -> None:
    """Print the queries with their shares, what the store takes, and the growth of users if it was asked for."""
    for note in notes:
        print(f"piql capacity: {note}", file=sys.stderr)
    load, capacity = report.load, report.capacity
    cluster = load.cluster
    of_what = f"Nodes: {cluster.nodes}, cores of each: {cluster.cores}"
    if report.is_one_node:
        of_what = "One embedded store"
    print(f"{of_what}. The work of a query is {report.origin}.\n")
    rows = [("", "a second", "of a node", "p99 now", "SLO")]
    for query, share, p99 in zip(load.queries, capacity.shares, capacity.p99_ms, strict=True):
        rows.append(
            (query.name, _short(query.per_second.mid), _percent(share), _estimate(p99, " ms"), _slo(query, p99))
        )
    _print_table(rows)
    busy = capacity.utilisation
    print(
        f"\nNodes are busy to ≈ {_percent(busy.mid)} ({_from_to(_percent(busy.low), _percent(busy.high))}):"
        f" {capacity.state}."
    )
    first = capacity.firsts[0]
    if first.is_slow_alone:
        print(
            f"{first.name} breaks its SLO with nothing else running. No smaller rate and no more nodes help it; "
            "smaller limits may (--set)."
        )
    elif capacity.growth.mid < 1.0:
        parts = [100 * at for at in (capacity.growth.low, capacity.growth.mid, capacity.growth.high)]
        print(f"All rates together must fall to {_estimate(Answer(*parts), ' %')} of what they are.")
    else:
        print(f"All rates together may grow {_estimate(capacity.growth, ' times')}.")
    for at, candidate in enumerate(capacity.firsts[:3]):
        print(f"{'Breaks first' if at == 0 else 'Or it is'}: {_binding(candidate)}.")
    if report.nodes is not None and report.nodes.answer is not None:
        print(f"These rates need {_estimate(report.nodes.answer, ' nodes')}, none busier than 85 %.")
    if report.success is not None:
        _print_success(report, report.success)


def _binding(first: First) -> str:
    draws = f"in {100 * first.share:.0f} of 100 draws"
    if first.is_slow_alone:
        return f"{first.name}, {draws}, at any load"
    what = "nothing does before the nodes are full" if first.name == NODES else first.name
    return f"{what}, {draws}, when nodes are busy to ≈ {_percent(first.utilisation)}"


def _slo(query: QueryLoad, p99: Answer) -> str:
    if query.slo is None:
        return "none"
    verdict = "kept" if p99.high <= query.slo.threshold_ms else "BROKEN" if p99.low > query.slo.threshold_ms else ""
    if not verdict:
        verdict = "likely kept" if p99.mid <= query.slo.threshold_ms else "likely BROKEN"
    return f"{_short(query.slo.threshold_ms)} ms, {verdict}"


def _print_success(report: Report, success: Success) -> None:
    """A line for each number of users, with the p99 of each query on as many nodes as it needs."""
    queries = [f"p{100 * query.quantile:.6g} {query.name}" for query in report.load.queries]
    plans = [plan.query for plan in success.growing.unbounded]
    head = ["users", "requests/s", "data", "nodes", "binds", *queries]
    rows = [tuple(head + [f"{name} without a bound" for name in plans])]
    for stage in success.stages:
        nodes = "–" if stage.nodes is None else _short(stage.nodes.mid)
        if stage.nodes is not None and stage.nodes.high > stage.nodes.low:
            nodes += f" ({_short(stage.nodes.low)} to {_short(stage.nodes.high)})"
        data = f"{_short(stage.stored_bytes)}B" if success.growing.tables else "?"
        p99s = [f"{_short(p99)} ms" for p99 in (*(p99.mid for p99 in stage.p99_ms), *stage.unbounded_ms)]
        requests = _short(stage.requests_per_second)
        rows.append((_short(stage.users), requests, data, "1" if report.is_one_node else nodes, stage.binding, *p99s))
    if success.stages:
        print("\nAs users come, at the same rates of each user (all numbers are estimates, ≈):\n")
        _print_table(rows)
    if success.of_one_node is not None:
        why = "; more would not fit into it" if success.is_full_of_data else ""
        print(f"\nThe one node takes {_estimate(success.of_one_node, ' users')}{why}.")
    for plan, users in zip(success.growing.unbounded, success.breaks_at, strict=True):
        if users is not None:
            print(f"{plan.query} without a bound breaks the SLO from ≈ {_short(users)} users on, on nodes at rest.")


def _stage_json(success: Success, stage: Stage) -> dict[str, Any]:
    return {
        "users": stage.users,
        "requests_per_second": stage.requests_per_second,
        "bytes": {
            table.name: _points(answer)
            for table, answer in zip(success.growing.tables, stage.bytes_of_tables, strict=True)
        },
        "nodes": None if stage.nodes is None else _points(stage.nodes),
        "binding": stage.binding,
        "p99_ms": [_points(p99) for p99 in stage.p99_ms],
        "unbounded_ms": list(stage.unbounded_ms),
    }


def _points(answer: Answer) -> list[float | None]:
    return [at if math.isfinite(at) else None for at in (answer.low, answer.mid, answer.high)]


def _estimate(answer: Answer, unit: str) -> str:
    """`≈ 2.1 times (9 of 10 from 1.6 to 2.8)`; without the brackets where all draws agree."""
    if not math.isfinite(answer.mid):
        return "without end"
    if _short(answer.low) == _short(answer.high):
        return f"≈ {_short(answer.mid)}{unit}"
    return f"≈ {_short(answer.mid)}{unit} ({_from_to(_short(answer.low), _short(answer.high))})"


def _from_to(low: str, high: str) -> str:
    return f"9 of 10 from {low} to {high}"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def _short(number: float) -> str:
    """Three digits with a unit: `1.25M`."""
    if not math.isfinite(number):
        return "∞"
    power = min(max(0, math.floor(math.log10(number) / 3)), len(_UNITS) - 1) if number >= 1000 else 0
    scaled = number / 1000**power
    digits = f"{scaled:.3g}" if scaled < 1000 else f"{scaled:.0f}"
    return f"{digits}{_UNITS[power]}"


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    """The first column and texts to the left, numbers to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if at == 0 or " (" in cell or "," in cell else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
