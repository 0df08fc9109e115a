"""Slots under limits, on a store without transactions: a row is in a group only while its record has a slot there.

    constraint                     group of cells                             cells: number, write, key of the record
    CARDINALITY LIMIT 3 (owner)    places in subscriptions (owner) ["ada"]    00000000  5f2c…-9f3a-1 ["ada","bob"]
                                                                              00000001  5f2c…-77b1-4 ["ada","eve"]
    UNIQUE (email)                 unique places in users (email) ["a@b"]     00000000  5f2c…-9f3a-2 ["ada"]

A cell says which write took the slot, and for which record. Interrupted writes leave slots that no record needs. If a
record was left by a write with stamp `c`, then of its slots taken up to `c` it needs the latest if it is in the group,
and none if it is not; any process may give the others back. Slots taken after `c` belong to a write in progress.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence

from piql.errors import PiqlError
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.backoff import Backoff, WaitPolicy
from piql.runtime.writing.stepped.notation import text_of, values_of
from piql.runtime.writing.stepped.records import SteppedRecords
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.table_rules.constraints import GroupCount, UniqueCheck
from piql.store.base import Batch, ReadShape, Store
from piql.store.row_writes import Cell, SingleRowWrites, StoredRecord, Swap
from piql.store.rows import STATE, Row, State

BEFORE_ALL_WRITES = f"{1:016x}-fill-0"  # the name of a write whose stamp is before that of any other
_PAGE = 500  # cells read at a time
_MORE = 16  # cells read beyond the limit: a limit that was lowered has slots above it for a while


def constraint_name(cell_group: str) -> str | None:
    """Return the `name` of the `Slots` whose cells a group holds; None if it holds no slots."""
    beginning, bracket, _ = cell_group.partition(") [")
    return f"{beginning})" if bracket else None


def tightest(all_slots: Iterable[Slots]) -> dict[str, Slots]:
    """Return by their names the slots with the lowest limit: limits on the same columns share the cells of a group."""
    lowest: dict[str, Slots] = {}
    for slots in all_slots:
        if slots.name not in lowest or slots.limit < lowest[slots.name].limit:
            lowest[slots.name] = slots
    return lowest


class Slots:
    """The slots of one CARDINALITY LIMIT or UNIQUE key.

    name     of the constraint, as the names of its cell groups begin
    limit    how many slots a group has
    """

    def __init__(
        self, check: GroupCount | UniqueCheck, records: SteppedRecords, store: Store, row_writes: SingleRowWrites
    ) -> None:
        self._check = check
        self._records = records
        self._store = store
        self._row_writes = row_writes
        table = check.table
        if isinstance(check, GroupCount):
            self.limit = check.limit.limit
            words = f"words of {', '.join(sorted(check.limit.columns))}" if check.limit.is_token else ""
            shape = ReadShape(table, check.index, (*table.primary_key, STATE), len(check.columns))
            self._members = None if self.limit == 1 or shape.is_get else store.prepare(shape)
        else:
            self.limit = 1
            words = ""
            self._members = None
        self._order = tuple(sorted(range(len(check.columns)), key=lambda at: check.columns[at]))
        kind = "unique " if isinstance(check, UniqueCheck) else ""
        columns = words or ", ".join(check.columns[at] for at in self._order)
        self.name = f"{kind}places in {table.name} ({columns})"

    def groups(self, image: Row | None) -> set[Row]:
        """Return the groups of this constraint that a record is in; none for no record (`image` None)."""
        if isinstance(self._check, GroupCount):
            return self._check.groups(image)
        value = self._check.value(image)
        return set() if value is None else {value}

    def violation(self, group: Row) -> PiqlError:
        """Return the error of a row that finds no slot in a group."""
        return self._check.violation(group)

    def cell_group(self, group: Row) -> str:
        """Return the name of the cells of a group's slots."""
        return f"{self.name} {text_of([group[at] for at in self._order])}"

    def owner(self, group: Row) -> Row | None:
        """Return the key of the record that has the one slot of a UNIQUE value."""
        cells = self._row_writes.cells(self.cell_group(group), 1)
        return _owner(cells[0]) if cells else None

    def owners(self, groups: Sequence[Row]) -> list[Row | None]:
        """Return for each UNIQUE value the key of the record that has its slot."""
        cells_of_groups = self._row_writes.cells_many([self.cell_group(group) for group in groups], 1)
        return [_owner(cells[0]) if cells else None for cells in cells_of_groups]

    def take(
        self,
        group: Row,
        key: Row,
        write: str,
        meter: Meter,
        backoff: Backoff,
        beside: Collection[tuple[Row, str]] = (),
    ) -> None:
        """Take a slot for a record, or raise CardinalityViolation or DuplicateKey.

        Slots of the records and writes `beside`, which are made together with this one, stay taken.

        A record that has an older slot moves that one to its new write. Requests after the first swap are counted as
        lost: the bound has room for one try.
        """
        name, value = self.cell_group(group), f"{write} {text_of(key)}"
        if self.limit == 1:  # mostly free: no need to look first
            meter.step(1)
            is_taken, taken_value = self._row_writes.swap(name, _number(0), None, value)
            if is_taken:
                return
            cells = [Cell(_number(0), taken_value)] if taken_value is not None else []
            count = meter.lose
        else:
            meter.step(1)
            cells = self._row_writes.cells(name, self.limit + _MORE)
            count = meter.step
        while True:
            own_cell = max((cell for cell in cells if _owner(cell) == key), key=_stamp, default=None)
            if own_cell is not None and _stamp(own_cell) >= stamp_of(write):
                return
            slot = own_cell or self._free(cells)
            if slot is not None:
                count(1)
                count = meter.lose
                if self._row_writes.swap(name, slot.key, slot.value or None, value)[0]:
                    return
            elif not self._look_closer(group, cells, meter, backoff, beside):
                raise self.violation(group)
            meter.lose(1)
            cells = self._row_writes.cells(name, self.limit + _MORE)

    def take_many(self, records_by_group: Mapping[Row, Sequence[tuple[Row, str]]]) -> set[Row]:
        """Take slots for records that have none, and return the groups in which `take` must be called for each record.

        `records_by_group` has, for each group, the keys of the records and the writes that put them there.
        """
        groups = list(records_by_group)
        names = [self.cell_group(group) for group in groups]
        if self.limit == 1:
            cells: list[list[Cell]] = [[] for _ in groups]
        else:
            cells = self._row_writes.cells_many(names, self.limit + _MORE)
        unclear_groups: set[Row] = set()
        swaps: list[tuple[Row, Swap]] = []
        for group, name, taken in zip(groups, names, cells, strict=True):
            free = self._all_free(taken)
            if len(free) < len(records_by_group[group]):
                unclear_groups.add(group)
                continue
            slots = random.sample(free, len(records_by_group[group]))
            for slot, (key, write) in zip(slots, records_by_group[group], strict=True):
                swaps.append((group, Swap(name, slot, None, f"{write} {text_of(key)}")))
        are_swapped = self._row_writes.swap_many([swap for _, swap in swaps])
        return unclear_groups | {
            group for (group, _), is_swapped in zip(swaps, are_swapped, strict=True) if not is_swapped
        }

    def _free(self, cells: Sequence[Cell]) -> Cell | None:
        """Return one of the free slots at random, so that writers who look at the same time seldom collide."""
        free = self._all_free(cells)
        return Cell(random.choice(free), "") if free else None

    def _all_free(self, cells: Sequence[Cell]) -> list[str]:
        """Return the numbers of the free slots.

        Under a limit that was lowered, slots above it may be taken. For each of them one slot below the limit must stay
        free, so only numbers below `end` can be taken, where `end` plus the slots taken from there on is the limit. As
        the upper ones are given back `end` only grows, so a writer that listed the slots earlier takes none too many.
        """
        taken = {int(cell.key) for cell in cells}
        end = self.limit
        while end > 0 and end + sum(number >= end for number in taken) > self.limit:
            end -= 1
        return [_number(at) for at in range(end) if at not in taken]

    def _look_closer(
        self,
        group: Row,
        cells: Sequence[Cell],
        meter: Meter,
        backoff: Backoff,
        beside: Collection[tuple[Row, str]],
    ) -> bool:
        """Give back slots of a full group whose records do not need them; return whether to look for a free one again.

        A slot whose write may still be in progress is waited for. Requests that settle something are counted as
        repairs, the others as lost.
        """
        members: set[Row] = set()
        looks = 0
        if self._members is not None:
            looks += 1
            rows = self._store.read_many([Batch(self._members, [(*group, self.limit + _MORE)])], "quorum")[0][0]
            members = {row[:-1] for row in rows if row[-1] == State.VISIBLE}
        owners = [_owner(cell) for cell in cells]
        is_waiting = is_released = False
        for cell, owner in zip(cells, owners, strict=True):
            if (owner in members and owners.count(owner) == 1) or (owner, cell.value.partition(" ")[0]) in beside:
                continue
            looks += 1
            record = self._records.find(owner, is_serial=True)
            left_at = stamp_of(record.write) if record else 0
            if self._is_in(group, record) and owners.count(owner) == 1:
                continue
            if _stamp(cell) > left_at or record is None:
                if backoff.is_patient(cell.value):
                    is_waiting = True
                    continue
                meter.repair(looks + 1)
                looks = 0
                record = self._records.fence(owner, _stamp(cell))
                left_at = stamp_of(record.write)
            decided = [taken for taken in cells if _owner(taken) == owner and _stamp(taken) <= left_at]
            if not self._is_in(group, record) or (decided and cell != max(decided, key=_stamp)):
                meter.repair(looks + 1)
                looks = 0
                is_given_back, _ = self._row_writes.swap(self.cell_group(group), cell.key, cell.value, None)
                is_released |= is_given_back
                is_waiting |= not is_given_back  # it changed meanwhile: look again before refusing
        meter.lose(looks)
        if is_waiting and not is_released:
            backoff.pause()
        return is_waiting or is_released

    def _is_in(self, group: Row, record: StoredRecord | None) -> bool:
        """Return whether a record is in a group."""
        return group in self.groups(self._records.image(record))

    def give_back(self, group: Row, key: Row, stamp: int, is_in: bool) -> int:
        """Give back the slots that a record took up to a stamp, but for the latest if it `is_in` the group.

        Return how many were given back.
        """
        name = self.cell_group(group)
        cells = self._row_writes.cells(name, self.limit + _MORE)
        owned = sorted((cell for cell in cells if _owner(cell) == key and _stamp(cell) <= stamp), key=_stamp)
        unneeded = owned[:-1] if is_in else owned
        for cell in unneeded:
            self._row_writes.swap(name, cell.key, cell.value, None)
        return len(unneeded)

    def inspect(self, name: str, before: int) -> int:
        """Give back the slots of a cell group that no record needs, and return how many.

        Only slots taken up to the stamp `before` are given back. A write up to that stamp which has taken a slot and
        not changed its record is taken for interrupted: the record is fenced against it.
        """
        cells, last, released = [], "", 0
        while page := self._row_writes.cells(name, _PAGE, last):
            cells += page
            last = page[-1].key
        for owner in {_owner(cell): None for cell in cells}:
            owned = sorted((cell for cell in cells if _owner(cell) == owner), key=_stamp)
            record = self._records.find(owner, is_serial=True)
            is_in = self._is_member(name, record)
            if is_in and len(owned) == 1:
                continue
            old = [cell for cell in owned if _stamp(cell) <= before]
            if old and (record is None or stamp_of(record.write) < _stamp(old[-1])):
                record = self._records.fence(owner, _stamp(old[-1]))
                is_in = self._is_member(name, record)
            left_at = stamp_of(record.write) if record is not None else 0
            decided = [cell for cell in owned if _stamp(cell) <= left_at]
            for cell in decided[:-1] if is_in else decided:
                if _stamp(cell) <= before:
                    released += self._row_writes.swap(name, cell.key, cell.value, None)[0]
        return released

    def _is_member(self, name: str, record: StoredRecord | None) -> bool:
        """Return whether a record is in the group whose cells have a name."""
        return any(self.cell_group(group) == name for group in self.groups(self._records.image(record)))

    def fill(self, images: Sequence[Row]) -> None:
        """Take the slots of a new constraint for the records of a table, to which nobody writes meanwhile."""
        for image in images:
            key = self._records.key_of(image)
            for group in self.groups(image):
                self.take(group, key, BEFORE_ALL_WRITES, Meter(), Backoff(WaitPolicy()))


def _number(at: int) -> str:
    return f"{at:08d}"


def _stamp(cell: Cell) -> int:
    return stamp_of(cell.value)


def _owner(cell: Cell) -> Row:
    return values_of(cell.value.partition(" ")[2])
