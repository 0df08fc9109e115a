"""functions.md: operators, scalar functions and aggregates; the results of the examples are computed by the engine."""

from __future__ import annotations

import re

import piql
from piql.compiler.binding.functions import AGGREGATES, FUNCTIONS, Function
from piql.compiler.binding.types import BARE, arithmetic, type_of
from piql.compiler.logical.operators import Projection
from piql.compiler.syntax.expressions import _POWER as BINDING_POWER
from piql.compiler.syntax.unsupported import ILIKE
from piql.schema.catalog import Kind
from piql.schema.decimals import MAX_PRECISION
from piql.schema.values import shown

from reference.markdown import code, codes, table

_MEANING = {
    "LOWER": "the text in small letters",
    "UPPER": "the text in capital letters",
    "LENGTH": "how many code points the text has",
    "SUBSTR": "part of the text, counted from 1, or from its end when negative",
    "TRIM": "the text without blanks at its ends",
    "ABS": "the number without its sign",
    "ROUND": "the number with so many digits after the point, halves away from zero",
    "COALESCE": "the first that is not NULL",
}
_EXAMPLES = {
    "LOWER": ("LOWER('Ada')",),
    "UPPER": ("UPPER('Ada')",),
    "LENGTH": ("LENGTH('Ada')",),
    "SUBSTR": ("SUBSTR('Berkeley', 5)", "SUBSTR('Berkeley', 1, 4)", "SUBSTR('Berkeley', -3)"),
    "TRIM": ("TRIM('  Ada ')",),
    "ABS": ("ABS(-7)",),
    "ROUND": ("ROUND(2.5)", "ROUND(-2.567, 2)"),
    "COALESCE": ("COALESCE(NULL, 'none')",),
}
_TAKES = {"t": "text", "n": "number", "i": "whole number", "a": "any"}
_AGGREGATE_MEANING = {
    "COUNT": "`COUNT(*)` counts rows, `COUNT(a)` values that are not NULL",
    "SUM": "the sum; NULL of no values. Exact, or [refused](types.md#computing); of DOUBLEs the nearest, in any order",
    "AVG": "the mean; NULL of no values, and where the sum of DOUBLEs is not finite",
    "MIN": "the smallest; NULL of no values",
    "MAX": "the largest; NULL of no values",
}
_LEVELS = {
    1: "true when one side is",
    2: "true when both sides are",
    3: "true when the condition is false",
    4: "comparisons; they cannot be chained. NOT stands before IN, LIKE, CONTAINS and BETWEEN",
    5: "two texts, one after the other",
    6: "sum and difference",
    7: "product, quotient, and the remainder with the sign of what is divided",
    8: "the number with its sign turned",
}
_BEFORE_ONE_VALUE = {3: "NOT", 8: "-"}
_ARITHMETIC = ("7 / 2", "-7 % 3", "7 / 0", "'Ada' || ' ' || 'Lovelace'", "1 + NULL")
_NUMBERS = (Kind.INT, Kind.BIGINT, Kind.DECIMAL, Kind.DOUBLE)
_COLUMNS = {Kind.INT: "i", Kind.BIGINT: "b", Kind.DECIMAL: "m", Kind.DOUBLE: "d", Kind.TEXT: "t", Kind.DATE: "y"}
_SCHEMA = "CREATE TABLE one (id INT PRIMARY KEY, i INT, b BIGINT, m DECIMAL, d DOUBLE, t TEXT, y DATE);"

_PRICES = "CREATE TABLE price (id INT PRIMARY KEY, i INT, p DECIMAL(10, 2), r DECIMAL(5, 3), large DECIMAL(38, 2));"
_DIGITS = (
    "p + r",
    "p * r",
    "p % r",
    "p + i",
    "p * 0.5",
    "large + p",
    "-p",
    "ABS(p)",
    "ROUND(p)",
    "ROUND(p, 1)",
    "SUM(p)",
    "AVG(p)",
)


