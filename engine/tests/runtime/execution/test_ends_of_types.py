"""Arithmetic at the ends of every type, wherever a query computes, compared with exact numbers of Python.

A result is equal to the exact one, or NULL where a DOUBLE is not finite, or refused with NumberOutOfRange. Nothing is
rounded to fit, and no other error is raised, whatever the calling program does to its decimal context.
"""

from __future__ import annotations

import decimal
import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import piql
import pytest
from piql.runtime.execution import numbers

STORES = ("embedded:", "stepwise:")
MOST_DIGITS = 38
KINDS = {"i": "INT", "b": "BIGINT", "d": "DOUBLE", "e": "DECIMAL(38, 0)", "f": "DECIMAL(38, 30)", "c": "DECIMAL(10, 2)",
         "h": "DECIMAL"}  # fmt: skip
ENDS: dict[str, tuple[object, ...]] = {
    "i": (2**31 - 1, -(2**31), 0, 1, -7),
    "b": (2**63 - 1, -(2**63), 2**53 + 1, 0, 3),
    "d": (1.7e308, -1.7e308, 5e-324, 0.0, 0.25),
    "e": (Decimal(10**38 - 1), Decimal(-(10**38) + 1), Decimal("12345678901234567890123456789012345678"), Decimal(0)),
    "f": (Decimal("99999999." + "9" * 30), Decimal("0." + "0" * 29 + "1"), Decimal("-1.5")),
    "c": (Decimal("99999999.99"), Decimal("-99999999.99"), Decimal("0.01"), Decimal("2.50")),
    "h": (Decimal("1E+300"), Decimal("-1E-300"), Decimal("9" * 38), Decimal("0.1"), Decimal(3)),
}
LITERALS: tuple[tuple[str, str, object], ...] = (
    ("1", "i", 1),
    ("-3", "i", -3),
    ("9223372036854775807", "b", 2**63 - 1),
    ("2.50", "c", Decimal("2.50")),
    ("0.03", "c", Decimal("0.03")),
    ("1.5e300", "d", 1.5e300),
    ("0", "i", 0),
)
ROWS = 8
REFUSED = "refused"


@dataclass(frozen=True)
class Computation:
    """An expression of two operands, as text, and what it is of one row: a number, None or REFUSED."""

    text: str
    of: Callable[[dict[str, object]], object]


@pytest.fixture(autouse=True)
def application_with_a_context_of_its_own() -> Iterator[None]:
    """Return the calling thread a decimal context in which nothing can be computed."""
    traps = list(decimal.getcontext().traps)
    with decimal.localcontext(decimal.Context(prec=1, Emax=1, Emin=-1, traps=traps)):
        yield


def exact(number: object) -> Fraction:
    """Make a fraction in no context at all."""
    assert isinstance(number, int | float | Decimal | Fraction)
    return Fraction(*number.as_integer_ratio())


