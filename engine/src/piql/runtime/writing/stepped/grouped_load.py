"""New records of one table, many at a time: the steps of `writer.py`, each step for all of them together.

Only what goes smoothly is loaded here. All else is returned to be written one record at a time: a record that exists
already, a group that is nearly full, a parent that is missing or marked for deletion, a step that another writer
overtook. So nothing is refused here, and no constraint's message is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

from piql.errors import PiqlError, StoreFull, StoreUnavailable
from piql.runtime.deployment import LOOK_SECONDS, Redeployed
from piql.runtime.writing.stepped.intents import Intent
from piql.runtime.writing.stepped.slots import Slots
from piql.runtime.writing.stepped.stamps import stamp_of
from piql.runtime.writing.stepped.touched_entries import Touched
from piql.runtime.writing.stepped.writer import HALF_WAY, SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.guards import Guards
from piql.store.rows import Row, State

CHUNK = 512  # records: so few that readers and writers who meet a half-done load need not wait long


@dataclass(slots=True)
class _Load:
    """One new record, and how far its load has come.

    image        the record, in the order of the table's columns
    write        the name of the write that puts it; `mark` that of the write that shows it as COMING before, if needed
    touched      the index entries to write;  `entered`  the slots to take
    is_marked    the mark may have been written
    is_out       it is left to be written by itself, and what was written for it is withdrawn
    """

    key: Row
    image: Row
    write: str
    mark: str | None
    touched: Touched
    entered: list[tuple[Slots, Row]]
    intent: Intent | None = None
    is_marked: bool = False
    is_out: bool = field(default=False)

    @property
    def stamp(self) -> int:
        return stamp_of(self.write)


class GroupedLoad:
    """Loads new records of one table, some hundred at a time (`chunks`)."""

    def __init__(self, writer: SteppedWriter, identity: WriterIdentity) -> None:
        self._writer = writer
        self._identity = identity

    def load(self, records: Mapping[Row, Row]) -> list[Row]:
        """Put new records, given by key; return the keys of those that must be written one at a time.

        Raises StoreUnavailable or StoreFull, after which it is unknown which records are in, and Redeployed.
        """
        if self._writer.writer.guards != Guards() or self._writer.views.are_any:
            return list(records)
        began = self._identity.wait_policy.clock()
        loads, left_out = self._begin(records)
        try:
            self._secure(loads)
            if self._identity.wait_policy.clock() - began > LOOK_SECONDS:
                self._writer.look_again()
            self._decide(loads)
        except StoreFull as failure:
            raise StoreFull(f"{HALF_WAY}; which rows are in is not known: load them again") from failure
        except StoreUnavailable:
            raise  # nobody knows how far it came: the intents stay, to be settled later
        except (PiqlError, Redeployed):
            with suppress(StoreUnavailable):
                for load in loads:
                    self._withdraw(load)
            raise
        for load in loads:
            if load.is_out:
                self._withdraw(load)
                left_out.append(load.key)
        return left_out

    def _begin(self, records: Mapping[Row, Row]) -> tuple[list[_Load], list[Row]]:
        """Return the loads of the records that are new, and the keys of those that exist with other values."""
        writer, stamps = self._writer, self._identity.stamps
        loads: list[_Load] = []
        left_out: list[Row] = []
        for key, record in zip(records, writer.records.find_many(list(records)), strict=True):
            image = records[key]
            if record is None:
                mark = stamps.write_after(0) if writer.references.are_looked_for(image) else None
                touched, (entered, _) = writer.entries.touched(None, image), writer.agreement.moves(None, image)
                loads.append(_Load(key, image, stamps.write_after(0), mark, touched, entered))
            elif record.state is not State.VISIBLE or writer.writer.keep_hidden(
                writer.records.image(record), image
            ) != writer.records.image(record):
                left_out.append(key)
        return loads, left_out

    def _secure(self, loads: Sequence[_Load]) -> None:
        """Take all steps before the records are put: note intents, take slots, show entries, check foreign keys."""
        writer, log = self._writer, self._identity.log
        for load in loads:
            if load.touched or load.entered:
                load.intent = Intent(
                    log.group,
                    log.next_number(),
                    writer.writer.table.name,
                    load.write,
                    load.key,
                    writer.columns,
                    (load.image,),
                )
        log.note_many([load.intent for load in loads if load.intent is not None])
        self._take_slots(loads)
        remaining = _remaining(loads)
        self._identity.row_writes.change_entries(
            [change._replace(at=load.stamp) for load in remaining for change in load.touched.values()]
        )
        marked = [load for load in remaining if load.mark is not None]
        for load in marked:
            load.is_marked = True  # before it is written: a write that fails may have been made
        puts = [(load.image, State.COMING, load.mark or "", None) for load in marked]
        for marked_load, is_put in zip(marked, writer.records.put_many(puts), strict=True):
            marked_load.is_out |= not is_put
        self._check_references(_remaining(loads))

    def _take_slots(self, loads: Sequence[_Load]) -> None:
        """Take the slots of all loads; those of a group that has too few free ones are out."""
        loads_by_slots: dict[Slots, dict[Row, list[_Load]]] = defaultdict(lambda: defaultdict(list))
        for load in loads:
            for slots, group in load.entered:
                loads_by_slots[slots][group].append(load)
        for slots, groups in loads_by_slots.items():
            keys = {
                group: [(load.key, load.write) for load in loads_of_group] for group, loads_of_group in groups.items()
            }
            for group in slots.take_many(keys):
                for load in groups[group]:
                    load.is_out = True

    def _check_references(self, loads: Sequence[_Load]) -> None:
        """Look up what foreign keys name; loads that name no row, or one that is being deleted, are out."""
        for reference in self._writer.references.references:
            naming: dict[Row, list[_Load]] = defaultdict(list)
            for load in loads:
                try:
                    key = reference.key_named(None, load.image)
                except PiqlError:
                    load.is_out = True
                else:
                    if key is not None:
                        naming[key].append(load)
            for key in reference.without_parent(list(naming)):
                for load in naming[key]:
                    load.is_out = True

    def _decide(self, loads: Sequence[_Load]) -> None:
        """Put the records, which decides that they exist, then make their entries visible and forget the intents."""
        writer, remaining = self._writer, _remaining(loads)
        puts = [(load.image, State.VISIBLE, load.write, load.mark) for load in remaining]
        for remaining_load, is_put in zip(remaining, writer.records.put_many(puts), strict=True):
            remaining_load.is_out = not is_put
        done = _remaining(remaining)
        self._identity.row_writes.change_entries(
            [change for load in done for change in writer.entries.as_record_says(load.touched, load.image, load.stamp)]
        )
        self._identity.log.forget_many([load.intent for load in done if load.intent is not None])

    def _withdraw(self, load: _Load) -> None:
        """Take back what the load of one record has written, unless its record is there."""
        if load.intent is not None:
            self._writer.settle(load.intent)
        elif load.is_marked and load.mark is not None:
            self._writer.records.fence(load.key, stamp_of(load.mark))


def chunks(records: Mapping[Row, Row], partition_length: int, size: int = CHUNK) -> list[dict[Row, Row]]:
    """Divide records into groups of `size`, those of one partition (equal first key values) next to each other."""
    numbers: dict[Row, int] = {}
    numbering = count()
    position: dict[Row, int] = {}
    for key in records:
        partition = key[:partition_length]
        if partition not in numbers:
            numbers[partition] = next(numbering)
        position[key] = numbers[partition]
    in_order = sorted(records, key=position.__getitem__)
    return [{key: records[key] for key in in_order[at : at + size]} for at in range(0, len(in_order), size)]


def _remaining(loads: Sequence[_Load]) -> list[_Load]:
    """Return the loads that are not out."""
    return [load for load in loads if not load.is_out]
