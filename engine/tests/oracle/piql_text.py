"""Queries written as PIQL."""

from __future__ import annotations

from .query import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Call,
    Col,
    Compare,
    Const,
    Delete,
    Exists,
    Expr,
    In,
    InSelect,
    Insert,
    IsNull,
    Item,
    Not,
    Or,
    Order,
    Param,
    Query,
    Row,
    ScalarSelect,
    Select,
    Source,
    Stop,
    Token,
    Union,
    Update,
)
from .values import piql_literal


def piql_query(name: str, query: Query, style: int = 0) -> str:
    """Write a CREATE QUERY; `style` chooses how parameters are spelled."""
    if isinstance(query, Select) and query.by and len(query.by) == len(query.sources) - 1:
        return f"QUERY {name}\n{_Printer(style).fetch(query)};\n"
    return f"CREATE QUERY {name} AS\n{_Printer(style).query(query)};\n"


def piql_statement(query: Query, style: int = 0) -> str:
    """Write the bare statement."""
    return _Printer(style).query(query)


class _Printer:
    def __init__(self, style: int) -> None:
        self.style = style % 3
        self.ordinals: dict[str, int] = {}

    def query(self, query: Query) -> str:
        match query:
            case Select() | Union():
                return self.read(query)
            case Insert():
                names = ", ".join(name for name, _ in query.values)
                values = ", ".join(self.expr(value) for _, value in query.values)
                ending = " IF NOT EXISTS" if query.if_not_exists else ""
                return f"INSERT INTO {query.table} ({names}) VALUES ({values}){ending}"
            case Update():
                changes, key = self.pairs(query.changes, ", "), self.pairs(query.key, " AND ")
                conditions = f" IF {self.pairs(query.conditions, ' AND ')}" if query.conditions else ""
                return f"UPDATE {query.table} SET {changes} WHERE {key}{conditions}"
            case Delete():
                return f"DELETE FROM {query.table} WHERE {self.pairs(query.key, ' AND ')}"

    def pairs(self, pairs: tuple[tuple[str, Expr], ...], between: str) -> str:
        return between.join(f"{name} = {self.expr(value)}" for name, value in pairs)

    def read(self, query: Select | Union) -> str:
        if isinstance(query, Union):
            between = "\nUNION ALL\n" if query.is_all else "\nUNION\n"
            parts = [between.join(self.read(select) for select in query.selects)]
        else:
            items = "*" if query.is_star else ", ".join(map(self.item, query.items))
            parts = ["SELECT " + ("DISTINCT " if query.is_distinct else "") + items]
            parts.append("FROM " + self.sources(query.sources))
            if query.where is not None:
                parts.append("WHERE " + self.expr(query.where))
            if query.group:
                parts.append("GROUP BY " + ", ".join(map(self.expr, query.group)))
            if query.having is not None:
                parts.append("HAVING " + self.expr(query.having))
        if query.order:
            parts.append("ORDER BY " + ", ".join(map(self.order, query.order)))
        if query.stop is not None:
            parts.append(self.stop(query.stop))
        return "\n".join(parts)

    def fetch(self, query: Select) -> str:
        """Write a SELECT of all columns of its first table, whose joins follow foreign keys, as a FETCH."""
        first, *further = query.sources
        parts = ["FETCH " + self.step(first)]
        parts += [f"  OF {self.step(source)} BY {by}" for source, by in zip(further, query.by, strict=True)]
        if query.where is not None:
            parts.append("WHERE " + self.expr(query.where))
        if query.order:
            parts.append("ORDER BY " + ", ".join(map(self.order, query.order)))
        if query.stop is not None:
            parts.append(self.stop(query.stop))
        return "\n".join(parts)

    def step(self, source: Source) -> str:
        return f"{source.relation} {source.alias}" if source.alias != source.relation else source.alias

    def item(self, item: Item) -> str:
        text = self.expr(item.expression)
        is_plain = isinstance(item.expression, Col) and item.expression.name == item.name
        return text if is_plain else f"{text} AS {item.name}"

    def sources(self, sources: tuple[Source, ...]) -> str:
        text = ""
        for source in sources:
            if isinstance(source.relation, str):
                table = source.relation if source.alias == source.relation else f"{source.relation} {source.alias}"
            else:
                table = f"({self.read(source.relation)}) {source.alias}"
            match source.kind:
                case "from":
                    text += table
                case "comma":
                    text += f", {table}"
                case _:
                    word = "JOIN" if source.kind == "inner" else "LEFT JOIN"
                    on = self.expr(source.on) if source.on is not None else "TRUE = TRUE"
                    text += f"\n{word} {table} ON {on}"
        return text

    def order(self, order: Order) -> str:
        key = self.expr(order.expression) if order.place is None else str(order.place)
        return key + ("" if order.is_ascending else " DESC")

    def stop(self, stop: Stop) -> str:
        if stop.parameter is None:
            return f"{stop.kind} {stop.count}"
        return f"{stop.kind} {self.parameter(stop.parameter)} MAX {stop.count}"

    def parameter(self, name: str) -> str:
        if self.style == 1:
            return f"[{name}]"
        if self.style == 2:
            return f":{name}"
        return f"[{self.ordinals.setdefault(name, len(self.ordinals) + 1)}: {name}]"

    def expr(self, expr: Expr) -> str:
        match expr:
            case Col():
                return f"{expr.alias}.{expr.name}" if expr.alias else expr.name
            case Const():
                return piql_literal(expr.value)
            case Param():
                return self.parameter(expr.name)
            case Row():
                return f"({', '.join(map(self.expr, expr.items))})"
            case Compare():
                return f"{self.inner(expr.left)} {expr.operator} {self.inner(expr.right)}"
            case And():
                return " AND ".join(map(self.inner, expr.operands))
            case Or():
                return " OR ".join(map(self.inner, expr.operands))
            case Not():
                return f"NOT {self.inner(expr.operand)}"
            case IsNull():
                return f"{self.inner(expr.operand)} IS {'NOT ' if expr.is_negated else ''}NULL"
            case In():
                word = "NOT IN" if expr.is_negated else "IN"
                first = expr.items[0]
                if isinstance(first, Param) and first.max_items is not None:
                    return f"{self.inner(expr.operand)} {word} {self.parameter(first.name)} MAX {first.max_items}"
                return f"{self.inner(expr.operand)} {word} ({', '.join(map(self.expr, expr.items))})"
            case Between():
                word = "NOT BETWEEN" if expr.is_negated else "BETWEEN"
                return f"{self.inner(expr.operand)} {word} {self.inner(expr.low)} AND {self.inner(expr.high)}"
            case Token():
                return f"{self.expr(expr.operand)} {expr.keyword} {self.inner(expr.word)}"
            case Call():
                return f"{expr.name}({', '.join(map(self.expr, expr.arguments))})"
            case Arithmetic():
                return f"{self.inner(expr.left)} {expr.operator} {self.inner(expr.right)}"
            case Aggregate():
                inner = "*" if expr.operand is None else self.expr(expr.operand)
                return f"{expr.function}({'DISTINCT ' if expr.is_distinct else ''}{inner})"
            case Exists():
                return f"{'NOT ' if expr.is_negated else ''}EXISTS ({self.read(expr.query)})"
            case ScalarSelect():
                return f"({self.read(expr.query)})"
            case InSelect():
                word = "NOT IN" if expr.is_negated else "IN"
                return f"{self.inner(expr.operand)} {word} ({self.read(expr.query)})"

    def inner(self, expr: Expr) -> str:
        """Write an operand, in parentheses unless it is one word."""
        text = self.expr(expr)
        return text if isinstance(expr, Col | Const | Param | Row | Call | Aggregate | ScalarSelect) else f"({text})"
