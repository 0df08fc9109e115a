"""JSON lines, one object a line. Read by Python's `json`, which keeps all digits of a number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from piql.files.problems import MOST_PROBLEMS, FileRefused, Problem


class Nested(NamedTuple):
    """An object or a list where a value is expected: no column takes it, and a message shows its text."""

    text: str

    def __repr__(self) -> str:
        return self.text


class JsonLinesSource:
    """One file of JSON lines; a `Source`. It is read once at first: the members of all objects are its columns.

    Raises FileRefused where no line is an object.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        columns: dict[str, None] = {}
        self._problems: list[Problem] = []
        count = 0
        for line, members in self._objects():
            if isinstance(members, str):
                self._problems.append(Problem(line, members))
                if len(self._problems) >= MOST_PROBLEMS:
                    break
            else:
                count += 1
                if not members.keys() <= columns.keys():
                    columns |= dict.fromkeys(members)
        if self._problems and not count:
            raise FileRefused("no line of it can be read", self._problems)
        self._columns = tuple(columns)
        self._row_count = count

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns

    @property
    def row_count(self) -> int | None:
        return self._row_count

    def structure_problems(self) -> Sequence[Problem]:
        return self._problems

    def rows(self) -> Iterator[tuple[int, Sequence[Any]]]:
        columns = self.columns
        for line, members in self._objects():
            if isinstance(members, str):
                raise FileRefused("it cannot be read", [Problem(line, members)])
            yield line, [_value(members.get(column)) for column in columns]

    def _objects(self) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
        """Yield each line that is not empty with its object, or with what is wrong with it."""
        with self._path.open("rb") as file:
            for line, text in enumerate(file, start=1):
                if not text.strip():
                    continue
                try:
                    members = json.loads(
                        text.decode("utf-8-sig" if line == 1 else "utf-8"),
                        parse_float=Decimal,
                        parse_constant=_refuse_constant,
                        object_pairs_hook=_members,
                    )
                except UnicodeDecodeError:
                    yield line, "it is not UTF-8"
                except RecursionError:
                    yield line, "it is nested too deeply"
                except ValueError as error:
                    yield line, f"it is not JSON: {error}"
                else:
                    if not isinstance(members, dict):
                        yield line, "it is not a JSON object"
                    elif b"\\u" in text and _has_half_a_character(members):
                        yield line, "a text in it holds half a character"
                    else:
                        yield line, members


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} is given twice")
    return members


def _has_half_a_character(value: object) -> bool:
    """Return whether a text, or a name, holds one of the two halves of a character that JSON writes as two."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _value(value: Any) -> Any:
    return Nested(json.dumps(value, default=str)) if isinstance(value, dict | list) else value
