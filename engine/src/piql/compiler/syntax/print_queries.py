"""Queries and expressions as text, with the parentheses that their precedence needs: a part of the formatter.

Enters: a node of `ast`. Leaves: an expression on one line, or a query as `Line`s, one clause a line:

    SELECT t.owner, COUNT(*)
    FROM thoughts t
    WHERE t.approved AND t.owner = [me]

`printer` puts comments between the lines; fixes and the editor print single names and queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from piql.compiler.syntax import ast
from piql.compiler.syntax.precedence import AND, COMPARISON, NOT, OF_OPERATOR, OR, PRODUCT, SIGN, VALUE

WIDTH = 100  # characters; a longer clause is broken into lines
INDENT = "  "


def name_text(name: ast.Name) -> str:
    """Return a name as it is written, in quotes where it was quoted."""
    return '"' + name.text.replace('"', '""') + '"' if name.is_quoted else name.text


def print_expression(node: ast.Expression, above: int = 0) -> str:
    """Return an expression; in parentheses when it binds no more tightly than `above`."""
    text, power = _text(node)
    return f"({text})" if power <= above else text


def _text(node: ast.Expression) -> tuple[str, int]:
    """Return an expression as text, and the precedence of its outermost operator."""
    match node:
        case ast.ColumnName():
            qualifier = f"{name_text(node.qualifier)}." if node.qualifier is not None else ""
            return qualifier + name_text(node.name), VALUE
        case ast.LiteralValue():
            return _literal(node), VALUE
        case ast.ParameterUse():
            maximum = f" MAX {node.max}" if node.max is not None else ""
            if node.is_colon:
                return f":{node.name}{maximum}", VALUE
            ordinal = f"{node.ordinal}: " if node.ordinal is not None else ""
            return f"[{ordinal}{node.name}]{maximum}", VALUE
        case ast.Unary(operator="NOT"):
            return f"NOT {print_expression(node.operand, AND)}", NOT
        case ast.Unary():
            inner = print_expression(node.operand, PRODUCT)
            return f"- {inner}" if inner.startswith("-") else f"-{inner}", SIGN
        case ast.Binary():
            power = OF_OPERATOR[node.operator]
            left = power - 1 if power > COMPARISON else COMPARISON
            return (
                f"{print_expression(node.left, left)} {node.operator} {print_expression(node.right, power)}",
                power,
            )
        case ast.Junction():
            power = AND if node.operator == "AND" else OR
            between = f" {node.operator} "
            # AND inside OR needs no parentheses, but is hard to read without
            return between.join(print_expression(operand, AND) for operand in node.operands), power
        case ast.NullTest():
            test = "IS NOT NULL" if node.is_negated else "IS NULL"
            return f"{print_expression(node.operand, COMPARISON)} {test}", COMPARISON
        case ast.Between():
            word = "NOT BETWEEN" if node.is_negated else "BETWEEN"
            low, high = print_expression(node.low, COMPARISON), print_expression(node.high, COMPARISON)
            return f"{print_expression(node.operand, COMPARISON)} {word} {low} AND {high}", COMPARISON
        case ast.In():
            items = ", ".join(map(print_expression, node.items))
            return f"{_in(node)} {items if node.is_list else f'({items})'}", COMPARISON
        case ast.InQuery():
            return f"{_in(node)} ({print_query(node.query)})", COMPARISON
        case ast.ExistsQuery():
            return f"EXISTS ({print_query(node.query)})", VALUE
        case ast.Like():
            word = f"NOT {node.keyword}" if node.is_negated else node.keyword
            pattern = print_expression(node.pattern, COMPARISON)
            return f"{print_expression(node.operand, COMPARISON)} {word} {pattern}", COMPARISON
        case ast.Call():
            return _call(node), VALUE
        case ast.Row():
            return f"({', '.join(map(print_expression, node.items))})", VALUE
        case ast.ScalarQuery():
            return f"({print_query(node.query)})", VALUE
        case _:
            assert_never(node)


def _in(node: ast.In | ast.InQuery) -> str:
    return f"{print_expression(node.operand, COMPARISON)} {'NOT IN' if node.is_negated else 'IN'}"


def _literal(node: ast.LiteralValue) -> str:
    """Return a literal; a number stays as it is written, so that `1.50` and `1e3` keep their form."""
    value = node.value
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return "".join(node.span.text.split())


def _call(node: ast.Call) -> str:
    inner = "*" if node.is_star else ", ".join(map(print_expression, node.arguments))
    distinct = "DISTINCT " if node.is_distinct else ""
    over = f" {node.over.text}" if node.over is not None else ""
    return f"{node.name.text.upper()}({distinct}{inner}){over}"


def print_select_item(item: ast.SelectItem | ast.Star) -> str:
    """Return `*`, `t.*`, or an expression with its alias."""
    if isinstance(item, ast.Star):
        return f"{name_text(item.qualifier)}.*" if item.qualifier is not None else "*"
    text = print_expression(item.expression)
    return f"{text} AS {name_text(item.alias)}" if item.alias is not None else text


def print_order(item: ast.OrderItem) -> str:
    """Return one term of ORDER BY; ASC is left out, as it means nothing more."""
    return print_expression(item.expression) + ("" if item.is_ascending else " DESC")


def print_table(source: ast.TableSource) -> str:
    """Return a table or derived table of FROM with its alias, on one line."""
    alias = f" {name_text(source.alias)}" if source.alias is not None else ""
    if isinstance(source, ast.DerivedTable):
        return f"({print_query(source.query)}){alias}"
    return name_text(source.table) + alias


@dataclass(slots=True)
class Line:
    """One line of formatted text, and the comment that stands behind it."""

    text: str
    start: int  # offset in the source of what it was printed from
    begins_statement: bool = False
    comment: str = ""

    @property
    def indent(self) -> str:
        """The blanks with which the line begins."""
        return self.text[: len(self.text) - len(self.text.lstrip())]


def print_query(query: ast.QueryExpression) -> str:
    """Return a query on one line."""
    return " ".join(line.text.strip() for line in query_lines(query))


def query_lines(query: ast.QueryExpression) -> list[Line]:
    """Return a query as lines, a clause on each."""
    if isinstance(query, ast.UnionQuery):
        return _union(query)
    lines = clause_lines(
        "SELECT DISTINCT" if query.is_distinct else "SELECT",
        query.span.start,
        [(print_select_item(item), item.span.start) for item in query.items],
        ",",
    )
    if query.from_clause is not None:
        lines.extend(from_lines(query.from_clause))
    if query.where is not None:
        lines.extend(condition_lines("WHERE", query.where))
    if query.group is not None:
        keys = [(print_expression(key), key.span.start) for key in query.group.keys]
        lines.extend(clause_lines("GROUP BY", query.group.span.start, keys, ","))
    if query.having is not None:
        lines.extend(condition_lines("HAVING", query.having))
    return [*lines, *_order_and_stop(query)]


def _union(query: ast.UnionQuery) -> list[Line]:
    lines: list[Line] = []
    for number, input_query in enumerate(query.inputs):
        if number > 0:
            lines.append(Line("UNION ALL" if query.is_all else "UNION", query.unions[number - 1].start))
        branch = query_lines(input_query)
        is_nested_union = isinstance(input_query, ast.UnionQuery) and number > 0
        if (
            is_nested_union
            or input_query.order is not None
            or input_query.stop is not None
            or input_query.offset is not None
        ):
            branch[0].text = f"({branch[0].text}"
            branch[-1].text += ")"
        lines.extend(branch)
    return [*lines, *_order_and_stop(query)]


def _order_and_stop(query: ast.QueryExpression) -> Iterator[Line]:
    if query.order is not None:
        yield from clause_lines("ORDER BY", query.order.span.start, order_items(query.order), ",")
    if query.stop is not None:
        yield stop_line(query.stop)
    if query.offset is not None:
        yield offset_line(query.offset)


def order_items(order: ast.OrderClause) -> list[tuple[str, int]]:
    """Return the terms of ORDER BY with their offsets in the source, for `clause_lines`."""
    return [(print_order(item), item.span.start) for item in order.items]


def offset_line(offset: ast.OffsetClause) -> Line:
    """Return the line of OFFSET."""
    return Line(f"OFFSET {print_expression(offset.count)}", offset.span.start)


def stop_line(stop: ast.StopClause) -> Line:
    """Return the line of LIMIT or PAGINATE."""
    return Line(f"{'PAGINATE' if stop.is_page else 'LIMIT'} {print_expression(stop.count)}", stop.span.start)


def from_lines(clause: ast.FromClause) -> list[Line]:
    """Return FROM on one line where it fits in WIDTH, else a line for each join."""
    lines = [Line(f"FROM {print_table(clause.first)}", clause.span.start)]
    words = {"inner": "JOIN", "left": "LEFT JOIN", "cross": "CROSS JOIN"}
    for join in clause.joins:
        if join.kind == "comma":
            lines[-1].text += ","
            lines.append(Line(f"{INDENT}{print_table(join.table)}", join.span.start))
            continue
        condition = f" ON {print_expression(join.condition)}" if join.condition is not None else ""
        text = f"{INDENT}{words[join.kind]} {print_table(join.table)}{condition}"
        lines.append(Line(text, join.span.start))
    return joined_if_short(lines)


def condition_lines(word: str, condition: ast.Expression) -> list[Line]:
    """Return a condition on one line where it fits in WIDTH, else a line for each operand of its AND."""
    if not isinstance(condition, ast.Junction) or condition.operator == "OR":
        return [Line(f"{word} {print_expression(condition)}", condition.span.start)]
    lines: list[Line] = []
    for number, operand in enumerate(condition.operands):
        text = print_expression(operand, above=AND)
        lines.append(Line(f"{word if number == 0 else f'{INDENT}AND'} {text}", operand.span.start))
    return joined_if_short(lines)


def clause_lines(word: str, start: int, items: list[tuple[str, int]], between: str) -> list[Line]:
    """Return a clause on one line where it fits in WIDTH, else a line for each item.

    `items` are texts with their offsets in the source; `between` separates them.
    """
    line = Line(f"{word} {f'{between} '.join(text for text, _ in items)}", start)
    if len(line.text) <= WIDTH or len(items) == 1:
        return [line]
    lines = [Line(word, start)]
    for number, (text, item_start) in enumerate(items):
        lines.append(Line(f"{INDENT}{text}{between if number < len(items) - 1 else ''}", max(item_start, start + 1)))
    return lines


def joined_if_short(lines: list[Line]) -> list[Line]:
    """Return the lines joined into one where that fits in WIDTH, else unchanged."""
    joined = " ".join(line.text.strip() for line in lines)
    return [Line(joined, lines[0].start)] if len(joined) <= WIDTH else lines
