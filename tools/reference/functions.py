"""functions.md: operators, scalar functions and aggregates; the results of the examples are computed by the engine."""

from __future__ import annotations

import re

import piql
from piql.compiler.binding.dates import DATE_FUNCTIONS
from piql.compiler.binding.functions import AGGREGATES, FUNCTIONS, Function
from piql.compiler.binding.supplied import SUPPLIED
from piql.compiler.binding.types import BARE, arithmetic, type_of
from piql.compiler.logical.expressions import Constant
from piql.compiler.logical.operators import Projection
from piql.compiler.syntax.precedence import OF_OPERATOR
from piql.compiler.syntax.unsupported import ILIKE
from piql.schema.calendar import UNITS
from piql.schema.catalog import Kind
from piql.schema.decimals import MAX_PRECISION
from piql.schema.types import NUMBERS
from piql.schema.values import shown
from piql.store.schemes import TEMPORARY_STORE

from reference.markdown import code, codes, table

_TAKES = {"t": "text", "n": "number", "i": "whole number", "a": "any", "x": "any but BLOB"}
_AGGREGATE_MEANING = {
    "COUNT": "`COUNT(*)` counts rows, `COUNT(a)` values that are not NULL",
    "SUM": "the sum; NULL of no values. Exact, or [refused](types.md#computing); of DOUBLEs the nearest, in any order",
    "AVG": "the mean; NULL of no values, and where the sum of DOUBLEs is not finite",
    "MIN": "the smallest; NULL of no values",
    "MAX": "the largest; NULL of no values",
    "ARRAY_AGG": "the values as the text of a JSON array, in ascending order or as ORDER BY says; NULLs are left out, "
    "NULL of no values",
    "JSON_AGG": "another name of ARRAY_AGG",
    "STRING_AGG": "`STRING_AGG(a, ', ')`: the values as one text with another between them, ordered as in ARRAY_AGG; "
    "NULLs are left out, NULL of no values",
    "GROUP_CONCAT": "another name of STRING_AGG, which may leave the comma out",
    "BOOL_OR": "whether the value of any row is TRUE; NULL of no values",
    "BOOL_AND": "whether the value of every row is TRUE; NULL of no values",
    "EVERY": "another name of BOOL_AND",
}
_SUMS = (
    ("`TIMESTAMP` and an interval", "`TIMESTAMP`"),
    ("`DATE` and an interval of years to days", "`DATE` (DuckDB: the `TIMESTAMP` at which it begins)"),
    ("`DATE` and an interval with hours or less", "`TIMESTAMP`"),
    ("`DATE` and a whole number", "`DATE`: so many days later or earlier"),
    ("`DATE` - `DATE`", "`BIGINT`: days"),
    ("`TIMESTAMP` - `TIMESTAMP`", "`BIGINT`: milliseconds (DuckDB: an INTERVAL). EXTRACT(EPOCH FROM …) of it: seconds"),
)
_OF_DATES = (
    "'2024-01-31' + INTERVAL '1 month'",
    "'2024-03-31T12:00:00Z' - INTERVAL '1 month 12 hours'",
    "'2024-02-29' + INTERVAL '1 year'",
)
_SUPPLIED_TYPES = {"CURRENT_TIMESTAMP": "TIMESTAMP", "CURRENT_DATE": "DATE", "UUID": "UUID"}
_LEVELS = {  # how tightly an operator binds → what it gives
    1: "true when one side is",
    2: "true when both sides are",
    3: "true when the condition is false",
    4: "comparisons; they cannot be chained. NOT stands before IN, LIKE, CONTAINS and BETWEEN",
    5: "two texts, one after the other",
    6: "sum and difference",
    7: "product, quotient, and the remainder with the sign of what is divided",
    8: "the number with its sign turned",
    9: "the value as another type, as `CAST` gives it",
}
_BEFORE_ONE_VALUE = {3: "NOT", 8: "-"}
_ARITHMETIC = ("7 / 2", "-7 % 3", "7 / 0", "'Ada' || ' ' || 'Lovelace'", "1 + NULL")
_CASES = ("CASE WHEN 1 > 2 THEN 'yes' ELSE 'no' END", "CASE 2 WHEN 1 THEN 'one' END")
_CASTS = ("CAST('12' AS INT)", "2.5::INT", "2.5e0::INT", "2.345::DECIMAL(5, 2)", "CAST(7 AS TEXT)", "TRUE::TEXT")
_COLUMNS = {Kind.INT: "i", Kind.BIGINT: "b", Kind.DECIMAL: "m", Kind.DOUBLE: "d", Kind.TEXT: "t", Kind.DATE: "y"}
_SCHEMA = "CREATE TABLE one (id INT PRIMARY KEY, i INT, b BIGINT, m DECIMAL, d DOUBLE, t TEXT, y DATE);"

