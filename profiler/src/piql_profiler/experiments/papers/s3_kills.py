"""SIGMOD 2008, sections 4 and 5: what killed clients, and messages that come twice or late, leave at each level."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.s3_levels.bookstore import order
from piql_profiler.experiments.s3_levels.client import LEVELS, Client, Level
from piql_profiler.experiments.s3_levels.commits import checkpoint, commit, recover
from piql_profiler.experiments.s3_levels.database import load, new_client, stored
from piql_profiler.experiments.s3_levels.pages import LogRecord
from piql_profiler.experiments.s3_levels.server import running
from piql_profiler.experiments.s3_levels.services import Connection, Killed, Services
from piql_profiler.experiments.stage import Stage
from piql_profiler.experiments.verdicts import Claim, exactly

_HIDDEN_SECONDS = 2  # until the server gives a killed client's tokens and messages to others
_ITEMS = [f"item{at}" for at in range(8)]
_RECORDS = {
    "customer": {"ada": "{}"},
    "item": dict.fromkeys(_ITEMS, '{"i_stock": 20}'),
    "orders": {},
    "order_line": {},
}
_AT_ONCE = 6  # levels, each with databases of its own
_CHECKPOINTS = 12  # until all messages have come, whatever the server does with them
_LONG = 600  # seconds that a client has for a checkpoint that nobody disturbs
_QUEUED: tuple[Level, ...] = ("basic", "monotonicity", "atomicity")


@dataclass(slots=True)
class _Kills:
    """What became of the transactions whose client was killed before one of its requests."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0  # acknowledged, and not all of it is there
    torn: int = 0  # some of it is there, and some is not


def _run(stage: Stage) -> Outcome:
    tries = stage.number(12, 3)
    with running() as endpoint, ThreadPoolExecutor(_AT_ONCE) as workers:
        connection = Connection(endpoint)
        killing = {level: workers.submit(_killed, connection, level, stage) for level in _QUEUED}
        turning = {level: workers.submit(_turned, connection, level, tries, stage.seed) for level in _QUEUED}
        pairing = {level: workers.submit(_overwritten, connection, level, tries) for level in LEVELS}
        kills = {level: run.result() for level, run in killing.items()}
        turned = {level: run.result() for level, run in turning.items()}
        overwritten = {level: run.result() for level, run in pairing.items()}
    return Outcome(
        how="Clients against ministack on this machine, a server of the protocols of S3 and SQS; each database is of "
        "its own. *Kills*: a client of the bookstore's transaction ends before one of the requests of its commit or of "
        f"the checkpoints after it: before {'every sixth' if stage.is_short else 'each'} of them. Then its "
        "tokens and messages time out, at atomicity it starts again, and another client checkpoints all. "
        "*Overwritten*: two clients with the same page in their caches update two records of it, one after the other, "
        f"{tries} times. "
        f"*Turned*: a client updates a record twice, {tries} times, where every fourth message is sent twice, messages "
        "come in any order, and half of them later.",
        columns=tuple(_row("naive", kills, overwritten, turned, tries)),
        rows=tuple(_row(level, kills, overwritten, turned, tries) for level in LEVELS),
        chart=Chart(
            "What a level lets happen",
            "",
            "times",
            (
                Series("overwritten", tuple((level, float(overwritten[level])) for level in LEVELS)),
                Series("torn", tuple((level, float(kills[level].torn)) for level in _QUEUED)),
                Series("in the wrong order", tuple((level, float(turned[level])) for level in _QUEUED)),
            ),
            "linear",
        ),
        claims=tuple(_claims(kills, overwritten, turned, tries)),
    )


def _row(
    level: Level, kills: dict[Level, _Kills], overwritten: dict[Level, int], turned: dict[Level, int], tries: int
) -> Row:
    of_level = kills.get(level)
    return {
        "level": level,
        "kills": of_level.kills if of_level else None,
        "acknowledged": of_level.acknowledged if of_level else None,
        "acknowledged and lost": of_level.lost if of_level else None,
        "torn": of_level.torn if of_level else None,
        "pairs of updates": tries,
        "overwritten": overwritten[level],
        "in the wrong order": turned.get(level),
    }


