"""Tokens of a text to import, a reader that takes them one after the other, and the two exceptions of an import.

`LeftOut` skips one element or statement and goes on; `ImportRefused` ends the whole import.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from piql.importing.texts import text_of

TokenKind = Literal["word", "quoted", "string", "number", "symbol"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}
_SHOWN_CHARACTERS = 60  # of a statement or clause that a message shows


@dataclass(frozen=True, slots=True)
class ForeignToken:
    """One token with its line and its offset; `word` is its text in upper case, '' for what is quoted.

    `has_escapes` says that a backslash in a text begins an escape.
    """

    kind: TokenKind
    text: str
    line: int
    start: int
    has_escapes: bool = False

    @property
    def word(self) -> str:
        return "" if self.kind in ("quoted", "string") else self.text.upper()

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class ImportRefused(Exception):
    """The text cannot be imported at all: it is cut off, or no SQL. `line` is where; None where no line is meant.

    `file` is the name of a file of queries, '' for the schema.
    """

    def __init__(self, reason: str, line: int | None = None, file: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.file = file


class LeftOut(Exception):
    """An element or statement is left out of the import; the message says why, for the user."""


def unquoted(token: ForeignToken) -> str:
    """Return what a name or a text in quotes says."""
    text = token.text
    if token.kind == "quoted":
        closing = "]" if text[0] == "[" else text[0]
        return text[1:-1].replace(closing * 2, closing)
    if token.kind == "string":
        return text_of(text, has_escapes=token.has_escapes)
    return text


def nameable(name: str) -> str:
    """Return a name without what no name of PIQL may hold: control characters, or nothing at all."""
    return _CONTROL.sub("_", name) or "_"


def shown(tokens: Sequence[ForeignToken], most: int = _SHOWN_CHARACTERS) -> str:
    """Return tokens as they stand in the text, on one line; a long text is cut to `most` characters, `…` included."""
    parts: list[str] = []
    end = None
    for token in tokens:
        if end is not None and token.start > end:
            parts.append(" ")
        parts.append(token.text)
        end = token.end
        if sum(map(len, parts[-3:])) > most or len(parts) > most:
            break
    text = " ".join("".join(parts).split())
    return text if len(text) <= most else text[: most - 1] + "…"


class Reader:
    """Tokens and a position in them.

    `peek`, `word` and `follows` look at the next tokens; `accept` and `accept_any` take them if they are as expected;
    `take`, `name`, `dotted_name` and `group` demand them, and raise LeftOut where something else comes.
    """

    def __init__(self, tokens: Sequence[ForeignToken]) -> None:
        self.tokens = tokens
        self.at = 0  # the offset of the next token in `tokens`

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self.tokens)

    @property
    def line(self) -> int:
        """The line of the next token, at the end that of the last."""
        return self.tokens[min(self.at, len(self.tokens) - 1)].line if self.tokens else 0

    def peek(self, ahead: int = 0) -> ForeignToken | None:
        """Return the token that is `ahead` of the next one; None behind the end."""
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else None

    def word(self, ahead: int = 0) -> str:
        """Return the token that is `ahead` of the next one in upper case; '' for one in quotes and behind the end."""
        token = self.peek(ahead)
        return token.word if token is not None else ""

    def take(self) -> ForeignToken:
        """Take the next token; raise LeftOut at the end."""
        token = self.peek()
        if token is None:
            raise LeftOut("it ends too early")
        self.at += 1
        return token

    def follows(self, *words: str) -> bool:
        """Say whether these words are the next; nothing is taken."""
        return all(self.word(ahead) == word for ahead, word in enumerate(words))

    def accept(self, *words: str) -> bool:
        """Take these words if they are the next; say whether they were."""
        if not self.follows(*words):
            return False
        self.at += len(words)
        return True

    def accept_any(self, words: Collection[str]) -> bool:
        """Take the next word if it is one of these; say whether it was."""
        if self.word() not in words:
            return False
        self.at += 1
        return True

    def rest(self) -> Sequence[ForeignToken]:
        """Take and return all tokens that are left."""
        tokens = self.tokens[self.at :]
        self.at = len(self.tokens)
        return tokens

    def name(self) -> str:
        """Take one name and return it without its quotes; raise LeftOut for anything else.

        A text counts as a name, since MySQL and SQLite accept names in the quotes of texts.
        """
        token = self.peek()
        if token is None or not (token.is_name or token.kind == "string"):
            raise LeftOut(f"a name is expected{f' before {token.text}' if token is not None else ''}")
        self.at += 1
        return nameable(unquoted(token))

    def dotted_name(self) -> tuple[str, str]:
        """Take `name` or `schema.name`; return both parts, '' for a schema that is not named."""
        parts = [self.name()]
        while self.word() == "." and (following := self.peek(1)) is not None:
            self.at += 1
            parts.append("" if following.word == "." else self.name())
        return (parts[-2] if len(parts) > 1 else ""), parts[-1]

    def group(self) -> Sequence[ForeignToken]:
        """Take a pair of brackets and return the tokens between them; raise LeftOut where no bracket opens."""
        opening = self.take()
        closing = _CLOSING.get(opening.text)
        if closing is None:
            raise LeftOut(f"( is expected before {opening.text}")
        start, depth = self.at, 1
        while not self.is_at_end:
            token = self.take()
            depth += (token.text == opening.text) - (token.text == closing)
            if depth == 0:
                return self.tokens[start : self.at - 1]
        raise LeftOut(f"{opening.text} is not closed")

    def names_in_brackets(self) -> tuple[str, ...]:
        """Take `(a, b)` and return the names; raise LeftOut where there is none."""
        inner = Reader(self.group())
        names = [inner.name()]
        while inner.accept(","):
            names.append(inner.name())
        return tuple(names)

    def skip_group(self) -> None:
        """Take a pair of brackets, if one opens here."""
        if self.word() in _CLOSING:
            self.group()


def split_at_commas(tokens: Sequence[ForeignToken], *, has_angles: bool = False) -> list[Sequence[ForeignToken]]:
    """Split tokens at the commas outside of brackets; those of CQL's `map<text, int>` count as brackets on request."""
    opening, closing = ("([{<", ")]}>") if has_angles else ("([{", ")]}")
    parts: list[Sequence[ForeignToken]] = []
    start = depth = 0
    for at, token in enumerate(tokens):
        if token.kind != "symbol":
            continue
        depth += (token.text in opening) - (token.text in closing)
        if token.text == "," and depth == 0:
            parts.append(tokens[start:at])
            start = at + 1
    parts.append(tokens[start:])
    return [part for part in parts if part]