# Columns of different precision, and the expressions over them whose types the page lists.
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
    "FLOOR(p)",
    "CEIL(p)",
    "TRUNC(p, 1)",
    "SUM(p)",
    "AVG(p)",
)


def pages() -> dict[str, str]:
    """Return the page about functions and aggregates, by file name."""
    functions = [function for name, function in FUNCTIONS.items() if name == function.name]
    dated = DATE_FUNCTIONS.values()
    examples = [example for function in functions for example in function.examples]
    examples += [example for function in dated for example in function.examples]
    results = _evaluated((*examples, *_ARITHMETIC, *_OF_DATES, *_CASES, *_CASTS))
    scalar = [
        (
            code(function.usage.split(")")[0] + ")"),
            _takes(function),
            _gives(function),
            function.meaning,
            "; ".join(f"`{example}` = `{results[example]}`" for example in function.examples),
        )
        for function in functions
    ]
    synonyms = [f"`{name}` is `{function.name}`" for name, function in FUNCTIONS.items() if name != function.name]
    aggregates = [
        (code(aggregate), _AGGREGATE_MEANING[aggregate], _aggregate_types(aggregate)) for aggregate in AGGREGATES
    ]
    date_functions = [
        (
            code(function.usage),
            codes(function.words),
            function.gives,
            function.meaning,
            "; ".join(f"`{example}` = `{results[example]}`" for example in function.examples),
        )
        for function in dated
    ]
    supplied = [(code(row.usage), code(_SUPPLIED_TYPES[row.gives]), row.meaning) for row in SUPPLIED.values()]
    matrix = [(f"**{left.value}**", *(_sum(left, right) for right in NUMBERS)) for left in NUMBERS]
    text = f"""
# Functions and operators

Operators from the one that binds least to the one that binds most:

{table(("level", "operators", "gives"), _operators())}

`LIKE [word]`, `LIKE 'word'` and `CONTAINS` search one word through an inverted index, letters' case folded away;
patterns with `%` or `_` are [refused](codes/pattern-match.md). NULL in any operand gives NULL, and so does a
division by zero:
{_listed(_ARITHMETIC, results)}.

The type of `+`, `-`, `*` and `%`; `/` always gives DOUBLE:

{table(("", *(number.value for number in NUMBERS)), matrix)}

A DECIMAL of DECIMALs that name their digits names its own, so that every result fits; a whole number counts as 10
or 19 digits, a literal as those that are written. Where they would be more than {MAX_PRECISION}, and beside a
DECIMAL without digits (a parameter is one), it is a DECIMAL without digits. Either is exact, or
[refused](types.md#computing):

{table(("of", "type"), [(code(text), code(digits)) for text, digits in _digits()])}

## Scalar functions

{table(("function", "takes", "gives", "meaning", "examples"), scalar)}

{", ".join(synonyms)}. NULL in any argument gives NULL, except in {_listed_names()}.
A query that sorts or tests by a function reads the rows first: no index holds computed values.

## CASE

`CASE WHEN test THEN value … ELSE value END` gives the value of the first test that is true, and NULL without ELSE.
`CASE operand WHEN value THEN …` tests whether the operand equals each value in turn. Its values have the type that
holds all of them, as those of `COALESCE` do. Only the value that is chosen is computed.

{_listed(_CASES, results)}.

## CAST

`CAST(value AS type)` and `value::type` give a value as another type. `::` binds more tightly than any other operator.
A parameter takes the type: `[day]::DATE` is a DATE. A literal that is no value of the type is an error of the text.

| from | to | |
| --- | --- | --- |
| number | number | rounded to the digits of the type, halves away from zero; a DOUBLE to the even whole number |
| number, BOOLEAN, DATE, TIME, TIMESTAMP, UUID, TIMEUUID | text | as in `2012-08-27 10:15:00.5` |
| text | any of these | blanks around it do not count, but for BOOLEAN; of a DATE and TIMESTAMP the ISO form |
| BOOLEAN | whole number | 1 and 0; back, 0 is FALSE |
| DATE | TIMESTAMP | midnight in UTC; back, the day |
| UUID | TIMEUUID | where it is of version 1; back, always |

A number that does not fit ends the execution in `NumberOutOfRange`, a text that is no value of the type, or is too long
for it, in `ConversionFailed`. No text is cut off: that is stricter than SQL. BLOB has no conversion.

{_listed(_CASTS, results)}.

## Dates and times

{table(("function", "words", "gives", "meaning", "examples"), date_functions)}

An interval is a literal: `INTERVAL '1 year 2 days'`, `INTERVAL '7' DAY`, `INTERVAL 7 DAY`, or `INTERVAL [days] DAY`
with a parameter. Its units are {codes(unit.lower() + "s" for unit in UNITS)}. It is added to a day or time, or
subtracted from one: months first, and where the month has no such day its last is taken, then days, then the rest.

{table(("sum or difference", "gives"), _SUMS)}

{"; ".join(f"`{example}` = `{results[example]}`" for example in _OF_DATES)}. What lies outside of the years 1 to 9999
ends in `NumberOutOfRange`. Computed of literals, parameters and the current time alone, it is the end of an index
range.

## Given by the execution

{table(("written", "gives", "meaning"), supplied)}

The time is decided once per execution: it is the same wherever it stands, when the execution has to begin again, and
on all pages of a PAGINATE. It is used like a parameter: an index finds `at < CURRENT_TIMESTAMP`, and no bound changes.

## Aggregates

{table(("aggregate", "meaning", "type by the type of its operand"), aggregates)}

`DISTINCT` inside the parentheses takes each value once. `FILTER (WHERE condition)` behind an aggregate leaves out
the rows for which the condition is not true: `COUNT(*) FILTER (WHERE approved)`. Without GROUP BY there is exactly one
group, of no rows as well. An aggregate reads its whole section, so the section must be bounded: see
[unbounded-aggregate](codes/unbounded-aggregate.md).
"""
    return {"functions.md": text}


