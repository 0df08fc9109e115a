"""The record of a unit on a store without transactions: what it holds, and whether it was decided.

    units of 9f3a11c2    1    {"unit":"1f","stage":"open","records":[…]}      one of this process's places for units
    record of a table    #write  0005f2c9a1b3c4d8-9f3a11c2-20~9f3a11c2.1.1f   held by this unit: it stays as it is

A place is used again: `open`, then `made` or `refused`, then `over`, then `open` for the next unit. Each text is there
once, so a change of it that arrives twice or late finds another one, and changes nothing. One that is `over` still says
whether it was made: its writer may have had no answer to the step that decided it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from piql.runtime.writing.stepped.notation import text_of, values_of
from piql.store.row_writes import SingleRowWrites
from piql.store.rows import HOLDS, Row, State

_PAGE = 20  # units read at a time

Stage = Literal["open", "made", "refused", "over"]


class UnitName(NamedTuple):
    """A unit: its process, the place that its record has, and its number among the units of that process."""

    process: str
    place: str
    number: str

    @property
    def group(self) -> str:
        """The group of cells in which the records of this process's units are."""
        return units_of(self.process)


class Held(NamedTuple):
    """A record that a unit holds: as it was read, and as the unit leaves it; None for no row.

    known, state    the write that had left the record, None for no record; and its state, GONE where it had no row
    hold            the write that holds it; `write` the one that leaves it as `new`, if the unit is made
    """

    table: str
    key: Row
    known: str | None
    state: State
    old: Row | None
    new: Row | None
    hold: str
    write: str

    @property
    def is_changed(self) -> bool:
        """Whether the unit changes the record; others are held since what they said was read."""
        return self.old != self.new


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """A unit; `columns` are those in which the rows of each table are laid out. Of one that is over it has neither."""

    name: UnitName
    stage: Stage
    held: tuple[Held, ...]
    columns: Mapping[str, tuple[str, ...]]
    was_made: bool = False

    def at(self, stage: Stage) -> UnitRecord:
        """Return the unit at another stage."""
        return replace(self, stage=stage, was_made=self.was_made or "made" in (stage, self.stage))

    def as_text(self) -> str:
        """Return what its cell holds; `unit_from` reads it."""
        content: dict[str, Any] = {"unit": self.name.number, "stage": self.stage}
        if self.stage == "over":
            content |= {"made": True} if self.was_made else {}
        else:
            content["columns"] = self.columns
            content["records"] = [
                [
                    held.table,
                    text_of(held.key),
                    held.known,
                    int(held.state),
                    None if held.old is None else text_of(held.old),
                    None if held.new is None else text_of(held.new),
                    held.hold,
                    held.write,
                ]
                for held in self.held
            ]
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def unit_from(process: str, place: str, text: str) -> UnitRecord:
    """Return the unit that a cell holds."""
    content = json.loads(text)
    held = tuple(
        Held(
            table,
            values_of(key),
            known,
            State(state),
            None if old is None else values_of(old),
            None if new is None else values_of(new),
            hold,
            write,
        )
        for table, key, known, state, old, new, hold, write in content.get("records", ())
    )
    columns = {table: tuple(names) for table, names in content.get("columns", {}).items()}
    was_made = content["stage"] == "made" or content.get("made", False)
    return UnitRecord(UnitName(process, place, content["unit"]), content["stage"], held, columns, was_made)


def units_of(process: str) -> str:
    """Return the name of the group that holds the records of a process's units."""
    return f"units of {process}"


def units_under_way(row_writes: SingleRowWrites, process: str) -> list[UnitRecord]:
    """Return the units of a process that are not over."""
    return [unit for unit in _units(row_writes, process) if unit.stage != "over"]


def forget_places(row_writes: SingleRowWrites, process: str) -> bool:
    """Take the places of a process that has ended out of the store; return whether all of its units were over."""
    units = _units(row_writes, process)
    for unit in units:
        if unit.stage == "over":
            row_writes.swap(unit.name.group, unit.name.place, unit.as_text(), None)
    return all(unit.stage == "over" for unit in units)


def _units(row_writes: SingleRowWrites, process: str) -> list[UnitRecord]:
    group, last = units_of(process), ""
    units: list[UnitRecord] = []
    while cells := row_writes.cells(group, _PAGE, last):
        units += [unit_from(process, cell.key, cell.value) for cell in cells]
        last = cells[-1].key
    return units


def holding(write: str, unit: UnitName) -> str:
    """Return the name of a write by which a unit holds a record, from its plain name."""
    return f"{write}{HOLDS}{'.'.join(unit)}"


def unit_of(write: str | None) -> UnitName | None:
    """Return the unit that holds the record which a write left; None for most."""
    if write is None or HOLDS not in write:
        return None
    text = write.partition(HOLDS)[2].partition("+")[0].partition("@")[0]
    process, place, number = text.rsplit(".", 2)
    return UnitName(process, place, number)
