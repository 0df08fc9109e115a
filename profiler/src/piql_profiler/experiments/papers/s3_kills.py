"""SIGMOD 2008, sections 4 and 5: what killed clients, and messages that come twice or late, leave at each level."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.s3_levels.client import LEVELS, Client, Level
from piql_profiler.experiments.s3_levels.commits import checkpoint, commit
from piql_profiler.experiments.s3_levels.database import load, new_client, stored
from piql_profiler.experiments.s3_levels.kills import (
    LONG_SECONDS,
    Kills,
    changes_there,
    checkpoint_all,
    kill_before_each_request,
)
from piql_profiler.experiments.s3_levels.server import running
from piql_profiler.experiments.s3_levels.services import Connection, Services
from piql_profiler.experiments.stage import Stage
from piql_profiler.experiments.verdicts import Claim, exactly

_ITEMS = [f"item{at}" for at in range(8)]
_RECORDS = {
    "customer": {"ada": "{}"},
    "item": dict.fromkeys(_ITEMS, '{"i_stock": 20}'),
    "orders": {},
    "order_line": {},
}
_AT_ONCE = 6  # levels, each with databases of its own
_CHECKPOINTS = 12  # until all messages have come, whatever the server does with them
_QUEUED: tuple[Level, ...] = ("basic", "monotonicity", "atomicity")


class _OfLevel(NamedTuple):
    """What became of one level; nothing of queues at naive, which has none."""

    overwritten: int
    kind: Kills | None = None
    faulty: Kills | None = None
    turned: int | None = None

    @property
    def kills(self) -> Kills:
        """Return all kills, whatever the queues did."""
        return (self.kind or Kills()) + (self.faulty or Kills())


def _run(stage: Stage) -> Outcome:
    tries = stage.number(12, 3)
    with running() as endpoint, ThreadPoolExecutor(_AT_ONCE) as workers:
        levels = _levels(Connection(endpoint), workers, stage, tries)
    return Outcome(
        how=f"Clients against ministack on this machine, a server of the protocols of S3 and SQS, seed {stage.seed}; "
        "each database is of its own. *Kills*: a client of the bookstore's transaction ends before one of the requests "
        f"of its commit or of the checkpoints after it: before {'every sixth' if stage.is_short else 'each'} of them, "
        "once with queues that keep all in order, and once with *faulty* ones: every fourth message is sent twice, "
        "messages come in any order, and half of them later. Then its tokens and messages time out. Another client "
        "updates the items that are changed in the bucket already; at atomicity the first one starts again; a third "
        "checkpoints until the queues are empty. *Twice*: the first client's update is there again, over the later "
        "one. "
        "*Overwritten*: two clients with the same page in their caches update two records of it, one after the other, "
        f"{tries} times. *Turned*: a client updates a record twice, {tries} times, with faulty queues.",
        columns=tuple(_row("naive", levels["naive"], tries)),
        rows=tuple(_row(level, of_level, tries) for level, of_level in levels.items()),
        chart=Chart(
            "What a level lets happen",
            "",
            "times",
            (
                Series("overwritten", tuple((level, float(levels[level].overwritten)) for level in LEVELS)),
                Series("torn", tuple((level, float(levels[level].kills.torn)) for level in _QUEUED)),
                Series("applied twice", tuple((level, float(levels[level].kills.twice)) for level in _QUEUED)),
                Series("in the wrong order", tuple((level, float(levels[level].turned or 0)) for level in _QUEUED)),
            ),
            "linear",
        ),
        claims=tuple(_claims(levels, tries)),
    )


def _levels(connection: Connection, workers: ThreadPoolExecutor, stage: Stage, tries: int) -> Mapping[Level, _OfLevel]:
    """Try each level, several at once."""
    every = stage.number(1, 6)
    killing = {
        (level, faulty): workers.submit(
            kill_before_each_request, connection, level, _RECORDS, every=every, faulty=faulty
        )
        for level in _QUEUED
        for faulty in (stage.seed, None)
    }
    turning = {level: workers.submit(_turned, connection, level, tries, stage.seed) for level in _QUEUED}
    pairing = {level: workers.submit(_overwritten, connection, level, tries) for level in LEVELS}
    levels: dict[Level, _OfLevel] = {"naive": _OfLevel(pairing["naive"].result())}
    for level in _QUEUED:
        levels[level] = _OfLevel(
            pairing[level].result(),
            killing[level, None].result(),
            killing[level, stage.seed].result(),
            turning[level].result(),
        )
    return levels


def _row(level: Level, of_level: _OfLevel, tries: int) -> Row:
    has_queues, kills, faulty = of_level.kind is not None, of_level.kills, of_level.faulty or Kills()
    return {
        "level": level,
        "kills": kills.kills if has_queues else None,
        "with faulty queues": faulty.kills if has_queues else None,
        "acknowledged": kills.acknowledged if has_queues else None,
        "acknowledged and lost": kills.lost if has_queues else None,
        "torn": kills.torn if has_queues else None,
        "applied twice": kills.twice if has_queues else None,
        "pairs of updates": tries,
        "overwritten": of_level.overwritten,
        "in the wrong order": of_level.turned,
    }


def _overwritten(connection: Connection, level: Level, tries: int) -> int:
    """Return how often one client's update is gone after another client's, of another record of the page."""
    lost = 0
    for at in range(tries):
        prefix = f"pair-{level}-{at}"
        load(Services(connection, prefix), _RECORDS)
        clients = [_client(Services(connection, prefix), name, level) for name in ("one", "two")]
        for client, item in zip(clients, _ITEMS, strict=False):
            client.update("item", item, "changed")
        logs = [list(client.log) for client in clients]
        for client in clients:
            commit(client)
        if level != "naive":
            checkpoint_all(_client(Services(connection, prefix), "three", level), logs[0])
        lost += not all(present for log in logs for present in changes_there(Services(connection, prefix), log))
    return lost


def _turned(connection: Connection, level: Level, tries: int, seed: int) -> int:
    """Return how often a record has the first of two updates of one client in the end."""
    wrong = 0
    for at in range(tries):
        prefix = f"turn-{level}-{at}"
        load(Services(connection, prefix), _RECORDS)
        client = new_client(
            Services(connection, prefix), "one", level=level, interval=float("inf"), lock_seconds=LONG_SECONDS
        )
        client.services.unkind = random.Random(f"{seed} {at}")
        for payload in ("first", "second"):
            client.update("item", _ITEMS[0], payload)
            log = list(client.log)
            commit(client)
        other = new_client(Services(connection, prefix), "two", level=level, lock_seconds=LONG_SECONDS)
        other.services.unkind = random.Random(f"{at} {seed}")
        for _ in range(_CHECKPOINTS):
            checkpoint(other, log[0])
        wrong += stored(Services(connection, prefix), "item")[_ITEMS[0]] != "second"
    return wrong


def _client(services: Services, name: str, level: Level) -> Client:
    """Return a client that checkpoints after each commit."""
    return new_client(services, name, level=level, interval=-1.0, lock_seconds=LONG_SECONDS)


def _claims(levels: Mapping[Level, _OfLevel], tries: int) -> Iterator[Claim]:
    kills = {level: levels[level].kills for level in _QUEUED}
    turned = {level: levels[level].turned or 0 for level in _QUEUED}
    excluded = kills["monotonicity"].twice + kills["atomicity"].twice
    yield Claim(
        "naive is subject to lost updates",
        f"{levels['naive'].overwritten} of {tries} pairs of updates lost the first",
        exactly(levels["naive"].overwritten > 0),
    )
    yield Claim(
        "with queues no update overwrites another client's",
        "; ".join(f"{level}: {levels[level].overwritten} of {tries}" for level in _QUEUED),
        exactly(not any(levels[level].overwritten for level in _QUEUED)),
    )
    yield Claim(
        "a committed transaction is never lost, whenever its client fails",
        "; ".join(
            f"{level}: {kills[level].lost} of {kills[level].acknowledged} acknowledged, in {kills[level].kills} kills"
            for level in _QUEUED
        ),
        exactly(not any(kills[level].lost for level in _QUEUED)),
    )
    yield Claim(
        "basic does not guarantee atomicity",
        f"{kills['basic'].torn} of {kills['basic'].kills} kills left some changes and not the others",
        exactly(kills["basic"].torn > 0),
    )
    yield Claim(
        "atomicity: all or none of the updates of a transaction become visible in the end",
        f"{kills['atomicity'].torn} of {kills['atomicity'].kills} kills left some changes and not the others",
        exactly(kills["atomicity"].torn == 0),
    )
    yield Claim(
        "basic may apply an update twice, over a later one; the log records of monotonic writes exclude it",
        "; ".join(f"{level}: {kills[level].twice} of {kills[level].kills} kills" for level in _QUEUED),
        exactly(not excluded) if excluded or kills["basic"].twice else "undecidable",
    )
    yield Claim(
        "basic may apply updates of one record in the wrong order, monotonic writes do not",
        "; ".join(f"{level}: {turned[level]} of {tries}" for level in _QUEUED),
        exactly(turned["basic"] > 0 and turned["monotonicity"] == turned["atomicity"] == 0),
    )


EXPERIMENT = Experiment(
    name="s3-kills",
    paper="SIGMOD 2008, sections 4 and 5",
    title="What failures leave on S3",
    about="Clients killed before each request of a commit, and messages doubled, turned and late, at each level.",
    minutes=6,
    run=_run,
    not_on_stores="it runs the paper's own protocols on S3 and SQS, and starts a server of both on this machine",
)
