"""Highlighting by meaning: which word is a keyword, a table, a column, an alias, a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from piql.binding.functions import AGGREGATES, FUNCTIONS
from piql.binding.schema import TYPE_NAMES
from piql.language_service.occurrences import occurrences_of
from piql.source import Source
from piql.syntax.cursor import RESERVED
from piql.syntax.lexer import Token, tokenize
from piql.syntax.parser import parse

TokenType = Literal[
    "keyword", "type", "function", "table", "column", "alias", "output", "parameter", "query", "index",
    "string", "number", "comment", "operator", "name",
]  # fmt: skip

# Words that are keywords where they are not names: those that are never names, and those that are in their place.
_SOFT_KEYWORDS = frozenset(
    """
    ASC BUCKETS CARDINALITY COVERING DESC ENTITY FETCH IF INCLUDE INDEX KEY MAX OF QUERY REF TABLE TOKEN
    """.split()
)
_FUNCTIONS = frozenset((*AGGREGATES, *FUNCTIONS))


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """A range of code points and what it is."""

    start: int
    end: int
    type: TokenType
    is_definition: bool = False


def semantic_tokens(texts: Mapping[str, str], file: str) -> tuple[SemanticToken, ...]:
    """Give what every word, literal and comment of a file is, in the order of the text."""
    parsed = [parse(Source(text, name)) for name, text in texts.items()]
    meant = {each.span.start: each for each in occurrences_of(parsed) if each.span.file == file}
    lexed = tokenize(Source(texts.get(file, ""), file))
    found = [SemanticToken(each.start, each.end, "comment") for each in lexed.comments]

    def kind(token: Token, following: Token) -> TokenType | None:
        if token.kind == "string" or token.kind == "blob":
            return "string"
        if token.kind == "number":
            return "number"
        if token.kind == "symbol":
            return "operator" if token.word not in ("(", ")", ",", ";", ".", "[", "]", "{", "}") else None
        if token.kind == "quoted":
            return "name"
        if token.word in RESERVED or token.word in _SOFT_KEYWORDS:
            return "keyword"
        if token.word in _FUNCTIONS and following.word == "(":
            return "function"
        return "type" if token.word in TYPE_NAMES else "name"

    for token, following in zip(lexed.tokens, lexed.tokens[1:], strict=False):
        occurrence = meant.get(token.start)
        if occurrence is not None and token.kind in ("word", "quoted"):
            found.append(SemanticToken(token.start, token.end, occurrence.symbol.kind, occurrence.is_definition))
            continue
        own = kind(token, following)
        if own is not None:
            found.append(SemanticToken(token.start, token.end, own))
    return tuple(sorted(found, key=lambda each: each.start))
