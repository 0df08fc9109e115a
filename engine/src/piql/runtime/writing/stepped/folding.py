"""Views on a store without transactions: what a write adds to a group is added exactly once, whoever is killed.

    the record    put by a write that names its contribution        from here on the contribution holds
    each group    its row, and COUNTED: what it holds already       put on the condition that nobody changed it
    the intent    forgotten only when every group holds it          until then the record keeps the contribution's name

Whoever adds a contribution to a group reads the group first, and then whether the intent is still there. A group may
drop the name of a contribution only when its intent is gone. So if the group does not name it and the intent is there,
it was not added to the group as it was read; and the group changes only if it is still as it was read. The writer
itself reads its groups before it puts its record, when nobody can have added anything: it need not look for its intent.

A group without rows stays, hidden (LEAVING), until the intents of all contributions that it names are gone.

A view that is added to a table with rows counts a record once its mark says so (`contributions`). Marks rise in the
same request as the record: by a write that makes it, or by the walk that fills the view (`SteppedWriter.count`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from piql.errors import ConstraintViolation, StoreUnavailable
from piql.runtime.deployment import Counting, Deployment
from piql.runtime.writing.kept_view import KeptView
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.contributions import COUNTED, Contribution, counted_in, counted_text, mark_of
from piql.runtime.writing.stepped.intents import Joined
from piql.runtime.writing.stepped.named_rows import NamedRows, Taken
from piql.runtime.writing.stepped.references import NamedRecord
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.schema.catalog import Table
from piql.store.row_writes import EntryChange, StoredRecord
from piql.store.rows import Row, State

if TYPE_CHECKING:
    from piql.runtime.writing.stepped.writer import SteppedWriter

_MOST_NAMES = 8  # of other processes; beyond that their intents are looked for

Gains = dict[Row, list[Any]]
"""What groups gain, by their keys: a number for each aggregate."""

Marks = tuple[int, int]
"""The marks of a record before a write and after it."""

Look = dict[Row, StoredRecord | None]
"""Groups as they were read before the record was put."""


class GroupRows:
    """How the rows of a view are laid out where they are kept: a row without an aggregate is a group without rows."""

    def __init__(self, view: Table, deployment: Deployment) -> None:
        assert view.view is not None
        names = [column.name for column in deployment.record_of(view).columns]
        self.counted_at = names.index(COUNTED)
        rows = next(part.name for part in view.view.aggregates if part.function == "COUNT" and not part.column)
        self._rows_at = names.index(rows)
        self.width = len(names)

    def is_shown(self, image: Row) -> bool:
        """Return whether a group has rows."""
        return image[self._rows_at] is not None


@dataclass(frozen=True, slots=True)
class _Folding:
    """One contribution on its way into the groups of one view."""

    contribution: Contribution
    gains: Gains
    meter: Meter
    look: Look | None = None


class SteppedView:
    """One view of a table, changed by the writes of that table; `groups` writes its rows.

    It counts records whose mark is `counted_from` or higher. `counts` says whether new ones get such a mark. `names`
    finds the rows of a view of several tables.
    """

    def __init__(
        self,
        kept: KeptView,
        groups: SteppedWriter,
        rows: GroupRows,
        identity: WriterIdentity,
        counted_from: int = 0,
        counts: Counting = "always",
        names: NamedRows | None = None,
    ) -> None:
        self.table = kept.table
        self._names = names
        self.counted_from = counted_from
        self.counts = counts
        self._kept = kept
        self._groups = groups
        self._rows = rows
        self._identity = identity

    @property
    def is_of_several_tables(self) -> bool:
        return self._names is not None

    def find(self, meter: Meter, old: Row | None, new: Row | None, marks: Marks) -> Taken | None:
        """Return what a view of several tables is made from, before a write and after it; None of one table."""
        if self._names is None:
            return None
        counted = [
            record if mark >= self.counted_from else None for record, mark in zip((old, new), marks, strict=True)
        ]
        return self._names.find(meter, *counted)

    def is_still(self, meter: Meter, old: Row | None, taken: Taken, seen: Iterable[NamedRecord]) -> bool:
        """Return whether what was taken holds until the record names other rows (`NamedRows`)."""
        return self._names is None or self._names.is_still(meter, old, taken, seen)

    def gains(self, old: Row | None, new: Row | None, marks: Marks, joined: Joined | None = None) -> Gains:
        """Return what groups gain where a record replaces another, either of which may be missing.

        A view of several tables gains what `joined` says.
        """
        if self._names is not None:
            old, new = self._as_now(joined.columns, joined.before, joined.after) if joined else (None, None)
        gains: Gains = {}
        for record, sign, mark in ((old, -1, marks[0]), (new, 1, marks[1])):
            if record is not None and mark >= self.counted_from:
                self._kept.count(gains, record, sign)
        return {key: numbers for key, numbers in gains.items() if any(numbers)}

    def _as_now(self, columns: tuple[str, ...], *rows: Row | None) -> tuple[Row | None, ...]:
        """Return rows of several tables that were noted with columns in another order, as they are laid out now."""
        assert self._names is not None
        if columns == self._names.columns:
            return rows
        at = [columns.index(name) if name in columns else None for name in self._names.columns]
        return tuple([None if row is None else tuple([None if n is None else row[n] for n in at]) for row in rows])

    def rows_of(self, records: Sequence[tuple[Row, str]]) -> list[Row | None]:
        """Return the row of the view that each record is in, as a write has left it; None if it is not counted."""
        images = [image if mark_of(write) >= self.counted_from else None for image, write in records]
        return images if self._names is None else self._names.rows_of(images)

    def count(self, gains: Gains, row: Row) -> None:
        """Add what a row gives its group."""
        self._kept.count(gains, row)

    def look_at(self, gains: Gains, meter: Meter) -> Look:
        """Read groups before a write that adds to them; raise ConstraintViolation for a sum that would not fit."""
        keys = list(gains)
        meter.step(len(keys))
        records = dict(zip(keys, self._groups.records.find_many(keys), strict=True))
        for key, record in records.items():
            self._after(key, self._groups.records.image(record), gains[key])
        return records

    def fold(self, contribution: Contribution, gains: Gains, meter: Meter, look: Look | None = None) -> list[Row]:
        """Add a contribution to each of its groups that does not hold it; return the groups that have no rows now."""
        folding = _Folding(contribution, gains, meter, look)
        return [key for key in gains if self._fold(folding, key)]

    def _fold(self, folding: _Folding, key: Row) -> bool:
        """Add a contribution to one group; return whether the group has no rows."""
        is_first = folding.look is not None
        after: Row | None = None

        def decide(image: Row | None) -> Row | None:
            nonlocal is_first, after
            names = counted_in(image[self._rows.counted_at]) if image is not None else []
            is_fresh, is_first, after = is_first, False, image
            if folding.contribution in names:
                return image
            if not is_fresh:
                folding.meter.lose(1)
                if not is_open(self._identity, folding.contribution):
                    return image  # somebody has added it, and all that name it have dropped it since
            row = self._after(key, image, folding.gains[key])
            names = [*self._still_needed(names, folding.meter), folding.contribution]
            after = (*row[: self._rows.counted_at], counted_text(names), *row[self._rows.counted_at + 1 :])
            return after

        folding.meter.keep()
        known = folding.look[key] if folding.look is not None else None
        self._groups.write_group(key, decide, folding.meter, is_known=is_first, known=known)
        return after is not None and not self._rows.is_shown(after)

    def _after(self, key: Row, image: Row | None, gain: list[Any]) -> Row:
        """Return the row of a group with what it gains."""
        row = self._kept.gained(key, image if image is not None and self._rows.is_shown(image) else None, gain)
        if row is None:
            row = self._kept.empty(key)
        return (*row, *(None,) * (self._rows.width - len(row)))

    def find_groups(self, keys: Sequence[Row]) -> list[StoredRecord | None]:
        """Return groups as they are kept, those without rows, too."""
        return self._groups.records.find_many(keys)

    def shown(self, row: Row) -> Row:
        """Return the columns of the view in the row of a group."""
        return row[: self._rows.counted_at]

    def row_of(self, key: Row, numbers: list[Any] | None) -> Row | None:
        """Return the row that rows of the table give a group; None where there are none."""
        return None if numbers is None else self._kept.row_of(key, numbers)

    def correct(self, key: Row, write: str | None, row: Row | None) -> bool:
        """Put another row of a group, if it is still as `write` left it; None for no write, or for no row.

        Return whether it was. What the group has counted already, it goes on naming.
        """
        known = self._groups.records.find(key)
        if (known.write if known is not None else None) != write:
            return False
        image = self._groups.records.image(known)
        is_corrected = False

        def decide(current: Row | None) -> Row | None:
            nonlocal is_corrected
            is_corrected = current == image
            if not is_corrected:
                return current
            columns = row if row is not None else self._kept.empty(key)
            rest = image[self._rows.counted_at :] if image is not None else (None,)
            whole = (*columns, *rest)
            return (*whole, *(None,) * (self._rows.width - len(whole)))

        self._groups.write_group(key, decide, Meter(), known, is_known=True)
        if is_corrected and row is None:
            self.remove_empty(key, Meter())
        return is_corrected

    def mend(self, entries: IndexEntries, entry_key: Row, key: Row) -> None:
        """Write an entry of an index as the row of its group has it, over all that was written there until now."""
        records = self._groups.records
        record = records.fence(key, stamp_of(records.stamps.write_after(0)))
        image = records.image(record)
        right = entries.by_key(None if image is None or not self._rows.is_shown(image) else image).get(entry_key)
        at, state = stamp_of(record.write), State.VISIBLE if right is not None else State.GONE
        change = EntryChange(entries.prepared, right or entry_key, state, at + (1 if right is not None else 2))
        self._identity.row_writes.change_entries([change])

    def _still_needed(self, names: list[Contribution], meter: Meter) -> list[Contribution]:
        """Return the contributions that a group must go on naming, as far as that can be known cheaply."""
        process, log = self._identity.stamps.process, self._identity.log
        names = [name for name in names if name.process != process or log.is_open(name.number)]
        foreign = [name for name in names if name.process != process]
        if len(foreign) <= _MOST_NAMES:
            return names
        return [name for name in names if name not in foreign[:2] or self._is_needed(name, meter)]

    def _is_needed(self, name: Contribution, meter: Meter) -> bool:
        meter.lose(1)
        return is_open(self._identity, name)

    def remove_empty(self, key: Row, meter: Meter) -> None:
        """Remove a group without rows, if it need not stay; called when the intent of its last contribution is gone."""
        with suppress(StoreUnavailable):  # it stays hidden
            meter.lose(1)
            record = self._groups.records.find(key)
            if record is not None and record.state is State.LEAVING:
                self._remove(key, record, meter)

    def _remove(self, key: Row, record: StoredRecord, meter: Meter) -> None:
        image = self._groups.records.image(record)
        assert image is not None
        names = self._still_needed(counted_in(image[self._rows.counted_at]), meter)
        if not any(self._is_needed(name, meter) for name in names):
            meter.lose(1)
            self._groups.records.forget(key, record)


class Looks(NamedTuple):
    """Groups as they were read, by the number of their view, and why one cannot hold what it gains, if so."""

    groups: Mapping[int, Look]
    violation: ConstraintViolation | None


Emptied = list[tuple[SteppedView, Row]]
"""Groups of views that have no rows any more."""


class SteppedViews:
    """All views of one table, of this version and of others.

    `mark` is that of new records, `mark_left_out` that of records which a view that is filled cannot hold.
    """

    def __init__(
        self,
        views: Sequence[SteppedView],
        others: Sequence[SteppedView],
        holding: Sequence[tuple[int, Counting]] = (),
    ) -> None:
        self._views = views
        self._others = others

        def highest(*kinds: Counting) -> int:
            marks = [*((view.counted_from, view.counts) for view in (*views, *others)), *holding]
            return max((mark for mark, counts in marks if counts in kinds), default=0)

        self.mark = highest("always", "if it can")
        self.mark_left_out = highest("always")

    def __bool__(self) -> bool:
        return bool(self._views or self._others or self.mark)

    @property
    def are_any(self) -> bool:
        """Whether a view counts records."""
        return bool(self._views or self._others)

    def of(self, name: str) -> SteppedView:
        """Return a view of this version by its name."""
        return next(view for view in self._views if view.table.name == name)

    def number_of(self, name: str) -> int:
        """Return the number of a view of this version, by which gains are told."""
        return next(number for number, view in enumerate(self._views) if view.table.name == name)

    def counts(self, gains: Mapping[int, Gains]) -> bool:
        """Return whether a view of this version gains something: the requests for others are outside the bound."""
        return any(number < len(self._views) for number in gains)

    def mark_after(self, old: Row | None, mark: int) -> int:
        """Return the mark that a write leaves where a record with this one was.

        A record that a view does not count yet stays so: what it is worth there is counted by the walk that fills the
        view, outside of the bound of a write.
        """
        if mark >= self.mark and old is not None:
            return mark
        return mark if old is not None and self._is_worth(old, above=mark) else self.mark

    def _is_worth(self, image: Row, above: int) -> bool:
        """Return whether views that count from a mark above this one would gain something, as far as is known.

        A view of several tables may: what its record names is not looked for.
        """
        views = (*self._views, *self._others)
        if any(view.is_of_several_tables and above < view.counted_from <= self.mark for view in views):
            return True
        return bool(self.gains(None, image, (0, self.mark), above=above))

    def leave_out(self, image: Row, write: str) -> bool:
        """Return whether a view does not count a record that a write has left, though the record would be in it."""
        mark = mark_of(write)
        return mark < self.mark and self.mark_after(image, mark) == mark

    def concern(self, gains: Mapping[int, Gains]) -> bool:
        """Return whether the bound of a write has the requests for views, where groups gain this, or nothing."""
        return self.counts(gains) if gains else bool(self._views)

    def find(self, meter: Meter, old: Row | None, new: Row | None, marks: Marks) -> Mapping[str, Taken]:
        """Return what views of several tables are made from, before a write and after it, by their names."""
        taken_by_view: dict[str, Taken] = {}
        for number, view in enumerate((*self._views, *self._others)):
            taken = view.find(meter if number < len(self._views) else Meter(), old, new, marks)
            if taken is not None:
                taken_by_view[view.table.name] = taken
        return taken_by_view

    def are_still(self, meter: Meter, old: Row | None, taken: Mapping[str, Taken], seen: Sequence[NamedRecord]) -> bool:
        """Return whether what was taken for all views holds until the record names other rows."""
        return all(
            view.is_still(meter if number < len(self._views) else Meter(), old, taken[view.table.name], seen)
            for number, view in enumerate((*self._views, *self._others))
            if view.table.name in taken
        )

    def gains(
        self,
        old: Row | None,
        new: Row | None,
        marks: Marks,
        joined: Mapping[str, Joined] | None = None,
        above: int = -1,
    ) -> Mapping[int, Gains]:
        """Return what the groups of each view gain, by the number of the view; those that gain nothing are left out.

        Views of several tables gain what `joined` says. Those that count from a mark up to `above` are left out, too.
        """
        by_view = {
            number: view.gains(old, new, marks, joined.get(view.table.name) if joined is not None else None)
            for number, view in enumerate((*self._views, *self._others))
            if view.counted_from > above
        }
        return {number: gains for number, gains in by_view.items() if gains}

    def look_at(self, gains: Mapping[int, Gains], meter: Meter, looks: Mapping[int, Look] | None = None) -> Looks:
        """Read all groups before a write, but for those that were read; raise ConstraintViolation for sums too large.

        A view that leaves out what it cannot hold raises nothing: the result has its violation.
        """
        looks_of_all: dict[int, Look] = dict(looks or {})
        violation = None
        for number, of_view in gains.items():
            if number in looks_of_all:
                continue
            counted = meter if number < len(self._views) else Meter()
            try:
                looks_of_all[number] = self._view(number).look_at(of_view, counted)
            except ConstraintViolation as failure:
                if self._view(number).counts != "if it can":
                    raise
                violation = failure
        return Looks(looks_of_all, violation)

    def held(self, looks: Mapping[int, Look]) -> Mapping[int, Look]:
        """Return of the groups that were read those of views that leave nothing out."""
        return {number: look for number, look in looks.items() if self._view(number).counts != "if it can"}

    def fold(
        self,
        contribution: Contribution,
        gains: Mapping[int, Gains],
        meter: Meter,
        looks: Mapping[int, Look] | None = None,
    ) -> Emptied:
        """Add a contribution to all of its groups; return those that have no rows now."""
        emptied: Emptied = []
        for number, of_view in gains.items():
            view, counted = self._view(number), meter if number < len(self._views) else Meter()
            keys = view.fold(contribution, of_view, counted, looks[number] if looks else None)
            emptied += [(view, key) for key in keys]
        return emptied

    def remove_empty(self, emptied: Emptied, meter: Meter) -> None:
        """Remove groups without rows that need not stay, once the intent of the write that emptied them is gone."""
        for view, key in emptied:
            view.remove_empty(key, meter)

    def _view(self, number: int) -> SteppedView:
        count = len(self._views)
        return self._views[number] if number < count else self._others[number - count]


def joined_of(taken: Mapping[str, Taken]) -> Mapping[str, Joined]:
    """Return the rows of views of several tables, by the names of the views."""
    return {name: of_view.joined for name, of_view in taken.items()}


def is_open(identity: WriterIdentity, contribution: Contribution) -> bool:
    """Return whether the intent of a contribution is in its log: if not, all of its groups hold it."""
    return identity.row_writes.cell(contribution.log, contribution.number) is not None
