"""The scalar functions: what each takes and gives. To add one, add an entry here and evaluate it in `execution`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from piql.compiler.binding.types import BARE, bare, is_number, is_text, wider
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import WHOLE

AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX")

_TEXT = BARE[Kind.TEXT]
_INT = BARE[Kind.INT]


@dataclass(frozen=True, slots=True)
class Function:
    """A function under its canonical name; `takes` has a letter each argument: t text, n number, i whole, a any."""

    name: str
    takes: str
    low: int
    high: int
    usage: str
    result: Callable[[Sequence[SqlType]], SqlType | None]

    def _letter(self, position: int) -> str:
        return self.takes[min(position, len(self.takes) - 1)]

    def argument_type(self, position: int) -> SqlType | None:
        """Return the type that a parameter in this place takes, None for any."""
        return {"t": _TEXT, "n": BARE[Kind.DOUBLE], "i": _INT, "a": None}[self._letter(position)]

    def accepts(self, position: int, type: SqlType) -> bool:
        if type.kind is Kind.NULL:
            return True
        match self._letter(position):
            case "t":
                return is_text(type)
            case "n":
                return is_number(type)
            case "i":
                return type.kind in WHOLE
        return True


def _text(types: Sequence[SqlType]) -> SqlType:
    return _TEXT


def _first(types: Sequence[SqlType]) -> SqlType:
    return types[0]


def _widest(types: Sequence[SqlType]) -> SqlType | None:
    result: SqlType | None = bare(types[0])
    for type_ in types[1:]:
        result = wider(result, bare(type_)) if result is not None else None
    return result


FUNCTIONS: dict[str, Function] = {
    "LOWER": Function("LOWER", "t", 1, 1, "LOWER(text)", _text),
    "UPPER": Function("UPPER", "t", 1, 1, "UPPER(text)", _text),
    "LENGTH": Function("LENGTH", "t", 1, 1, "LENGTH(text)", lambda types: BARE[Kind.BIGINT]),
    "SUBSTR": Function("SUBSTR", "tii", 2, 3, "SUBSTR(text, from, length), counted from 1", _text),
    "SUBSTRING": Function("SUBSTR", "tii", 2, 3, "SUBSTRING(text, from, length), counted from 1", _text),
    "TRIM": Function("TRIM", "t", 1, 1, "TRIM(text)", _text),
    "ABS": Function("ABS", "n", 1, 1, "ABS(number)", _first),
    "ROUND": Function("ROUND", "ni", 1, 2, "ROUND(number, digits)", _first),
    "COALESCE": Function("COALESCE", "a", 2, 64, "COALESCE(a, b, …)", _widest),
}