def _killed(connection: Connection, level: Level, stage: Stage) -> _Kills:
    """Kill a client before each of its requests from the commit on, each time on a new database."""
    waiting: list[tuple[str, list[LogRecord], bool]] = []
    for before in range(0, 1_000, stage.number(1, 6)):
        prefix = f"kill-{level}-{before}"
        load(Services(connection, prefix), _RECORDS)
        client = _client(Services(connection, prefix), "one", level, _HIDDEN_SECONDS)
        order(client, ["ada"], _ITEMS, random.Random(before))
        log = list(client.log)
        client.services.dies_before = before
        try:
            commit(client)
        except Killed:
            waiting.append((prefix, log, client.commits == 1))
        else:
            break
    time.sleep(_HIDDEN_SECONDS + 1)
    kills = _Kills()
    for prefix, log, is_acknowledged in waiting:
        if level == "atomicity":
            recover(_client(Services(connection, prefix), "one", level))
        _checkpoint_all(_client(Services(connection, prefix), "two", level), log)
        present = _present(Services(connection, prefix), log)
        kills.kills += 1
        kills.acknowledged += is_acknowledged
        kills.lost += is_acknowledged and not all(present)
        kills.torn += any(present) and not all(present)
    return kills


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
            _checkpoint_all(_client(Services(connection, prefix), "three", level), logs[0])
        lost += not all(present for log in logs for present in _present(Services(connection, prefix), log))
    return lost


def _turned(connection: Connection, level: Level, tries: int, seed: int) -> int:
    """Return how often a record has the first of two updates of one client in the end."""
    wrong = 0
    for at in range(tries):
        prefix = f"turn-{level}-{at}"
        load(Services(connection, prefix), _RECORDS)
        client = new_client(Services(connection, prefix), "one", level=level, interval=float("inf"), lock_seconds=_LONG)
        client.services.unkind = random.Random(f"{seed} {at}")
        for payload in ("first", "second"):
            client.update("item", _ITEMS[0], payload)
            log = list(client.log)
            commit(client)
        other = new_client(Services(connection, prefix), "two", level=level, lock_seconds=_LONG)
        other.services.unkind = random.Random(f"{at} {seed}")
        for _ in range(_CHECKPOINTS):
            checkpoint(other, log[0])
        wrong += stored(Services(connection, prefix), "item")[_ITEMS[0]] != "second"
    return wrong


def _client(services: Services, name: str, level: Level, lock_seconds: int = _LONG) -> Client:
    """Return a client that checkpoints after each commit."""
    return new_client(services, name, level=level, interval=-1.0, lock_seconds=lock_seconds)


def _checkpoint_all(client: Client, log: Sequence[LogRecord]) -> None:
    for record in {record.queue: record for record in log}.values():
        checkpoint(client, record)


def _present(services: Services, log: Sequence[LogRecord]) -> list[bool]:
    """Return of each change whether it is in the bucket."""
    collections = {record.collection: stored(services, record.collection) for record in log}
    return [collections[record.collection].get(record.key) == record.payload for record in log]


def _claims(
    kills: dict[Level, _Kills], overwritten: dict[Level, int], turned: dict[Level, int], tries: int
) -> Iterator[Claim]:
    yield Claim(
        "naive is subject to lost updates",
        f"{overwritten['naive']} of {tries} pairs of updates lost the first",
        exactly(overwritten["naive"] > 0),
    )
    yield Claim(
        "with queues no update overwrites another client's",
        "; ".join(f"{level}: {overwritten[level]} of {tries}" for level in _QUEUED),
        exactly(not any(overwritten[level] for level in _QUEUED)),
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
        "basic may apply updates of one record in the wrong order, monotonic writes do not",
        "; ".join(f"{level}: {turned[level]} of {tries}" for level in _QUEUED),
        exactly(turned["basic"] > 0 and turned["monotonicity"] == turned["atomicity"] == 0),
    )


EXPERIMENT = Experiment(
    name="s3-kills",
    paper="SIGMOD 2008, sections 4 and 5",
    title="What failures leave on S3",
    about="Clients killed before each request of a commit, and messages doubled, turned and late, at each level.",
    minutes=4,
    run=_run,
    not_on_stores="it runs the paper's own protocols on S3 and SQS, and starts a server of both on this machine",
)