def digits_of(number: Fraction) -> int | None:
    """Return how many digits a number has, zeros at its ends left out; None for one without an end."""
    two, five, rest = 0, 0, number.denominator
    while rest % 2 == 0:
        rest, two = rest // 2, two + 1
    while rest % 5 == 0:
        rest, five = rest // 5, five + 1
    if rest != 1:
        return None
    return len(str(abs(number.numerator) * 10 ** max(two, five) // number.denominator).rstrip("0"))


def decimal_result(number: Fraction) -> object:
    digits = digits_of(number)
    is_small = number and not Fraction(1, 10**300) <= abs(number) < 10**301
    return REFUSED if is_small or digits is None or digits > MOST_DIGITS else number


def whole_result(number: int) -> object:
    return number if -(2**63) <= number < 2**63 else REFUSED


def double_result(number: float) -> object:
    return number + 0.0 if math.isfinite(number) else None


def computed(operator: str, kinds: tuple[str, str], left: object, right: object) -> object:
    """Return `left operator right` as the reference says it; the operands are not NULL."""
    one, two = exact(left), exact(right)
    if operator in "/%" and two == 0:
        return None
    if "d" in kinds or operator == "/":
        a, b = float(one), float(two)
        match operator:
            case "+":
                return double_result(a + b)
            case "-":
                return double_result(a - b)
            case "*":
                return double_result(a * b)
            case "/":
                return double_result(a / b)
        return double_result(math.fmod(a, b))
    match operator:
        case "+":
            number = one + two
        case "-":
            number = one - two
        case "*":
            number = one * two
        case _:
            number = one - two * math.trunc(one / two)
    return whole_result(int(number)) if set(kinds) <= {"i", "b"} else decimal_result(number)


def computations(seed: int, count: int) -> list[Computation]:
    rng = random.Random(seed)
    by_text: dict[str, Computation] = {}
    while len(by_text) < count:
        left, operator = rng.choice(list(KINDS)), rng.choice("+-*/%+-*")
        if rng.random() < 0.5:
            right = rng.choice(list(KINDS))
            text = f"{left} {operator} {right}"
            by_text[text] = Computation(text, _of_columns(operator, left, right))
        else:
            literal, kind, value = rng.choice(LITERALS)
            text = f"{left} {operator} {literal}"
            by_text[text] = Computation(text, _of_literal(operator, left, kind, value))
    return list(by_text.values())


def _of_columns(operator: str, left: str, right: str) -> Callable[[dict[str, object]], object]:
    return lambda row: computed(operator, (left, right), row[left], row[right])


def _of_literal(operator: str, left: str, kind: str, value: object) -> Callable[[dict[str, object]], object]:
    return lambda row: computed(operator, (left, kind), row[left], value)


def rows(seed: int) -> list[dict[str, object]]:
    rng = random.Random(seed)
    return [{"id": number, "g": 1} | {name: rng.choice(ENDS[name]) for name in KINDS} for number in range(ROWS)]


def same(value: object, expected: object) -> bool:
    if value is None or expected is None or isinstance(expected, str):
        return value is expected
    return exact(value) == exact(expected)


def answer(db: piql.Database, query: str, given: Mapping[str, object] | None = None) -> Any:
    try:
        return db.execute(query, given).rows
    except piql.NumberOutOfRange:
        return REFUSED


SCHEMA = (
    "CREATE TABLE m (id INT PRIMARY KEY, g INT NOT NULL, "
    + ", ".join(f"{name} {kind}" for name, kind in KINDS.items())
    + f", w DECIMAL, x DOUBLE, CARDINALITY LIMIT {ROWS} (g));\n"
)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("seed", range(2))
def test_what_is_computed_at_the_ends_of_the_types_is_exact_or_refused(store: str, seed: int) -> None:
    tried = computations(seed, 16)
    data = rows(seed)
    text = SCHEMA
    for number, term in enumerate(tried):
        text += f"""CREATE QUERY one{number} AS SELECT {term.text} AS x FROM m WHERE id = [id];
CREATE QUERY all{number} AS SELECT id, {term.text} AS x FROM m WHERE g = 1 ORDER BY {term.text}, id;
CREATE QUERY pages{number} AS SELECT id, {term.text} AS x FROM m WHERE g = 1 ORDER BY {term.text} DESC PAGINATE 2;
CREATE QUERY groups{number} AS SELECT {term.text} AS x, COUNT(*) AS n FROM m WHERE g = 1 GROUP BY {term.text};
CREATE QUERY same{number} AS SELECT id FROM m WHERE id = [id] AND {term.text} = {term.text};
CREATE QUERY set{number} AS UPDATE m SET {_target(term)} = {term.text} WHERE id = [id];
CREATE QUERY if{number} AS UPDATE m SET g = 1 WHERE id = [id] IF {term.text} = {term.text};
"""
    compiled = piql.compile(text)
    refused = [diagnostic for diagnostic in compiled.diagnostics if diagnostic.severity == "error"]
    assert not [term for term in refused if term.code != "type-mismatch"], refused[0].message
    with piql.connect(store) as db:
        db.deploy(compiled)
        db.load("m", data)
        for number, term in enumerate(tried):
            expected = {row["id"]: term.of(row) for row in data}
            for row in data:
                value, given = expected[row["id"]], {"id": row["id"]}
                label = f"{term.text} of {row}"
                single = answer(db, f"one{number}", given)
                assert same(single if single == REFUSED else single[0]["x"], value), f"{label}: {single}"
                tested = answer(db, f"same{number}", given)
                assert tested == (REFUSED if value == REFUSED else [] if value is None else [given]), label
                check_writes(db, number, _target(term), given, value, label)
            check_whole(db, number, term.text, expected)


def _target(term: Computation) -> str:
    return "x" if "d" in term.text or "/" in term.text or "e300" in term.text else "w"


def check_writes(
    db: piql.Database, number: int, target: str, given: dict[str, object], value: object, label: str
) -> None:
    """A value computed is stored as it is, or nothing is written."""
    before = db.run(f"SELECT {target} FROM m WHERE id = [id]", given).rows[0][target]
    written = answer(db, f"set{number}", given)
    after = db.run(f"SELECT {target} FROM m WHERE id = [id]", given).rows[0][target]
    assert written == (REFUSED if value == REFUSED else []), label
    assert same(after, before if value == REFUSED else value), f"{label}: {after} is stored"
    try:
        assert db.execute(f"if{number}", given).rows == []
        assert value not in (None, REFUSED), label
    except piql.NumberOutOfRange:
        assert value == REFUSED, label
    except piql.ConditionFailed:
        assert value is None, label


def check_whole(db: piql.Database, number: int, text: str, expected: dict[object, object]) -> None:
    """All rows in order, the same rows in pages, and in groups; refused as a whole when one of them is."""
    is_refused = REFUSED in expected.values()
    rows_or_refusal = answer(db, f"all{number}")
    groups = answer(db, f"groups{number}")
    if is_refused:
        assert rows_or_refusal == groups == REFUSED, text
        with pytest.raises(piql.NumberOutOfRange):
            db.execute(f"pages{number}")
        return
    assert isinstance(rows_or_refusal, list)
    assert isinstance(groups, list)
    ordered = sorted(expected, key=lambda key: (expected[key] is not None, exact(expected[key] or 0), key))
    assert [row["id"] for row in rows_or_refusal] == ordered, text
    assert all(same(row["x"], expected[row["id"]]) for row in rows_or_refusal), text
    assert sum(row["n"] for row in groups) == len(expected), text
    assert len(groups) == len({None if x is None else exact(x) for x in expected.values()}), text
    cursor, seen = None, list[object]()
    for _ in range(ROWS):
        page = db.execute(f"pages{number}", cursor=cursor)
        seen += [row["id"] for row in page.rows]
        cursor = page.cursor
        if cursor is None:
            break
    assert cursor is None, f"{text}: pages without end"
    assert sorted(seen, key=str) == sorted(expected, key=str), text


@pytest.mark.parametrize("store", STORES)
def test_sums_and_averages_at_the_ends_of_the_types_are_exact_or_refused(store: str) -> None:
    data = rows(7)
    queries = "".join(
        f"CREATE QUERY {name} AS SELECT SUM({name}) AS s, AVG({name}) AS a, MIN({name}) AS low, MAX({name}) AS high,"
        f" SUM(DISTINCT {name}) AS u FROM m WHERE id IN ([a], [b], [c]);\n"
        for name in KINDS
    )
    with piql.connect(store) as db:
        db.deploy(piql.compile(SCHEMA + queries))
        db.load("m", data)
        for name in KINDS:
            for start in range(ROWS - 3):
                chosen = [exact(data[at][name]) for at in (start, start + 1, start + 2)]
                given = dict(zip("abc", range(start, start + 3), strict=True))
                rows_or_refusal = answer(db, name, given)
                sums = [summed(name, sum(chosen, Fraction())), summed(name, sum(set(chosen), Fraction()))]
                if REFUSED in sums:
                    assert rows_or_refusal == REFUSED, (name, chosen)
                    continue
                assert rows_or_refusal != REFUSED, (name, chosen)
                row = rows_or_refusal[0]
                assert same(row["s"], sums[0]), (name, chosen)
                assert same(row["u"], sums[1]), (name, chosen)
                assert (exact(row["low"]), exact(row["high"])) == (min(chosen), max(chosen))
                average = sum(chosen, Fraction()) / 3
                is_missing = sums[0] is None and row["a"] is None
                assert is_missing or math.isclose(row["a"], average, rel_tol=1e-15), (name, chosen)


def summed(name: str, total: Fraction) -> object:
    if name in "ib":
        return whole_result(int(total))
    if name == "d":
        return double_result(float(total)) if abs(total) < 2**1024 - 2**970 else None
    decimal = decimal_result(total)
    scale = {"e": 0, "f": 30, "c": 2}.get(name)
    return REFUSED if scale is not None and abs(total) >= 10 ** (MOST_DIGITS - scale) else decimal


@pytest.mark.parametrize("store", STORES)
def test_negation_abs_and_rounding_at_the_ends_are_exact_or_refused(store: str) -> None:
    functions: dict[str, Callable[[Fraction], Fraction]] = {
        "-{0}": lambda number: -number,
        "ABS({0})": abs,
        "ROUND({0}, -1)": lambda number: _rounded(number, 10),
        "FLOOR({0})": lambda number: Fraction(math.floor(number)),
        "CEIL({0})": lambda number: Fraction(math.ceil(number)),
        "TRUNC({0}, -1)": lambda number: Fraction(math.trunc(number / 10) * 10),
        "ROUND({0}, 1)": lambda number: _rounded(number, Fraction(1, 10)),
    }
    data = rows(11)
    queries = [(text.format(name), name, of) for text, of in functions.items() for name in KINDS]
    source = "".join(
        f"CREATE QUERY q{number} AS SELECT {text} AS x FROM m WHERE id = [id];\n"
        for number, (text, _, _) in enumerate(queries)
    )
    with piql.connect(store) as db:
        db.deploy(piql.compile(SCHEMA + source))
        db.load("m", data)
        for number, (text, name, of) in enumerate(queries):
            for row in data:
                rows_or_refusal = answer(db, f"q{number}", {"id": row["id"]})
                value = rows_or_refusal if rows_or_refusal == REFUSED else rows_or_refusal[0]["x"]
                result = of(exact(row[name]))
                low, high = (-(2**31), 2**31 - 1) if name == "i" else (-(2**63), 2**63 - 1)
                if name in "ib":
                    assert same(value, result if low <= result <= high else REFUSED), (text, row[name])
                elif name == "d":
                    assert value is None or math.isclose(value, result, rel_tol=1e-15), (text, row[name])
                else:
                    assert same(value, result), (text, row[name])


def _rounded(number: Fraction, step: Fraction | int) -> Fraction:
    size = math.floor(abs(number) / step + Fraction(1, 2)) * step
    return Fraction(-size if number < 0 else size)


@pytest.mark.parametrize("store", STORES)
def test_values_at_the_ends_of_the_types_are_kept_found_and_joined_as_they_are(store: str) -> None:
    data = rows(5)
    source = SCHEMA + "".join(
        f"CREATE TABLE k{name} (v {kind} PRIMARY KEY, n INT);\n"
        f"CREATE QUERY put{name} AS INSERT INTO k{name} (v, n) VALUES ([v], 1);\n"
        f"CREATE QUERY find{name} AS SELECT v FROM k{name} WHERE v = [v];\n"
        f"CREATE QUERY join{name} AS SELECT m.id, k.v FROM m JOIN k{name} k ON k.v = m.{name} WHERE m.id = [id];\n"
        for name, kind in KINDS.items()
    )
    with piql.connect(store) as db:
        db.deploy(piql.compile(source))
        db.load("m", data)
        for row in data:
            for name in KINDS:
                db.execute(f"put{name}", {"v": row[name]})
                assert same(db.execute(f"find{name}", {"v": row[name]}).rows[0]["v"], exact(row[name])), (name, row)
                assert same(db.execute(f"join{name}", {"id": row["id"]}).rows[0]["v"], exact(row[name])), (name, row)


def test_what_another_program_stored_that_is_no_number_is_computed_to_null() -> None:
    for values in ([math.inf], [math.inf, -math.inf], [1.0, math.nan]):
        assert numbers.sum_of_doubles(values) is None
        assert numbers.average_of_doubles(values) is None
    assert numbers.remainder_of_doubles(math.inf, 3.0) is None
    assert numbers.divide(1.0, math.nan) is None
    assert numbers.rounded(math.inf, 1) is None
