"""Reads written for DuckDB, with parameters as literals and the order that PIQL promises.

The top query is written without its LIMIT, and with hidden columns: the comparison needs all rows, and what they are
ordered by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .choices import case_text
from .query import (
    WALK,
    Aggregate,
    And,
    Arithmetic,
    Between,
    Call,
    Case,
    Cast,
    Col,
    Compare,
    Const,
    DatePart,
    DateSum,
    Default,
    Difference,
    Distinct,
    Exists,
    Expr,
    In,
    InSelect,
    IsNull,
    Not,
    Now,
    Or,
    Order,
    Param,
    Read,
    Recursive,
    Row,
    ScalarSelect,
    Select,
    Source,
    Token,
    Union,
)
from .schema import Schema
from .values import BIGINT, CLOCK, Value, ValueType, duckdb_literal

FINITE = "finite"
"""A macro: NULL in the place of a number that is not finite."""

EXACT_SUM = "exact_sum"
"""A function of a list of DOUBLEs: the one next to their exact sum, in any order; NULL where that is not finite."""

EXACT_AVERAGE = "exact_average"
"""A function of a list of whole numbers or DECIMALs, written as texts: the DOUBLE next to their exact average."""


@dataclass(frozen=True, slots=True)
class Written:
    """The text; rows have `outputs` columns and then the keys they are ordered by, with ties unless `is_total`."""

    text: str
    outputs: int
    is_total: bool


def duckdb_query(schema: Schema, query: Read, parameters: Mapping[str, object]) -> Written:
    """Write all rows of a query in its order."""
    return _Printer(schema, parameters).top(query)


def _aggregates(expr: object) -> bool:
    if isinstance(expr, Aggregate):
        return True
    match expr:
        case Compare() | Arithmetic():
            return _aggregates(expr.left) or _aggregates(expr.right)
        case Call():
            return any(map(_aggregates, expr.arguments))
        case And() | Or():
            return any(map(_aggregates, expr.operands))
        case Not() | IsNull() | Cast():
            return _aggregates(expr.operand)
        case Case():
            return any(_aggregates(value) for branch in expr.branches for value in branch)
    return False


def is_grouped(select: Select) -> bool:
    """Return whether a SELECT gives groups instead of rows."""
    return bool(select.group) or select.having is not None or any(_aggregates(item.expression) for item in select.items)


class _Printer:
    def __init__(self, schema: Schema, parameters: Mapping[str, object]) -> None:
        self.schema = schema
        self.parameters = parameters

    def top(self, query: Read) -> Written:
        if isinstance(query, Union):
            keys = [key.expression.name for key in query.order if isinstance(key.expression, Col)]
            hidden = "".join(f', "{name}" AS k{number}' for number, name in enumerate(keys))
            order = ", ".join(f"k{number}{_direction(key)}" for number, key in enumerate(query.order))
            ending = f" ORDER BY {order}" if order else ""
            text = f"SELECT *{hidden} FROM ({self.union(query)}) u{ending}"
            return Written(text, len(query.selects[0].items), False)
        named = {item.name: item.expression for item in query.items}
        keys = [named.get(key.expression.name, key.expression) if self.is_output(key.expression) else key.expression
                for key in query.order]  # fmt: skip
        if query.is_distinct:
            hidden = "".join(f", {self.expr(key)} AS k{number}" for number, key in enumerate(keys))
            order = ", ".join(f"k{number}{_direction(key)}" for number, key in enumerate(query.order))
            text = self.select(query, hidden) + (f" ORDER BY {order}" if order else "")
            return Written(text, len(query.items), False)
        completion = self.completion(query) if query.order else None
        if completion is None:
            completion_orders: list[Order] = []
        else:
            completion_orders = completion
        all_keys = [replace(order, expression=key) for key, order in zip(keys, query.order, strict=True)]
        all_keys += completion_orders
        hidden = "".join(f", {self.expr(key.expression)} AS k{number}" for number, key in enumerate(all_keys))
        order = ", ".join(f"k{number}{_direction(key)}" for number, key in enumerate(all_keys))
        text = self.select(query, hidden) + (f" ORDER BY {order}" if order else "")
        return Written(text, len(query.items), completion is not None)

    def is_output(self, expr: Expr) -> bool:
        return isinstance(expr, Col) and not expr.alias

    def completion(self, select: Select) -> list[Order] | None:
        """Return the primary keys of the joined tables, in join order and in the direction of the last sort key.

        None where rows are not made of rows of tables.
        """
        if is_grouped(select):
            return None
        keys = []
        for source in select.sources:
            if not isinstance(source.relation, str):
                return None
            table = self.schema.table(source.relation)
            keys += [Order(Col(source.alias, name), select.order[-1].is_ascending) for name in table.primary_key]
        return keys

    def union(self, query: Union) -> str:
        between = " UNION ALL " if query.is_all else " UNION "
        return between.join(f"({self.select(select, '')})" for select in query.selects)

    def select(self, query: Select, hidden: str) -> str:
        items = ", ".join(f'{self.expr(item.expression)} AS "{item.name}"' for item in query.items)
        text = f"SELECT {'DISTINCT ' if query.is_distinct else ''}{items}{hidden}"
        if query.sources:
            text += f" FROM {self.sources(query.sources)}"
        if query.where is not None:
            text += f" WHERE {self.expr(query.where)}"
        if query.group:
            text += f" GROUP BY {', '.join(map(self.expr, query.group))}"
        if query.having is not None:
            text += f" HAVING {self.expr(query.having)}"
        return text

    def nested(self, query: Read) -> str:
        """Write a derived table or subquery; its LIMIT counts, and its order is made total."""
        text = self.union(query) if isinstance(query, Union) else self.select(query, "")
        orders = list(query.order)
        if isinstance(query, Select) and query.order and not query.is_distinct:
            orders += self.completion(query) or []
        if orders:
            text += " ORDER BY " + ", ".join(self.expr(key.expression) + _direction(key) for key in orders)
        if query.stop is not None:
            count = query.stop.count if query.stop.parameter is None else self.parameters[query.stop.parameter]
            text += f" LIMIT {count}"
        return text

    def sources(self, sources: tuple[Source, ...]) -> str:
        text = ""
        for source in sources:
            if isinstance(source.relation, str):
                table = f'"{source.relation}" {_alias(source.alias)}'
            elif isinstance(source.relation, Recursive):
                table = f"({self.recursive(source.relation)}) {_alias(source.alias)}"
            else:
                table = f"({self.nested(source.relation)}) {_alias(source.alias)}"
            match source.kind:
                case "from":
                    text += table
                case "comma":
                    text += f" CROSS JOIN {table}"
                case _:
                    word = "JOIN" if source.kind == "inner" else "LEFT JOIN"
                    text += f" {word} {table} ON {self.expr(source.on) if source.on is not None else 'TRUE'}"
        return text

    def recursive(self, walk: Recursive) -> str:
        """Write the levels of a recursive query.

        UNION ALL is DuckDB's own recursion, with the number of the level beside each row. UNION would then take equal
        rows of two levels for different ones, so its levels are written one after the other.
        """
        columns = ", ".join(f'"{name}"' for name in walk.names)
        anchor = self.select(walk.anchor, "")
        before = next(source.alias for source in walk.step.sources if source.relation == WALK)
        if walk.is_all:
            step = self.select(walk.step, f', {_alias(before)}."level" + 1')
            step += f'{" AND" if walk.step.where is not None else " WHERE"} {_alias(before)}."level" < {walk.levels}'
            first = self.select(walk.anchor, ', 0 AS "level"')
            return (
                f'WITH RECURSIVE "{WALK}"({columns}, "level") AS ({first} UNION ALL {step}) '
                f'SELECT {columns} FROM "{WALK}"'
            )
        texts = [f'"level 0"({columns}) AS MATERIALIZED (SELECT DISTINCT * FROM ({anchor}))']
        for level in range(1, walk.levels + 1):
            step = self.select(walk.step, "").replace(f'"{WALK}"', f'"level {level - 1}"')
            seen = " UNION ALL ".join(f'SELECT * FROM "level {earlier}"' for earlier in range(level))
            texts.append(f'"level {level}"({columns}) AS MATERIALIZED (({step}) EXCEPT ({seen}))')
        levels = " UNION ALL ".join(f'SELECT * FROM "level {level}"' for level in range(walk.levels + 1))
        return f"WITH {', '.join(texts)} {levels}"

    def expr(self, expr: Expr) -> str:
        match expr:
            case Col() | Const() | Param() | Now() | DateSum() | Difference() | DatePart():
                return self.leaf(expr)
            case Compare(left=Row() as left, right=Row() as right):
                return self.expr(_one_by_one(expr.operator, left, right))
            case In(operand=Row() as row):
                either = Or(tuple(_one_by_one("=", row, item) for item in expr.items if isinstance(item, Row)))
                return self.expr(Not(either) if expr.is_negated else either)
            case InSelect(operand=Row() as row):
                return self.row_among(row, expr)
            case Row() | Default():
                raise TypeError("a row stands beside a row, and DEFAULT in a write")
            case Compare():
                return f"({self.expr(expr.left)} {expr.operator} {self.expr(expr.right)})"
            case And():
                return "(" + " AND ".join(map(self.expr, expr.operands)) + ")"
            case Or():
                return "(" + " OR ".join(map(self.expr, expr.operands)) + ")"
            case Not():
                return f"(NOT {self.expr(expr.operand)})"
            case IsNull():
                return f"({self.expr(expr.operand)} IS {'NOT ' if expr.is_negated else ''}NULL)"
            case In():
                return self.membership(expr)
            case Between():
                word = "NOT BETWEEN" if expr.is_negated else "BETWEEN"
                return f"({self.expr(expr.operand)} {word} {self.expr(expr.low)} AND {self.expr(expr.high)})"
            case Token():
                words = f"regexp_extract_all(lower({self.expr(expr.operand)}), '[\\pL\\pN]+')"
                return f"list_contains({words}, lower({self.expr(expr.word)}))"
            case Call() | Case() | Cast() | Distinct():
                return self.computed(expr)
            case Arithmetic():
                left, right = (self.wide(operand, expr.operator) for operand in (expr.left, expr.right))
                text = f"({left} {expr.operator} {right})"
                return text if expr.operator == "||" else f"{FINITE}({text})"
            case Aggregate():
                return self.aggregate(expr)
            case Exists():
                return f"({'NOT ' if expr.is_negated else ''}EXISTS ({self.nested(expr.query)}))"
            case ScalarSelect():
                return f"({self.nested(expr.query)})"
            case InSelect():
                word = "NOT IN" if expr.is_negated else "IN"
                return f"({self.expr(expr.operand)} {word} ({self.nested(expr.query)}))"

    def computed(self, expr: Call | Case | Cast | Distinct) -> str:
        if isinstance(expr, Distinct):
            word = "IS NOT DISTINCT FROM" if expr.is_negated else "IS DISTINCT FROM"
            return f"({self.expr(expr.left)} {word} {self.expr(expr.right)})"
        if isinstance(expr, Cast):
            return f"CAST({self.expr(expr.operand)} AS {expr.type})"
        if isinstance(expr, Case):
            return case_text(expr, self.expr)
        if expr.of is not None and expr.of.kind in ("INT", "BIGINT"):  # rounded already; DuckDB's CEIL is a DOUBLE
            return self.expr(expr.arguments[0])
        text = f"{expr.name.lower()}({', '.join(map(self.expr, expr.arguments))})"
        return f"{FINITE}({text})" if expr.name in ("ROUND", "FLOOR", "CEIL", "TRUNC") else text

    def dated(self, expr: Now | DateSum | Difference | DatePart) -> str:
        """Write what is computed of days and times; a day stays a day, where DuckDB makes it a time."""
        match expr:
            case Now():
                value = CLOCK.date() if expr.kind == "DATE" else CLOCK
                return duckdb_literal(value, ValueType(expr.kind))
            case DateSum():
                return f"CAST({self.expr(expr.operand)} + INTERVAL '{expr.count} {expr.unit}' AS {expr.kind})"
            case Difference(kind="DATE"):
                return f"({self.expr(expr.left)} - {self.expr(expr.right)})"
            case Difference():
                return f"(epoch_ms({self.expr(expr.left)}) - epoch_ms({self.expr(expr.right)}))"
            case DatePart(is_truncated=True):
                return f"CAST(date_trunc('{expr.word}', {self.expr(expr.operand)}) AS {expr.kind})"
            case DatePart():
                return f"extract({expr.word} FROM {self.expr(expr.operand)})"

    def leaf(self, expr: Col | Const | Param | Now | DateSum | Difference | DatePart) -> str:
        match expr:
            case Now() | DateSum() | Difference() | DatePart():
                return self.dated(expr)
            case Col():
                return f'{_alias(expr.alias)}."{expr.name}"' if expr.alias else f'"{expr.name}"'
            case Const():
                return duckdb_literal(expr.value, expr.type)
            case Param():
                value: Value = self.parameters[expr.name]  # type: ignore[assignment]
                return duckdb_literal(value, expr.type)

    def aggregate(self, expr: Aggregate) -> str:
        inner = "*" if expr.operand is None else self.expr(expr.operand)
        values = f"{'DISTINCT ' if expr.is_distinct else ''}{inner}"
        condition = f" FILTER (WHERE {self.expr(expr.filter)})" if expr.filter is not None else ""
        text = f"{expr.function.lower()}({values}){condition}"
        kind = expr.type.kind if expr.type is not None else None
        if expr.function == "ARRAY_AGG":
            listed = f"list({values} ORDER BY {inner}) FILTER (WHERE {self.counted(expr, inner)})"
            return f"CAST(to_json({listed}) AS VARCHAR)"
        if expr.function == "STRING_AGG":
            return f"string_agg({values}, '/' ORDER BY {inner}){condition}"
        if expr.function == "SUM" and kind in ("INT", "BIGINT"):
            return f"CAST({text} AS BIGINT)"  # DuckDB's own has 128 bits
        if expr.function in ("SUM", "AVG") and kind == "DOUBLE":
            total = f"{EXACT_SUM}(list({values}) FILTER (WHERE {self.counted(expr, inner)}))"
            return total if expr.function == "SUM" else f"({total} / count({values}){condition})"
        if expr.function == "AVG" and kind is not None:
            given = f"{'DISTINCT ' if expr.is_distinct else ''}CAST({inner} AS VARCHAR)"
            return f"{EXACT_AVERAGE}(list({given}) FILTER (WHERE {self.counted(expr, inner)}))"
        return text

    def counted(self, expr: Aggregate, inner: str) -> str:
        """Write which rows an aggregate takes a value from."""
        return f"{inner} IS NOT NULL" + (f" AND {self.expr(expr.filter)}" if expr.filter is not None else "")

    def row_among(self, row: Row, expr: InSelect) -> str:
        """Compare a row with others as SQL says; DuckDB takes rows for values, in which NULLs are equal."""
        names = [f"v{number}" for number in range(len(row.items))]
        equal = " AND ".join(f"r.{name} = {self.expr(item)}" for name, item in zip(names, row.items, strict=True))
        rows = f"({self.nested(expr.query)}) r({', '.join(names)})"
        exists = f"EXISTS (SELECT 1 FROM {rows} WHERE {equal})"
        unknown = f"EXISTS (SELECT 1 FROM {rows} WHERE ({equal}) IS NULL)"
        yes, no = ("FALSE", "TRUE") if expr.is_negated else ("TRUE", "FALSE")
        return f"(CASE WHEN {exists} THEN {yes} WHEN {unknown} THEN NULL ELSE {no} END)"

    def wide(self, expr: Expr, operator: str) -> str:
        """Write an operand of arithmetic; whole literals as BIGINT, so that sums do not overflow an INT."""
        if isinstance(expr, Const | Param) and expr.type.kind == "INT" and operator != "||":
            value: Value = expr.value if isinstance(expr, Const) else self.parameters[expr.name]  # type: ignore[assignment]
            return duckdb_literal(value, BIGINT)
        return self.expr(expr)

    def membership(self, expr: In) -> str:
        first = expr.items[0]
        if isinstance(first, Param) and first.max_items is not None:
            values = self.parameters[first.name]
            assert isinstance(values, list | tuple)
            items = [duckdb_literal(value, first.type) for value in values]
        else:
            items = [self.expr(item) for item in expr.items]
        if not items:
            return "TRUE" if expr.is_negated else "FALSE"
        return f"({self.expr(expr.operand)} {'NOT IN' if expr.is_negated else 'IN'} ({', '.join(items)}))"


def _one_by_one(operator: str, left: Row, right: Row) -> Expr:
    """Compare rows by their values: of an inequality the first that differ decide."""
    pairs = list(zip(left.items, right.items, strict=True))
    if operator in ("=", "<>"):
        tests = tuple(Compare(operator, one, right) for one, right in pairs)
        return And(tests) if operator == "=" else Or(tests)
    branches: list[Expr] = []
    for at, (one, other) in enumerate(pairs):
        last = operator if at == len(pairs) - 1 else operator[0]
        branches.append(And((*(Compare("=", *pair) for pair in pairs[:at]), Compare(last, one, other))))
    return Or(tuple(branches))


def _alias(alias: str) -> str:
    """Write an alias as no column is called: DuckDB takes `d.a` of an outer query for a part of an inner column `d`."""
    return f'"{alias} rows"'


def _direction(order: Order) -> str:
    place_of_null = order.nulls or ("FIRST" if order.is_ascending else "LAST")
    return f" {'ASC' if order.is_ascending else 'DESC'} NULLS {place_of_null}"
