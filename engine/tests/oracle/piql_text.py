"""Queries written as PIQL."""

from __future__ import annotations

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
    Conflict,
    Const,
    DatePart,
    DateSum,
    Default,
    Delete,
    Difference,
    Distinct,
    Exists,
    Expr,
    In,
    InSelect,
    Insert,
    IsNull,
    Item,
    Not,
    Now,
    Or,
    Order,
    Param,
    Query,
    Recursive,
    Row,
    ScalarSelect,
    Select,
    Source,
    Stop,
    Token,
    Union,
    Update,
)
from .values import INT, piql_literal

NUMBERED = 3  # the style of $1, $2, …; those before it have names
NAMED_STYLES = 4  # behind them a style counts these: bits for FETCH FIRST, for WITH, and for USING
SPELLINGS = 8
FETCH_FIRST, WITH, USING = 1, 2, 4
_POLICIES = {"1": " WITH READ EVENTUAL", "4": " WITH READ QUORUM", "6": " WITH READ SESSION"}


def style_of(name: str, drawn: int) -> int:
    """Return how a query writes its parameters: every fifth by numbers, the others as drawn."""
    return NUMBERED if name[-1:] in ("3", "8") else drawn


def piql_query(name: str, query: Query, style: int = 0) -> str:
    """Write a CREATE QUERY; `style` chooses how parameters are spelled, and its name whether it has a read policy."""
    policy = "" if isinstance(query, Insert | Update | Delete) else _POLICIES.get(name[-1:], "")
    if isinstance(query, Select) and query.by and len(query.by) == len(query.sources) - 1:
        return f"QUERY {name}{policy}\n{_Printer(style).fetch(query)};\n"
    return f"CREATE QUERY {name}{policy} AS\n{_Printer(style).query(query)};\n"


def piql_statement(query: Query, style: int = 0) -> str:
    """Write the bare statement."""
    return _Printer(style).query(query)


def named_in_text(query: Query, style: int) -> dict[str, str]:
    """Return what the text calls each parameter: `p1` where it is written `$1`."""
    printer = _Printer(style)
    if isinstance(query, Select) and query.by and len(query.by) == len(query.sources) - 1:
        printer.fetch(query)
    else:
        printer.query(query)
    return {name: f"p{ordinal}" if printer.style == NUMBERED else name for name, ordinal in printer.ordinals.items()}


