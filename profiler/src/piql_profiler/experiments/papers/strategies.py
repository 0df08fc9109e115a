"""VLDB 2012, figure 12: the queries of TPC-W with a row at a time, with limit hints, and with parallel requests."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import piql
from piql.runtime.execution.strategy import Strategy

from piql_profiler.experiments.drawing import drawing
from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.stage import Simulated, Stage
from piql_profiler.experiments.verdicts import Claim, Interval, all_of, at_least, p99, ratio_of, shown


class _Way(NamedTuple):
    """A way to execute: the strategy of the engine, and whether the store is asked for a row at a time."""

    label: str
    strategy: Strategy
    row_at_a_time: bool


_WAYS = (
    _Way("lazy: a row at a time", "lazy", True),
    _Way("simple: limit hints, one request after the other", "simple", False),
    _Way("parallel: limit hints, requests together", "parallel", False),
)
_LAZY, _SIMPLE, _PARALLEL = (way.label for way in _WAYS)


class _Cell(NamedTuple):
    """What a query took in one way: ms by execution, and the most requests and calls of one."""

    times_ms: list[float]
    requests: int
    round_trips: int


_Results = Mapping[tuple[str, str], _Cell]
"""By the name of a query and the label of a way."""


def _run(stage: Stage) -> Outcome:
    executions = stage.number(1_000, 300)
    data = stage.rows("tpcw", customers=stage.number(400, 60), items=stage.number(1_000, 200))
    with stage.simulated() as simulated:
        simulated.db.deploy(piql.compile(stage.folder("tpcw")))
        for table, rows in data.items():
            simulated.db.load(table, rows)
        results = dict(_measured(simulated, stage, data, executions))
    queries = list(dict.fromkeys(query for query, _ in results))
    return Outcome(
        how=f"A simulated store, seed {stage.seed}, TPC-W with {len(data['customer']):,} customers and "
        f"{len(data['item']):,} items, {executions:,} executions of each query in each way, with the same parameters. "
        f"{stage.law.said()} With a row at a time a range of k rows takes k requests, and one more where it ends "
        "before its limit.",
        columns=("query", "strategy", "requests", "round trips", "p50 ms", "p99 ms"),
        rows=tuple(_row(query, way.label, results[query, way.label]) for query in queries for way in _WAYS),
        chart=Chart(
            "TPC-W by execution strategy",
            "",
            "p99, ms",
            tuple(
                Series(
                    label.partition(":")[0],
                    tuple((query, float(np.quantile(results[query, label].times_ms, 0.99))) for query in queries),
                )
                for label in (_LAZY, _SIMPLE, _PARALLEL)
            ),
            "linear",
        ),
        claims=_claims(queries, results),
    )


def _measured(
    simulated: Simulated, stage: Stage, data: Mapping[str, list[dict[str, Any]]], executions: int
) -> Iterator[tuple[tuple[str, str], _Cell]]:
    """Execute each query in each way with the same parameters."""
    for query, draw in drawing(data).items():
        answers = []
        for way in _WAYS:
            chance = random.Random(f"{stage.seed} {query}")
            simulated.store.row_at_a_time = way.row_at_a_time
            times, requests, trips = [], 0, 0
            rows: list[object] = []
            for _ in range(executions):
                before, began = simulated.store.counted, simulated.clock.now()
                page = simulated.db.execute(query, draw(chance), strategy=way.strategy)
                times.append((simulated.clock.now() - began) * 1000)
                rows.append(page.rows)
                counted = simulated.store.counted
                requests = max(requests, counted.requests - before.requests)
                trips = max(trips, _trips(way, counted.requests - before.requests, counted.calls - before.calls))
            answers.append(rows)
            yield (query, way.label), _Cell(times, requests, trips)
        if answers[0] != answers[1] or answers[1] != answers[2]:
            raise DifferentAnswers(query)


class DifferentAnswers(Exception):
    """Two strategies returned different rows for the same parameters."""


def _trips(way: _Way, requests: int, calls: int) -> int:
    """Return how often an execution waited: for each request where they are sent one by one."""
    return calls if way.strategy == "parallel" else requests


def _row(query: str, label: str, cell: _Cell) -> Row:
    return {
        "query": query,
        "strategy": label,
        "requests": cell.requests,
        "round trips": cell.round_trips,
        "p50 ms": float(np.quantile(cell.times_ms, 0.5)),
        "p99 ms": float(np.quantile(cell.times_ms, 0.99)),
    }


def _claims(queries: list[str], results: _Results) -> tuple[Claim, ...]:
    return (
        _claim("limit hints matter: without them a query is slower", queries, results, _LAZY, _SIMPLE),
        _claim("parallel requests matter: without them a query is slower", queries, results, _SIMPLE, _PARALLEL),
    )


def _claim(paper: str, queries: list[str], results: _Results, slow: str, fast: str) -> Claim:
    """Compare two ways by the queries that wait more often in the slow one."""
    ratios: dict[str, Interval] = {}
    for query in queries:
        above, below = results[query, slow], results[query, fast]
        if above.round_trips > below.round_trips:
            ratios[query] = ratio_of(p99, above.times_ms, below.times_ms)
    slower = [query for query, ratio in ratios.items() if ratio.low > 1.0]
    least, most = (pick(ratios, key=lambda query: ratios[query].estimate) for pick in (min, max))
    return Claim(
        paper,
        f"slower in {len(slower)} of the {len(ratios)} queries that then wait more often, by the p99: from "
        f"{shown(ratios[least])} times ({least}) to {shown(ratios[most], 1)} times ({most}); the other "
        f"{len(queries) - len(ratios)} wait as often in both",
        all_of([at_least(ratio, 1.0) for ratio in ratios.values()]),
    )


EXPERIMENT = Experiment(
    name="vldb-figure-12",
    paper="VLDB 2012, figure 12",
    title="Execution strategies",
    about="The p99 of TPC-W's queries with a row at a time, with limit hints, and with parallel requests.",
    minutes=2,
    run=_run,
    not_on_stores="a row at a time is counted on a simulated store, and no store is asked that way",
)
