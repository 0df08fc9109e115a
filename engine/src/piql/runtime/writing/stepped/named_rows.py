"""The rows that a record names, for a view of several tables on a store without transactions.

    line (o 1, item 7)  ──item by its key──▶  item 7  ──author by its key──▶  author 3        found before the intent
                                                                                              again, behind its entries

Such a view has one record that decides, the line. Who settles its write may find the rows that it named changed, once
the line is gone. So they are read first, and the intent holds what the view takes from them. While a line names a row,
no write changes what a view takes of it (`held_rows`): from the moment when the line's entries are shown and the row is
seen without a mark. So whatever was read before holds if it is the same then; otherwise the write begins again.

A writer that has not known of the view may be at work on a row that is named: what it sends must come too late. So a
row that is named has a mark (`contributions`) like the lines that the view counts. It gets it from the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from piql.runtime.writing.joined_rows import JoinsOfTable
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.contributions import mark_of
from piql.runtime.writing.stepped.intents import Joined
from piql.runtime.writing.stepped.records import SteppedRecords
from piql.runtime.writing.stepped.references import NamedRecord
from piql.runtime.writing.table_rules.constraints import picker
from piql.schema.view_joins import Lookup
from piql.store.row_writes import StoredRecord
from piql.store.rows import Row


class NamedTable(NamedTuple):
    """A table whose rows are named; `give_mark` gives the record of a key a mark."""

    records: SteppedRecords
    give_mark: Callable[[Row, int], None]


class Part(NamedTuple):
    """What a view takes of the row with a key; None where there is no such row."""

    key: Row
    values: Row | None


class Taken(NamedTuple):
    """The rows of a view that a record is in before and after a write, and what was read for that after it."""

    joined: Joined
    parts: Mapping[int, Part]


class NamedRows:
    """Finds the row of one view that a record of its deciding table is in; the view counts from a mark."""

    def __init__(self, joins: JoinsOfTable, tables: Mapping[str, NamedTable], counted_from: int) -> None:
        (start,) = joins.starts
        assert start.plan.lookups is not None
        rows = joins.rows
        self._number = start.plan.number
        self._pick = start.pick
        self._width = len(rows.names)
        self._counted_from = counted_from
        self.columns = tuple(column.name for column in rows.table.columns)

        def at(place: tuple[int, str]) -> tuple[int, int]:
            return place[0], rows.position(*place)

        self._steps = [
            _Step(
                lookup,
                rows.tables[lookup.number].name,
                tables[rows.tables[lookup.number].name],
                picker(tables[rows.tables[lookup.number].name].records.table, rows.names[lookup.number]),
                tuple(at(_source_of(lookup, name)) for name in rows.tables[lookup.number].primary_key),
                tuple((at(left), at(right)) for left, right in lookup.rest),
                (None,) * len(rows.names[lookup.number]),
            )
            for lookup in start.plan.lookups
        ]

    def find(self, meter: Meter, old: Row | None, new: Row | None) -> Taken:
        """Return the rows of the view that the old image of a record and the new one are in, as far as there are any.

        Where both are in the same row, there are none to tell. A request is made for each row that is named.
        """
        if old is not None and new is not None and self._pick(old) == self._pick(new):
            return Taken(Joined(self.columns, None, None), {})
        cache: dict[tuple[int, Row], StoredRecord | None] = {}

        def read(step: _Step, key: Row) -> StoredRecord | None:
            place = step.lookup.number, key
            if place not in cache:
                meter.step(1)
                cache[place] = self._read(step, key)
            return cache[place]

        before, _ = self._follow(old, read)
        after, parts = self._follow(new, read)
        return Taken(Joined(self.columns, before, after), parts)

    def _read(self, step: _Step, key: Row) -> StoredRecord | None:
        """Return the record of a row that is named, once it has a mark of the view."""
        record = step.table.records.find(key)
        if record is not None and step.table.records.image(record) and mark_of(record.write) < self._counted_from:
            step.table.give_mark(key, self._counted_from)
            record = step.table.records.find(key)
        return record

    def _follow(
        self, image: Row | None, read: Callable[[_Step, Row], StoredRecord | None]
    ) -> tuple[Row | None, Mapping[int, Part]]:
        """Return the row of the view that an image is in, and what the view takes of the rows that it names."""
        if image is None:
            return None, {}
        parts: dict[int, Part] = {}
        row: dict[int, Row] = {self._number: self._pick(image)}
        for step in self._steps:
            key = step.key_of(row)
            if key is None and step.lookup.is_optional:
                row[step.lookup.number] = step.nulls
                continue
            if key is None:
                return None, parts
            record_image = step.table.records.image(read(step, key))
            values = step.pick(record_image) if record_image is not None else None
            parts[step.lookup.number] = Part(key, values)
            if values is None:
                return None, parts
            row[step.lookup.number] = values
        if not all(step.agrees(row) for step in self._steps):
            return None, parts
        return tuple([value for number in range(self._width) for value in row[number]]), parts

    def is_still(self, meter: Meter, old: Row | None, taken: Taken, seen: Iterable[NamedRecord]) -> bool:
        """Return whether the rows that a record will name are as they were, and will be while it names them.

        `seen` are rows that it newly names, without marks. Others are seen now, but for those that the old image holds.
        """
        records = {(named.table, named.key): named.record for named in seen}
        held = {self._number: self._pick(old)} if old is not None else {}
        for step in self._steps:
            part = taken.parts.get(step.lookup.number)
            if part is None:
                continue
            if part.values is not None and step.key_of(held) == part.key:
                held[step.lookup.number] = part.values
                continue
            record = records.get((step.name, part.key))
            if record is None:
                meter.step(1)
                record = step.table.records.find_shown(part.key, meter)
            image = step.table.records.image(record)
            if (step.pick(image) if image is not None else None) != part.values:
                return False
            if record is not None and mark_of(record.write) < self._counted_from:
                return False
        return True

    def rows_of(self, images: Sequence[Row | None]) -> list[Row | None]:
        """Return the row of the view that each image of a record is in, by reads of all rows that they name."""
        records: dict[tuple[int, Row], StoredRecord | None] = {}
        lacking: set[tuple[int, Row]] = set()

        def read(step: _Step, key: Row) -> StoredRecord | None:
            place = step.lookup.number, key
            if place not in records:
                lacking.add(place)
            return records.get(place)

        while True:
            lacking.clear()
            rows = [self._follow(image, read)[0] for image in images]
            if not lacking:
                return rows
            for step in self._steps:
                keys = [key for number, key in lacking if number == step.lookup.number]
                answers = step.table.records.find_many(keys) if keys else []
                records.update(((step.lookup.number, key), record) for key, record in zip(keys, answers, strict=True))


class _Step(NamedTuple):
    """One lookup: `pick` takes what rows hold of the table, `sources` say where its key stands in those before it."""

    lookup: Lookup
    name: str
    table: NamedTable
    pick: Callable[[Row], Row]
    sources: tuple[tuple[int, int], ...]
    rest: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    nulls: Row

    def key_of(self, row: Mapping[int, Row]) -> Row | None:
        """Return the key of the row that is named next; None where a part of it is NULL, or not known."""
        if any(number not in row for number, _ in self.sources):
            return None
        key = tuple([row[number][position] for number, position in self.sources])
        return None if None in key else key

    def agrees(self, row: Mapping[int, Row]) -> bool:
        """Return whether the further pairs of the lookup are equal."""
        return all(
            (value := row[left[0]][left[1]]) is not None and value == row[right[0]][right[1]]
            for left, right in self.rest
        )


def _source_of(lookup: Lookup, column: str) -> tuple[int, str]:
    return lookup.sources[lookup.columns.index(column)]
