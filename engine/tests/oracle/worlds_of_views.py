"""Worlds with views: their queries read views beside tables, and their writes keep them up to date.

Some queries count and sum the rows of a table instead. They are refused where nothing limits the rows, and the fix that
keeps a view must then answer what was asked.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from .contents import Contents
from .predicates import Sight
from .query import Aggregate, Call, Col, Compare, Const, Expr, Item, Select, Source, parameters_of
from .query_generator import QueryCase, random_read
from .reference import Reference
from .schema import Column, Schema
from .schema_generator import Pools, random_contents, random_schema, with_defaults, with_times, with_whole_limits
from .sources import SourceGenerator, conjunction
from .views import base_of, key_column, readable, view_table, with_views
from .world import World
from .write_generator import random_write

READS, COUNTS, WRITES = 14, 4, 6


def world_of_views(seed: int) -> World:
    """Return the world of views of a seed."""
    rng = random.Random(f"views {seed}")
    schema = with_whole_limits(rng, random_schema(rng))
    schema = with_times(random.Random(f"hours {seed}"), schema)
    pools = Pools(rng, schema)
    schema = with_views(rng, with_defaults(rng, schema, pools.values), pools)
    pools.schema = schema
    contents = random_contents(rng, schema, pools)
    rows = {table.name: tuple(contents.all_rows(table.name)) for table in schema.tables}
    seen = _Seen(schema, pools, contents)
    reads = [seen.read(rng, f"q{number}") for number in range(READS)]
    counts = [_Counting(rng, schema, pools, contents, is_basic=True).count(f"c{number}") for number in range(COUNTS)]
    writes = [random_write(rng, schema, pools, contents, f"w{number}") for number in range(WRITES)]
    return World(seed, schema, rows, (*reads, *counts), tuple(writes))


class _Seen:
    """What queries see of a schema: tables and views with their rows, the views more often."""

    def __init__(self, schema: Schema, pools: Pools, contents: Contents) -> None:
        seen = readable(schema)
        views = seen.tables[len(schema.tables) :]
        self.views = {table.name for table in views}
        self.schema = replace(seen, tables=(*seen.tables, *views, *views))
        self.pools = pools
        rows = {name: [dict(row) for row in contents.all_rows(name)] for name in contents.rows}
        reference = Reference(schema, contents)
        try:
            for view in schema.views:
                table = view_table(schema, view)
                names = [column.name for column in table.columns]
                held = reference.rows_of(view.name)
                rows[view.name] = [dict(zip(names, row, strict=True)) for row in held]
                self._learn(table.columns, view.name, rows[view.name])
        finally:
            reference.close()
        for view in schema.views:
            table = view_table(schema, view)
            groups = next((key for key in table.foreign_keys if key.table == base_of(schema, view).name), None)
            for ours, theirs in zip(groups.columns, groups.referenced, strict=True) if groups is not None else ():
                pools.values[view.name, ours] = pools.values[groups.table, theirs]  # type: ignore[union-attr]
        self.contents = Contents(seen, rows)

    def _learn(self, columns: Sequence[Column], name: str, rows: Sequence[dict[str, object]]) -> None:
        """Take the values that a view holds as those that its columns may well hold."""
        for column in columns:
            held = [row[column.name] for row in rows if row[column.name] is not None]
            self.pools.values[name, column.name] = held[:8] or [self.pools.stranger(column.type)]  # type: ignore[assignment]

    def read(self, rng: random.Random, name: str) -> QueryCase:
        """Return a query of any kind; a FETCH follows declared references, which no view has."""
        while True:
            case = random_read(rng, self.schema, self.pools.seeing(self.schema), self.contents, name)
            if not (isinstance(case.query, Select) and case.query.by):
                return case


def _called(alias: str, expression: Expr) -> Expr:
    """Return a key or an aggregate of a view with another name for its table."""
    match expression:
        case Col():
            return replace(expression, alias=alias)
        case Call(name="WINDOW_START", arguments=(Col(name=column),)):
            return Col(alias, column)
        case Call():
            return replace(expression, arguments=tuple(_called(alias, argument) for argument in expression.arguments))
        case Aggregate(operand=Col() as operand):
            return replace(expression, operand=_called(alias, operand))
    return expression


class _Counting(SourceGenerator):
    """Makes queries that count and sum the rows of one table, by columns or by what stands for NULL in them."""

    def count(self, name: str) -> QueryCase:
        rng = self.rng
        view = rng.choice(self.schema.views) if self.schema.views and rng.random() < 0.4 else None
        table = base_of(self.schema, view) if view is not None else rng.choice(self.schema.tables)
        sight = self.sight_of(table)
        if view is not None:  # ask for what it holds, or for a part of it
            keys = [_called(sight.alias, key) for key in view.select.group]
            parts = [_called(sight.alias, item.expression) for item in view.select.items]
            parts = [part for part in parts if isinstance(part, Aggregate)]
            parts = rng.sample(parts, rng.randint(1, len(parts)))
        else:
            columns = [column for column in table.columns if column.type.kind != "DOUBLE"]
            chosen = rng.sample(columns, min(len(columns), rng.choice((1, 2, 2, 3))))
            keys = [self.key(sight, column) for column in chosen]
            parts = self.parts(sight)
        fixed = rng.randint(0 if rng.random() < 0.3 else min(1, len(keys)), len(keys))
        tests = [self.compared(sight, key) for key in keys[:fixed]]
        grouped = keys if rng.random() < 0.3 else keys[fixed:]
        items = [Item(key, f"k{number}") for number, key in enumerate(grouped)]
        items += [Item(part, f"g{number}") for number, part in enumerate(parts)]
        source = Source("from", table.name, sight.alias)
        select = Select(tuple(items), (source,), conjunction(tests), group=tuple(grouped))
        used = parameters_of(select)
        samples = [{name: sample[name] for name in sample if name in used} for sample in self.parameters.samples]
        return QueryCase(name, select, tuple(samples), rng.randrange(3))

    def key(self, sight: Sight, column: Column) -> Expr:
        """Return a column, or what stands for NULL in it."""
        reference = Col(sight.alias, column.name)
        if not column.is_nullable or self.rng.random() < 0.4:
            return reference
        value = self.operand(sight, column.name)
        return Call("COALESCE", (reference, value)) if isinstance(value, Const) else reference

    def compared(self, sight: Sight, key: Expr) -> Expr:
        value = self.operand(sight, key_column(key))
        sides = (key, value) if self.rng.random() < 0.8 else (value, key)
        return Compare("=", *sides)

    def parts(self, sight: Sight) -> list[Expr]:
        rng = self.rng
        parts: list[Expr] = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            column = rng.choice(sight.table.columns)
            operand = Col(sight.alias, column.name)
            is_summed = column.type.kind in ("INT", "DECIMAL") and (column.type.length or 0) <= 12
            function = rng.choice(("COUNT", "SUM", "AVG") if is_summed else ("COUNT", "*", "*"))
            parts.append(
                Aggregate("COUNT", None) if function == "*" else Aggregate(function, operand, type=column.type)
            )
        return parts
