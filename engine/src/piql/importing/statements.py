"""Text → its statements. Rows of data are skipped: only their lines are counted.

Lines that are no SQL but stand in dumps and scripts become commands or separators: `\\connect`, `DELIMITER`, `GO`,
`PROMPT`, `.mode`. `_Splitter` walks through the text; `_Body` holds the statement that is being read, and knows whether
a semicolon or a new line ends it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from piql.importing.dialects import MYSQL, ORACLE, POSTGRES, SQLITE, TSQL, Dialect
from piql.importing.tokens import ForeignToken, ImportRefused

MAX_TOKENS = 200_000  # of one statement that is no data
_BLOCK_TOKENS = 12  # tokens of a CREATE among which its kind stands
_NAMING_TOKENS = 6  # tokens of a CREATE among which TABLE or INDEX stands

# First words of the commands of Oracle's SQL*Plus.
_SQLPLUS = frozenset("PROMPT REM REMARK SPOOL WHENEVER DEFINE UNDEFINE ACCEPT PAUSE COLUMN CONNECT CONN EXIT".split())
# What may hold a block BEGIN … END with semicolons of its own, and the words before which it is no such CREATE.
_BLOCKS = frozenset({"TRIGGER", "PROCEDURE", "FUNCTION", "PACKAGE", "EVENT", "PROC"})
_NO_BLOCKS = frozenset({"TABLE", "INDEX", "VIEW", "TYPE", "DOMAIN", "SEQUENCE", "SCHEMA", "DATABASE", "ON", "("})
_DELIMITER = re.compile(r"DELIMITER[ \t]+(\S+)[^\n]*", re.IGNORECASE)
_GO = re.compile(r"GO(?:[ \t]+\d+)?[ \t]*;?[ \t]*\r?(?=\n|\Z)", re.IGNORECASE)
_SLASH = re.compile(r"/[ \t]*\r?(?=\n|\Z)")
_COPY = re.compile(r"COPY [^;]*?\bFROM\s+stdin\b[^;]*;", re.IGNORECASE)
_COPY_END = re.compile(r"^\\\.[ \t]*\r?$", re.MULTILINE)
_DATA = re.compile(
    r"(?:INSERT|REPLACE|UPSERT)\s+(?:(?:IGNORE|DELAYED|LOW_PRIORITY|OR\s+\w+)\s+)*"
    r"(?:INTO\s+|(?=\[|\w+\.\w))(?:[^\s(;'\"`\[]|\"[^\"\n]*\"|`[^`\n]*`|\[[^\]\n]*\])+",
    re.IGNORECASE,
)
# What begins the next statement where a semicolon is missing, at the beginning of a line behind …
# … CREATE TABLE and CREATE INDEX
_AFTER_TABLE = re.compile(r"(?:CREATE|INSERT|ALTER|DROP|COMMENT\s+ON|GO|EXEC|PRINT|GRANT|IF|USE)\b", re.IGNORECASE)
# … a statement of T-SQL that begins with one of _ONE_LINE
_AFTER_ONE_LINE = re.compile(r"(?:CREATE|INSERT|ALTER|DROP|GO|EXEC|PRINT|GRANT|IF|USE|SET|DECLARE)\b", re.IGNORECASE)
# … ALTER
_AFTER_ALTER = re.compile(r"(?:CREATE|INSERT|ALTER\s+TABLE|COMMENT\s+ON|GO|EXEC|PRINT|GRANT|IF|USE)\b", re.IGNORECASE)
# … any other statement
_AFTER_OTHERS = re.compile(
    r"(?:CREATE\s+(?:TABLE|(?:UNIQUE\s+)?(?:NON)?(?:CLUSTERED\s+)?INDEX)|ALTER\s+TABLE)\b", re.IGNORECASE
)
_ONE_LINE = frozenset({"SET", "USE", "PRINT", "EXEC", "EXECUTE", "GRANT", "DROP", "INSERT", "IF"})


class Comment(NamedTuple):
    """One comment with its marks, such as `-- text`, and its line."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its tokens without the semicolon, its lines, and the comments in it and just above it.

    Of rows of data `tokens` are only those up to the name of the table, and `is_data` is true.
    """

    tokens: tuple[ForeignToken, ...]
    line: int
    last_line: int
    comments: tuple[Comment, ...] = ()
    is_data: bool = False
    is_command: bool = False  # of a client program, not SQL


class Lines:
    """Finds the line, from 1 on, in which an offset of a text stands."""

    def __init__(self, text: str) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", text)]

    def of(self, offset: int) -> int:
        return bisect_right(self._breaks, offset - 1) + 1 if offset else 1


def statements_of(text: str, dialect: Dialect, *, skips_data: bool = True) -> Iterator[Statement]:
    """Yield each statement of a text; raise ImportRefused where a quote or bracket is never closed.

    `skips_data` is false where an INSERT is a query, whose values matter.
    """
    yield from _Splitter(text, dialect, skips_data=skips_data).statements()


class _Splitter:
    """A text and the offset `at`, up to which it has been cut into statements."""

    def __init__(self, text: str, dialect: Dialect, *, skips_data: bool) -> None:
        self.text = text
        self.skips_data = skips_data
        self.dialect = dialect
        self.lines = Lines(text)
        self.at = 0
        self.delimiter = ";"  # what ends a statement; MySQL's DELIMITER changes it
        self.comments: list[Comment] = []  # those above and in the statement that is being read
        # The beginning of the INSERT before, as text and as tokens: those of one table mostly follow each other.
        self.data_head = ""
        self.data_tokens: tuple[ForeignToken, ...] = ()

    def statements(self) -> Iterator[Statement]:
        while self._skip_blanks():
            statement = self._command() or self._data() or self._statement()
            if statement is not None:
                yield statement
            self.comments = []

    def _skip_blanks(self) -> bool:
        """Go to the beginning of the next statement; return False where there is none."""
        while self.at < len(self.text):
            separator = self._separator()
            if separator is not None:
                self.at = separator
                continue
            match = self._match(self.at)
            if match.lastgroup == "comment":
                self.comments.append(Comment(self.lines.of(match.start()), match.group()))
            elif match.lastgroup != "space" and match.group() != ";":
                return True
            self.at = match.end()
        return False

    def _match(self, at: int) -> re.Match[str]:
        """Match the token, comment or run of blanks at an offset; the name of the group says which it is."""
        match = self.dialect.token.match(self.text, at)
        assert match is not None  # the last alternative matches any character
        if match.lastgroup == "symbol":
            self._check_quote(match)
        return match

    def _check_quote(self, match: re.Match[str]) -> None:
        """Refuse a quote or a comment that begins here and never ends."""
        opening = match.group()
        if opening in "'\"" or (opening == "`" and self.dialect in (MYSQL, SQLITE)):
            raise ImportRefused(f"the quote {opening} that begins here is never closed", self.lines.of(match.start()))
        if self.text.startswith("/*", match.start()):
            raise ImportRefused("the comment that begins here is never closed", self.lines.of(match.start()))

    def _separator(self) -> int | None:
        """Return where a line that only separates statements ends: GO, a slash, DELIMITER. None if there is none."""
        pattern = {TSQL.name: _GO, ORACLE.name: _SLASH, MYSQL.name: _DELIMITER}.get(self.dialect.name)
        match = pattern.match(self.text, self.at) if pattern is not None else None
        if match is not None and pattern is _DELIMITER:
            self.delimiter = match.group(1)
        return match.end() if match is not None else None

    def _command(self) -> Statement | None:
        """Take a line for the client program, which is no SQL; return None where there is none here."""
        start, text = self.at, self.text
        if self.dialect is ORACLE:
            word = re.match(r"[A-Za-z]*", text[start : start + 20])
            first = word.group().upper() if word else ""
            is_setting = first == "SET" and not re.match(r"SET\s+(?:CONSTRAINT|ROLE|TRANSACTION)", text[start:], re.I)
            if text[start] == "@" or first in _SQLPLUS or is_setting:
                return self._end_command(_end_of_line(text, start))
        marks = {POSTGRES.name: "\\", MYSQL.name: "\\", SQLITE.name: "."}
        if text[start] == marks.get(self.dialect.name):
            return self._end_command(_end_of_line(text, start))
        return None

    def _end_command(self, end: int) -> Statement:
        start, self.at = self.at, end
        line = self.lines.of(start)
        word = ForeignToken("word", self.text[start:end].strip(), line, start)
        return Statement((word,), line, line, is_command=True)

    def _data(self) -> Statement | None:
        """Skip rows of data: the rest of an INSERT, or the block after COPY … FROM stdin; None where there are none."""
        match = _DATA.match(self.text, self.at) if self.skips_data else None
        if match is None:
            return self._copy_data()
        start = self.at
        if match.group() != self.data_head:
            self.data_head, self.data_tokens = match.group(), self._tokens_between(start, match.end())
        skipped = self.dialect.data.match(self.text, match.end())
        end = skipped.end() if skipped is not None else match.end()
        if end < len(self.text) and self.text[end] in "'\"":
            line = self.lines.of(end)
            raise ImportRefused(
                f"the quote {self.text[end]} that begins here is never closed: is the file cut off?", line
            )
        if end >= len(self.text):
            self._check_closed(start)
        self.at = end + len(self.delimiter) if self.text.startswith(self.delimiter, end) else end
        last_line = self.lines.of(max(start, end - 1))
        return Statement(self.data_tokens, self.lines.of(start), last_line, is_data=True)

    def _copy_data(self) -> Statement | None:
        """Skip the rows of PostgreSQL's `COPY table FROM stdin;`, up to a line `\\.`; None where there are none."""
        header = _COPY.match(self.text, self.at) if self.dialect is POSTGRES else None
        if header is None:
            return None
        start = self.at
        end = _COPY_END.search(self.text, header.end())
        line = self.lines.of(start)
        if end is None:
            raise ImportRefused("the rows of this COPY have no end (a line with \\.): the file is cut off", line)
        self.at = end.end()
        return Statement(self._tokens_between(start, header.end() - 1), line, self.lines.of(end.start()), is_data=True)

    def _tokens_between(self, start: int, end: int) -> tuple[ForeignToken, ...]:
        """Return the tokens between two offsets, without comments."""
        tokens: list[ForeignToken] = []
        while start < end:
            match = self._match(start)
            if match.lastgroup not in ("space", "comment"):
                tokens.append(self._token(match))
            start = match.end()
        return tuple(tokens)

    def _token(self, match: re.Match[str]) -> ForeignToken:
        kind: str = match.lastgroup or "symbol"
        line, has_escapes = self.lines.of(match.start()), self.dialect.has_escapes
        return ForeignToken(kind, match.group(), line, match.start(), has_escapes)  # type: ignore[arg-type]

    def _check_closed(self, start: int) -> None:
        """Refuse data at the end of the file in which a bracket is open."""
        depth = 0
        for match in self.dialect.token.finditer(self.text, start):
            depth += (match.group() == "(") - (match.group() == ")")
        if depth > 0:
            raise ImportRefused("the file ends inside this INSERT: it is cut off", self.lines.of(start))

    def _statement(self) -> Statement | None:
        """Take a statement up to its delimiter, or up to a line that begins another; None where it has no token."""
        start = self.at
        body = _Body(self.dialect)
        while self.at < len(self.text):
            if self.text.startswith(self.delimiter, self.at) and body.ends_at_delimiter(self.delimiter):
                end = self.at
                self.at += len(self.delimiter)
                return self._finish(body, start, end)
            match = self._match(self.at)
            kind = match.lastgroup
            if kind == "comment":
                self.comments.append(Comment(self.lines.of(match.start()), match.group()))
            elif kind != "space":
                if self._begins_another(body, match.start()):
                    return self._finish(body, start, match.start())
                body.add(self._token(match))
                if len(body.tokens) > MAX_TOKENS:
                    raise ImportRefused("this statement is too long: is a quote missing?", self.lines.of(start))
            self.at = match.end()
        return self._finish(body, start, self.at)

    def _begins_another(self, body: _Body, at: int) -> bool:
        """Say whether a line begins here that ends a statement without a semicolon: GO, a slash, another CREATE."""
        if not body.tokens or self.text[self.text.rfind("\n", 0, at) + 1 : at].strip():
            return False
        if self.dialect is TSQL and _GO.match(self.text, at):
            return True
        if self.dialect is ORACLE and _SLASH.match(self.text, at):
            return True
        return body.depth == 0 and not body.is_block and bool(body.next_words().match(self.text, at))

    def _finish(self, body: _Body, start: int, end: int) -> Statement | None:
        """Return the statement between two offsets, None where it has no token; refuse an open bracket."""
        if not body.tokens:
            return None
        if body.opened:
            token = body.opened[-1]
            where = "the text ends" if self.at >= len(self.text) else "a semicolon comes"
            raise ImportRefused(
                f"the bracket ( that begins here is never closed: {where} before ), is the file cut off?", token.line
            )
        line = self.lines.of(start)
        return Statement(tuple(body.tokens), line, self.lines.of(max(start, end - 1)), tuple(self.comments))


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


