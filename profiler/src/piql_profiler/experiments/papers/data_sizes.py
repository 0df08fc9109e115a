"""SoCC 2010, figure 4: thoughtstream stays as fast as users come."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from time import perf_counter

import numpy as np
import piql
from piql.client.database import Database

from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.stage import Stage
from piql_profiler.experiments.verdicts import Claim, Interval, all_of, at_most, exactly, median, p99, ratio_of, shown

_FOLLOWED, _THOUGHTS, _COUNT = 10, 20, 10
_CALLS = 20  # of a size in a round
_MOST_GROWTH = 1.10
_QUERIES = ("thoughtstream", "findUser")
_Key = tuple[str, int]


def _run(stage: Stage) -> Outcome:
    sizes = (50, 200) if stage.is_short else (100, 1_000, 10_000)
    requests: dict[_Key, set[int]] = {(query, size): set() for query in _QUERIES for size in sizes}
    times: dict[_Key, list[float]] = {key: [] for key in requests}
    for round_, key, passed, asked in _calls(stage, sizes):
        requests[key].add(asked)
        if round_:  # the first round is not counted
            times[key].append(passed)
    return Outcome(
        how=f"{stage.said('Embedded stores of this machine')}, one for each number of users, {_FOLLOWED} "
        f"subscriptions and {_THOUGHTS} thoughts each, as in the paper; all sizes in turns, "
        f"{len(times[_QUERIES[0], sizes[0]]):,} calls a row one after another. Times are those of this machine, so "
        "that other programs are in them; the paper had 20 to 100 machines.",
        columns=("query", "users", "rows", "requests", "p50 ms", "p99 ms"),
        rows=tuple(_row(key, requests[key], times[key]) for key in requests),
        chart=Chart(
            "Latency as users come",
            "users",
            "p99, ms",
            tuple(
                Series(query, tuple((size, float(np.quantile(times[query, size], 0.99))) for size in sizes))
                for query in _QUERIES
            ),
        ),
        claims=_claims(sizes, requests, times),
    )


def _calls(stage: Stage, sizes: tuple[int, ...]) -> Iterator[tuple[int, _Key, float, int]]:
    """Call both queries on all sizes in shuffled rounds: round, query and size, ms, requests."""
    chance = random.Random(stage.seed)
    compilation = piql.compile(stage.folder("scadr"))
    with ExitStack() as stack:
        filled: dict[int, tuple[Database, list[str]]] = {}
        for size in sizes:
            db = stack.enter_context(stage.embedded())
            db.deploy(compilation)
            data = stage.rows("scadr", users=size, thoughts_per_user=_THOUGHTS, subscriptions_per_user=_FOLLOWED)
            for table, rows in data.items():
                db.load(table, [row | {"approved": True} if "approved" in row else row for row in rows])
            names = [row["username"] for row in data["users"]]
            filled[size] = (db, chance.sample(names, min(len(names), 1_000)))
        keys = [(query, size) for query in _QUERIES for size in sizes]
        for round_ in range(stage.number(150, 5) + 1):
            for query, size in chance.sample(keys, len(keys)):
                db, names = filled[size]
                for name in chance.choices(names, k=_CALLS):
                    parameters = {"username": name} if query == "findUser" else {"me": name, "count": _COUNT}
                    began = perf_counter()
                    page = db.execute(query, parameters)
                    yield round_, (query, size), (perf_counter() - began) * 1000, page.operations


def _row(key: _Key, requests: set[int], times: list[float]) -> Row:
    query, users = key
    return {
        "query": query,
        "users": users,
        "rows": users * (1 + _FOLLOWED + _THOUGHTS),
        "requests": max(requests),
        "p50 ms": float(np.quantile(times, 0.5)),
        "p99 ms": float(np.quantile(times, 0.99)),
    }


def _claims(
    sizes: tuple[int, ...], requests: dict[_Key, set[int]], times: dict[_Key, list[float]]
) -> tuple[Claim, ...]:
    few, many = sizes[0], sizes[-1]
    counts = {query: set().union(*(requests[query, size] for size in sizes)) for query in _QUERIES}
    medians, tails = (
        {query: ratio_of(statistic, times[query, many], times[query, few]) for query in _QUERIES}
        for statistic in (median, p99)
    )
    return (
        Claim(
            "queries do the same work however many users there are",
            "; ".join(f"{query}: {', '.join(map(str, sorted(counts[query])))} requests" for query in _QUERIES)
            + f", with {few:,} to {many:,} users",
            exactly(all(len(of_query) == 1 for of_query in counts.values())),
        ),
        Claim(
            "the latency of thoughtstream remains virtually constant",
            f"with {many:,} users against {few:,}, at most {_MOST_GROWTH} claimed: the median is "
            f"{shown(_of(medians))} times as long, the p99 {shown(_of(tails))} times",
            all_of([at_most(_of(ratios), _MOST_GROWTH) for ratios in (medians, tails)]),
        ),
        Claim(
            "90 % of queries are answered in less than 600 ms, on 20 to 100 small machines of EC2",
            "not measured here: machines, network and store are others",
            "undecidable",
        ),
    )


def _of(ratios: dict[str, Interval]) -> Interval:
    return ratios["thoughtstream"]


EXPERIMENT = Experiment(
    name="socc-figure-4",
    paper="SoCC 2010, figure 4",
    title="Latency as users come",
    about="Requests and times of thoughtstream with 100, 1,000 and 10,000 users.",
    minutes=2,
    run=_run,
)
