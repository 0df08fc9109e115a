"""Views of a schema: random ones, and what queries see of them.

    CREATE VIEW view0 AS SELECT t.kind, COUNT(*) AS tally, SUM(t.a) AS sum3 … GROUP BY t.kind

    as a table: view0 (kind, tally, sum3), found by kind; its columns name the rows of the table as foreign keys do

DuckDB has the same views over the same tables, so that queries over a view are compared with what the tables hold.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import piql

from .query import Aggregate, And, Between, Call, Col, Compare, Const, Expr, In, IsNull, Item, Not, Or, Select, Source
from .schema import Column, ForeignKey, HandIndex, Schema, Table, View, Window, piql_ddl
from .schema_generator import Pools
from .sources import conjunction
from .values import BIGINT, DOUBLE, Value, ValueType, can_be_literal

ALIAS = "of"
WINDOW_START = "WINDOW_START"
WINDOWS = {
    "DATE": (("7 DAYS", "7 DAYS", 1), ("2 WEEKS", "1 WEEK", 2), ("30 DAYS", "10 DAYS", 3)),
    "TIMESTAMP": (("1 HOUR", "1 HOUR", 1), ("1 DAY", "8 HOURS", 3), ("90 SECONDS", "45 SECONDS", 2)),
}
MOST_DIGITS = 12
"""Of a DECIMAL that is summed. Sums of more digits may leave their type: views/test_random_worlds is about those."""


def readable(schema: Schema) -> Schema:
    """Return a schema with its views as tables, as queries read it."""
    tables = tuple(view_table(schema, view) for view in schema.views)
    return replace(schema, tables=(*schema.tables, *tables), views=())


def without_views(schema: Schema) -> Schema:
    """Return a schema with its tables alone, and their indexes."""
    names = {table.name for table in schema.tables}
    return replace(schema, views=(), indexes=tuple(index for index in schema.indexes if index.table in names))


def base_of(schema: Schema, view: View) -> Table:
    """Return the table that a view is made of."""
    relation = view.select.sources[0].relation
    assert isinstance(relation, str)
    return schema.table(relation)


def view_table(schema: Schema, view: View) -> Table:
    """Return a view as the table that queries take it for."""
    base = base_of(schema, view)
    never_null = {name for name in _compared(view.select.where) if base.column(name).is_nullable}
    columns: list[Column] = []
    names: dict[str, str] = {}  # column of the table → key of the view
    plain: dict[str, str] = {}  # the same, without those that COALESCE gives
    for item in view.select.items:
        match item.expression:
            case Aggregate() as part:
                columns.append(Column(item.name, *_type_of(base, part, never_null)))
            case expression:
                name = key_column(expression)
                columns.append(Column(item.name, base.column(name).type, False))
                names[name] = item.name
                if isinstance(expression, Col):
                    plain[name] = item.name
    key = tuple(names[key_column(expression)] for expression in view.select.group)
    references = tuple(
        ForeignKey(tuple(plain[name] for name in foreign.columns), foreign.table, foreign.referenced)
        for foreign in base.foreign_keys
        if set(foreign.columns) <= set(plain)
    )
    groups = ForeignKey(tuple(plain.values()), base.name, tuple(plain), is_primary=False)
    return Table(view.name, tuple(columns), key, foreign_keys=(*references, *([groups] if plain else [])))


def key_column(expression: Expr) -> str:
    """Return the column of a key, which may stand in COALESCE."""
    column = expression.arguments[0] if isinstance(expression, Call) else expression
    assert isinstance(column, Col)
    return column.name


def _type_of(base: Table, part: Aggregate, never_null: set[str]) -> tuple[ValueType, bool]:
    """Return the type of a COUNT, SUM or AVG, and whether it may be NULL."""
    if part.function == "COUNT":
        return BIGINT, False
    assert isinstance(part.operand, Col)
    column = base.column(part.operand.name)
    may_be_null = column.is_nullable and column.name not in never_null
    if part.function == "AVG":
        return DOUBLE, may_be_null
    return (ValueType("DECIMAL", 38, column.type.scale) if column.type.kind == "DECIMAL" else BIGINT), may_be_null


def _compared(where: Expr | None) -> set[str]:
    """Return the columns that hold a value in each row that a view counts: those that WHERE demands it of."""
    parts = where.operands if isinstance(where, And) else (where,)
    return {
        part.operand.name
        for part in parts
        if isinstance(part, IsNull) and part.is_negated and isinstance(part.operand, Col)
    }


def with_views(rng: random.Random, schema: Schema, pools: Pools) -> Schema:
    """Return the schema with one to three views, some with an index by hand."""
    maker = _Maker(rng, schema, pools)
    views = [maker.view(f"view{number}") for number in range(rng.choice((1, 2, 2, 3)))]
    made = replace(schema, views=tuple(view for view in views if view is not None and _has_keys(schema, view)))
    indexes = [
        _index(rng, f"of_{table.name}", table)
        for table in readable(made).tables[len(schema.tables) :]
        if rng.random() < 0.25
    ]
    return replace(made, indexes=(*schema.indexes, *indexes))


def _has_keys(schema: Schema, view: View) -> bool:
    """Say whether the compiler finds that no key of a view is NULL: where it does, DuckDB must find no such group."""
    findings = piql.compile(piql_ddl(replace(schema, views=(view,)))).diagnostics
    return not any("may be NULL, and a row is found by its key" in finding.message for finding in findings)


def _index(rng: random.Random, name: str, table: Table) -> HandIndex:
    chosen = rng.sample([column.name for column in table.columns], min(len(table.columns), rng.choice((1, 2))))
    covering = tuple(column.name for column in table.columns if column.name not in chosen and rng.random() < 0.4)
    columns = tuple((column, rng.random() < 0.5) for column in chosen)
    return HandIndex(name, table.name, columns, covering, rng.choice((None, None, 2, 3)))


class _Maker:
    """Makes views of one schema."""

    def __init__(self, rng: random.Random, schema: Schema, pools: Pools) -> None:
        self.rng = rng
        self.schema = schema
        self.pools = pools

    def view(self, name: str) -> View | None:
        """Return a view of some table; None where the table has no column that could be a key."""
        rng = self.rng
        table = rng.choice(self.schema.tables)
        candidates = [column for column in table.columns if column.type.kind != "DOUBLE"]
        if not candidates:
            return None
        tests: list[Expr] = []
        group: list[Expr] = []
        items: list[Item] = []
        window: Window | None = None
        for column in rng.sample(candidates, min(len(candidates), rng.choice((1, 1, 2, 2, 3)))):
            key: Expr = Col(ALIAS, column.name)
            if window is None and column.type.kind in WINDOWS and rng.random() < 0.5:
                window = Window(column.name, *rng.choice(WINDOWS[column.type.kind]))
                tests += [IsNull(key, True)] if column.is_nullable else []
                key = Call(WINDOW_START, (key,))
            elif column.is_nullable:
                stand_in, chance = self.literal(table, column), rng.random()
                if stand_in is not None and chance < 0.45:
                    key = Call("COALESCE", (key, Const(stand_in, column.type)))
                else:  # what no NULL passes; or what some NULL may pass, and then the view is refused
                    tests.append(IsNull(key, True) if chance < 0.8 else self.test(table, 1, column))
            group.append(key)
            items.append(Item(key, column.name if rng.random() < 0.7 else f"by_{column.name}"))
        tests += self.tests(table)
        never_null = _compared(conjunction(tests))
        items += self.aggregates(table, never_null)
        rng.shuffle(items)
        rng.shuffle(group)
        return View(
            name,
            Select(tuple(items), (Source("from", table.name, ALIAS),), conjunction(tests), group=tuple(group)),
            window,
        )

    def aggregates(self, table: Table, never_null: set[str]) -> list[Item]:
        """Return COUNT(*), and COUNT, SUM and AVG of some columns, with all that must stand beside them."""
        rng = self.rng
        items = [Item(Aggregate("COUNT", None), "tally")]
        for number, column in enumerate(table.columns):
            operand = Col(ALIAS, column.name)
            is_summed = _can_be_summed(column.type) and rng.random() < 0.7
            is_unsure = column.is_nullable and column.name not in never_null
            if (is_summed and is_unsure) or rng.random() < 0.15:
                items.append(Item(Aggregate("COUNT", operand), f"count{number}"))
            if is_summed:
                items.append(Item(Aggregate("SUM", operand, type=column.type), f"sum{number}"))
                if rng.random() < 0.5:
                    items.append(Item(Aggregate("AVG", operand, type=column.type), f"mean{number}"))
        return items

    def literal(self, table: Table, column: Column) -> Value:
        """Return a value that the column may well hold and a text can name; None where there is none."""
        values = [
            value
            for value in self.pools.values[table.name, column.name]
            if can_be_literal(value)
            and not (isinstance(value, str) and column.type.length is not None and len(value) > column.type.length)
        ]
        return self.rng.choice(values) if values else None

    def tests(self, table: Table) -> list[Expr]:
        """Return some tests of columns with constants, none of them for about half of the views."""
        return [self.test(table) for _ in range(self.rng.choice((0, 0, 1, 2)))]

    def test(self, table: Table, depth: int = 2, about: Column | None = None) -> Expr:
        """Return a test of a column, or of several."""
        rng = self.rng
        column = about or rng.choice(table.columns)
        reference = Col(ALIAS, column.name)
        values: Sequence[Value] = [self.literal(table, column) for _ in range(2)]
        if None in values or rng.random() < 0.15:
            return IsNull(reference, rng.random() < 0.6)
        constants = tuple(Const(value, column.type) for value in values)
        chance = rng.random()
        if depth and chance < 0.3:
            operands = tuple(self.test(table, depth - 1, about) for _ in range(2))
            return And(operands) if rng.random() < 0.3 else Or(operands)
        if depth and chance < 0.4:
            return Not(self.test(table, depth - 1, about))
        if chance < 0.55:
            return In(reference, constants, rng.random() < 0.3)
        if chance < 0.65:
            return Between(reference, *constants, rng.random() < 0.3)
        if chance < 0.72:
            alike = [candidate.name for candidate in table.columns if candidate.type.kind == column.type.kind]
            return Compare(rng.choice(("=", "<>", "<", ">=")), reference, Col(ALIAS, rng.choice(alike)))
        sides = (reference, constants[0]) if rng.random() < 0.85 else (constants[0], reference)
        return Compare(rng.choice(("=", "<>", "<", "<=", ">", ">=")), *sides)


def _can_be_summed(of: ValueType) -> bool:
    return of.kind == "INT" or (of.kind == "DECIMAL" and of.length is not None and of.length <= MOST_DIGITS)
