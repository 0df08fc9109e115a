"""Collects what interrupted writes left in the logs of all servers and, if asked, in places, without transactions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from piql.errors import NotDeployed
from piql.runtime.writing.stepped.intents import SERVERS, group_of, intents_of, servers
from piql.runtime.writing.stepped.places import Places
from piql.runtime.writing.stepped.server import Server
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.store.base import KEPT_SECONDS

_PAGE = 200


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep found: writes `completed` had changed their record, those `withdrawn` had not.

    `waiting` are too young to be taken for interrupted, or are of tables that are not deployed any more.
    `places_returned` of the `groups` whose places were looked at were held for no row.
    """

    completed: int = 0
    withdrawn: int = 0
    waiting: int = 0
    servers: int = 0
    groups: int = 0
    places_returned: int = 0


def sweep(
    server: Server, writer_of: Callable[[str], SteppedWriter], older_than: float, per_second: float | None
) -> SweepReport:
    """Settle the intents that are older than some seconds, at most so many in a second."""
    steps, now = server.steps, server.stamps.seconds()
    completed = withdrawn = waiting = 0
    known = servers(steps)
    for name, announced in known.items():
        for intent in intents_of(steps, name, announced.behind):
            if stamp_of(intent.write) / 1_000_000 > now - older_than:
                waiting += 1
                continue
            try:
                writer = writer_of(intent.table)
            except NotDeployed:
                waiting += 1
                continue
            if writer.settle(intent):
                completed += 1
            else:
                withdrawn += 1
            if per_second is not None:
                server.manners.sleep(1 / per_second)
        if announced.at < now - KEPT_SECONDS and not steps.cells(group_of(name), 1, announced.behind):
            steps.note(SERVERS, name, None)
    return SweepReport(completed, withdrawn, waiting, len(known))


def sweep_places(
    server: Server, places: Sequence[Places], older_than: float, per_second: float | None
) -> tuple[int, int]:
    """Look at all groups, so many in a second; give back the places that no row needs, and say how many of each.

    A place may be left where a step of a writer that died came after its intent had been settled.
    """
    steps, before = server.steps, int((server.stamps.seconds() - older_than) * 1_000_000)
    by_name = {place.name: place for place in places}
    inspected = returned = 0
    last: str | None = None
    while groups := steps.groups(_PAGE, last):
        for group in groups:
            of = by_name.get(group[: group.index(") [") + 1]) if ") [" in group else None
            if of is None:
                continue
            inspected += 1
            returned += of.inspect(group, before)
            if per_second is not None:
                server.manners.sleep(1 / per_second)
        last = groups[-1]
    return inspected, returned
