"""Settles what interrupted writes of any client process left: their intents and, if asked, the slots they took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from piql.errors import ConstraintViolation, NotDeployed, StoreUnavailable
from piql.runtime.deployment import Redeployed
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Overtaken
from piql.runtime.writing.stepped.intents import PROCESSES, group_of, intents_of, processes
from piql.runtime.writing.stepped.slots import Slots, constraint_name
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.unit_record import forget_places, units_under_way
from piql.runtime.writing.stepped.writer import SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.store.rows import KEPT_SECONDS

_PAGE = 200  # groups of cells listed at a time


@dataclass(frozen=True, slots=True)
class SweepReport:
    """The outcome of a sweep, in numbers.

    completed          interrupted writes that had changed their record
    withdrawn          those that had not
    waiting            writes that are too young to be taken for interrupted, of tables that are not deployed, or whose
                       sum a view cannot hold
    processes          client processes whose logs were read
    groups             groups under a limit whose slots were looked at
    places_returned    slots in these groups given back, because no row needed them
    """

    completed: int = 0
    withdrawn: int = 0
    waiting: int = 0
    processes: int = 0
    groups: int = 0
    places_returned: int = 0


def sweep(
    identity: WriterIdentity, writer_of: Callable[[str], SteppedWriter], older_than: float, per_second: float | None
) -> SweepReport:
    """Settle the intents that are older than `older_than` seconds, at most `per_second` of them in a second.

    The logs of client processes that have not written for long and have no intents are forgotten.
    """
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
            try:
                is_completed = writer.settle(intent)
                if writer.views.mark:
                    writer.count(intent.key)  # it may have been written by one who did not know of a view yet
            except (ConstraintViolation, Overtaken, Redeployed):  # of a view that cannot count it as it is now
                waiting += 1
                continue
            if is_completed:
                completed += 1
            else:
                withdrawn += 1
            if per_second is not None:
                identity.wait_policy.sleep(1 / per_second)
        for unit in units_under_way(row_writes, name):
            is_made = None
            if min(stamp_of(held.write) for held in unit.held) / 1_000_000 <= now - older_than:
                with suppress(StoreUnavailable):  # a table of it is not deployed
                    is_made = identity.units.settle(unit, Meter())
            completed += is_made is True
            withdrawn += is_made is False
            waiting += is_made is None
        has_ended = announced.at < now - KEPT_SECONDS
        if has_ended and not row_writes.cells(group_of(name), 1, announced.behind) and forget_places(row_writes, name):
            row_writes.note(PROCESSES, name, None)
    return SweepReport(completed, withdrawn, waiting, len(announcements))


def sweep_slots(
    identity: WriterIdentity, all_slots: Sequence[Slots], older_than: float, per_second: float | None
) -> tuple[int, int]:
    """Give back the slots that no row needs, and return how many groups were looked at and slots given back.

    Such a slot is left if a late step of a dead writer took it after its intent had been settled. Slots younger than
    `older_than` seconds are left alone; at most `per_second` groups are looked at in a second.
    """
    row_writes = identity.row_writes
    latest_stamp = int((identity.stamps.seconds() - older_than) * 1_000_000)  # stamps are microseconds
    by_name = {slots.name: slots for slots in all_slots}
    inspected = returned = 0
    last: str | None = None
    while groups := row_writes.groups(_PAGE, last):
        for group in groups:
            slots = by_name.get(constraint_name(group) or "")
            if slots is None:
                continue
            inspected += 1
            returned += slots.inspect(group, latest_stamp)
            if per_second is not None:
                identity.wait_policy.sleep(1 / per_second)
        last = groups[-1]
    return inspected, returned