class _Printer:
    def __init__(self, style: int) -> None:
        self.style = style % NAMED_STYLES
        self.spelling = style // NAMED_STYLES
        self.named: list[str] = []
        self.ordinals: dict[str, int] = {}

    def query(self, query: Query) -> str:
        match query:
            case Select():
                text = self.read(query, is_outermost=True)
                return "\n".join([f"WITH {', '.join(self.named)}", text]) if self.named else text
            case Union():
                return self.read(query)
            case Insert():
                names = ", ".join(name for name, _ in query.values)
                rows = [tuple(value for _, value in query.values), *query.more]
                values = ", ".join(f"({', '.join(map(self.expr, row))})" for row in rows)
                if query.given is not None:
                    values = f"{self.parameter(query.given.name)} MAX {query.given.max_items}"
                ending = " IF NOT EXISTS" if query.if_not_exists else ""
                if query.conflict is not None:
                    ending = self.conflict(query.table, query.conflict)
                return f"INSERT INTO {query.table} ({names}) VALUES {values}{ending}{self.returning(query)}"
            case Update():
                changes = self.pairs(query.changes, ", ")
                conditions = f" IF {self.pairs(query.conditions, ' AND ')}" if query.conditions else ""
                return (
                    f"UPDATE {self.written(query)} SET {changes}{self.rows(query)}{conditions}{self.returning(query)}"
                )
            case Delete():
                return f"DELETE FROM {self.written(query)}{self.rows(query)}{self.returning(query)}"

    def written(self, query: Update | Delete) -> str:
        alias = query.section.sources[0].alias if query.section is not None else query.table
        return query.table if alias == query.table else f"{query.table} {alias}"

    def rows(self, query: Update | Delete) -> str:
        """Return WHERE and what follows it: the key, or what the section reads."""
        section = query.section
        if section is None:
            return f" WHERE {self.pairs(query.key, ' AND ')}"
        text = f" WHERE {self.expr(section.where)}" if section.where is not None else ""
        text += f" ORDER BY {', '.join(map(self.order, section.order))}" if section.order else ""
        return text + (f" {self.stop(section.stop)}" if section.stop is not None else "")

    def returning(self, query: Insert | Update | Delete) -> str:
        return f" RETURNING {', '.join(query.returning)}" if query.returning else ""

    def conflict(self, table: str, conflict: Conflict) -> str:
        key = f" ({', '.join(conflict.key)})" if conflict.key else ""
        changes = [
            f"{table}.{name} = {f'EXCLUDED.{name}' if value is None else self.expr(value)}"
            for name, value in conflict.changes
        ]
        return f" ON CONFLICT{key} DO {'UPDATE SET ' + ', '.join(changes) if changes else 'NOTHING'}"

    def pairs(self, pairs: tuple[tuple[str, Expr], ...], between: str) -> str:
        return between.join(f"{name} = {self.expr(value)}" for name, value in pairs)

    def read(self, query: Select | Union, is_outermost: bool = False) -> str:
        if isinstance(query, Union):
            between = "\nUNION ALL\n" if query.is_all else "\nUNION\n"
            parts = [between.join(self.read(select) for select in query.selects)]
        else:
            items = "*" if query.is_star else ", ".join(map(self.item, query.items))
            parts = ["SELECT " + ("DISTINCT " if query.is_distinct else "") + items]
            if self.has_with_in_front(query):
                first = query.sources[0].relation
                assert isinstance(first, Recursive)
                parts.insert(0, self.recursive(first))
            if query.sources:
                parts.append("FROM " + self.sources(query.sources, is_outermost))
            if query.where is not None:
                parts.append("WHERE " + self.expr(query.where))
            if query.group:
                parts.append("GROUP BY " + ", ".join(map(self.expr, query.group)))
            if query.having is not None:
                parts.append("HAVING " + self.expr(query.having))
        if query.order:
            parts.append("ORDER BY " + ", ".join(map(self.order, query.order)))
        if query.stop is not None:
            is_first = self.spelling & FETCH_FIRST and query.stop.kind == "LIMIT"
            parts.append(self.first_rows(query.stop) if is_first else self.stop(query.stop))
        return "\n".join(parts)

    def has_with_in_front(self, query: Select) -> bool:
        return self.style == 1 and bool(query.sources) and isinstance(query.sources[0].relation, Recursive)

    def recursive(self, walk: Recursive) -> str:
        between = "UNION ALL" if walk.is_all else "UNION"
        inside = f"{self.read(walk.anchor)}\n{between}\n{self.read(walk.step)}"
        return f"WITH RECURSIVE {WALK} ({', '.join(walk.names)}) AS (\n{inside}\n) MAX {walk.levels} LEVELS"

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

    def sources(self, sources: tuple[Source, ...], is_outermost: bool = False) -> str:
        text = ""
        has_with = any(isinstance(source.relation, Recursive) for source in sources) or not is_outermost
        for number, source in enumerate(sources):
            if isinstance(source.relation, Recursive):
                walk = self.recursive(source.relation)
                table = f"({walk}\nSELECT {', '.join(source.relation.names)} FROM {WALK}) {source.alias}"
                if source.kind == "from" and self.style == 1:  # WITH stands in front of the SELECT
                    table = f"{WALK} {source.alias}"
            elif isinstance(source.relation, str):
                table = source.relation if source.alias == source.relation else f"{source.relation} {source.alias}"
            elif self.spelling & WITH and not has_with:
                self.named.append(f"named_{source.alias} AS (\n{self.read(source.relation)}\n)")
                table = f"named_{source.alias} {source.alias}"
            else:
                table = f"({self.read(source.relation)}) {source.alias}"
            shared = _shared(sources[:number], source) if self.spelling & USING else []
            match source.kind:
                case "from":
                    text += table
                case "comma":
                    text += f", {table}"
                case _:
                    word = "JOIN" if source.kind == "inner" else "LEFT JOIN"
                    on = self.expr(source.on) if source.on is not None else "TRUE = TRUE"
                    text += f"\n{word} {table} " + (f"USING ({', '.join(shared)})" if shared else f"ON {on}")
        return text

    def order(self, order: Order) -> str:
        key = self.expr(order.expression) if order.place is None else str(order.place)
        place_of_null = f" NULLS {order.nulls}" if order.nulls is not None else ""
        return key + ("" if order.is_ascending else " DESC") + place_of_null

    def stop(self, stop: Stop) -> str:
        if stop.parameter is None:
            return f"{stop.kind} {stop.count}"
        return f"{stop.kind} {self.parameter(stop.parameter)} MAX {stop.count}"

    def first_rows(self, stop: Stop) -> str:
        return f"FETCH FIRST {self.stop(stop).removeprefix('LIMIT ')} ROWS ONLY"

    def parameter(self, name: str) -> str:
        ordinal = self.ordinals.setdefault(name, len(self.ordinals) + 1)
        if self.style == 1:
            return f"[{name}]"
        if self.style == 2:
            return f":{name}"
        return f"${ordinal}" if self.style == NUMBERED else f"[{ordinal}: {name}]"

    def expr(self, expr: Expr) -> str:
        match expr:
            case Col():
                return f"{expr.alias}.{expr.name}" if expr.alias else expr.name
            case Const():
                return piql_literal(expr.value)
            case Param() | Default() | Now() | DateSum() | Difference() | DatePart():
                return self.leaf(expr)
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
            case Call() | Case() | Cast() | Distinct():
                return self.computed(expr)
            case Arithmetic():
                return f"{self.inner(expr.left)} {expr.operator} {self.inner(expr.right)}"
            case Aggregate():
                inner = "*" if expr.operand is None else self.expr(expr.operand)
                condition = f" FILTER (WHERE {self.expr(expr.filter)})" if expr.filter is not None else ""
                inner += ", '/'" if expr.function == "STRING_AGG" else ""
                return f"{expr.function}({'DISTINCT ' if expr.is_distinct else ''}{inner}){condition}"
            case Exists():
                return f"{'NOT ' if expr.is_negated else ''}EXISTS ({self.read(expr.query)})"
            case ScalarSelect():
                return f"({self.read(expr.query)})"
            case InSelect():
                word = "NOT IN" if expr.is_negated else "IN"
                return f"{self.inner(expr.operand)} {word} ({self.read(expr.query)})"

    def computed(self, expr: Call | Case | Cast | Distinct) -> str:
        if isinstance(expr, Distinct):
            word = "IS NOT DISTINCT FROM" if expr.is_negated else "IS DISTINCT FROM"
            return f"{self.inner(expr.left)} {word} {self.inner(expr.right)}"
        if isinstance(expr, Cast):
            operand = self.inner(expr.operand)
            if self.style != 2:
                return f"CAST({self.expr(expr.operand)} AS {expr.type})"
            return f"({operand})::{expr.type}" if operand.startswith("-") else f"{operand}::{expr.type}"
        if isinstance(expr, Case):
            return case_text(expr, self.expr)
        if expr.name == "SUBSTR" and self.style != 1:
            return self.substring(*expr.arguments)
        return f"{expr.name}({', '.join(map(self.expr, expr.arguments))})"

    def substring(self, text: Expr, start: Expr, length: Expr | None = None) -> str:
        """Return SUBSTR with words between its arguments; FROM 1 may be left out where there is a FOR."""
        after = f" FOR {self.expr(length)}" if length is not None else ""
        if length is None or start != Const(1, INT):
            after = f" FROM {self.expr(start)}{after}"
        return f"SUBSTRING({self.expr(text)}{after})"

    def leaf(self, expr: Param | Default | Now | DateSum | Difference | DatePart) -> str:
        match expr:
            case Param():
                return self.parameter(expr.name)
            case Default():
                return "DEFAULT"
            case Now():
                return "CURRENT_DATE" if expr.kind == "DATE" else "NOW()" if self.style else "CURRENT_TIMESTAMP"
            case DateSum():
                sign, count = "-" if expr.count < 0 else "+", abs(expr.count)
                text = f"'{count}' {expr.unit}" if self.style else f"'{count} {expr.unit.lower()}s'"
                return f"{self.inner(expr.operand)} {sign} INTERVAL {text}"
            case Difference():
                return f"{self.inner(expr.left)} - {self.inner(expr.right)}"
            case DatePart(is_truncated=True):
                return f"DATE_TRUNC('{expr.word.lower()}', {self.expr(expr.operand)})"
            case DatePart():
                return f"EXTRACT({expr.word} FROM {self.expr(expr.operand)})"

    def inner(self, expr: Expr) -> str:
        """Write an operand, in parentheses unless it is one word."""
        text = self.expr(expr)
        return (
            text
            if isinstance(
                expr, Col | Const | Param | Row | Call | Case | Cast | Aggregate | ScalarSelect | Now | DatePart
            )
            else f"({text})"
        )


def _shared(before: tuple[Source, ...], joined: Source) -> list[str]:
    """Return the columns of a USING that says what ON does; none where it equates others, or does not follow FROM."""
    if len(before) != 1 or before[0].kind != "from":
        return []
    tests = joined.on.operands if isinstance(joined.on, And) else (joined.on,)
    names = []
    for test in tests:
        match test:
            case Compare("=", Col() as one, Col() as other) if one.name == other.name and one.alias != other.alias:
                names.append(one.name)
            case _:
                return []
    return names if len(set(names)) == len(names) else []