def pages() -> dict[str, str]:
    examples = [example for each in _EXAMPLES.values() for example in each]
    results = _evaluated((*examples, *_ARITHMETIC))
    scalar = [
        (
            code(function.usage.split(")")[0] + ")"),
            _takes(function),
            _gives(function),
            _MEANING[function.name],
            "; ".join(f"`{example}` = `{results[example]}`" for example in _EXAMPLES[function.name]),
        )
        for name, function in FUNCTIONS.items()
        if name == function.name
    ]
    others = [f"`{name}` is `{each.name}`" for name, each in FUNCTIONS.items() if name != each.name]
    aggregates = [
        (code(aggregate), _AGGREGATE_MEANING[aggregate], _aggregate_types(aggregate)) for aggregate in AGGREGATES
    ]
    matrix = [(f"**{left.value}**", *(_sum(left, right) for right in _NUMBERS)) for left in _NUMBERS]
    text = f"""
# Functions and operators

Operators from the one that binds least to the one that binds most:

{table(("level", "operators", "gives"), _operators())}

`LIKE [word]`, `LIKE 'word'` and `CONTAINS` search one word through an inverted index, letters' case folded away;
patterns with `%` or `_` are [refused](codes/pattern-match.md). NULL in any operand gives NULL, and so does a
division by zero:
{"; ".join(f"`{each}` = `{results[each]}`" for each in _ARITHMETIC)}.

The type of `+`, `-`, `*` and `%`; `/` always gives DOUBLE:

{table(("", *(number.value for number in _NUMBERS)), matrix)}

A DECIMAL of DECIMALs that name their digits names its own, so that every result fits; a whole number counts as 10
or 19 digits, a literal as those that are written. Where they would be more than {MAX_PRECISION}, and beside a
DECIMAL without digits (a parameter is one), it is a DECIMAL without digits. Either is exact, or
[refused](types.md#computing):

{table(("of", "type"), [(code(text), code(digits)) for text, digits in _digits()])}

## Scalar functions

{table(("function", "takes", "gives", "meaning", "examples"), scalar)}

{", ".join(others)}. NULL in any argument gives NULL, except in `COALESCE`. A query that sorts or tests by a function
reads the rows first: no index holds computed values.

## Aggregates

{table(("aggregate", "meaning", "type by the type of its operand"), aggregates)}

`DISTINCT` inside the parentheses takes each value once. Without GROUP BY there is exactly one group, of no rows as
well. An aggregate reads its whole section, so the section must be bounded: see
[unbounded-aggregate](codes/unbounded-aggregate.md).
"""
    return {"functions.md": text}


def _operators() -> list[tuple[str, str, str]]:
    rows = []
    for level, gives in _LEVELS.items():
        words = [word for word, power in BINDING_POWER.items() if power == level and word != ILIKE.name]
        shown_words = f"`{_BEFORE_ONE_VALUE[level]}` before a value" if level in _BEFORE_ONE_VALUE else codes(words)
        rows.append((str(level), shown_words, gives))
    return rows


def _evaluated(expressions: tuple[str, ...]) -> dict[str, str]:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(_SCHEMA))
        db.run("INSERT INTO one (id) VALUES (1)")
        outputs = ", ".join(f"{text} AS e{place}" for place, text in enumerate(expressions))
        (row,) = db.run(f"SELECT {outputs} FROM one WHERE id = 1").rows
    return {text: shown(row[f"e{place}"]) for place, text in enumerate(expressions)}


def _takes(function: Function) -> str:
    letters = [function.takes[min(place, len(function.takes) - 1)] for place in range(min(function.high, 3))]
    optional = ["" if place < function.low else " (optional)" for place in range(len(letters))]
    if function.high > 3:
        return f"{function.low} to {function.high} of one type"
    return ", ".join(_TAKES[letter] + after for letter, after in zip(letters, optional, strict=True))


def _gives(function: Function) -> str:
    letter = function.takes[0]
    given = {"t": (Kind.TEXT,), "n": _NUMBERS, "i": (Kind.INT,), "a": (Kind.INT, Kind.TEXT)}[letter]
    found = {kind: function.result([BARE[kind], BARE[kind]]) for kind in given}
    if len(given) > 1 and all(result == BARE[kind] for kind, result in found.items()):
        return "the type of its arguments" if function.high > 3 else "the type of the number"
    return codes(dict.fromkeys(str(each) for each in found.values()))


def _sum(left: Kind, right: Kind) -> str:
    found = arithmetic("+", BARE[left], BARE[right])
    return str(found)


def _digits() -> list[tuple[str, str]]:
    """Return the types of results of DECIMALs as they are declared."""
    found = []
    for text in _DIGITS:
        query = piql.compile(f"{_PRICES}\nCREATE QUERY q AS SELECT {text} AS x FROM price WHERE id = 1;").queries["q"]
        assert query.bound_plan is not None
        (plan,) = query.bound_plan.find(Projection)
        written = re.sub(r"\bp\b", "DECIMAL(10, 2)", re.sub(r"\br\b", "DECIMAL(5, 3)", text))
        written = re.sub(r"\bi\b", "INT", re.sub(r"\blarge\b", "DECIMAL(38, 2)", written))
        found.append((written, str(type_of(plan.outputs[0].expression))))
    return found


def _aggregate_types(name: str) -> str:
    names = {kind: f"{name}({column})" for kind, column in _COLUMNS.items()}
    by_result: dict[str, list[str]] = {}
    for kind, call in names.items():
        query = piql.compile(f"{_SCHEMA}\nCREATE QUERY q AS SELECT {call} AS x FROM one WHERE id = 1;").queries["q"]
        if query.bound_plan is not None:
            (plan,) = query.bound_plan.find(Projection)
            by_result.setdefault(str(type_of(plan.outputs[0].expression)), []).append(kind.value)
    if len(by_result) == 1:
        return code(next(iter(by_result)))
    if all(kinds == [result] for result, kinds in by_result.items()):
        return "that of its operand"
    return "; ".join(f"{code(result)} of {codes(kinds)}" for result, kinds in by_result.items())
