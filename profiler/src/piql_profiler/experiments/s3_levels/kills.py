"""Kills a client before each request of its commit and of the checkpoints after it, and tells what became of it.

    transaction ──▶ killed ──▶ its tokens and messages time out ──▶ another updates the items that are there already
                ──▶ at atomicity the client starts again        ──▶ another checkpoints until the queues are empty

What is there already was applied. If the first client's value comes back over the later one, it was applied twice: the
paper's section 3.5 says that simple log records may be, if another update comes between.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from piql_profiler.experiments.s3_levels.bookstore import order
from piql_profiler.experiments.s3_levels.client import Client, Level
from piql_profiler.experiments.s3_levels.commits import checkpoint, commit, recover
from piql_profiler.experiments.s3_levels.database import Records, load, new_client, stored
from piql_profiler.experiments.s3_levels.pages import LogRecord
from piql_profiler.experiments.s3_levels.services import Connection, Killed, Services

HIDDEN_SECONDS = 2  # until the server gives a killed client's tokens and messages to others
LONG_SECONDS = 600  # that a client has for a checkpoint that nobody disturbs
_MOST_CHECKPOINTS = 100  # until all messages have come; a server that withholds half of them may take a dozen
_MOST_REQUESTS = 1_000
_LATER = "a later update"


@dataclass(slots=True)
class Kills:
    """What became of the transactions whose client was killed before one of its requests."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0  # acknowledged, and not all of it is there
    torn: int = 0  # some of it is there, and some is not
    twice: int = 0  # applied, updated by another client, and applied again over that

    def __add__(self, more: Kills) -> Kills:
        return Kills(
            self.kills + more.kills,
            self.acknowledged + more.acknowledged,
            self.lost + more.lost,
            self.torn + more.torn,
            self.twice + more.twice,
        )


@dataclass(frozen=True, slots=True)
class _Interrupted:
    """A database, and the transaction whose client was killed there."""

    prefix: str
    log: list[LogRecord]
    is_acknowledged: bool


def kill_before_each_request(
    connection: Connection, level: Level, records: Records, *, every: int = 1, faulty: int | None = None
) -> Kills:
    """Kill a client before each of its requests from the commit on (or every sixth), each time on a new database.

    With `faulty`, a seed, all queues double, turn and withhold messages.
    """
    name = f"{'kind' if faulty is None else 'faulty'}-{level}"

    def services(prefix: str, who: str) -> Services:
        services = Services(connection, prefix)
        if faulty is not None:
            services.unkind = random.Random(f"{faulty} {prefix} {who}")
        return services

    interrupted: list[_Interrupted] = []
    for before in range(0, _MOST_REQUESTS, every):
        prefix = f"{name}-{before}"
        load(Services(connection, prefix), records)
        client = new_client(
            services(prefix, "one"), "one", level=level, interval=-1.0, lock_seconds=HIDDEN_SECONDS
        )  # an interval that is over at once: it checkpoints after each commit
        order(client, list(records["customer"]), list(records["item"]), random.Random(before))
        log = list(client.log)
        client.services.dies_before = before
        try:
            commit(client)
        except Killed:
            interrupted.append(_Interrupted(prefix, log, client.commits == 1))
        else:
            break
    time.sleep(HIDDEN_SECONDS + 1)
    kills = Kills()
    for at in interrupted:
        kills += _consequence(connection, level, at, services)
    return kills


def _consequence(
    connection: Connection, level: Level, interrupted: _Interrupted, services: Callable[[str, str], Services]
) -> Kills:
    """Let others go on where a client was killed, and return what they find in the end."""
    prefix, log = interrupted.prefix, interrupted.log

    def someone(name: str) -> Client:
        return new_client(services(prefix, name), name, level=level, interval=float("inf"), lock_seconds=LONG_SECONDS)

    applied = [
        record
        for record, is_there in zip(log, changes_there(Services(connection, prefix), log), strict=True)
        if is_there and record.kind == "update"
    ]
    if applied:
        later = someone("later")
        for record in applied:
            later.update(record.collection, record.key, _LATER)
        commit(later)
    if level == "atomicity":
        recover(someone("one"))
    _checkpoint_until_empty(someone("two"), Services(connection, prefix), log)
    bucket = {collection: stored(Services(connection, prefix), collection) for collection in _collections(log)}
    values = {record: bucket[record.collection].get(record.key) for record in log}
    present = [value == record.payload or (value == _LATER and record in applied) for record, value in values.items()]
    return Kills(
        kills=1,
        acknowledged=int(interrupted.is_acknowledged),
        lost=int(interrupted.is_acknowledged and not all(present)),
        torn=int(any(present) and not all(present)),
        twice=int(any(values[record] == record.payload for record in applied)),
    )


def changes_there(services: Services, log: Sequence[LogRecord]) -> list[bool]:
    """Return of each change whether it is in the bucket."""
    collections = {collection: stored(services, collection) for collection in _collections(log)}
    return [collections[record.collection].get(record.key) == record.payload for record in log]


def checkpoint_all(client: Client, log: Sequence[LogRecord]) -> None:
    """Checkpoint each page and index of a transaction."""
    for record in {record.queue: record for record in log}.values():
        checkpoint(client, record)


def _checkpoint_until_empty(client: Client, looking: Services, log: Sequence[LogRecord]) -> None:
    """Checkpoint until the queues of a transaction give nothing more; `looking` asks a server that is kind."""
    for _ in range(_MOST_CHECKPOINTS):
        checkpoint_all(client, log)
        if not any(looking.receive(queue, 1, 0) for queue in {record.queue for record in log}):
            return


def _collections(log: Sequence[LogRecord]) -> set[str]:
    return {record.collection for record in log}
