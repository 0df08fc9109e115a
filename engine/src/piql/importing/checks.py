"""CHECK of another SQL → that of PIQL: names, texts and casts as PIQL writes them, if the table then compiles.

CHECK (((state)::text = ANY ((ARRAY['new'::character varying, 'paid'::character varying])::text[])))
→ CHECK (state IN ('new', 'paid'))
"""

from __future__ import annotations

from collections.abc import Sequence

from piql import compiler
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.importing.schema import ImportedCheck, ImportedTable
from piql.importing.tokens import ForeignToken, LeftOut, nameable, shown, unquoted
from piql.importing.writing import in_quotes, quoted
from piql.text.source import Source

_TEXT_TYPES = frozenset({"TEXT", "VARCHAR", "CHARACTER", "CHAR", "BPCHAR", "NVARCHAR", "NCHAR", "CITEXT"})
_FUNCTIONS = {"LEN": "LENGTH"}
_SIGNS = frozenset("<>=!|:")  # of which operators are made
_CHARACTER_SETS = ("_UTF8", "_LATIN1", "_ASCII", "_BINARY")  # of a text of MySQL, in front of it


def check_text(check: ImportedCheck, table: ImportedTable) -> str:
    """Return the test of a CHECK as PIQL writes it; raise LeftOut for one that PIQL does not take."""
    text = " ".join(_written(_plain(check.tokens)))
    columns = ", ".join(f"{quoted(column.name)} {column.type}" for column in table.columns)
    key = ", ".join(map(quoted, table.primary_key))
    statement = f"CREATE TABLE {in_quotes(table.name)} ({columns}, PRIMARY KEY ({key}), CHECK ({text}));"
    if compiler.compile(statement).has_errors:
        raise LeftOut(f"check in the application that {shown(check.tokens)}")
    formatted = print_file(parse(Source(f"CREATE TABLE t (id INT, CHECK ({text}));")))
    return formatted[formatted.index("CHECK (") + len("CHECK (") : formatted.rindex(")\n)")]


def _plain(tokens: Sequence[ForeignToken]) -> list[ForeignToken]:
    """Return tokens without brackets around all of them, casts to a text type, and the character sets of texts."""
    plain = list(tokens)
    while plain and plain[0].text == "(" and _closing(plain, 0) == len(plain) - 1:
        plain = plain[1:-1]
    kept: list[ForeignToken] = []
    at = 0
    while at < len(plain):
        token = plain[at]
        if _is_cast(plain, at):
            at = _behind_cast(plain, at)
            continue
        is_set = token.word.startswith(_CHARACTER_SETS) and at + 1 < len(plain) and plain[at + 1].kind == "string"
        if not is_set:
            kept.append(token)
        at += 1
    return kept


def _is_cast(tokens: Sequence[ForeignToken], at: int) -> bool:
    """Return whether `::` stands here with a text type, or behind a literal, which has a type by its form."""
    width = _cast_width(tokens, at)
    if not width or at + width >= len(tokens):
        return False
    return tokens[at + width].word in _TEXT_TYPES or (at > 0 and tokens[at - 1].kind == "string")


def _cast_width(tokens: Sequence[ForeignToken], at: int) -> int:
    """Return how many tokens `::` is, which stands here; 0 for anything else."""
    if tokens[at].text == "::":
        return 1
    return 2 if tokens[at].text == ":" and at + 1 < len(tokens) and tokens[at + 1].text == ":" else 0


def _behind_cast(tokens: Sequence[ForeignToken], at: int) -> int:
    """Return the position behind `::character varying(20)[]`."""
    at += _cast_width(tokens, at) + 1
    if at < len(tokens) and tokens[at].word in ("VARYING", "PRECISION"):
        at += 1
    for opening in ("(", "["):
        if at < len(tokens) and tokens[at].text == opening:
            at = _closing(tokens, at) + 1
    return at


def _closing(tokens: Sequence[ForeignToken], at: int) -> int:
    """Return the position of the bracket that closes the one at `at`; the last one where none does."""
    depth = 0
    for position in range(at, len(tokens)):
        depth += (tokens[position].text in ("(", "[")) - (tokens[position].text in (")", "]"))
        if depth == 0:
            return position
    return len(tokens) - 1


def _written(tokens: Sequence[ForeignToken]) -> list[str]:
    """Return tokens as PIQL writes them, `= ANY (ARRAY[…])` as IN."""
    words: list[str] = []
    at = 0
    while at < len(tokens):
        items = _array(tokens, at)
        if items is not None:
            is_in, start, end, behind = items
            words += ["IN" if is_in else "NOT IN", "(", *_written(tokens[start:end]), ")"]
            at = behind
            continue
        if words and _is_joined(tokens, at):
            words[-1] += tokens[at].text
        else:
            words.append(_word(tokens[at]))
        at += 1
    return words


def _is_joined(tokens: Sequence[ForeignToken], at: int) -> bool:
    """Return whether a sign makes one operator with the sign before it: `>=`, `<>`, `||`."""
    before, token = tokens[at - 1], tokens[at]
    return before.end == token.start and before.text in _SIGNS and token.text in _SIGNS


def _array(tokens: Sequence[ForeignToken], at: int) -> tuple[bool, int, int, int] | None:
    """Return of `= ANY (ARRAY[…])` or `<> ALL (ARRAY[…])` here: whether it is IN, where its items begin and end, and
    the position behind it; None for anything else.
    """
    texts = [token.text.upper() for token in tokens[at : at + 4]]
    if texts[:3] == ["=", "ANY", "("]:
        is_in, opening = True, at + 2
    elif texts[:3] == ["<>", "ALL", "("]:
        is_in, opening = False, at + 2
    elif texts[:4] == ["<", ">", "ALL", "("]:
        is_in, opening = False, at + 3
    else:
        return None
    closing = _closing(tokens, opening)
    array = next((position for position in range(opening, closing) if tokens[position].word == "ARRAY"), None)
    if array is None or array + 1 >= closing or tokens[array + 1].text != "[":
        return None
    return is_in, array + 2, _closing(tokens, array + 1), closing + 1


def _word(token: ForeignToken) -> str:
    if token.kind == "quoted":
        return quoted(nameable(unquoted(token)))
    if token.kind != "string":
        return _FUNCTIONS.get(token.word, token.text)
    return "'" + unquoted(token).replace("'", "''") + "'"
