"""Queries and expressions as text, with the parentheses that their precedence needs: a part of the formatter.

Enters: a node of `ast`. Leaves: an expression on one line, or a query as `Line`s, one clause a line:

    SELECT t.owner, COUNT(*)
    FROM thoughts t
    WHERE t.approved AND t.owner = [me]

`printer` puts comments between the lines; fixes and the editor print single names and queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never, cast

from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import CLOCK_WORDS, DEFAULT_WORD, RESERVED
from piql.compiler.syntax.precedence import AND, CAST, COMPARISON, NOT, OF_OPERATOR, OR, PRODUCT, SIGN, VALUE

WIDTH = 100  # characters; a longer clause is broken into lines
INDENT = "  "
_PLAIN = re.compile(r"[A-Za-z_]\w*")


def name_text(name: ast.Name) -> str:
    """Return a name as it is written, in quotes where it was quoted."""
    return '"' + name.text.replace('"', '""') + '"' if name.is_quoted else name.text


def written(name: str) -> str:
    """Return a declared name as it is written: in quotes where it would else mean something else."""
    is_plain = _PLAIN.fullmatch(name) is not None and name.upper() not in RESERVED
    return name if is_plain else '"' + name.replace('"', '""') + '"'


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
            if node.style != "[":
                text = {":": f":{node.name}", "?": "?", "$": f"${node.ordinal}"}[node.style]
                return text + maximum, VALUE
            ordinal = f"{node.ordinal}: " if node.ordinal is not None else ""
            return f"[{ordinal}{node.name}]{maximum}", VALUE
        case ast.Unary():
            return _unary(node)
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
        case ast.NullTest() | ast.DistinctTest():
            return _test_of_null(node), COMPARISON
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
        case ast.Interval():
            return _interval(node), VALUE
        case ast.Case():
            return _case(node), VALUE
        case ast.Cast():
            return _cast(node)
        case ast.Row():
            return f"({', '.join(map(print_expression, node.items))})", VALUE
        case ast.ScalarQuery():
            return f"({print_query(node.query)})", VALUE
        case _:
            assert_never(node)


def _test_of_null(node: ast.NullTest | ast.DistinctTest) -> str:
    word = "IS NOT" if node.is_negated else "IS"
    if isinstance(node, ast.NullTest):
        return f"{print_expression(node.operand, COMPARISON)} {word} NULL"
    left, right = print_expression(node.left, COMPARISON), print_expression(node.right, COMPARISON)
    return f"{left} {word} DISTINCT FROM {right}"


def _in(node: ast.In | ast.InQuery) -> str:
    return f"{print_expression(node.operand, COMPARISON)} {'NOT IN' if node.is_negated else 'IN'}"


def print_type(type: ast.TypeName) -> str:
    """Return a type with its numbers, as in `DECIMAL(8, 2)`."""
    return f"{type.name}({', '.join(map(str, type.arguments))})" if type.arguments else type.name


def _unary(node: ast.Unary) -> tuple[str, int]:
    if node.operator == "NOT":
        return f"NOT {print_expression(node.operand, AND)}", NOT
    inner = print_expression(node.operand, PRODUCT)
    return f"- {inner}" if inner.startswith("-") else f"-{inner}", SIGN


def _cast(node: ast.Cast) -> tuple[str, int]:
    type_text = print_type(node.type)
    if node.has_colons:
        operand = print_expression(node.operand, SIGN)
        return f"({operand})::{type_text}" if operand.startswith("-") else f"{operand}::{type_text}", CAST
    return f"CAST({print_expression(node.operand)} AS {type_text})", VALUE


def _case(node: ast.Case) -> str:
    operand = f" {print_expression(node.operand)}" if node.operand is not None else ""
    whens = "".join(
        f" WHEN {print_expression(branch.test)} THEN {print_expression(branch.value)}" for branch in node.branches
    )
    otherwise = f" ELSE {print_expression(node.otherwise)}" if node.otherwise is not None else ""
    return f"CASE{operand}{whens}{otherwise} END"


def _literal(node: ast.LiteralValue) -> str:
    """Return a literal; a number stays as it is written, so that `1.50` and `1e3` keep their form."""
    value = node.value
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    text = "".join(node.span.text.split())
    return str(value) if text.isalpha() else text  # FOR in SUBSTRING(name FOR 3) stands for FROM 1


def _call(node: ast.Call) -> str:
    if node.name.text in CLOCK_WORDS or (node.name.text == DEFAULT_WORD and not node.arguments):
        return node.name.text
    if node.name.text.upper() == "EXTRACT":
        part, operand = node.arguments
        return f"EXTRACT({cast(ast.LiteralValue, part).value} FROM {print_expression(operand)})"
    inner = "*" if node.is_star else ", ".join(map(print_expression, node.arguments))
    if node.name.text.upper() == "POSITION" and len(node.arguments) == 2:
        part, text = node.arguments
        inner = f"{print_expression(part, COMPARISON)} IN {print_expression(text)}"
    if node.order is not None:
        inner += f" ORDER BY {', '.join(map(print_order, node.order.items))}"
    distinct = "DISTINCT " if node.is_distinct else ""
    over = f" {node.over.text}" if node.over is not None else ""
    if node.filter is not None:
        over = f" FILTER (WHERE {print_expression(node.filter)}){over}"
    return f"{node.name.text.upper()}({distinct}{inner}){over}"


def _interval(node: ast.Interval) -> str:
    only = node.parts[0].count
    if isinstance(only, ast.ParameterUse):
        return f"INTERVAL {print_expression(only)} {node.parts[0].unit}"
    counts = [(cast(ast.LiteralValue, part.count).value, part.unit.lower()) for part in node.parts]
    return "INTERVAL '" + " ".join(f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in counts) + "'"


def print_select_item(item: ast.SelectItem | ast.Star) -> str:
    """Return `*`, `t.*`, or an expression with its alias."""
    if isinstance(item, ast.Star):
        return f"{name_text(item.qualifier)}.*" if item.qualifier is not None else "*"
    text = print_expression(item.expression)
    return f"{text} AS {name_text(item.alias)}" if item.alias is not None else text


def print_order(item: ast.OrderItem) -> str:
    """Return one term of ORDER BY; ASC is left out, as it means nothing more."""
    nulls = f" NULLS {item.nulls}" if item.nulls is not None else ""
    return print_expression(item.expression) + ("" if item.is_ascending else " DESC") + nulls


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
    if query.with_clause is not None:
        return [*_with(query.with_clause), *query_lines(replace(query, with_clause=None))]
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


def _with(clause: ast.WithClause) -> list[Line]:
    lines: list[Line] = []
    for number, entry in enumerate(clause.entries):
        word = ("WITH RECURSIVE " if clause.is_recursive else "WITH ") if number == 0 else ""
        columns = f" ({', '.join(map(name_text, entry.columns))})" if entry.columns else ""
        start = clause.span.start if number == 0 else entry.span.start
        lines.append(Line(f"{word}{name_text(entry.name)}{columns} AS (", start))
        lines.extend(replace(line, text=INDENT + line.text) for line in query_lines(entry.query))
        levels = f" MAX {entry.levels} LEVELS" if entry.levels is not None else ""
        comma = "," if number < len(clause.entries) - 1 else ""
        lines.append(Line(f"){levels}{comma}", entry.closing_span.start))
    return lines


def _union(query: ast.UnionQuery) -> list[Line]:
    lines: list[Line] = []
    for number, input_query in enumerate(query.inputs):
        if number > 0:
            lines.append(Line("UNION ALL" if query.is_all else "UNION", query.unions[number - 1].start))
        branch = query_lines(input_query)
        is_nested_union = isinstance(input_query, ast.UnionQuery) and number > 0
        if (
            is_nested_union
            or input_query.with_clause is not None
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
    """Return the line of LIMIT or PAGINATE; FETCH FIRST is written as LIMIT."""
    count = str(stop.count.value) if isinstance(stop.count, ast.LiteralValue) else print_expression(stop.count)
    return Line(f"{'PAGINATE' if stop.is_page else 'LIMIT'} {count}", stop.span.start)


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
        if join.using:
            condition = f" USING ({', '.join(map(name_text, join.using))})"
        natural = "NATURAL " if join.is_natural else ""
        text = f"{INDENT}{natural}{words[join.kind]} {print_table(join.table)}{condition}"
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
