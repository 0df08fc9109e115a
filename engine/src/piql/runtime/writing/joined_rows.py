"""The rows of a view of several tables that a record is in: the record, with what is joined to it.

    line (o 1, n 1, item 7, qty 2)  ──item by its key──▶  (1, 1, 7, 2, 7, "art")       of  l JOIN i ON i.i_id = l.item

`schema.view_joins` says how they are found. Each row has the primary key of every table in it: so two are the same if
they are equal, whichever of their records they were found from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from piql.errors import ConstraintViolation
from piql.runtime.deployment import Deployment
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.constraints import ReferrerCheck, index_for, leading, picker
from piql.schema.catalog import Table, column_of
from piql.schema.view_joins import Lookup, Start, read_columns, restricted, starts_of, walked_start
from piql.store.base import Reads, ReadShape, Store
from piql.store.rows import Row

Change = tuple[Row | None, Row | None]
"""A record of a table before and after a write; None for no record."""

Cache = dict[tuple[int, tuple[str, ...], Row], list[Row]]
"""The rows of other tables that were read already: by the number of the table, and what columns hold of them."""


class JoinedRows:
    """Finds the rows of one view; `table` has their columns, and the primary key of the table whose rows are walked.

    `tables` are those of the view, and `names` the columns that are read of each.
    """

    def __init__(self, view: Table, deployment: Deployment, store: Store) -> None:
        assert view.view is not None
        self.view = view
        self.deployment = deployment
        self.store = store
        self._definition = view.view
        self._tables: Mapping[str, Table] = deployment.tables
        self.tables = [self._tables[name] for name in view.view.tables]
        self.names = [read_columns(view.view, self._tables, number) for number in range(len(self.tables))]
        self._starts = starts_of(view.view, self._tables)
        self.walked = walked_start(view.view, self._tables)
        self.table = self._row_table()
        self._searches: dict[Lookup, _Search] = {}

    def _row_table(self) -> Table:
        columns = []
        for number, (table, names) in enumerate(zip(self.tables, self.names, strict=True)):
            for name in names:
                column = table.column(name)
                assert column is not None
                columns.append(replace(column, name=column_of(number, name)))
        key = self._tables[self.walked.table].primary_key
        return Table(self.view.name, tuple(columns), tuple(column_of(self.walked.number, name) for name in key))

    def of_table(self, record: Table, is_coming: bool) -> JoinsOfTable:
        """Return what finds the rows that records of one table are in.

        With `is_coming` the view is of another version, whose foreign keys nobody has checked.
        """
        starts = [start for start in self._starts if start.table == record.name]
        return JoinsOfTable(self, [self._of_start(start, record) for start in starts], is_coming)

    def walk(self, record: Table) -> Callable[[Reads, Meter, Row], list[Row]]:
        """Return what finds the rows that a record of the walked table is in."""
        start = self._of_start(self.walked, record)
        return lambda reads, meter, row: self.found(reads, meter, start, row, {}, frozenset())

    def _of_start(self, start: Start, record: Table) -> _Start:
        table = self._tables[start.table]
        guard = None
        if start.guard is not None:
            naming = self.tables[start.guard.number]
            guard = ReferrerCheck(table, naming, start.guard.key, self.deployment, self.store, record)
        kept = restricted(self._definition, self._tables, start)
        return _Start(start, picker(record, self.names[start.number]), picker(record, table.in_order(kept)), guard)

    def found(
        self,
        reads: Reads,
        meter: Meter,
        start: _Start,
        record: Row,
        cache: Cache,
        uncached: frozenset[int],
        *,
        is_there: bool = True,
    ) -> list[Row]:
        """Return the rows that a record is in; nothing is kept in the cache of the tables in `uncached`.

        If it is not there, those that would have it, with NULLs in its place and in that of what is found from it.
        """
        assert start.plan.lookups is not None
        rows: list[dict[int, Row]] = [{start.plan.number: start.pick(record)}]
        for lookup in start.plan.lookups:
            if not is_there and lookup.number in start.plan.below:
                rows = [{**row, lookup.number: self._nulls(lookup.number)} for row in rows]
                continue
            search = self._search(lookup)
            longer: list[dict[int, Row]] = []
            for row in rows:
                key = search.key_of(row)
                if key is None:
                    longer += [{**row, lookup.number: self._nulls(lookup.number)}] if lookup.is_optional else []
                    continue
                place = (lookup.number, lookup.columns, key)
                partners = cache.get(place)
                if partners is None:
                    partners = search.read(reads, meter, key)
                    if lookup.number not in uncached:
                        cache[place] = partners
                if lookup.is_optional and not partners:
                    partners = [self._nulls(lookup.number)]
                longer += [joined for partner in partners if search.agrees(joined := {**row, lookup.number: partner})]
            rows = longer
        if not is_there:
            rows = [{**row, start.plan.number: self._nulls(start.plan.number)} for row in rows]
        return [tuple([value for number in range(len(self.names)) for value in row[number]]) for row in rows]

    def _nulls(self, number: int) -> Row:
        return (None,) * len(self.names[number])

    def _search(self, lookup: Lookup) -> _Search:
        search = self._searches.get(lookup)
        if search is None:
            search = self._searches[lookup] = _Search(self, lookup)
        return search

    def position(self, number: int, column: str) -> int:
        """Return where a column of a table stands among those that are read of it."""
        return self.names[number].index(column)

    def numbers_of(self, table: str) -> frozenset[int]:
        """Return the numbers that a table has in the view."""
        return frozenset(number for number, name in enumerate(self._definition.tables) if name == table)


class _Start(NamedTuple):
    """A table of the view whose record is written: `pick` takes what rows hold of it, `kept` what must not change."""

    plan: Start
    pick: Callable[[Row], Row]
    kept: Callable[[Row], Row]
    guard: ReferrerCheck | None


class _Image(NamedTuple):
    """A record before or after a write; one of the same key where it is not there then."""

    record: Row
    is_there: bool


class JoinsOfTable:
    """Finds the rows of a view that change with records of one table."""

    def __init__(self, rows: JoinedRows, starts: Sequence[_Start], is_coming: bool) -> None:
        self.rows = rows
        self.starts = starts
        self._is_coming = is_coming

    def begin(self, reads: Reads, meter: Meter, changes: Sequence[Change]) -> Begun:
        """Return the rows before a write; called before it is made.

        Raises ConstraintViolation for a record that rows name, if what the view takes of it would change.
        """
        begun = Begun()
        for start in self.starts:
            changed = [change for change in changes if self._matters(start, *change)]
            if start.plan.lookups is None:
                for old, new in changed:
                    self._refuse_named(reads, meter, start, old, new)
            elif changed:
                olds, news = (self._images(start, changed, at) for at in (0, 1))
                begun.changed.append((start, news))
                begun.before.update(dict.fromkeys(self._found(reads, meter, start, olds, begun.cache)))
        return begun

    def finish(self, reads: Reads, meter: Meter, begun: Begun) -> list[Change]:
        """Return the rows of the view before and after a write; called when it is made."""
        after: dict[Row, None] = {}
        for start, news in begun.changed:
            after.update(dict.fromkeys(self._found(reads, meter, start, news, begun.cache)))
        gone: list[Change] = [(row, None) for row in begun.before if row not in after]
        return gone + [(None, row) for row in after if row not in begun.before]

    def _matters(self, start: _Start, old: Row | None, new: Row | None) -> bool:
        """Return whether a write of a record may change rows of the view that are found from it."""
        if old is None or new is None:
            return start.guard is None or self._is_coming
        return start.pick(old) != start.pick(new)

    def _images(self, start: _Start, changes: Iterable[Change], at: int) -> list[_Image]:
        """Return the records before their changes (0) or after (1), and of an optional table also those that lack."""
        images: list[_Image] = []
        for change in changes:
            image, counterpart = change[at], change[1 - at]
            if image is not None:
                images.append(_Image(image, True))
            elif start.plan.is_optional and counterpart is not None:
                images.append(_Image(counterpart, False))
        return images

    def _found(
        self, reads: Reads, meter: Meter, start: _Start, images: Iterable[_Image], cache: Cache
    ) -> Iterable[Row]:
        written = self.rows.numbers_of(start.plan.table)
        for image in images:
            yield from self.rows.found(reads, meter, start, image.record, cache, written, is_there=image.is_there)

    def _refuse_named(self, reads: Reads, meter: Meter, start: _Start, old: Row | None, new: Row | None) -> None:
        """Raise ConstraintViolation if a row names the record, and what the view takes of it changes."""
        assert start.guard is not None
        if old is not None and new is not None and start.kept(old) == start.kept(new):
            return
        record = old if old is not None else new
        assert record is not None
        meter.spend(1)
        meter.round_trips += 1
        if start.guard.is_named(reads, record):
            referrer, key = start.guard.referrer.name, ", ".join(start.guard.key.columns)
            way_out = f"a CARDINALITY LIMIT n ({key}) in {referrer} lets the view follow"
            raise ConstraintViolation(f"{self.why_held(start)}: {way_out}")

    def why_held(self, start: _Start) -> str:
        """Return why a row that rows of the view name cannot change, in words."""
        assert start.guard is not None
        return (
            f"{start.plan.table}: rows of {start.guard.referrer.name} name this row, and the view "
            f"{self.rows.view.name} groups or counts them by what would change"
        )


class Begun:
    """What a write has to know when it is made: the rows before it, and the records to find those after it."""

    def __init__(self) -> None:
        self.before: dict[Row, None] = {}
        self.changed: list[tuple[_Start, list[_Image]]] = []
        self.cache: Cache = {}


class _Search:
    """Finds the rows of one table by one lookup."""

    def __init__(self, rows: JoinedRows, lookup: Lookup) -> None:
        self._table = rows.tables[lookup.number]
        names, store = rows.names[lookup.number], rows.store
        self._most = lookup.most
        self._view = rows.view.name
        index = index_for(rows.deployment, self._table, lookup.columns)
        columns = leading(index, len(lookup.columns))
        source_of = dict(zip(lookup.columns, lookup.sources, strict=True))
        self._sources = [
            (number, rows.position(number, name)) for number, name in (source_of[name] for name in columns)
        ]
        is_whole = set(names) <= index.held_columns
        shape = ReadShape(self._table, index, names if is_whole else self._table.primary_key, len(columns))
        self._read = store.prepare(shape)
        self._tail: tuple[int, ...] = () if shape.is_get else (lookup.most + 1,)
        self._get = None
        if not is_whole:
            primary = self._table.primary_index()
            self._get = store.prepare(ReadShape(self._table, primary, names, len(self._table.primary_key)))
        self._rest = [tuple((number, rows.position(number, name)) for number, name in pair) for pair in lookup.rest]

    def key_of(self, row: Mapping[int, Row]) -> Row | None:
        """Return the key by which partners of a row are found; None where a part of it is NULL."""
        key = tuple([row[number][position] for number, position in self._sources])
        return None if None in key else key

    def read(self, reads: Reads, meter: Meter, key: Row) -> list[Row]:
        """Return the rows of the table with a key."""
        meter.spend(1)
        meter.round_trips += 1
        rows = reads.read(self._read, (*key, *self._tail))
        if len(rows) > self._most:
            raise ConstraintViolation(
                f"{self._view}: more than {self._most:,} rows of {self._table.name} would have to be read for one row"
            )
        if self._get is None or not rows:
            return rows
        meter.spend(len(rows))
        meter.round_trips += 1
        return [row for primary in rows for row in reads.read(self._get, primary)]

    def agrees(self, row: Mapping[int, Row]) -> bool:
        """Return whether the further pairs of the lookup are equal."""
        return all(
            _value(row, left) is not None and _value(row, left) == _value(row, right) for left, right in self._rest
        )


def _value(row: Mapping[int, Row], place: tuple[int, int]) -> Any:
    return row[place[0]][place[1]]
