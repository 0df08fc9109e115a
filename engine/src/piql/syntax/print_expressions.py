"""Expressions, tables and select items as text, with the parentheses that their precedence needs."""

from __future__ import annotations

from piql.syntax import ast

_OR, _AND, _NOT, _COMPARISON, _CONCAT, _SUM, _PRODUCT, _SIGN, _PLAIN = range(1, 10)
_POWER = {"||": _CONCAT, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}


def name_text(name: ast.Name) -> str:
    return '"' + name.text.replace('"', '""') + '"' if name.is_quoted else name.text


def print_expression(node: ast.Expression, above: int = 0) -> str:
    """Give an expression; in parentheses when it binds no more tightly than `above`."""
    text, power = _text(node)
    return f"({text})" if power <= above else text


def _text(node: ast.Expression) -> tuple[str, int]:
    """Give an expression and how tightly its outermost operator binds."""
    match node:
        case ast.ColumnName():
            qualifier = f"{name_text(node.qualifier)}." if node.qualifier is not None else ""
            return qualifier + name_text(node.name), _PLAIN
        case ast.LiteralValue():
            return _literal(node), _PLAIN
        case ast.ParameterUse():
            maximum = f" MAX {node.max}" if node.max is not None else ""
            if node.is_colon:
                return f":{node.name}{maximum}", _PLAIN
            ordinal = f"{node.ordinal}: " if node.ordinal is not None else ""
            return f"[{ordinal}{node.name}]{maximum}", _PLAIN
        case ast.Unary(operator="NOT"):
            return f"NOT {print_expression(node.operand, _NOT - 1)}", _NOT
        case ast.Unary():
            inner = print_expression(node.operand, _SIGN - 1)
            return f"- {inner}" if inner.startswith("-") else f"-{inner}", _SIGN
        case ast.Binary():
            power = _POWER.get(node.operator, _COMPARISON)
            left = power - 1 if power > _COMPARISON else _COMPARISON
            return (
                f"{print_expression(node.left, left)} {node.operator} {print_expression(node.right, power)}",
                power,
            )
        case ast.Junction():
            power = _AND if node.operator == "AND" else _OR
            between = f" {node.operator} "
            # AND inside OR needs no parentheses, but nobody reads it well without
            return between.join(print_expression(each, _AND) for each in node.operands), power
        case ast.NullTest():
            test = "IS NOT NULL" if node.is_negated else "IS NULL"
            return f"{print_expression(node.operand, _COMPARISON)} {test}", _COMPARISON
        case ast.Between():
            word = "NOT BETWEEN" if node.is_negated else "BETWEEN"
            low, high = print_expression(node.low, _COMPARISON), print_expression(node.high, _COMPARISON)
            return f"{print_expression(node.operand, _COMPARISON)} {word} {low} AND {high}", _COMPARISON
        case ast.In():
            items = ", ".join(map(print_expression, node.items))
            return f"{_in(node)} {items if node.is_list else f'({items})'}", _COMPARISON
        case ast.InQuery():
            return f"{_in(node)} ({_query(node.query)})", _COMPARISON
        case ast.ExistsQuery():
            return f"EXISTS ({_query(node.query)})", _PLAIN
        case ast.Like():
            word = f"NOT {node.keyword}" if node.is_negated else node.keyword
            pattern = print_expression(node.pattern, _COMPARISON)
            return f"{print_expression(node.operand, _COMPARISON)} {word} {pattern}", _COMPARISON
        case ast.Call():
            return _call(node), _PLAIN
        case ast.Row():
            return f"({', '.join(map(print_expression, node.items))})", _PLAIN
        case ast.ScalarQuery():
            return f"({_query(node.query)})", _PLAIN


def _in(node: ast.In | ast.InQuery) -> str:
    return f"{print_expression(node.operand, _COMPARISON)} {'NOT IN' if node.is_negated else 'IN'}"


def _literal(node: ast.LiteralValue) -> str:
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


def _query(query: ast.QueryExpression) -> str:
    """Give a subquery on one line."""
    from piql.syntax.printer import print_query

    return print_query(query)


def print_select_item(item: ast.SelectItem | ast.Star) -> str:
    if isinstance(item, ast.Star):
        return f"{name_text(item.qualifier)}.*" if item.qualifier is not None else "*"
    text = print_expression(item.expression)
    return f"{text} AS {name_text(item.alias)}" if item.alias is not None else text


def print_order(item: ast.OrderItem) -> str:
    return print_expression(item.expression) + ("" if item.is_ascending else " DESC")


def print_table(source: ast.TableSource) -> str:
    alias = f" {name_text(source.alias)}" if source.alias is not None else ""
    if isinstance(source, ast.DerivedTable):
        return f"({_query(source.query)}){alias}"
    return name_text(source.table) + alias
