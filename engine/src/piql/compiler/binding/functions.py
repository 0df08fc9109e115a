"""The scalar functions of the language: one row for each, which the binder, the editor and the reference read.

To add a function, add its row here, and what it computes to `runtime/execution/functions.py`. The reference pages and
the words that the browser's editor colours are made from these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from piql.compiler.binding.dates import DATE_FUNCTIONS
from piql.compiler.binding.supplied import SUPPLIED
from piql.compiler.binding.types import BARE, arithmetic, common_type, is_number, is_text, rounded_type, type_of
from piql.compiler.logical.expressions import Expression
from piql.schema.catalog import Kind, SqlType
from piql.schema.types import WHOLE

AGGREGATES = (
    *("COUNT", "SUM", "AVG", "MIN", "MAX", "ARRAY_AGG", "JSON_AGG", "STRING_AGG", "GROUP_CONCAT"),
    *("BOOL_OR", "BOOL_AND", "EVERY"),
)
AGGREGATE_USAGES = {  # of those that take something else than one value
    "COUNT": "COUNT(* or expression)",
    "STRING_AGG": "STRING_AGG(expression, separator)",
    "GROUP_CONCAT": "GROUP_CONCAT(expression, separator)",
}

_TEXT = BARE[Kind.TEXT]
_INT = BARE[Kind.INT]


@dataclass(frozen=True, slots=True)
class Function:
    """One scalar function, under its canonical name.

    `takes` has a letter for each argument, the last for all that follow: t text, n number, i whole number, a any type,
    x any type that has a text, which it becomes. `low` and `high` are the fewest and the most arguments. `usage` is
    how messages and the editor show a call. `result` gives the type of a call from its bound arguments, None where
    these have no type in common. `takes_null`: it may give a value though an argument is NULL. `operator` is what
    computes it, where the function is another name for one.
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
    takes_null: bool = False
    operator: Literal["%"] | None = None

    def _letter(self, position: int) -> str:
        return self.takes[min(position, len(self.takes) - 1)]

    def argument_type(self, position: int) -> SqlType | None:
        """Return the type of a parameter that is the argument at `position`, counted from 0; None for any type."""
        return {"t": _TEXT, "n": BARE[Kind.DOUBLE], "i": _INT, "x": _TEXT, "a": None}[self._letter(position)]

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
            case "x":
                return type.kind is not Kind.BLOB
        return True


def _text(arguments: Sequence[Expression]) -> SqlType:
    return _TEXT


def _remainder(arguments: Sequence[Expression]) -> SqlType | None:
    number, divisor = arguments
    return arithmetic("%", type_of(number), type_of(divisor))


def _whole(arguments: Sequence[Expression]) -> SqlType:
    return BARE[Kind.BIGINT]


def _sign(arguments: Sequence[Expression]) -> SqlType:
    return _INT


def _double(arguments: Sequence[Expression]) -> SqlType:
    return BARE[Kind.DOUBLE]


def _first_of_comparable(arguments: Sequence[Expression]) -> SqlType | None:
    return type_of(arguments[0]) if common_type(arguments) is not None else None


def _first(arguments: Sequence[Expression]) -> SqlType:
    return type_of(arguments[0])


def _rounded(arguments: Sequence[Expression]) -> SqlType:
    return rounded_type(type_of(arguments[0]), arguments[1] if len(arguments) > 1 else None)


