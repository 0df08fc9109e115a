"""Parameters of other languages in a statement → `[name]`: `?`, `$1`, `:name`, `@name`, `%s`, `%(name)s`, `#{name}`.

A parameter without a name is called after the column that it is compared with or assigned to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from piql.importing.tokens import ForeignToken, nameable, unquoted
from piql.importing.writing import quoted

LIST_SIZE = 100  # MAX of a list, and of the count of a LIMIT: the input says no number, so the user is told
_IN_BRACES = re.compile(r"(?:%\((\w+)\)s|[#$]\{\s*([^{}]*?)\s*\})")
_NOT_WORD = re.compile(r"\W+")
_COUNTED = frozenset({"LIMIT", "TOP", "FIRST", "NEXT"})  # words before the count of rows
# Words that begin a part of a statement: the nearest before a value says whether it stands in a list behind IN.
_BEFORE_VALUES = frozenset({"IN", "AND", "OR", "WHERE", "SET", "VALUES", "SELECT"})
_NO_COLUMNS = frozenset({"WHERE", "AND", "OR", "ON", "SELECT", "SET", "VALUES", "HAVING", "WHEN", "THEN", "ELSE", "IN"})
_NO_NAME = "p"  # of a parameter that is compared with no column
_COMPARISONS = frozenset({"=", "<", ">", "LIKE", "ILIKE", "!"})


def with_colons(text: str) -> str:
    """Write `%(name)s`, `#{name}` and `${name}` as `:name`, line by line as before."""
    return _IN_BRACES.sub(lambda match: ":" + _word(match.group(1) or match.group(2)), text)


def _word(expression: str) -> str:
    """Return a name made of an expression of a program: `user.id` becomes user_id."""
    word = _NOT_WORD.sub("_", expression).strip("_")
    return word if word and not word[0].isdigit() else f"p{word}"


class Rewriting(NamedTuple):
    """What stands in PIQL instead of the next tokens, and how many tokens it replaces."""

    token_count: int
    text: str


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A parameter of the input: `:id` has a name, `$1` a number, `?` neither."""

    token_count: int
    name: str | None = None
    number: str | None = None