def _listed_names() -> str:
    """Return the names of the functions that take NULL as a value."""
    return codes([name for name, function in FUNCTIONS.items() if name == function.name and function.takes_null])


def _listed(examples: tuple[str, ...], results: dict[str, str]) -> str:
    """Return examples with their results, on one line."""
    return "; ".join(f"`{example}` = `{results[example]}`" for example in examples)


def _operators() -> list[tuple[str, str, str]]:
    """Return level, operators and meaning of each level, from the parser's own table."""
    rows: list[tuple[str, str, str]] = []
    for level, gives in _LEVELS.items():
        words = [word for word, power in OF_OPERATOR.items() if power == level and word != ILIKE.name]
        shown_words = f"`{_BEFORE_ONE_VALUE[level]}` before a value" if level in _BEFORE_ONE_VALUE else codes(words)
        rows.append((str(level), shown_words, gives))
    return rows


def _evaluated(expressions: tuple[str, ...]) -> dict[str, str]:
    """Return what the engine computes of each expression, as it is written in PIQL."""
    with piql.connect(TEMPORARY_STORE) as db:
        db.deploy(piql.compile(_SCHEMA))
        db.run("INSERT INTO one (id) VALUES (1)")
        outputs = ", ".join(f"{text} AS e{number}" for number, text in enumerate(expressions))
        (row,) = db.run(f"SELECT {outputs} FROM one WHERE id = 1").rows
    return {text: shown(row[f"e{number}"]) for number, text in enumerate(expressions)}


def _takes(function: Function) -> str:
    """Return the types of a function's arguments in words."""
    letters = [function.takes[min(position, len(function.takes) - 1)] for position in range(min(function.high, 3))]
    optional = ["" if position < function.low else " (optional)" for position in range(len(letters))]
    if function.high > 3:
        return f"{function.low} to {function.high} of {'any type but BLOB' if function.takes == 'x' else 'one type'}"
    return ", ".join(_TAKES[letter] + after for letter, after in zip(letters, optional, strict=True))


def _gives(function: Function) -> str:
    """Return the type of a function's result, by the types of its arguments."""
    letter = function.takes[0]
    kinds = {"t": (Kind.TEXT,), "n": NUMBERS, "i": (Kind.INT,), "a": (Kind.INT, Kind.TEXT), "x": (Kind.TEXT,)}[letter]
    results = {kind: function.result([Constant(value=None, type=BARE[kind])] * function.low) for kind in kinds}
    if len(kinds) > 1 and all(result == BARE[kind] for kind, result in results.items()):
        return "the type of its arguments" if function.high > 3 else "the type of the first"
    return codes(dict.fromkeys(map(str, results.values())))


def _sum(left: Kind, right: Kind) -> str:
    return str(arithmetic("+", BARE[left], BARE[right]))


def _digits() -> list[tuple[str, str]]:
    """Return the types of results of DECIMALs as they are declared."""
    types = []
    for text in _DIGITS:
        query = piql.compile(f"{_PRICES}\nCREATE QUERY q AS SELECT {text} AS x FROM price WHERE id = 1;").queries["q"]
        assert query.bound_plan is not None
        (plan,) = query.bound_plan.find(Projection)
        written = re.sub(r"\bp\b", "DECIMAL(10, 2)", re.sub(r"\br\b", "DECIMAL(5, 3)", text))
        written = re.sub(r"\bi\b", "INT", re.sub(r"\blarge\b", "DECIMAL(38, 2)", written))
        types.append((written, str(type_of(plan.outputs[0].expression))))
    return types


def _aggregate_types(name: str) -> str:
    """Return the type of an aggregate's result, by the type of its operand, as the compiler infers it."""
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