_PART_OF_TEXT = "part of the text, counted from 1, or from its end if negative"
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
        _whole,
        "how many code points the text has",
        ("LENGTH('Ada')",),
    ),
    "SUBSTR": Function(
        "SUBSTR", "tii", 2, 3, "SUBSTR(text, from, length), counted from 1", _text, _PART_OF_TEXT, _PARTS
    ),
    "TRIM": Function(
        "TRIM",
        "t",
        1,
        2,
        "TRIM(text, characters)",
        _text,
        "the text without blanks, or these characters, at its ends",
        ("TRIM('  Ada ')", "TRIM('xAdax', 'x')"),
    ),
    "LTRIM": Function(
        "LTRIM", "t", 1, 2, "LTRIM(text, characters)", _text, "the same at its beginning alone", ("LTRIM('  Ada ')",)
    ),
    "RTRIM": Function(
        "RTRIM", "t", 1, 2, "RTRIM(text, characters)", _text, "the same at its end alone", ("RTRIM('  Ada ')",)
    ),
    "LPAD": Function(
        "LPAD",
        "tit",
        2,
        3,
        "LPAD(text, length, filling)",
        _text,
        "the text at this length: filled up from the left with the filling or with blanks, or cut off",
        ("LPAD('7', 3, '0')", "LPAD('Berkeley', 4)"),
    ),
    "RPAD": Function(
        "RPAD",
        "tit",
        2,
        3,
        "RPAD(text, length, filling)",
        _text,
        "the same, filled up from the right",
        ("RPAD('7', 3, '.')",),
    ),
    "LEFT": Function(
        "LEFT",
        "ti",
        2,
        2,
        "LEFT(text, length)",
        _text,
        "the first characters of the text; if the length is negative, all but that many of the last",
        ("LEFT('Berkeley', 4)", "LEFT('Berkeley', -3)"),
    ),
    "RIGHT": Function(
        "RIGHT",
        "ti",
        2,
        2,
        "RIGHT(text, length)",
        _text,
        "the last characters of the text; if the length is negative, all but that many of the first",
        ("RIGHT('Berkeley', 3)", "RIGHT('Berkeley', -4)"),
    ),
    "REPLACE": Function(
        "REPLACE",
        "t",
        3,
        3,
        "REPLACE(text, part, other)",
        _text,
        "the text with each occurrence of the part replaced by the other text",
        ("REPLACE('a-b-c', '-', '+')",),
    ),
    "POSITION": Function(
        "POSITION",
        "t",
        2,
        2,
        "POSITION(part IN text)",
        _whole,
        "where the part begins in the text, counted from 1; 0 if it does not occur",
        ("POSITION('k' IN 'Berkeley')", "POSITION('x' IN 'Berkeley')"),
    ),
    "STRPOS": Function(
        "STRPOS", "t", 2, 2, "STRPOS(text, part)", _whole, "the same, with the text first", ("STRPOS('Berkeley', 'k')",)
    ),
    "CONCAT": Function(
        "CONCAT",
        "x",
        1,
        64,
        "CONCAT(a, b, …)",
        _text,
        "the values joined into one text; NULL is left out",
        ("CONCAT('no. ', 7, NULL)",),
        takes_null=True,
    ),
    "ABS": Function("ABS", "n", 1, 1, "ABS(number)", _first, "the number without its sign", ("ABS(-7)",)),
    "ROUND": Function(
        "ROUND",
        "ni",
        1,
        2,
        "ROUND(number, digits)",
        _rounded,
        "the number rounded to this many digits after the point, halves away from zero",
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
    "TRUNC": Function(
        "TRUNC",
        "ni",
        1,
        2,
        "TRUNC(number, digits)",
        _rounded,
        "the number cut off after this many digits after the point",
        ("TRUNC(-2.5)", "TRUNC(2.567, 2)"),
    ),
    "SIGN": Function("SIGN", "n", 1, 1, "SIGN(number)", _sign, "-1, 0 or 1", ("SIGN(-2.5)",)),
    "MOD": Function(
        "MOD",
        "n",
        2,
        2,
        "MOD(number, divisor)",
        _remainder,
        "the remainder, as `%` gives it",
        ("MOD(-7, 3)",),
        operator="%",
    ),
    "POWER": Function(
        "POWER",
        "n",
        2,
        2,
        "POWER(number, exponent)",
        _double,
        "the power as a DOUBLE; NULL if it is not finite",
        ("POWER(2, 10)", "POWER(0, -1)"),
    ),
    "SQRT": Function(
        "SQRT", "n", 1, 1, "SQRT(number)", _double, "the square root; NULL of a negative number", ("SQRT(2.25)",)
    ),
    "COALESCE": Function(
        "COALESCE",
        "a",
        2,
        64,
        "COALESCE(a, b, …)",
        common_type,
        "the first that is not NULL",
        ("COALESCE(NULL, 'none')",),
        takes_null=True,
    ),
    "NULLIF": Function(
        "NULLIF",
        "a",
        2,
        2,
        "NULLIF(a, b)",
        _first_of_comparable,
        "NULL where the two are equal, else the first",
        ("NULLIF(0, 0)", "NULLIF(7, 0)"),
        takes_null=True,
    ),
    "GREATEST": Function(
        "GREATEST",
        "a",
        1,
        64,
        "GREATEST(a, b, …)",
        common_type,
        "the largest; NULL is left out",
        ("GREATEST(1, NULL, 3)",),
        takes_null=True,
    ),
    "LEAST": Function(
        "LEAST",
        "a",
        1,
        64,
        "LEAST(a, b, …)",
        common_type,
        "the smallest; NULL is left out",
        ("LEAST(1, NULL, 3)",),
        takes_null=True,
    ),
}

_SYNONYMS = {
    "CEILING": "CEIL",
    "CHARACTER_LENGTH": "LENGTH",
    "CHAR_LENGTH": "LENGTH",
    "IFNULL": "COALESCE",
    "INSTR": "STRPOS",
    "LCASE": "LOWER",
    "MID": "SUBSTR",
    "NVL": "COALESCE",
    "POW": "POWER",
    "SUBSTRING": "SUBSTR",
    "TRUNCATE": "TRUNC",
    "UCASE": "UPPER",
}
FUNCTIONS |= {
    name: replace(FUNCTIONS[meant], usage=FUNCTIONS[meant].usage.replace(meant, name))
    for name, meant in _SYNONYMS.items()
}

USAGES: dict[str, str] = {
    name: function.usage for functions in (FUNCTIONS, DATE_FUNCTIONS, SUPPLIED) for name, function in functions.items()
}
"""How each function is called, those of dates and those whose value the execution gives included."""


def takes_null(name: str) -> bool:
    """Return whether a function may give a value though an argument is NULL; those that the optimizer adds may not."""
    function = FUNCTIONS.get(name)
    return function is not None and function.takes_null
