"""When a write on a store without transactions changes the groups of views: after its record, before the next write.

A record is replaced by a write that adds something to views only when all groups count what its last write adds. So
what an interrupted write adds can always be told from its record and its intent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from piql.errors import ConstraintViolation, StoreUnavailable
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Overtaken
from piql.runtime.writing.stepped.contributions import contribution_of, mark_of
from piql.runtime.writing.stepped.folding import Emptied, Gains, Look, Marks, SteppedViews, joined_of
from piql.runtime.writing.stepped.intents import Intent, intent_at
from piql.runtime.writing.stepped.named_rows import Taken
from piql.runtime.writing.stepped.records import SteppedRecords
from piql.runtime.writing.stepped.work import Change, Work
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.store.row_writes import StoredRecord
from piql.store.rows import Row, State


class Plan(NamedTuple):
    """What one try does to views: the marks of the record, what groups gain, and the groups as they were read."""

    marks: Marks
    gains: Mapping[int, Gains]
    looks: Mapping[int, Look]


class Upkeep:
    """Changes the views of one table, whose records are given."""

    def __init__(self, views: SteppedViews, records: SteppedRecords, identity: WriterIdentity) -> None:
        self._views = views
        self._records = records
        self._identity = identity

    def after_others(
        self, work: Work, meter: Meter, record: StoredRecord, settle: Callable[[Intent, Meter], object]
    ) -> StoredRecord | None:
        """Return the record once all groups hold what its last write adds to views; others' writes are given time.

        `meter` is that of the bound, if the views of this version are concerned.
        """
        is_shown = self._records.image(record) is not None  # of another one nothing is in the bound
        count: Callable[[int], None] = meter.step if is_shown else meter.lose
        current: StoredRecord | None = record
        while current is not None and (contribution := contribution_of(current.write)) is not None:
            log = self._identity.log
            if contribution.log == log.group and not log.is_open(contribution.number):
                break
            count(1)
            count = meter.lose
            intent = intent_at(self._identity.row_writes, contribution.log, contribution.number)
            if intent is None:
                break
            if work.backoff.is_patient(current.write):
                work.backoff.pause()
            else:
                settle(intent, meter)
            meter.lose(1)
            current = self._records.find(work.key)
        return current

    def marks(self, work: Work, old: Row | None, known: str | None) -> Marks:
        """Return the marks of a record before a write and after it."""
        mark = mark_of(known)
        if work.is_counting and old is not None:
            return mark, max(mark, self._views.mark, work.least_mark)
        if not self._views:
            return mark, mark
        return mark, self._views.mark_after(old, mark)

    def look_at(
        self,
        work: Work,
        meter: Meter,
        old: Row | None,
        new: Row | None,
        marks: Marks,
        gains: Mapping[int, Gains],
        taken: Mapping[str, Taken],
    ) -> Plan:
        """Read the groups that a write changes; raise ConstraintViolation for a sum that would not fit.

        A view that is being filled leaves the record out then, but where the record shall be counted as it is.
        """
        looks, violation = self._views.look_at(gains, meter)
        if violation is None:
            return Plan(marks, gains, looks)
        if work.is_counting:
            raise violation
        marks = marks[0], self._views.mark_left_out
        gains = self._views.gains(old, new, marks, joined_of(taken))
        looks, violation = self._views.look_at(gains, Meter(), self._views.held(looks))
        if violation is not None:
            raise violation
        return Plan(marks, gains, looks)

    def fold(self, work: Work, meter: Meter, change: Change) -> Emptied:
        """Add what a write that was just decided adds to views; return the groups that have no rows now."""
        contribution = contribution_of(change.write) if change.gains else None
        if contribution is None:
            return []
        try:
            emptied = self._views.fold(contribution, change.gains, meter, change.looks)
        except (Overtaken, ConstraintViolation) as failure:
            work.is_under_way = False
            raise StoreUnavailable(
                f"the row is written, but its views do not count it yet: {failure}; a sweep will settle it"
            ) from failure
        meter.keep()
        if change.new is None:
            counted = meter if self._views.counts(change.gains) else Meter()
            counted.step(1)
            self._let_go(work.key, StoredRecord(change.write, State.LEAVING, work.key), counted)
        return emptied

    def fold_again(self, intent: Intent, record: StoredRecord, gains: Mapping[int, Gains], meter: Meter) -> Emptied:
        """Add what an interrupted write adds to views, if its record was put; return the groups without rows now."""
        contribution = contribution_of(intent.write)
        if contribution is None or contribution != contribution_of(record.write):
            return []
        lost = Meter()
        try:
            emptied = self._views.fold(contribution, gains, lost)
        finally:
            meter.lose(lost.attempts)
        if record.state is State.LEAVING:
            meter.lose(1)
            self._let_go(intent.key, record, meter)
        return emptied

    def _let_go(self, key: Row, record: StoredRecord, meter: Meter) -> None:
        """Let a LEAVING record go, also where a fence has put it again meanwhile."""
        contribution = contribution_of(record.write)
        current: StoredRecord | None = record
        while (
            current is not None
            and current.state is State.LEAVING
            and contribution_of(current.write) == contribution
            and not self._records.forget(key, current)
        ):
            meter.lose(2)
            current = self._records.find(key, is_serial=True)
