"""Random INSERTs, and UPDATEs and DELETEs of one row or of those of a section."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from .contents import Contents
from .piql_text import NUMBERED, style_of
from .query import (
    Col,
    Compare,
    Conflict,
    Const,
    Default,
    Delete,
    Expr,
    Insert,
    Item,
    Order,
    Param,
    ScalarSelect,
    Select,
    Source,
    Stop,
    Update,
    Write,
    parameters_of,
)
from .query_generator import QueryCase
from .schema import Schema, Table
from .schema_generator import Pools, random_row
from .sources import SourceGenerator, conjunction
from .values import Value, can_be_literal

EXECUTIONS = 4


def random_write(rng: random.Random, schema: Schema, pools: Pools, contents: Contents, name: str) -> QueryCase:
    """Return a write with the parameters of several executions, many of which some constraint must refuse."""
    return _Maker(rng, schema, pools, contents).write(name)


class _Maker(SourceGenerator):
    def __init__(self, rng: random.Random, schema: Schema, pools: Pools, contents: Contents) -> None:
        super().__init__(rng, schema, pools, contents, is_basic=True)
        self.parameters.executions = EXECUTIONS
        self.parameters.__post_init__()

    def write(self, name: str) -> QueryCase:
        table = self.rng.choice(self.schema.tables)
        non_key = [column for column in table.columns if column.name not in table.primary_key]
        chance = self.rng.random()
        query: Write
        if chance < 0.5 or (chance < 0.75 and not non_key):
            query = self.insert(table)
        elif chance < 0.75:
            query = self.update(table)
        else:
            rows = self.rows(table)
            query = Delete(table.name, self.pairs(table, self.key(table, rows), rows))
        style = style_of(name, self.rng.randrange(NUMBERED))
        state = self.rng.getstate()
        query = self.with_more(table, query)
        self.rng.setstate(state)  # what follows is drawn as though nothing were added
        return QueryCase(name, query, tuple(self.parameters.samples), style)

    def with_more(self, table: Table, query: Write) -> Write:
        """Return a write with RETURNING, further rows, DEFAULTs or a section, or as it is."""
        rng = self.rng
        if isinstance(query, Update):
            if rng.random() < 0.5:
                query = replace(query, key=(), conditions=(), section=self.section(table))
        elif isinstance(query, Delete) and rng.random() < 0.5:
            query = replace(query, key=(), section=self.section(table))
        if isinstance(query, Insert):
            names = [name for name, _ in query.values]
            if rng.random() < 0.3:
                query = replace(query, more=tuple(self.further_row(table, names) for _ in range(rng.choice((1, 1, 2)))))
            with_default = {column.name for column in table.columns if column.default is not None}
            values = [
                (name, Default() if name in with_default and rng.random() < 0.5 else value)
                for name, value in query.values
            ]
            query = replace(query, values=tuple(values))
            if rng.random() < 0.25:
                query = self.reading_a_value(table, query)
        if rng.random() < 0.35:
            columns = [column.name for column in table.columns]
            query = replace(query, returning=tuple(rng.sample(columns, rng.randint(1, len(columns)))))
        reads = isinstance(query, Insert) and any(isinstance(value, ScalarSelect) for _, value in query.values)
        if isinstance(query, Insert) and not query.more and not reads and rng.random() < 0.25:
            query = self.as_list(table, query)
        used = parameters_of(query)
        self.parameters.samples = [{name: sample[name] for name in sample if name in used}
                                   for sample in self.parameters.samples]  # fmt: skip
        return query

    def reading_a_value(self, table: Table, query: Insert) -> Insert:
        """Return an INSERT of which a row reads one of its values from another row, by the key of that."""
        rng = self.rng
        position = rng.randrange(len(query.values))
        name = query.values[position][0]
        of = table.column(name).type
        readable = [
            (read_table, column.name)
            for read_table in self.schema.tables
            for column in read_table.columns
            if column.type == of or column.type.kind == of.kind != "DECIMAL"  # of one scale: no other can be kept
        ]
        read_table, column_name = rng.choice(readable)
        sight = self.sight_of(read_table)
        key = rng.choice([read_table.primary_key, *read_table.uniques])
        pairs = self.pairs(read_table, key, self.rows(read_table))
        tests = conjunction([Compare("=", Col(sight.alias, of_key), value) for of_key, value in pairs])
        source = (Source("from", read_table.name, sight.alias),)
        value = ScalarSelect(Select((Item(Col(sight.alias, column_name), column_name),), source, tests))
        rows = [tuple(value for _, value in query.values), *query.more]
        number = rng.randrange(len(rows))
        rows[number] = (*rows[number][:position], value, *rows[number][position + 1 :])
        first, *more = rows
        names = [name for name, _ in query.values]
        return replace(query, values=tuple(zip(names, first, strict=True)), more=tuple(more))

    def section(self, table: Table) -> Select:
        """Return a SELECT of the primary keys of some rows, which mostly has a bound."""
        rng = self.rng
        self.is_basic = False
        sight = self.sight_of(table)
        tests, needs_stop = self.access(sight)
        if rng.random() < 0.5:
            tests.append(self.extra([sight]))
        self.is_basic = True
        order: tuple[Order, ...] = ()
        stop = None
        if needs_stop or rng.random() < 0.2:
            is_ascending = rng.random() < 0.5
            order = tuple(Order(Col(sight.alias, name), is_ascending) for name in table.primary_key)
            count = rng.randint(1, 4)
            name = self.parameters.new([rng.randint(0, count) for _ in range(EXECUTIONS)])
            stop = Stop("LIMIT", count, name if rng.random() < 0.3 else None)
        items = tuple(Item(Col(sight.alias, name), name) for name in table.primary_key)
        return Select(items, (Source("from", table.name, sight.alias),), conjunction(tests), order=order, stop=stop)

    def as_list(self, table: Table, query: Insert) -> Insert:
        """Return an INSERT of a list of rows, each given by names or in the order of the columns."""
        rng = self.rng
        names = [name for name, _ in query.values]
        lists: list[list[object]] = []
        for _ in range(EXECUTIONS):
            rows: list[object] = []
            for _ in range(rng.choice((0, 1, 2, 2, 3))):
                row = random_row(rng, self.pools, self.contents, table)
                values = {name: self.or_null(row[name]) if rng.random() < 0.1 else row[name] for name in names}  # type: ignore[arg-type]
                rows.append(values if rng.random() < 0.5 else list(values.values()))
            lists.append(rows)
        name = self.parameters.new(lists)  # type: ignore[arg-type]
        columns = tuple((column, Const(None, table.column(column).type)) for column in names)
        most = max(1, *map(len, lists)) + rng.randint(0, 2)
        return replace(query, values=columns, given=Param(name, table.columns[0].type, most))

    def further_row(self, table: Table, names: Sequence[str]) -> tuple[Expr, ...]:
        rows = [random_row(self.rng, self.pools, self.contents, table) for _ in range(EXECUTIONS)]
        return tuple(value for _, value in self.pairs(table, names, rows))

    def rows(self, table: Table) -> list[dict[str, object]]:
        """Return a row for each execution: mostly one that exists, so that keys are hit."""
        existing = self.contents.all_rows(table.name)
        return [
            self.rng.choice(existing)
            if existing and self.rng.random() < 0.75
            else random_row(self.rng, self.pools, self.contents, table)
            for _ in range(EXECUTIONS)
        ]

    def insert(self, table: Table) -> Insert:
        rng = self.rng
        rows = [random_row(rng, self.pools, self.contents, table) for _ in range(EXECUTIONS)]
        if rng.random() < 0.3:
            existing = self.rows(table)
            rows = [rng.choice(pair) for pair in zip(rows, existing, strict=True)]
        chosen = [column.name for column in table.columns if not column.is_nullable or rng.random() < 0.8]
        if rng.random() < 0.5:
            rng.shuffle(chosen)
        values = self.pairs(table, chosen, rows)
        if rng.random() < 0.3:
            return Insert(table.name, values, conflict=self.conflict(table))
        return Insert(table.name, values, rng.random() < 0.3)

    def conflict(self, table: Table) -> Conflict:
        """Return what to do about any key, the primary key or a UNIQUE one: nothing, or some changes."""
        rng = self.rng
        key = rng.choice([(), table.primary_key, *_unique_keys(table)])
        non_key = [column.name for column in table.columns if column.name not in table.primary_key]
        if not key or not non_key or rng.random() < 0.3:
            return Conflict(key)
        changed = rng.sample(non_key, rng.randint(1, min(3, len(non_key))))
        news = [random_row(rng, self.pools, self.contents, table) for _ in range(EXECUTIONS)]
        given = {name for name in changed if rng.random() < 0.5}
        values = dict(self.pairs(table, [name for name in changed if name in given], news))
        return Conflict(key, tuple((name, values.get(name)) for name in changed))

    def key(self, table: Table, rows: Sequence[dict[str, object]]) -> tuple[str, ...]:
        """Return the key by which an UPDATE or DELETE names its row: mostly the primary one."""
        uniques = [key for key in _unique_keys(table) if all(row[name] is not None for row in rows for name in key)]
        return self.rng.choice(uniques) if uniques and self.rng.random() < 0.3 else table.primary_key

    def update(self, table: Table) -> Update:
        rng = self.rng
        non_key = [column.name for column in table.columns if column.name not in table.primary_key]
        changed = rng.sample(non_key, rng.randint(1, min(3, len(non_key))))
        news = [random_row(rng, self.pools, self.contents, table) for _ in range(EXECUTIONS)]
        conditions: tuple[tuple[str, Expr], ...] = ()
        existing = self.rows(table)
        if rng.random() < 0.25:
            conditions = self.pairs(table, rng.sample(non_key, 1), existing)
        changes = self.pairs(table, changed, news)
        return Update(table.name, changes, self.pairs(table, self.key(table, existing), existing), conditions)

    def pairs(
        self, table: Table, names: Sequence[str], rows: Sequence[dict[str, object]]
    ) -> tuple[tuple[str, Expr], ...]:
        assignments: list[tuple[str, Expr]] = []
        for name in names:
            of = table.column(name).type
            value: Value = rows[0][name]  # type: ignore[assignment]
            is_key = name in table.primary_key
            if self.rng.random() < (0.03 if is_key else 0.2) and can_be_literal(value):
                assignments.append((name, Const(value, of)))
            else:
                values: list[Value] = [row[name] for row in rows]  # type: ignore[misc]
                if self.rng.random() < 0.2:
                    values = [self.or_null(value) for value in values]
                assignments.append((name, Param(self.parameters.new(values), of)))
        return tuple(assignments)


def _unique_keys(table: Table) -> list[tuple[str, ...]]:
    """Return the UNIQUE keys that do not contain the primary key: those that can name a row by themselves."""
    return [columns for columns in table.uniques if not set(table.primary_key) <= set(columns)]
