"""`column LIKE [word]` and `column CONTAINS [word]`: a search for one whole word; patterns are refused here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.binding.types import BARE, is_text, with_article
from piql.catalog import Kind
from piql.diagnostics.diagnostic import Edit, Fix
from piql.logical import expressions as logical
from piql.syntax import ast
from piql.values import shown

if TYPE_CHECKING:
    from piql.binding.expressions import ExpressionBinder


def bind_like(binder: ExpressionBinder, node: ast.Like) -> logical.Expression | None:
    operands = node.operand.items if isinstance(node.operand, ast.Row) else (node.operand,)
    columns: list[logical.ColumnRef] = []
    is_broken = False
    for each in operands:
        column = binder.value(each)
        if column is None:
            is_broken = True
        elif not isinstance(column, logical.ColumnRef):
            binder.report("token-search", f"{node.keyword} searches the words of columns, this is none", each.span)
            is_broken = True
        elif not is_text(column.type) and column.type.kind is not Kind.NULL:
            binder.report(
                "type-mismatch",
                f"{node.keyword} searches text, {column.name} is {with_article(column.type)}",
                each.span,
            )
            is_broken = True
        elif columns and column.relation != columns[0].relation:
            binder.report("token-search", f"one {node.keyword} searches columns of one table", node.operand.span)
            is_broken = True
        else:
            columns.append(column)
    pattern = node.pattern
    if isinstance(pattern, ast.LiteralValue) and isinstance(pattern.value, str):
        is_broken = not _is_one_word(binder, node, pattern, pattern.value) or is_broken
    word = binder.value(pattern, BARE[Kind.TEXT])
    if word is None or is_broken:
        return None
    if not isinstance(word, logical.Constant | logical.Parameter):
        binder.report(
            "token-search",
            f"the word after {node.keyword} is a parameter or a text",
            pattern.span,
            f"write {node.keyword} [word]",
        )
        return None
    found = logical.TokenMatch(columns=tuple(columns), word=word, span=node.span)
    return logical.Not(operand=found, span=node.span) if node.is_negated else found


def _is_one_word(binder: ExpressionBinder, node: ast.Like, pattern: ast.LiteralValue, text: str) -> bool:
    word = text.strip("%")
    is_word = word.isalnum()
    if node.keyword == "CONTAINS" or ("%" not in text and "_" not in text):
        if text.isalnum():
            return True
        binder.report(
            "token-search",
            f"{shown(text)} is not one word",
            pattern.span,
            f"search each word with a {node.keyword} of its own, joined by AND",
        )
        return False
    fixes: tuple[Fix, ...] = ()
    if is_word and text.startswith("%"):
        edit = Edit(pattern.span.file, pattern.span.start, pattern.span.end, f"'{word}'")
        fixes = (Fix(f"Search for the word {word}", (edit,)),)
    binder.report(
        "pattern-match",
        f"LIKE {shown(text)} compares every row with the pattern, however many there are",
        node.span,
        "search for whole words through an index: LIKE [word]"
        if text.startswith("%")
        else "for a beginning, write column >= [from] AND column < [to]; for whole words, LIKE [word]",
        *fixes,
    )
    return False
