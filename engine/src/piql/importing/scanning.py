"""Programs → the SQL in their texts, each with its file and line. The languages are the rows of LANGUAGES.

    db.query("SELECT * FROM users "   →   users.py:12   SELECT * FROM users WHERE id = #{id}
             + f"WHERE id = {id}")

A program is cut into comments and texts by one regular expression, not parsed: texts with `+`, `.`, `<<`, a backslash
or nothing between them are one. What a program puts into a text (`${id}`, `{id}`, `$id`) becomes a parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from piql.importing.dialects import Dialect
from piql.importing.queries import QuerySource, query_sources
from piql.importing.schema import Note
from piql.importing.tokens import ImportRefused
from piql.trees.cached_property import cached_property

_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'"
_SLASHES = r"//[^\n]*+|/\*.*?\*/"
_HASH = r"\#[^\n]*+"
_SQL = re.compile(
    r"\s*(?:SELECT\s.+?\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|WITH\s+\S+.*?\sAS\s*\()",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_JOINS = frozenset({"", "+", ".", "\\", "<<"})  # what may stand between two texts that are one
_SHOWN_CHARACTERS = 60  # of a text that is left out


@dataclass(frozen=True)
class Language:
    """How a programming language writes texts and comments, as regular expressions."""

    strings: tuple[str, ...]
    comments: str
    raw: tuple[str, ...] = ()  # the beginnings of a text in which a backslash escapes nothing
    inserted: re.Pattern[str] | None = None  # a value that is put into a text; its group 1 names the value, or is empty

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Match a comment or a text, in the group of that name."""
        return re.compile(rf"(?P<comment>{self.comments})|(?P<string>{'|'.join(self.strings)})", re.DOTALL | re.VERBOSE)


_PYTHON = Language(
    (rf'(?:\b[rRbBfFuU]{{1,2}})?(?:""".*?"""|\'\'\'.*?\'\'\'|{_DOUBLE}|{_SINGLE})',),
    _HASH,
    ("r", "R"),
    re.compile(r"(?<![{%])\{([A-Za-z_][^{}]*)\}(?!\})"),
)
_SCRIPT = Language((r"`(?:[^`\\]|\\.)*+`", _DOUBLE, _SINGLE), _SLASHES)
_JAVA = Language((r'""".*?"""', _DOUBLE, _SINGLE), _SLASHES)
_GO = Language((r"`[^`]*+`", _DOUBLE, _SINGLE), _SLASHES, ("`",), re.compile(r"%[dv]()"))
_HEREDOC = r"<<[~-]?[\"']?(?P<word>[A-Z]\w*)[\"']?[^\n]*\n.*?^[ \t]*(?P=word)\b"
_RUBY = Language((rf"(?m:{_HEREDOC})", _DOUBLE, _SINGLE), _HASH)
_PHP = Language(
    (rf"(?m:{_HEREDOC.replace('<<', '<<<', 1)})", _DOUBLE, _SINGLE),
    rf"{_SLASHES}|{_HASH}",
    (),
    re.compile(r"\{?\$(\w+(?:->\w+|\[[^\]\n]*\])*)\}?"),
)
LANGUAGES: Mapping[str, Language] = {
    ".py": _PYTHON,
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"), _SCRIPT),
    ".java": _JAVA,
    ".go": _GO,
    ".rb": _RUBY,
    ".php": _PHP,
}


def scan(files: Mapping[str, str], dialect: Dialect) -> tuple[list[QuerySource], list[Note]]:
    """Return the queries in programs, each once, and notes of those that are left out.

    `files` holds the texts of programs by their names, whose endings are keys of LANGUAGES.
    """
    sources: list[QuerySource] = []
    notes: list[Note] = []
    first: dict[str, QuerySource] = {}  # text of a query with single blanks → where it stands first
    for file, program in sorted(files.items()):
        language = LANGUAGES[file[file.rindex(".") :].lower()]
        for line, text in _texts(program, language):
            try:
                queries, _ = query_sources(text, dialect, file)
            except ImportRefused as refused:
                notes.append(Note(line, "left out", " ".join(text.split())[:_SHOWN_CHARACTERS], refused.reason, file))
                continue
            for query in queries:
                source = replace(query, line=query.line + line - 1)
                earliest = first.setdefault(" ".join(source.text.split()), source)
                if earliest is source:
                    sources.append(source)
                else:
                    reason = f"{earliest.file}:{earliest.line} says the same"
                    notes.append(Note(source.line, "left out", "a query", reason, file))
    return sources, notes


def _texts(program: str, language: Language) -> Iterator[tuple[int, str]]:
    """Yield each text that is SQL, with its line in the program; texts that are put together are one."""
    start = end = -1
    joined = ""
    for match in language.pattern.finditer(program):
        if match.lastgroup == "comment" or match["string"] is None:
            continue
        text = _content(match["string"], language)
        if joined and program[end : match.start()].strip() in _JOINS:
            joined += text
        else:
            if _SQL.match(joined):
                yield _line(program, start), joined
            joined, start = text, match.start()
        end = match.end()
    if _SQL.match(joined):
        yield _line(program, start), joined


def _line(program: str, start: int) -> int:
    """Return the line in which a text begins; that of a heredoc is the one behind its `<<WORD`."""
    is_heredoc = program.startswith("<<", start)
    return program.count("\n", 0, start) + 1 + is_heredoc


def _content(string: str, language: Language) -> str:
    """Return what a text says without its quotes, with `#{name}` or `?` instead of what the program puts in."""
    prefix = re.match(r"[A-Za-z]*", string)
    letters = prefix.group() if prefix is not None else ""
    body = string[len(letters) :]
    is_plain = bool(language.raw) and (string.startswith(language.raw) or "r" in letters.lower())
    if body.startswith("<<"):
        body = body[body.index("\n") + 1 : body.rindex("\n") + 1]
    else:
        quotes = 3 if body[:3] in ('"""', "'''") else 1
        body = body[quotes:-quotes]
    is_format = language is not _PYTHON or "f" in letters.lower()
    is_literal = language is _PHP and string.startswith("'")
    if language.inserted is not None and is_format and not is_literal:
        body = language.inserted.sub(lambda match: f"#{{{match.group(1)}}}" if match.group(1) else "?", body)
    return body if is_plain else _ESCAPE.sub(lambda match: _ESCAPES.get(match.group(1), match.group(1)), body)
