"""What a write should do: the errors that it may end in, the rows that it changes and those that it gives back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .compare import exact
from .contents import Contents, Row
from .query import Conflict, Const, Default, Delete, Expr, Insert, Update, Write
from .schema import Schema, Table
from .schema_generator import refers_to_itself

Change = Callable[[], None]


def nothing() -> None:
    """Change no row."""


@dataclass
class Expectation:
    """What is expected of a write; of several rows, `changes` are those before the first that is refused."""

    refusals: set[str]
    affected: int = 1
    changes: list[Change] = field(default_factory=list)
    returned: list[Row] = field(default_factory=list)
    is_refused_always: bool = True  # where there are refusals
    is_in_order: bool = True  # the rows are written in this order

    @property
    def may_pass(self) -> bool:
        return not self.refusals or not self.is_refused_always


def rows_before(message: str) -> int:
    """Return how many rows an INSERT wrote before the one that its refusal names."""
    number = re.match(r"row (\d+) of .*the rows before it are written", message, re.DOTALL)
    return int(number[1]) - 1 if number else 0


class ExpectedWrites:
    """Says what is expected of writes to the rows of a world."""

    def __init__(self, schema: Schema, contents: Contents) -> None:
        self.schema = schema
        self.contents = contents

    def write(self, query: Write, sample: Mapping[str, object]) -> Expectation | None:
        """Return what is expected; None where it is left open."""
        table = self.schema.table(query.table)
        match query:
            case Insert():
                return self.insert(table, query, sample)
            case Update():
                return self.update(table, query, sample)
            case Delete():
                old = self.row_named(table, query.key, sample)
                if old is None:
                    return Expectation(set(), 0)
                return self.deleted(table, self.contents.key(table, old), old)

    def section(
        self, query: Update | Delete, sample: Mapping[str, object], keys: Sequence[tuple[object, ...]]
    ) -> Expectation | None:
        """Write one row after the other, until one is refused; then take them all back."""
        table, section = self.schema.table(query.table), query.section
        assert section is not None
        changes = {name: _value(value, sample) for name, value in query.changes} if isinstance(query, Update) else {}
        together = Expectation(set(), 0, is_in_order=bool(section.order))
        if not keys and isinstance(query, Update):
            probe = dict.fromkeys((column.name for column in table.columns), None) | changes
            together.refusals = self.contents.refusals_of_put(table.name, probe) & {"ConstraintViolation"}
            together.is_refused_always = False
        before = dict(self.contents.rows[table.name])
        try:
            for key in keys:
                old = self.contents.rows[table.name][key]
                row = old | changes
                if refers_to_itself(table, row) or refers_to_itself(table, old):
                    return None
                if isinstance(query, Update):
                    one = self.put(table, self.contents.refusals_of_put(table.name, row), row)
                else:
                    one = self.deleted(table, key, old)
                together.refusals |= one.refusals
                if one.refusals:
                    continue
                for change in one.changes:
                    change()
                together.changes += one.changes
                together.affected += 1
                together.returned += one.returned
        finally:
            self.contents.rows[table.name] = before
        together.is_refused_always &= together.is_in_order or len(keys) < 2
        return together

    def deleted(self, table: Table, key: tuple[object, ...], old: Row) -> Expectation:
        refusals = self.contents.refusals_of_delete(table.name, key)
        return Expectation(refusals, 1, [lambda: self.contents.delete(table.name, key)], [old])

    def insert(self, table: Table, query: Insert, sample: Mapping[str, object]) -> Expectation | None:
        """Put one row after the other, until one is refused; then take them all back."""
        together = Expectation(set(), 0)
        before = dict(self.contents.rows[table.name])
        try:
            for row in _new_rows(table, query, sample):
                if refers_to_itself(table, row):
                    return None
                if together.refusals:  # what is wrong with the values of a later row may be said first
                    together.refusals |= self.contents.refusals_of_put(table.name, row) & {"ConstraintViolation"}
                    continue
                one = self.one_row(table, query, row, sample)
                if one is None:
                    return None
                together.refusals |= one.refusals
                if one.refusals:
                    continue
                for change in one.changes:
                    change()
                together.changes += one.changes or [nothing]
                together.affected += one.affected
                together.returned += one.returned
        finally:
            self.contents.rows[table.name] = before
        return together

    def one_row(self, table: Table, query: Insert, row: Row, sample: Mapping[str, object]) -> Expectation | None:
        refusals = self.contents.refusals_of_put(table.name, row)
        if query.conflict is not None and "ConstraintViolation" not in refusals:
            return self.upsert(table, query.conflict, row, sample)
        if query.if_not_exists and self.contents.key(table, row) in self.contents.rows[table.name]:
            refusals.add("DuplicateKey")
        return self.put(table, refusals, row)

    def put(self, table: Table, refusals: set[str], row: Row) -> Expectation:
        return Expectation(refusals, 1, [lambda: self.contents.put(table.name, row)], [row])

    def row_named(self, table: Table, pairs: Sequence[tuple[str, Expr]], sample: Mapping[str, object]) -> Row | None:
        """Return the row that a write names by its primary key or a UNIQUE key."""
        return self.row_with(table, {name: _value(value, sample) for name, value in pairs})

    def row_with(self, table: Table, values: Mapping[str, object]) -> Row | None:
        """Return the row with the values of a key; None also for NULL, which equals nothing."""
        if None in values.values():
            return None
        wanted = [exact(value) for value in values.values()]
        rows = self.contents.rows[table.name].values()
        return next((row for row in rows if [exact(row[name]) for name in values] == wanted), None)

    def upsert(self, table: Table, conflict: Conflict, row: Row, sample: Mapping[str, object]) -> Expectation | None:
        """Say what is expected of an INSERT with ON CONFLICT whose values fit their columns."""
        keys = [conflict.key] if conflict.key else [table.primary_key, *table.uniques]
        found = (self.row_with(table, {name: row[name] for name in key}) for key in keys)
        old = next((there for there in found if there is not None), None)
        if old is None:
            refusals = self.contents.refusals_of_put(table.name, row)
            if self.contents.key(table, row) in self.contents.rows[table.name]:
                refusals.add("DuplicateKey")
            return self.put(table, refusals, row)
        if not conflict.changes:
            return Expectation(set(), 0)
        news = {name: row[name] if value is None else _value(value, sample) for name, value in conflict.changes}
        new = old | news
        if refers_to_itself(table, new):
            return None
        return self.put(table, self.contents.refusals_of_put(table.name, new), new)

    def update(self, table: Table, query: Update, sample: Mapping[str, object]) -> Expectation | None:
        old = self.row_named(table, query.key, sample)
        changes = {name: _value(value, sample) for name, value in query.changes}
        if old is None:
            probe = dict.fromkeys((column.name for column in table.columns), None) | changes
            early = self.contents.refusals_of_put(table.name, probe) & {"ConstraintViolation"}
            refusals = early | ({"ConditionFailed"} if query.conditions else set())
            return Expectation(refusals, 0, is_refused_always=False)
        row = old | changes
        if refers_to_itself(table, row):
            return None
        refusals = self.contents.refusals_of_put(table.name, row)
        for name, value in query.conditions:
            wanted = _value(value, sample)
            if wanted is None or exact(old[name]) != exact(wanted):
                refusals.add("ConditionFailed")
        return self.put(table, refusals, row)


def _new_rows(table: Table, query: Insert, sample: Mapping[str, object]) -> Iterator[Row]:
    """Yield the rows that an INSERT writes, with the DEFAULTs of the columns that it does not name."""
    names = [name for name, _ in query.values]
    if query.given is None:
        for values in ([value for _, value in query.values], *query.more):
            given = zip(names, values, strict=True)
            row: Row = {column.name: column.default for column in table.columns}
            yield row | {name: _value(value, sample) for name, value in given if not isinstance(value, Default)}
        return
    rows = sample[query.given.name]
    assert isinstance(rows, list)
    for of_list in rows:
        by_name = of_list if isinstance(of_list, dict) else dict(zip(names, of_list, strict=True))
        yield {column.name: column.default for column in table.columns} | by_name


def _value(expr: Expr, sample: Mapping[str, object]) -> object:
    return expr.value if isinstance(expr, Const) else sample[expr.name]  # type: ignore[union-attr]
