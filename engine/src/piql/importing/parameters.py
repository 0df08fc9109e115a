"""Parameters of other languages in a statement → `[name]`: `?`, `$1`, `:name`, `@name`, `%s`, `%(name)s`, `#{name}`.

A parameter without a name is called after the column that it is compared with or assigned to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from piql.importing.tokens import ForeignToken, nameable, unquoted
from piql.importing.writing import quoted

LIST_SIZE = 100  # of a list, and the largest count of a LIMIT: the input says no number
_IN_BRACES = re.compile(r"(?:%\((\w+)\)s|[#$]\{\s*([^{}]*?)\s*\})")
_NOT_WORD = re.compile(r"\W+")
_COMPARISONS = frozenset({"=", "<", ">", "LIKE", "ILIKE", "!"})


def with_colons(text: str) -> str:
    """Write `%(name)s`, `#{name}` and `${name}` as `:name`, line by line as before."""
    return _IN_BRACES.sub(lambda match: ":" + _word(match.group(1) or match.group(2)), text)


def _word(expression: str) -> str:
    """Make a name of an expression of a program: `user.id` becomes user_id."""
    word = _NOT_WORD.sub("_", expression).strip("_")
    return word if word and not word[0].isdigit() else f"p{word}"


class ParameterNames:
    """Rewrites the tokens of one statement; `notes` says which sizes it has assumed."""

    def __init__(self, tokens: Sequence[ForeignToken], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.taken: dict[str, int] = {}
        self.by_number: dict[str, str] = {}
        self.notes: list[str] = []
        self.inserted = self._inserted_columns()

    def rewritten(self) -> str:
        """Return the statement with PIQL's parameters and names, laid out as before."""
        parts: list[str] = []
        at, end = 0, self.tokens[0].start
        while at < len(self.tokens):
            token = self.tokens[at]
            parts.append(self.text[end : token.start])
            taken, written = self._parameter(at) or self._list(at) or self._schema(at) or (1, self._plain(at))
            parts.append(written)
            at += taken
            end = self.tokens[at - 1].end
        return "".join(parts)

    def _word(self, at: int) -> str:
        return self.tokens[at].word if 0 <= at < len(self.tokens) else ""

    def _is_adjacent(self, at: int) -> bool:
        return at + 1 < len(self.tokens) and self.tokens[at].end == self.tokens[at + 1].start

    def _schema(self, at: int) -> tuple[int, str] | None:
        """Leave out the schema before the name of a table."""
        is_table = self._word(at - 1) in ("FROM", "JOIN", "INTO", "UPDATE") and self.tokens[at].is_name
        return (2, "") if is_table and self._word(at + 1) == "." else None

    def _plain(self, at: int) -> str:
        """Write a token that is no parameter: names in PIQL's quotes."""
        token = self.tokens[at]
        if token.kind == "quoted":
            return quoted(nameable(unquoted(token)))
        if token.kind == "string" and token.text[0] == '"':
            return "'" + unquoted(token).replace("'", "''") + "'"
        return token.text

    def _parameter(self, at: int) -> tuple[int, str] | None:
        """Return how many tokens the parameter here takes and what it becomes; None where there is none."""
        spelled = self._spelled(at)
        if spelled is None:
            return None
        taken, name, number = spelled
        if number and number in self.by_number:
            name = self.by_number[number]
        elif not name:
            name = self._unique(self._column(at))
            self.by_number[number or f"at {at}"] = name
        return taken, self._sized(at, taken, name)

    def _spelled(self, at: int) -> tuple[int, str, str] | None:
        """Return the tokens, the name and the number of a parameter; name or number is '' where there is none."""
        token, behind = self.tokens[at], self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        if token.text == "?":
            is_numbered = self._is_adjacent(at) and behind is not None and behind.kind == "number"
            return (2, "", behind.text) if is_numbered and behind is not None else (1, "", "")
        if token.kind == "word" and token.text.startswith("@") and len(token.text) > 1:
            return 1, _word(token.text.lstrip("@")), ""
        if not self._is_adjacent(at) or behind is None:
            return None
        if token.text == "$" and behind.kind == "number":
            return 2, "", behind.text
        is_cast = token.text == ":" and (self._word(at - 1) == ":" or behind.text == ":")
        if token.text == ":" and behind.kind in ("word", "number") and not is_cast:
            return (2, behind.text, "") if behind.kind == "word" else (2, "", behind.text)
        return (2, "", "") if token.text == "%" and behind.text == "s" else None

    def _sized(self, at: int, taken: int, name: str) -> str:
        """Write the parameter, with MAX where it is the count of a LIMIT."""
        if self._word(at - 1) in ("LIMIT", "TOP", "FIRST", "NEXT"):
            self.notes.append(f"the count [{name}] has MAX {LIST_SIZE}: write the largest that you ask for")
            return f"[{name}] MAX {LIST_SIZE}"
        return f"[{name}]"

    def _list(self, at: int) -> tuple[int, str] | None:
        """Write `IN (:ids)`, `IN :ids` and `= ANY($1)` as `IN [ids] MAX n`."""
        is_any = self._word(at) == "=" and self._word(at + 1) == "ANY" and self._word(at + 2) == "("
        if not is_any and self._word(at) != "IN":
            return None
        start = at + (3 if is_any else 1)
        has_bracket = not is_any and self._word(start) == "("
        start += has_bracket
        spelled = self._spelled(start) if start < len(self.tokens) else None
        if spelled is None:
            return None
        taken, name, number = spelled
        end = start + taken
        if (is_any or has_bracket) and self._word(end) != ")":
            return None
        if not name:
            name = self.by_number.get(number) or self._unique(f"{self._column(at)}s")
            self.by_number[number or f"at {start}"] = name
        self.notes.append(f"the list [{name}] has MAX {LIST_SIZE}: write how many values you give at most")
        return end + (is_any or has_bracket) - at, f"IN [{name}] MAX {LIST_SIZE}"

    def _column(self, at: int) -> str:
        """Return the column that the parameter at a token is compared with, assigned to or inserted into."""
        if at in self.inserted:
            return self.inserted[at]
        before = at - 1
        if self._word(before) in ("LIMIT", "TOP", "FIRST", "NEXT"):
            return "count"
        if self._word(before) == "OFFSET":
            return "offset"
        suffix = ""
        start = next((back for back in range(before, -1, -1) if self._word(back) in _BEFORE_LISTS), -1)
        if self._word(before) in ("(", ",") and self._word(start) == "IN":
            before = start - 1
        if self._word(before) == "AND" and "BETWEEN" in (self._word(before - 2), self._word(before - 3)):
            before -= 3 if self._word(before - 3) == "BETWEEN" else 2
            suffix = "_to"
        while self._word(before) in _COMPARISONS | {"NOT", "BETWEEN", "("}:
            before -= 1
        token = self.tokens[before] if before >= 0 else None
        is_column = token is not None and token.is_name and (token.kind == "quoted" or token.word not in _NO_COLUMNS)
        return _word(unquoted(token)) + suffix if is_column and token is not None else "p"

    def _unique(self, name: str) -> str:
        self.taken[name] = self.taken.get(name, 0) + 1
        return name if self.taken[name] == 1 else f"{name}{self.taken[name]}"

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
                break
            elif position < len(columns) and depth == 1:
                inserted[at] = _word(columns[position])
        return inserted


_BEFORE_LISTS = frozenset({"IN", "AND", "OR", "WHERE", "SET", "VALUES", "SELECT"})
_NO_COLUMNS = frozenset({"WHERE", "AND", "OR", "ON", "SELECT", "SET", "VALUES", "HAVING", "WHEN", "THEN", "ELSE", "IN"})
