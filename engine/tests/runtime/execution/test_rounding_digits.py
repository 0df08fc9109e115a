"""ROUND and TRUNC to any number of digits, at the ends of every type of numbers, compared with fractions of Python."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import piql
import pytest
from piql.runtime.execution import numbers

DOUBLES = (1.5e305, 1.7976931348623157e308, 9.5e307, 4.9e300, 2.5, 0.1, 1.25e-300, 5e-324, 2.2250738585072014e-308)
DECIMALS = tuple(
    Decimal(text)
    for text in ("1E+300", "9.5E+300", "15E+299", "9" * 38, "0.5", "1.25", "1E-300", "1.234567E-299", "5." + "5" * 37)
)
WHOLE = (2**63 - 1, -(2**63), 5, 0, 15)
DIGITS = range(-345, 346)
FAR_DIGITS = (-(2**63), -(10**9), -1001, -1000, -999, 999, 1000, 1001, 10**9, 2**63 - 1)


def cut(number: Fraction, digits: int, *, is_rounded: bool) -> Fraction:
    """Return the number with so many digits behind the point, computed as fractions."""
    digits = max(-1000, min(digits, 1000))
    step = Fraction(10) ** -digits
    size = math.floor(abs(number) / step + (Fraction(1, 2) if is_rounded else 0)) * step
    return -size if number < 0 else size


def as_decimal_text_says(number: float | Decimal) -> Fraction:
    """Return the number that a DOUBLE is written as, or a DECIMAL is."""
    return Fraction(repr(number) if isinstance(number, float) else str(number))


def double_next_to(exact: Fraction) -> float | None:
    try:
        return float(exact)
    except OverflowError:
        return None


@pytest.mark.parametrize("number", [*DOUBLES, *(-number for number in DOUBLES)])
def test_a_double_is_rounded_and_cut_at_every_digit(number: float) -> None:
    for digits in (*DIGITS, *FAR_DIGITS):
        exact = as_decimal_text_says(number)
        assert numbers.rounded(number, digits) == double_next_to(cut(exact, digits, is_rounded=True)), digits
        cut_off = numbers.rounded(number, digits, "ROUND_DOWN")
        assert cut_off == double_next_to(cut(exact, digits, is_rounded=False)), digits


@pytest.mark.parametrize("number", [*DECIMALS, *(number.copy_negate() for number in DECIMALS), Decimal(0), *WHOLE])
def test_an_exact_number_is_rounded_and_cut_at_every_digit(number: Decimal | int) -> None:
    for digits in (*DIGITS, *FAR_DIGITS):
        assert Fraction(numbers.rounded(number, digits)) == cut(Fraction(number), digits, is_rounded=True), digits
        cut_off = numbers.rounded(number, digits, "ROUND_DOWN")
        assert Fraction(cut_off) == cut(Fraction(number), digits, is_rounded=False), digits


@pytest.mark.parametrize("number", [1e-300, 5e-324, -5e-324, Decimal("1E-300"), Decimal("-1E-300"), Decimal("9E+300")])
def test_floor_and_ceil_keep_to_whole_numbers_at_the_ends_of_the_types(number: float | Decimal) -> None:
    assert Fraction(numbers.rounded(number, rounding="ROUND_FLOOR")) == math.floor(Fraction(number))
    assert Fraction(numbers.rounded(number, rounding="ROUND_CEILING")) == math.ceil(Fraction(number))


SCHEMA = """CREATE TABLE t (id INT PRIMARY KEY, f DOUBLE, e DECIMAL, d DECIMAL(38, 10), b BIGINT);
CREATE QUERY put AS INSERT INTO t (id, f, e, d, b) VALUES ([id], [f], [e], [d], [b]);
"""
ANSWERS = [
    ("ROUND(f, -305)", 2e305),
    ("ROUND(f, -306)", 0.0),
    ("TRUNC(f, -305)", 1e305),
    ("TRUNC(f, -306)", 0.0),
    ("ROUND(f, -9223372036854775807)", 0.0),
    ("ROUND(e, -300)", Decimal("1E+300")),
    ("ROUND(e, -301)", Decimal(0)),
    ("ROUND(e, -305)", Decimal(0)),
    ("TRUNC(e, -310)", Decimal(0)),
    ("ROUND(d, -28)", Decimal("1E+28")),
    ("ROUND(d, -29)", Decimal(0)),
    ("ROUND(d, -310)", Decimal(0)),
    ("ROUND(b, -400)", 0),
    ("TRUNC(b, 400)", 2**63 - 1),
]


@pytest.mark.parametrize(("words", "answer"), ANSWERS)
def test_a_query_rounds_to_digits_beyond_the_ends_of_its_types(words: str, answer: object) -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SCHEMA))
        largest = Decimal("9999999999999999999999999999.9999999999")
        db.execute("put", {"id": 1, "f": 1.5e305, "e": Decimal("1E300"), "d": largest, "b": 2**63 - 1})
        result = db.run(f"SELECT {words} AS x FROM t WHERE id = 1").rows[0]["x"]
        assert result == answer
        assert type(result) is type(answer)


def test_a_decimal_that_is_rounded_up_beyond_its_end_is_refused() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SCHEMA))
        db.execute("put", {"id": 1, "f": None, "e": Decimal("9.5E300"), "d": None, "b": None})
        with pytest.raises(piql.NumberOutOfRange):
            db.run("SELECT ROUND(e, -301) AS x FROM t WHERE id = 1")