class ParameterNames:
    """Writes one statement with PIQL's parameters; `notes` says which sizes it has assumed.

    WHERE id = $1 AND tag IN (?) LIMIT :n   →   WHERE id = [id] AND tag IN [tags] MAX 100 LIMIT [n] MAX 100
    """

    def __init__(self, tokens: Sequence[ForeignToken], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.uses: dict[str, int] = {}  # name → how many parameters were to have it
        self.by_number: dict[str, str] = {}  # number of the input → name
        self.notes: list[str] = []
        self.inserted = self._inserted_columns()  # offset of a token in VALUES → column

    def rewritten(self) -> str:
        """Return the statement with PIQL's parameters and names, laid out as before."""
        parts: list[str] = []
        at, end = 0, self.tokens[0].start
        while at < len(self.tokens):
            token = self.tokens[at]
            parts.append(self.text[end : token.start])
            rewriting = (
                self._parameter(at)
                or self._next_number(at)
                or self._list(at)
                or self._schema(at)
                or Rewriting(1, self._plain(at))
            )
            parts.append(rewriting.text)
            at += rewriting.token_count
            end = self.tokens[at - 1].end
        return "".join(parts)

    def _word(self, at: int) -> str:
        """Return a token in upper case; '' for one in quotes, and outside of the statement."""
        return self.tokens[at].word if 0 <= at < len(self.tokens) else ""

    def _is_adjacent(self, at: int) -> bool:
        """Say whether the next token follows this one without a blank."""
        return at + 1 < len(self.tokens) and self.tokens[at].end == self.tokens[at + 1].start

    def _schema(self, at: int) -> Rewriting | None:
        """Leave out the schema before the name of a table; return None where there is none."""
        is_table = self._word(at - 1) in ("FROM", "JOIN", "INTO", "UPDATE") and self.tokens[at].is_name
        return Rewriting(2, "") if is_table and self._word(at + 1) == "." else None

    def _plain(self, at: int) -> str:
        """Return a token that is no parameter as PIQL writes it: names and texts have quotes of their own."""
        token = self.tokens[at]
        if token.kind == "quoted":
            return quoted(nameable(unquoted(token)))
        if token.kind == "string" and (token.text[0] in '"$' or "\\" in token.text):
            return "'" + unquoted(token).replace("'", "''") + "'"
        return token.text

    def _parameter(self, at: int) -> Rewriting | None:
        """Write the parameter that begins here as `[name]`; return None where there is none."""
        spelling = self._spelling(at)
        if spelling is None:
            return None
        return Rewriting(spelling.token_count, self._sized(at, self._name(spelling, lambda: self._column(at))))

    def _next_number(self, at: int) -> Rewriting | None:
        """Write what takes a number from a sequence as a parameter: `nextval('s')`, `s.NEXTVAL`, `NEXT VALUE FOR s`."""
        words = [self._word(at + ahead) for ahead in range(4)]
        if words[:2] == ["NEXTVAL", "("]:
            end = next((end for end in range(at, len(self.tokens)) if self._word(end) == ")"), None)
            count = 0 if end is None else end + 1 - at
        elif words[:3] == ["NEXT", "VALUE", "FOR"]:
            count = 6 if self._word(at + 4) == "." else 4
        else:
            count = 3 if words[1:3] == [".", "NEXTVAL"] else 0
        if not count or at + count > len(self.tokens):
            return None
        name = self._unique(self.inserted.get(at, "id"))
        self.notes.append(f"PIQL has no sequences: the application gives each row its number, [{name}]")
        return Rewriting(count, f"[{name}]")

    def _name(self, spelling: _Spelling, column: Callable[[], str]) -> str:
        """Return the name of a parameter: its own, that of its number, or a new one after the column."""
        if spelling.name is not None:
            return spelling.name
        if spelling.number is not None and spelling.number in self.by_number:
            return self.by_number[spelling.number]
        name = self._unique(column())
        if spelling.number is not None:
            self.by_number[spelling.number] = name
        return name

    def _spelling(self, at: int) -> _Spelling | None:
        """Return the parameter of the input that begins here, None where there is none."""
        token, following = self.tokens[at], self.tokens[at + 1] if self._is_adjacent(at) else None
        number = following.text if following is not None and following.kind == "number" else None
        if token.text == "?":
            return _Spelling(1) if number is None else _Spelling(2, number=number)
        if token.kind == "word" and token.text.startswith("@") and token.text.strip("@"):
            return _Spelling(1, _word(token.text.lstrip("@")))
        if following is None:
            return None
        if token.text == "$" and number is not None:
            return _Spelling(2, number=number)
        if token.text == ":" and self._word(at - 1) != ":":  # `::` is PostgreSQL's CAST
            if following.kind == "word":
                return _Spelling(2, following.text)
            return None if number is None else _Spelling(2, number=number)
        return _Spelling(2) if token.text == "%" and following.text == "s" else None

    def _sized(self, at: int, name: str) -> str:
        """Write the parameter at a token, with MAX where it is the count of a LIMIT."""
        if self._word(at - 1) in _COUNTED:
            self.notes.append(f"the count [{name}] has MAX {LIST_SIZE}: write the largest count that you pass")
            return f"[{name}] MAX {LIST_SIZE}"
        return f"[{name}]"

    def _list(self, at: int) -> Rewriting | None:
        """Write `IN (:ids)`, `IN :ids` and `= ANY($1)` as `IN [ids] MAX n`; return None where no such list begins."""
        is_any = self._word(at) == "=" and self._word(at + 1) == "ANY" and self._word(at + 2) == "("
        if not is_any and self._word(at) != "IN":
            return None
        start = at + (3 if is_any else 1)
        has_bracket = not is_any and self._word(start) == "("
        start += has_bracket
        spelling = self._spelling(start) if start < len(self.tokens) else None
        if spelling is None:
            return None
        end = start + spelling.token_count
        is_closed = is_any or has_bracket
        if is_closed and self._word(end) != ")":
            return None
        name = self._name(spelling, lambda: f"{self._column(at)}s")
        self.notes.append(f"the list [{name}] has MAX {LIST_SIZE}: write the largest number of values that you pass")
        return Rewriting(end + is_closed - at, f"IN [{name}] MAX {LIST_SIZE}")

    def _column(self, at: int) -> str:
        """Return a name for the parameter at a token: the column that it is compared with, assigned or inserted into.

        The upper end of a BETWEEN is `column_to`; a count of rows is `count`; without a column it is `p`.
        """
        if at in self.inserted:
            return self.inserted[at]
        before = at - 1
        if self._word(before) in _COUNTED:
            return "count"
        if self._word(before) == "OFFSET":
            return "offset"
        suffix = ""
        start = next((back for back in range(before, -1, -1) if self._word(back) in _BEFORE_VALUES), -1)
        if self._word(before) in ("(", ",") and self._word(start) == "IN":
            before = start - 1
        if self._word(before) == "AND" and "BETWEEN" in (self._word(before - 2), self._word(before - 3)):
            before -= 3 if self._word(before - 3) == "BETWEEN" else 2
            suffix = "_to"
        while self._word(before) in _COMPARISONS | {"NOT", "BETWEEN", "(", ")"} or self._is_call(before):
            before -= 1
        token = self.tokens[before] if before >= 0 else None
        is_column = token is not None and token.is_name and (token.kind == "quoted" or token.word not in _NO_COLUMNS)
        return _word(unquoted(token)) + suffix if is_column and token is not None else _NO_NAME

    def _is_call(self, at: int) -> bool:
        """Whether a token is the name of a function: what it is called with has a name that says more."""
        return self._word(at + 1) == "(" and self._word(at) not in _NO_COLUMNS and self.tokens[at].kind == "word"

    def _unique(self, name: str) -> str:
        """Return the name, with a number behind it if another parameter has it."""
        self.uses[name] = self.uses.get(name, 0) + 1
        return name if self.uses[name] == 1 else f"{name}{self.uses[name]}"

    def _inserted_columns(self) -> dict[int, str]:
        """Return the column of each value of an INSERT that names its columns, by the offset of the token."""
        words = [token.word for token in self.tokens]
        if words[0] != "INSERT" or "VALUES" not in words or "(" not in words[: words.index("VALUES")]:
            return {}
        values = words.index("VALUES")
        columns = [unquoted(token) for token in self.tokens[words.index("(") : values] if token.is_name]
        inserted: dict[int, str] = {}
        depth = position = 0
        for at in range(values + 1, len(words)):
            depth += (words[at] == "(") - (words[at] == ")")
            if words[at] == "," and depth == 1:
                position += 1
            elif depth == 0 and words[at] == ")":
                if words[at + 1 : at + 2] != [","]:
                    break
                position = 0  # another row follows
            elif position < len(columns) and depth == 1:
                inserted[at] = _word(columns[position])
        return inserted
