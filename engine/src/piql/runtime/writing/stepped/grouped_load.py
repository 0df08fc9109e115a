"""New records of one table, many at a time: the steps of docs/decisions/0011, each step for all of them together.

What needs a closer look goes the way of single writes: a record that is there already, a group that is nearly full, a
parent that is not there or about to go, a step that another writer hindered. Nothing is refused here.
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
from piql.runtime.writing.stepped.writer import HALF_WAY, SteppedWriter
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.guards import Guards
from piql.store.base import EntryChange, Row, State

CHUNK = 512  # so few that readers and writers who meet them half done need not wait long


@dataclass(slots=True)
class _Load:
    """One new record, and how far its load has come."""

    key: Row
    image: Row
    write: str
    mark: str | None
    touched: dict[tuple[int, Row], EntryChange]
    entered: list[tuple[Slots, Row]]
    intent: Intent | None = None
    is_marked: bool = False
    is_out: bool = field(default=False)

    @property
    def stamp(self) -> int:
        return stamp_of(self.write)


class GroupedLoad:
    """Loads new records of one table, some hundred at a time."""

    def __init__(self, writer: SteppedWriter, identity: WriterIdentity) -> None:
        self._writer = writer
        self._identity = identity

    def load(self, records: Mapping[Row, Row]) -> list[Row]:
        """Put the records that are new, by key; return the keys of those that must be written one at a time."""
        if self._writer.writer.guards != Guards():
            return list(records)
        began = self._identity.manners.clock()
        loads, alone = self._begin(records)
        try:
            self._secure(loads)
            if self._identity.manners.clock() - began > LOOK_SECONDS:
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
                alone.append(load.key)
        return alone

    def _begin(self, records: Mapping[Row, Row]) -> tuple[list[_Load], list[Row]]:
        writer, stamps = self._writer, self._identity.stamps
        loads: list[_Load] = []
        alone: list[Row] = []
        for key, record in zip(records, writer.records.find_many(list(records)), strict=True):
            image = records[key]
            if record is None:
                mark = stamps.write_after(0) if writer.is_looked_for(image) else None
                touched, (entered, _) = writer.touched(None, image), writer.moves(None, image)
                loads.append(_Load(key, image, stamps.write_after(0), mark, touched, entered))
            elif record.state is not State.VISIBLE or writer.writer.keep_hidden(
                writer.records.image(record), image
            ) != writer.records.image(record):
                alone.append(key)
        return loads, alone

    def _secure(self, loads: Sequence[_Load]) -> None:
        """Note what is about to come, take slots, show it, and look at what it names."""
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
        going = _going(loads)
        self._identity.row_writes.change_entries(
            [change._replace(at=load.stamp) for load in going for change in load.touched.values()]
        )
        marked = [load for load in going if load.mark is not None]
        for load in marked:
            load.is_marked = True  # also where nobody knows whether it is
        puts = [(load.image, State.COMING, load.mark or "", None) for load in marked]
        for marked_load, is_put in zip(marked, writer.records.put_many(puts), strict=True):
            marked_load.is_out |= not is_put
        self._check_references(_going(loads))

    def _take_slots(self, loads: Sequence[_Load]) -> None:
        loads_by_slots: dict[int, dict[Row, list[_Load]]] = defaultdict(lambda: defaultdict(list))
        by_id: dict[int, Slots] = {}
        for load in loads:
            for slots, group in load.entered:
                by_id[id(slots)] = slots
                loads_by_slots[id(slots)][group].append(load)
        for number, groups in loads_by_slots.items():
            keys = {
                group: [(load.key, load.write) for load in loads_of_group] for group, loads_of_group in groups.items()
            }
            for group in by_id[number].take_many(keys):
                for load in groups[group]:
                    load.is_out = True

    def _check_references(self, loads: Sequence[_Load]) -> None:
        for reference in self._writer.references:
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
        """Put the records: from here on they are there; let everything else say so."""
        writer, going = self._writer, _going(loads)
        puts = [(load.image, State.VISIBLE, load.write, load.mark) for load in going]
        for going_load, is_put in zip(going, writer.records.put_many(puts), strict=True):
            going_load.is_out = not is_put
        done = _going(going)
        self._identity.row_writes.change_entries(
            [change for load in done for change in writer.as_record_says(load.touched, load.image, load.stamp)]
        )
        self._identity.log.forget_many([load.intent for load in done if load.intent is not None])

    def _withdraw(self, load: _Load) -> None:
        if load.intent is not None:
            self._writer.settle(load.intent)
        elif load.is_marked and load.mark is not None:
            self._writer.records.past(load.key, stamp_of(load.mark))


def chunks(records: Mapping[Row, Row], partition_length: int, size: int = CHUNK) -> list[dict[Row, Row]]:
    """Divide records so that those of one partition come together."""
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


def _going(loads: Sequence[_Load]) -> list[_Load]:
    return [load for load in loads if not load.is_out]