class _Body:
    """The tokens of a statement so far, and how deep they stand in brackets and in BEGIN … END."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.tokens: list[ForeignToken] = []
        self.opened: list[ForeignToken] = []  # brackets that are open
        self.blocks = 0  # how many BEGIN, CASE, LOOP and IF wait for their END
        self.is_block = False  # whether it is a procedure, trigger and the like, which may hold semicolons

    @property
    def depth(self) -> int:
        return len(self.opened)

    def add(self, token: ForeignToken) -> None:
        """Add the next token of the statement."""
        self.tokens.append(token)
        if token.text == "(":
            self.opened.append(token)
        elif token.text == ")" and self.opened:
            self.opened.pop()
        elif token.kind == "word":
            self._add_word(token.word)

    def _add_word(self, word: str) -> None:
        count = len(self.tokens)
        before = self.tokens[-2].word if count > 1 else ""
        if count < _BLOCK_TOKENS and word in _BLOCKS and self.tokens[0].word in ("CREATE", "ALTER"):
            self.is_block = self.is_block or not any(token.word in _NO_BLOCKS for token in self.tokens[:-1])
        if count == 1 and word in ("DECLARE", "BEGIN") and self.dialect is ORACLE:
            self.is_block = True
        if self.is_block and word in ("BEGIN", "CASE", "LOOP") and before != "END":
            self.blocks += 1
        elif self.is_block and word == "IF" and self.dialect is MYSQL and before != "END":
            self.blocks += self.blocks > 0
        elif self.is_block and word == "END":
            self.blocks -= 1

    def ends_at_delimiter(self, delimiter: str) -> bool:
        """Say whether the delimiter here ends the statement, or is one of those inside of a block."""
        if delimiter != ";" or not self.is_block:
            return True
        if self.dialect in (ORACLE, TSQL):  # a block goes on to the line with a slash, or to GO
            return False
        if self.tokens[-1].word in ("CASE", "LOOP", "IF") and self.tokens[-2].word == "END":
            return False
        return self.blocks <= 0

    def next_words(self) -> re.Pattern[str]:
        """Return the pattern of the words that begin another statement, where they begin a line behind this one."""
        words = [token.word for token in self.tokens[:_NAMING_TOKENS]]
        if words[:1] == ["CREATE"] and ("TABLE" in words or "INDEX" in words):
            return _AFTER_TABLE
        if words[:1] == ["ALTER"]:
            return _AFTER_ALTER
        if self.dialect is TSQL and words[0] in _ONE_LINE:
            return _AFTER_ONE_LINE
        return _AFTER_OTHERS
