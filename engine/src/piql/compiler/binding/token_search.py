"""`column LIKE [word]` and `column CONTAINS [word]`: search for one whole word through an index. Patterns are refused.

A pattern is reported with the nearest query that has a bound:

    LIKE '%red%'       →   LIKE 'red'                          LIKE 'red%'     →   title >= 'red' AND title < 'ree'
    LIKE '%red car%'   →   LIKE 'red' AND … LIKE 'car'         ILIKE '%Red%'   →   LIKE 'Red'
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from piql.compiler.binding.types import BARE, is_text
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.compiler.syntax.unsupported import ILIKE
from piql.schema.catalog import Kind
from piql.schema.values import shown
from piql.text.diagnostics.diagnostic import Edit, Fix

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder

_WHOLE = "changes the answer: whole words are found, and no parts of words"
_WHOLE_WORDS = "search for whole words through an index: LIKE [word]"
_BEGINNING = "for a beginning, write column >= [from] AND column < [to]; for whole words, LIKE [word]"
MOST_WORDS = 4  # of a text that is searched word by word
MOST_CHARACTER = 0x10FFFF
FIRST_SURROGATE, LAST_SURROGATE = 0xD800, 0xDFFF


def bind_like(binder: ExpressionBinder, node: ast.Like) -> logical.Expression | None:
    """Bind a search for one word; None, after a report, for patterns, ILIKE and columns that are not texts."""
    if node.keyword == "ILIKE":
        binder.report("not-in-piql", ILIKE.message, node.span, ILIKE.way_out, *_in_any_case(node))
        return None
    columns = _searched_columns(binder, node)
    pattern = node.pattern
    is_word = True
    if isinstance(pattern, ast.LiteralValue) and isinstance(pattern.value, str):
        is_word = _is_one_word(binder, node, pattern, pattern.value)
    elif isinstance(pattern, ast.Binary) and "%" in (parts := _parts(pattern)):
        _refuse_pattern(binder, node, parts)
        return None
    word = binder.value(pattern, BARE[Kind.TEXT])
    if word is not None and not isinstance(word, logical.Constant | logical.Parameter):
        binder.report(
            "token-search",
            f"the word after {node.keyword} is a parameter or a text",
            pattern.span,
            f"write {node.keyword} [word]",
        )
        return None
    if word is None or columns is None or not is_word:
        return None
    search = logical.TokenMatch(columns=columns, word=word, span=node.span)
    return logical.Not(operand=search, span=node.span) if node.is_negated else search


def _searched_columns(binder: ExpressionBinder, node: ast.Like) -> tuple[logical.ColumnRef, ...] | None:
    """Return the text columns of one table that a search is over; None after a report of those that are none."""
    columns: list[logical.ColumnRef] = []
    is_broken = False
    for operand in node.operand.items if isinstance(node.operand, ast.Row) else (node.operand,):
        column = binder.value(operand)
        if column is None:
            is_broken = True
        elif not isinstance(column, logical.ColumnRef):
            binder.report(
                "token-search",
                f"{node.keyword} searches the words of columns, but this is not a column",
                operand.span,
                "words are found in upper and lower case alike",
                *_without_function(operand),
            )
            is_broken = True
        elif not is_text(column.type) and column.type.kind is not Kind.NULL:
            binder.report(
                "type-mismatch",
                f"{node.keyword} searches text, {column.name} is {column.type.with_article}",
                operand.span,
            )
            is_broken = True
        elif columns and column.relation != columns[0].relation:
            binder.report("token-search", f"one {node.keyword} searches columns of one table", node.operand.span)
            is_broken = True
        else:
            columns.append(column)
    return None if is_broken else tuple(columns)


def _is_one_word(binder: ExpressionBinder, node: ast.Like, pattern: ast.LiteralValue, text: str) -> bool:
    """Return whether `text`, the value of the literal `pattern`, is one word; report a pattern or several words."""
    word = text.strip("%")
    is_word = word.isalnum()
    if node.keyword == "CONTAINS" or ("%" not in text and "_" not in text):
        if text.isalnum():
            return True
        binder.report(
            "token-search",
            f"{shown(text)} is not one word",
            pattern.span,
            f"search for each word with its own {node.keyword}, joined by AND",
            *_word_by_word(node, text),
        )
        return False
    fixes: tuple[Fix, ...] = ()
    if is_word and text.startswith("%"):
        edit = Edit(pattern.span.file, pattern.span.start, pattern.span.end, f"'{word}'")
        fixes = (Fix(f"Search for the word {word}", (edit,), consequence=_WHOLE),)
    elif text.startswith("%"):
        fixes = _word_by_word(node, word)
    else:
        fixes = _as_range(node, text)
    binder.report(
        "pattern-match",
        f"LIKE {shown(text)} compares every row with the pattern, however many there are",
        node.span,
        _WHOLE_WORDS if text.startswith("%") else _BEGINNING,
        *fixes,
    )
    return False


def _parts(pattern: ast.Expression) -> tuple[str, ...]:
    """Return the parts of `'%' || [word] || '%'`: the value of a literal %, else the text as written."""
    if isinstance(pattern, ast.Binary) and pattern.operator == "||":
        return (*_parts(pattern.left), *_parts(pattern.right))
    return ("%",) if isinstance(pattern, ast.LiteralValue) and pattern.value == "%" else (pattern.span.text,)


def _refuse_pattern(binder: ExpressionBinder, node: ast.Like, parts: tuple[str, ...]) -> None:
    """Report a pattern that || joins from `parts`, such as `'%' || [word]`."""
    words = [part for part in parts if part != "%"]
    word = words[0] if len(words) == 1 and words[0].startswith(("[", ":")) else None
    fixes: tuple[Fix, ...] = ()
    if word is not None and parts[0] == "%":
        edit = Edit(node.pattern.span.file, node.pattern.span.start, node.pattern.span.end, word)
        fixes = (Fix(f"Search for the word {word}", (edit,), consequence=_WHOLE),)
    elif word is not None and not node.is_negated and not isinstance(node.operand, ast.Row):
        operand, name = node.operand.span.text, word.strip("[]").split(":")[-1].strip()
        test = f"({operand} >= [{name}] AND {operand} < [{name}_end])"
        consequence = f"an execution gives the first text and, as [{name}_end], the first one behind the range"
        title = f"Read the range from [{name}] up to [{name}_end]"
        fixes = (Fix(title, (_instead(node, test),), consequence=consequence),)
    binder.report(
        "pattern-match",
        f"LIKE {node.pattern.span.text} compares every row with the pattern, however many there are",
        node.span,
        _WHOLE_WORDS if parts[0] == "%" else _BEGINNING,
        *fixes,
    )


def _in_any_case(node: ast.Like) -> tuple[Fix, ...]:
    """Return the fix that searches for the word of an ILIKE: word search ignores case anyway."""
    pattern, plain = node.pattern, replace(node, keyword="LIKE")
    if isinstance(pattern, ast.ParameterUse):
        word = pattern.span.text
    elif isinstance(pattern, ast.LiteralValue) and isinstance(pattern.value, str):
        text = pattern.value.strip("%")
        if not text.isalnum():
            return _word_by_word(plain, text)
        word = f"'{text}'"
    else:
        words = [part for part in _parts(pattern) if part != "%"]
        if len(words) != 1 or not words[0].startswith(("[", ":")):
            return ()
        word = words[0]
    test = f"{node.operand.span.text} {'NOT ' if node.is_negated else ''}LIKE {word}"
    return (Fix(f"Search for the word {word.strip(chr(39))}", (_instead(node, test),), consequence=_WHOLE),)


def _without_function(node: ast.Expression) -> tuple[Fix, ...]:
    """Return the fix that searches the column of `LOWER(column)` itself."""
    match node:
        case ast.Call(arguments=(ast.ColumnName() as column,)) if node.name.text.upper() in ("LOWER", "UPPER", "TRIM"):
            edit = Edit(node.span.file, node.span.start, node.span.end, column.span.text)
            consequence = "the answer stays the same: words are found in upper and lower case alike"
            return (Fix(f"Search {column.span.text} itself", (edit,), consequence=consequence),)
        case _:
            return ()


def _word_by_word(node: ast.Like, text: str) -> tuple[Fix, ...]:
    """Return the fix that searches for each word of a text by itself."""
    words = text.split()
    if node.is_negated or not 2 <= len(words) <= MOST_WORDS or not all(map(str.isalnum, words)):
        return ()
    operand = node.operand.span.text
    tests = " AND ".join(f"{operand} {node.keyword} '{word}'" for word in words)
    title = f"Search for the words {' and '.join(words)}"
    consequence = "changes the answer: all of these words are found, wherever they are in the text"
    return (Fix(title, (_instead(node, f"({tests})"),), consequence=consequence),)


def _as_range(node: ast.Like, text: str) -> tuple[Fix, ...]:
    """Return the fix that reads a prefix as a range: LIKE 'red%' → title >= 'red' AND title < 'ree'.

    A pattern that goes on after the prefix has the same fix: the application tests the remainder.
    """
    start = text.split("%")[0].split("_")[0]
    if node.is_negated or not start or isinstance(node.operand, ast.Row):
        return ()
    following = ord(start[-1]) + 1
    if following > MOST_CHARACTER or FIRST_SURROGATE <= following <= LAST_SURROGATE:
        return ()
    operand = node.operand.span.text
    low, high = (bound.replace("'", "''") for bound in (start, start[:-1] + chr(following)))
    test = f"({operand} >= '{low}' AND {operand} < '{high}')"
    title = f"Read the range that begins with {start}"
    consequence = "the answer stays the same"
    if text != f"{start}%":
        consequence = (
            f"changes the answer: all that begins with {start}, and the application tests the rest of the pattern"
        )
    return (Fix(title, (_instead(node, test),), consequence=consequence),)


def _instead(node: ast.Like, text: str) -> Edit:
    return Edit(node.span.file, node.span.start, node.span.end, text)
