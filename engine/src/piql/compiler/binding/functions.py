"""The scalar functions of the language: one row for each, which the binder, the editor and the reference read.

To add a function, add its row here, and what it computes to `runtime/execution/functions.py`. The reference pages and
the words that the browser's editor colours are made from these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from piql.compiler.binding.types import BARE, bare, is_number, is_text, rounded_type, type_of, wider
from piql.compiler.logical.expressions import Expression
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import WHOLE

AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX")

_TEXT = BARE[Kind.TEXT]
_INT = BARE[Kind.INT]


@dataclass(frozen=True, slots=True)
class Function:
    """One scalar function, under its canonical name.

    `takes` has a letter for each argument, the last for all that follow: t text, n number, i whole number, a any type.
    `low` and `high` are the fewest and the most arguments. `usage` is how messages and the editor show a call.
    `result` gives the type of a call from its bound arguments, None where these have no type in common.
    `meaning` and `examples` (expressions without columns) are for the reference, which computes the examples.
    """

    name: str
    takes: str
    low: int
    high: int
    usage: str
    result: Callable[[Sequence[Expression]], SqlType | None]
    meaning: str
    examples: tuple[str, ...]

    def _letter(self, position: int) -> str:
        return self.takes[min(position, len(self.takes) - 1)]

    def argument_type(self, position: int) -> SqlType | None:
        """Return the type of a parameter that is the argument at `position`, counted from 0; None for any type."""
        return {"t": _TEXT, "n": BARE[Kind.DOUBLE], "i": _INT, "a": None}[self._letter(position)]

    def accepts(self, position: int, type: SqlType) -> bool:
        """Return whether the argument at `position`, counted from 0, may have this type."""
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


def _text(arguments: Sequence[Expression]) -> SqlType:
    return _TEXT


def _first(arguments: Sequence[Expression]) -> SqlType:
    return type_of(arguments[0])


def _rounded(arguments: Sequence[Expression]) -> SqlType:
    return rounded_type(type_of(arguments[0]), arguments[1] if len(arguments) > 1 else None)


def _widest(arguments: Sequence[Expression]) -> SqlType | None:
    widest: SqlType | None = bare(type_of(arguments[0]))
    for argument in arguments[1:]:
        widest = wider(widest, bare(type_of(argument))) if widest is not None else None
    return widest


_PART_OF_TEXT = "part of the text, counted from 1, or from its end when negative"
_PARTS = ("SUBSTR('Berkeley', 5)", "SUBSTR('Berkeley', 1, 4)", "SUBSTR('Berkeley', -3)")

FUNCTIONS: dict[str, Function] = {
    "LOWER": Function("LOWER", "t", 1, 1, "LOWER(text)", _text, "the text in small letters", ("LOWER('Ada')",)),
    "UPPER": Function("UPPER", "t", 1, 1, "UPPER(text)", _text, "the text in capital letters", ("UPPER('Ada')",)),
    "LENGTH": Function(
        "LENGTH",
        "t",
        1,
        1,
        "LENGTH(text)",
        lambda arguments: BARE[Kind.BIGINT],
        "how many code points the text has",
        ("LENGTH('Ada')",),
    ),
    "SUBSTR": Function(
        "SUBSTR", "tii", 2, 3, "SUBSTR(text, from, length), counted from 1", _text, _PART_OF_TEXT, _PARTS
    ),
    "SUBSTRING": Function(
        "SUBSTR", "tii", 2, 3, "SUBSTRING(text, from, length), counted from 1", _text, _PART_OF_TEXT, _PARTS
    ),
    "TRIM": Function(
        "TRIM", "t", 1, 1, "TRIM(text)", _text, "the text without blanks at its ends", ("TRIM('  Ada ')",)
    ),
    "ABS": Function("ABS", "n", 1, 1, "ABS(number)", _first, "the number without its sign", ("ABS(-7)",)),
    "ROUND": Function(
        "ROUND",
        "ni",
        1,
        2,
        "ROUND(number, digits)",
        _rounded,
        "the number with so many digits after the point, halves away from zero",
        ("ROUND(2.5)", "ROUND(-2.567, 2)"),
    ),
    "FLOOR": Function(
        "FLOOR",
        "n",
        1,
        1,
        "FLOOR(number)",
        _rounded,
        "the largest whole number that is not above the number",
        ("FLOOR(2.5)", "FLOOR(-2.5)"),
    ),
    "CEIL": Function(
        "CEIL",
        "n",
        1,
        1,
        "CEIL(number)",
        _rounded,
        "the smallest whole number that is not below the number",
        ("CEIL(2.5)", "CEIL(-2.5)"),
    ),
    "COALESCE": Function(
        "COALESCE", "a", 2, 64, "COALESCE(a, b, …)", _widest, "the first that is not NULL", ("COALESCE(NULL, 'none')",)
    ),
}
