"""Highlighting by meaning: which word is a keyword, a table, a column, an alias, a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from piql.compiler.binding.functions import AGGREGATES, USAGES
from piql.compiler.binding.view_windows import FUNCTION
from piql.compiler.syntax.cursor import RESERVED
from piql.compiler.syntax.lexer import Token, tokenize
from piql.editor.service.names import Names
from piql.schema.types import KIND_OF_NAME
from piql.text.source import Source, utf16_units

TokenType = Literal[
    "keyword", "type", "function", "table", "column", "alias", "output", "parameter", "query", "index",
    "string", "number", "comment", "operator", "name",
]  # fmt: skip

TOKEN_TYPES: tuple[TokenType, ...] = get_args(TokenType)  # encoded tokens hold the index of their type in this list

# Keywords that may also be names. A word that a statement uses as a name is coloured as that name.
SOFT_KEYWORDS = frozenset(
    """
    ACTION ANY ASC BEGIN BOTH BUCKETS CARDINALITY CAST CHECK CONFLICT COVERING DEFAULT DESC DO END ENTITY EVENTUAL
    EXCLUDED FETCH FILTER FIRST FOR IF INCLUDE INDEX INTERVAL KEY LAST LEADING LET LEVELS MAX NEXT NO NOTHING NULLS
    OF ONLY QUERY QUORUM READ RECURSIVE REF RESTRICT RETURNING ROW ROWS SESSION SOME STRIPES TABLE TOKEN TRAILING
    UNIT VIEW WINDOW WRITE
    """.split()
)
_FUNCTIONS = frozenset((*AGGREGATES, *USAGES, FUNCTION))


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """A range of code points `start..end` of a file, and what stands there."""

    start: int
    end: int
    type: TokenType
    is_definition: bool = False


def semantic_tokens(texts: Mapping[str, str], file: str) -> tuple[SemanticToken, ...]:
    """Return what every word, literal and comment of a file is, in the order of the text."""
    occurrence_at = {occurrence.span.start: occurrence for occurrence in Names(texts).in_file(file)}
    lexed = tokenize(Source(texts.get(file, ""), file))
    tokens = [SemanticToken(comment.start, comment.end, "comment") for comment in lexed.comments]

    def kind(token: Token, following: Token) -> TokenType | None:
        if token.kind == "string" or token.kind == "blob":
            return "string"
        if token.kind == "number":
            return "number"
        if token.kind == "symbol":
            if token.word == "?" or token.word[0] == "$":
                return "parameter"
            return "operator" if token.word not in ("(", ")", ",", ";", ".", "[", "]", "{", "}") else None
        if token.kind == "quoted":
            return "name"
        if token.word in _FUNCTIONS and following.word == "(":
            return "function"  # MAX is both: MAX(price), and LIMIT [n] MAX 50
        if token.word in RESERVED or token.word in SOFT_KEYWORDS:
            return "keyword"
        return "type" if token.word in KIND_OF_NAME else "name"

    for token, following in zip(lexed.tokens, lexed.tokens[1:], strict=False):
        occurrence = occurrence_at.get(token.start)
        if occurrence is not None and token.kind in ("word", "quoted"):
            tokens.append(SemanticToken(token.start, token.end, occurrence.symbol.kind, occurrence.is_definition))
            continue
        token_type = kind(token, following)
        if token_type is not None:
            tokens.append(SemanticToken(token.start, token.end, token_type))
    return tuple(sorted(tokens, key=lambda token: token.start))


def encode(tokens: Sequence[SemanticToken], text: str, units: Callable[[str], int] = utf16_units) -> list[int]:
    """Return tokens as the Language Server Protocol encodes them: five numbers each.

    The numbers are: lines since the token before, columns since its start (or since the start of the line), length,
    index in TOKEN_TYPES, and 1 for a definition or else 0. Columns and lengths count in `units`. A token of several
    lines becomes one for each line.
    """
    data: list[int] = []
    line = column = 0  # of the token before
    at_line, line_start = 0, 0
    for token in tokens:
        start = token.start
        for part in text[token.start : token.end].split("\n"):
            at_line += text.count("\n", line_start, start)
            line_start = text.rfind("\n", 0, start) + 1
            at_column = units(text[line_start:start])
            visible = part.rstrip("\r")
            if visible:
                from_column = at_column - column if at_line == line else at_column
                flag = int(token.is_definition)
                data += (at_line - line, from_column, units(visible), TOKEN_TYPES.index(token.type), flag)
                line, column = at_line, at_column
            start += len(part) + 1
    return data
