"""Remedy: `a <> b` → `(a < b OR a > b)`. An index can read the two ranges; it cannot apply `<>`.

`a NOT IN (1, 5)` → `(a < 1 OR a > 1 AND a < 5 OR a > 5)`: the ranges between literals in the order of their values.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.syntax import ast
from piql.schema.types import TEXTS
from piql.text.diagnostics.diagnostic import Edit

MOST_VALUES = 8  # of a NOT IN; more ranges are hard to read


def read_both_sides(query: RefusedQuery) -> list[Remedy]:
    """Return the edit for each `<>` and NOT IN that keeps a LIMIT from stopping a read."""
    if query.body is None:
        return []
    blockers = {(blocker.start, blocker.end) for gap in query.gaps if gap.kind == "blocked" for blocker in gap.blockers}
    remedies: list[Remedy] = []
    for node, title, ranges in (*_unequal(query.body), *_not_in(query.body, _text_columns(query))):
        span = node.span
        if (span.start, span.end) in blockers:
            edit = Edit(span.file, span.start, span.end, f"({' OR '.join(ranges)})")
            count = "two" if len(ranges) == 2 else str(len(ranges))
            consequence = f"the answer stays the same; it is read as {count} ranges"
            remedies.append(
                Remedy(title, consequence, Change.NOTHING, edit=edit, excludes=f"test {span.start}"),
            )
    return remedies


def _unequal(body: ast.AstNode) -> Iterator[tuple[ast.AstNode, str, list[str]]]:
    """Yield each `a <> b` with the title of its remedy and its two ranges."""
    for node in body.find(ast.Binary):
        if node.operator == "<>":
            left, right = node.left.span.text, node.right.span.text
            yield node, f"Read both sides of {right}", [f"{left} < {right}", f"{left} > {right}"]


def _text_columns(query: RefusedQuery) -> frozenset[str]:
    """Return the names, in lower case, that are columns of text in every table that nothing bounds."""
    tables = [gap.table for gap in query.gaps]
    columns = [column for table in tables for column in table.columns]
    others = {column.name.lower() for column in columns if column.type.kind not in TEXTS}
    return frozenset(column.name.lower() for column in columns) - others


def _not_in(body: ast.AstNode, text_columns: frozenset[str]) -> Iterator[tuple[ast.AstNode, str, list[str]]]:
    """Yield each NOT IN of few literals with the title of its remedy and the ranges between them."""
    for node in body.find(ast.In):
        is_text = isinstance(node.operand, ast.ColumnName) and node.operand.name.text.lower() in text_columns
        values = _in_order(node.items, is_text=is_text) if node.is_negated and not node.is_list else None
        if values is not None and len(values) <= MOST_VALUES:
            left = node.operand.span.text
            between = [f"{left} > {low} AND {left} < {high}" for low, high in pairwise(values)]
            yield node, "Read what is between the values", [f"{left} < {values[0]}", *between, f"{left} > {values[-1]}"]


def _in_order(items: tuple[ast.Expression, ...], *, is_text: bool) -> list[str] | None:
    """Return the texts of literals in the order of their values, each once; None unless all are texts or numbers.

    Quoted literals of another type, such as dates, may be ordered otherwise than they are written.
    """
    texts: dict[bytes, str] = {}
    numbers: dict[int | Decimal, str] = {}
    for item in items:
        match item:
            case ast.LiteralValue(value=str() as value) if is_text:
                texts.setdefault(value.encode(), item.span.text)
            case ast.LiteralValue(value=bool()):
                return None
            case ast.LiteralValue(value=int() | Decimal() as value):
                numbers.setdefault(value, item.span.text)
            case _:
                return None
    if texts and numbers:
        return None
    return [text for _, text in sorted(texts.items())] or [text for _, text in sorted(numbers.items())]
