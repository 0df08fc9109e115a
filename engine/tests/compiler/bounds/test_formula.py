"""Formulas: how they add, multiply and are written."""

from __future__ import annotations

from piql.compiler.bounds.bound import Term
from piql.compiler.bounds.formula import ONE, ZERO, named, number, smaller

LIMIT = named(Term("subscriptions.owner", 100, "at most 100 subscriptions share one owner"))
COUNT = named(Term("count", 50, "[count] is at most 50"))


def test_numbers_come_first() -> None:
    assert str(LIMIT + ONE) == "1 + subscriptions.owner"


def test_products_are_written_with_a_dot() -> None:
    assert str(ONE + LIMIT * COUNT) == "1 + subscriptions.owner·count"
    assert (ONE + LIMIT * COUNT).value == 5001


def test_equal_products_add_up_whatever_their_order() -> None:
    assert str(LIMIT * COUNT + COUNT * LIMIT) == "2·subscriptions.owner·count"


def test_nothing_is_zero() -> None:
    assert str(ZERO) == "0"
    assert str(ZERO + LIMIT) == "subscriptions.owner"
    assert (ZERO * LIMIT).value == 0


def test_a_factor_stands_before_its_product() -> None:
    assert str(number(3) * LIMIT) == "3·subscriptions.owner"


def test_the_smaller_of_two_is_chosen_by_value() -> None:
    assert smaller(LIMIT, COUNT) == COUNT
    assert smaller(COUNT, LIMIT) == COUNT
