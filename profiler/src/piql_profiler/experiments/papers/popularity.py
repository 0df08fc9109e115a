"""VLDB 2012, figure 7: which of 50 friends follow somebody? The bounded plan beside a scan of all who do."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import piql
from piql.client.database import Database, Page

from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.stage import Simulated, Stage
from piql_profiler.experiments.verdicts import Claim, Interval, all_of, at_least, at_most, exactly, p99, ratio_of, shown

_FRIENDS = 50
_MOST_GAIN = 4.0  # "up to 4x faster"
_MOST_GROWTH = 1.10
_POPULARITIES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000)
_TURNS = 20  # of all plans and targets on a store, whose times change while they are measured
_BOUNDED, _SCAN = "bounded: 50 gets", "cost-based: a scan of all followers"
_IN_TURNS = f" All plans and targets are called in {_TURNS} shuffled turns."


def _source(most: int) -> str:
    return f"""
CREATE TABLE subscriptions (target VARCHAR(32), owner VARCHAR(32), PRIMARY KEY (target, owner));
CREATE QUERY friendsAmong AS
SELECT owner FROM subscriptions WHERE target = [1: target] AND owner IN [2: friends] MAX {_FRIENDS};
CREATE QUERY followers AS SELECT owner FROM subscriptions WHERE target = [1: target] LIMIT {most};
"""


def _bounded(db: Database, target: str, friends: list[str]) -> Page:
    return db.execute("friendsAmong", {"target": target, "friends": friends})


def _scan(db: Database, target: str, friends: list[str]) -> Page:
    """Read all followers of a target; the application then keeps those that are friends."""
    return db.execute("followers", {"target": target})


_WAYS: Mapping[str, Callable[[Database, str, list[str]], Page]] = {_BOUNDED: _bounded, _SCAN: _scan}


@dataclass
class _Calls:
    """What the calls of one plan took, in ms, and the requests of each of them."""

    times_ms: list[float] = field(default_factory=list)
    requests: set[int] = field(default_factory=set)


_Results = Mapping[tuple[str, int], _Calls]
"""By the name of a plan and the followers of the target."""


class WrongAnswer(Exception):
    """A plan did not find the friends that follow the target."""


def _run(stage: Stage) -> Outcome:
    popularities = _POPULARITIES[: stage.number(len(_POPULARITIES), 5)]
    with stage.simulated() as simulated:
        results = _measured(simulated, stage, popularities)
    return Outcome(
        how=f"{stage.said('A simulated store')}, seed {stage.seed}. {stage.law_said()} Friends are drawn "
        f"anew for each call, and each answer was checked.{'' if stage.store is None else _IN_TURNS}",
        columns=("followers", "plan", "executions", "requests", "p50 ms", "p99 ms"),
        rows=tuple(_row(popularity, way, results) for popularity in popularities for way in _WAYS),
        chart=Chart(
            "Who of 50 friends follows a target?",
            "followers of the target",
            "p99, ms",
            tuple(
                Series(
                    way,
                    tuple((at, float(np.quantile(results[way, at].times_ms, 0.99))) for at in popularities),
                )
                for way in _WAYS
            ),
        ),
        claims=_claims(popularities, results),
    )


def _measured(simulated: Simulated, stage: Stage, popularities: tuple[int, ...]) -> _Results:
    """Call both plans for targets of each popularity, on a store in shuffled turns."""
    db = simulated.db
    db.deploy(piql.compile({"popularity.piql": _source(popularities[-1] + 1)}))
    for popularity in popularities:
        followers = ({"target": _target(popularity), "owner": _name(at)} for at in range(popularity))
        db.load("subscriptions", followers)
    chance = random.Random(stage.seed)
    results = {(way, popularity): _Calls() for way in _WAYS for popularity in popularities}
    turns = 1 if stage.store is None else _TURNS
    for _ in range(turns):
        for way, popularity in results if turns == 1 else chance.sample(list(results), len(results)):
            is_long = way == _SCAN and popularity > 1_000
            for _ in range(stage.number(400 if is_long else 2_000, 300 if turns == 1 else 3 * turns) // turns):
                friends = [_name(at) for at in chance.sample(range(2 * popularities[-1]), _FRIENDS)]
                _call(simulated, way, popularity, friends, results[way, popularity])
    return results


def _call(simulated: Simulated, way: str, popularity: int, friends: list[str], calls: _Calls) -> None:
    """Call a plan, and check its answer."""
    began = simulated.clock.now()
    page = _WAYS[way](simulated.db, _target(popularity), friends)
    calls.times_ms.append((simulated.clock.now() - began) * 1000)
    calls.requests.add(page.operations)
    if {row["owner"] for row in page.rows}.intersection(friends) != {
        friend for friend in friends if friend < _name(popularity)
    }:
        raise WrongAnswer(f"{way}, {popularity} followers")


def _row(popularity: int, way: str, results: _Results) -> Row:
    calls = results[way, popularity]
    return {
        "followers": popularity,
        "plan": way,
        "executions": len(calls.times_ms),
        "requests": max(calls.requests),
        "p50 ms": float(np.quantile(calls.times_ms, 0.5)),
        "p99 ms": float(np.quantile(calls.times_ms, 0.99)),
    }


def _claims(popularities: tuple[int, ...], results: _Results) -> tuple[Claim, ...]:
    few, many = popularities[0], popularities[-1]
    requests = set().union(*(results[_BOUNDED, at].requests for at in popularities))
    gain = _p99_ratio(results, (_BOUNDED, few), (_SCAN, few))
    growth = _p99_ratio(results, (_BOUNDED, many), (_BOUNDED, few))
    scans = _p99_ratio(results, (_SCAN, many), (_BOUNDED, many))
    return (
        Claim(
            "the scale-independent plan makes a fixed number of random reads, whoever the target is",
            f"requests of a call: {', '.join(map(str, sorted(requests)))}",
            exactly(requests == {_FRIENDS}),
        ),
        Claim(
            "for an unpopular target the cost-based plan is up to 4 times as fast",
            f"with {few} followers {shown(gain)} times as fast, at the p99",
            all_of((at_least(gain, 1.0), at_most(gain, _MOST_GAIN))),
        ),
        Claim(
            "the time of the scale-independent plan does not depend on the target's popularity",
            f"its p99 with {many:,} followers is {shown(growth)} times that with {few}; claimed at most {_MOST_GROWTH}",
            at_most(growth, _MOST_GROWTH),
        ),
        Claim(
            "for a popular target the cost-based plan is the slower one, and grows without end",
            f"with {many:,} followers its p99 is {shown(scans, 1)} times that of the other",
            at_least(scans, 1.0),
        ),
    )


def _p99_ratio(results: _Results, above: tuple[str, int], below: tuple[str, int]) -> Interval:
    return ratio_of(p99, results[above].times_ms, results[below].times_ms)


def _target(popularity: int) -> str:
    return f"target{popularity}"


def _name(number: int) -> str:
    return f"user{number:06}"


EXPERIMENT = Experiment(
    name="vldb-figure-7",
    paper="VLDB 2012, figure 7",
    title="A bounded plan and a cost-based one",
    about="How long both plans take for targets with more and more followers.",
    minutes=1,
    run=_run,
)
