"""Settles what interrupted writes of any client process left: their intents and, if asked, the slots they took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from piql.errors import NotDeployed
from piql.runtime.writing.stepped.intents import PROCESSES, group_of, intents_of, processes
from piql.runtime.writing.stepped.slots import Slots
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.store.base import KEPT_SECONDS

_PAGE = 200


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep found: writes `completed` had changed their record, those `withdrawn` had not.

    `waiting` are too young to be taken for interrupted, or are of tables that are not deployed any more.
    `places_returned` of the `groups` whose slots were looked at were held for no row.
    """

    completed: int = 0
    withdrawn: int = 0
    waiting: int = 0
    servers: int = 0
    groups: int = 0
    places_returned: int = 0


def sweep(
    identity: WriterIdentity, writer_of: Callable[[str], SteppedWriter], older_than: float, per_second: float | None
) -> SweepReport:
    """Settle the intents that are older than some seconds, at most so many in a second."""
    row_writes, now = identity.row_writes, identity.stamps.seconds()
    completed = withdrawn = waiting = 0
    announcements = processes(row_writes)
    for name, announced in announcements.items():
        for intent in intents_of(row_writes, name, announced.behind):
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
                identity.manners.sleep(1 / per_second)
        if announced.at < now - KEPT_SECONDS and not row_writes.cells(group_of(name), 1, announced.behind):
            row_writes.note(PROCESSES, name, None)
    return SweepReport(completed, withdrawn, waiting, len(announcements))


def sweep_slots(
    identity: WriterIdentity, all_slots: Sequence[Slots], older_than: float, per_second: float | None
) -> tuple[int, int]:
    """Look at all groups, so many in a second; give back the slots that no row needs, and say how many of each.

    A slot may be left where a step of a writer that died came after its intent had been settled.
    """
    row_writes, before = identity.row_writes, int((identity.stamps.seconds() - older_than) * 1_000_000)
    by_name = {slots.name: slots for slots in all_slots}
    inspected = returned = 0
    last: str | None = None
    while groups := row_writes.groups(_PAGE, last):
        for group in groups:
            slots = by_name.get(group[: group.index(") [") + 1]) if ") [" in group else None
            if slots is None:
                continue
            inspected += 1
            returned += slots.inspect(group, before)
            if per_second is not None:
                identity.manners.sleep(1 / per_second)
        last = groups[-1]
    return inspected, returned
