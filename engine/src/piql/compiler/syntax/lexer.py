"""Text → tokens, in one pass of one regular expression; comments are collected for the formatter.

A file may begin with a byte order mark, which counts as a blank. A text ('…') and a quoted name ("…" or `…`) end on
their line, so that a forgotten quote spoils one line and not the file. The patterns never backtrack (`*+`):
backtracking would take hundreds of bytes a character.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Source

TokenKind = Literal["word", "quoted", "number", "string", "blob", "symbol", "end"]

LOST_BYTES = "\N{REPLACEMENT CHARACTER}"  # decoding writes it for bytes that are not UTF-8
MAX_QUOTED = 40  # characters of the user's text in a message
MAX_FINDINGS = 200  # of one file, so that a text that is not PIQL at all does not flood the user

_TOKEN = re.compile(
    r"""
    \s*+
    (?:
      (?P<nothing>\A\ufeff|\Z)
    | (?P<comment>--[^\n]*+|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))
    | (?P<blob>[xX]'[^'\n]*+')
    | (?P<word>[^\W\d]\w*+)
    | (?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<string>'(?:[^'\n]++|'')*+(?:'|(?=\n)|\Z))
    | (?P<quoted>"(?:[^"\n]++|"")*+(?:"|(?=\n)|\Z)|`(?:[^`\n]++|``)*+(?:`|(?=\n)|\Z))
    | (?P<symbol><=|>=|<>|!=|\|\||::|\$[0-9]++|[-+*/%(),.;=<>\[\]{}:?])
    | (?P<stray>(?:[^\s\w'"`<>=+*/%(),.;\[\]{}:?-]|(?![0-9])\d)++|.)
    )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token:
    """One token; `word` is the text in upper case for words, the text itself for symbols, else empty."""

    __slots__ = ("end", "kind", "start", "text", "word")

    def __init__(self, kind: TokenKind, text: str, word: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.word = word
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.start})"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its offsets: `-- …` to the end of its line, or `/* … */`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """All tokens of a text, the last of kind `end`, with its comments and the errors of the lexer."""

    tokens: list[Token]
    comments: tuple[Comment, ...]
    diagnostics: list[Diagnostic]
    first_uncut: int | None = None  # offset of the first character that was not cut, None when all were


def tokenize(source: Source, most: int | None = None) -> Tokens:
    """Cut a text into tokens, `most` at most. Never raises: unknown characters are reported and skipped."""
    text = source.text
    tokens: list[Token] = []
    comments: list[Comment] = []
    diagnostics: list[Diagnostic] = []
    append = tokens.append

    def note(code: str, message: str, start: int, end: int, way_out: str | tuple[str, ...] = ()) -> None:
        if len(diagnostics) < MAX_FINDINGS:
            diagnostics.append(report(code, message, source.span(start, end), help=way_out))

    first_uncut = None
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "nothing":
            continue
        start, end = match.span(match.lastindex or 0)
        if most is not None and len(tokens) + len(comments) >= most:
            first_uncut = start
            break
        if kind == "word":
            matched = text[start:end]
            append(Token("word", matched, matched.upper(), start, end))
        elif kind == "symbol":
            matched = text[start:end]
            append(Token("symbol", matched, matched, start, end))
        elif kind == "number":
            append(Token("number", text[start:end], "", start, end))
        elif kind == "comment":
            matched = text[start:end]
            comments.append(Comment(matched, start, end))
            if matched.startswith("/*") and (len(matched) < 4 or not matched.endswith("*/")):
                note("unclosed-comment", "this comment is never closed", start, start + 2, "close it with */")
        elif kind == "stray":
            way_out = "a parameter is written [name], :name, ? or $1" if text[start] in "$@" else ()
            note("unknown-character", f"`{shortened(text[start:end])}` has no meaning here", start, end, way_out)
        else:
            matched = text[start:end]
            token = Token(kind, matched, "", start, end)  # type: ignore[arg-type]
            if not is_closed(token):
                quote = matched[1] if kind == "blob" else matched[0]
                noun = "text" if quote == "'" else "name"
                message = f"this quoted {noun} is not closed on its line"
                note("unclosed-quote", message, start, end, f"close it with {quote}")
            elif LOST_BYTES in matched:
                message = f"`{LOST_BYTES}` stands where the bytes of the file are no text in UTF-8"
                note("unknown-character", message, start, end, "save the file in UTF-8")
            append(token)
    append(Token("end", "", "", len(text), len(text)))
    return Tokens(tokens, tuple(comments), diagnostics, first_uncut)


def span_of_first_token(text: str) -> tuple[int, int] | None:
    """Return the offsets of the first token of a text; None when it holds nothing but comments."""
    for match in _TOKEN.finditer(text):
        if match.lastgroup not in ("nothing", "comment"):
            return match.span(match.lastindex or 0)
    return None


def shortened(text: str) -> str:
    """Return a part of the user's text as messages quote it, cut where it is longer than MAX_QUOTED."""
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 3] + "…"


def is_closed(token: Token) -> bool:
    """Return whether a quoted name, a text or a BLOB has its end quote; a doubled quote is none."""
    body = token.text[2:] if token.kind == "blob" else token.text[1:]
    quote = token.text[1] if token.kind == "blob" else token.text[0]
    return (len(body) - len(body.rstrip(quote))) % 2 == 1


def unquote(token: Token) -> str:
    """Return the value of a quoted name or text, without a missing end quote being an error."""
    quote = token.text[0]
    body = token.text[1:]
    if body.endswith(quote):
        body = body[:-1]
    return body.replace(quote * 2, quote)
