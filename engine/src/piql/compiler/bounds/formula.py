"""Sums of products of named numbers: `1 + subscriptions.owner·count`, its value, and the facts that prove each name.

With `owner` and `count` for the terms 100 and 50, `ONE + named(owner) * named(count)` has the value 5,001 and the terms
`(owner, count)`. Formulas are compared by their values (`smaller`); no number in one is ever negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod

from piql.compiler.bounds.bound import Term


@dataclass(frozen=True, slots=True)
class Formula:
    """Products of terms, each with how often it counts: `3 + 2·a·b` is `(((), 3), ((a, b), 2))`. ZERO has none."""

    products: tuple[tuple[tuple[Term, ...], int], ...]
    value: int = field(compare=False)  # the number that it has with the values of its terms

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return each named number once, in order of appearance."""
        return tuple(dict.fromkeys(term for terms, _ in self.products for term in terms))

    def __add__(self, other: Formula) -> Formula:
        if not self.products or not other.products:
            return self if self.products else other
        return _gathered((*self.products, *other.products))

    def __mul__(self, other: Formula) -> Formula:
        if self.products == ONE.products or other.products == ONE.products:
            return self if other.products == ONE.products else other
        return _gathered(
            ((*left, *right), times * count) for left, times in self.products for right, count in other.products
        )

    def __str__(self) -> str:
        """Return the formula as messages show it, plain numbers first; products with the same symbols are one."""
        if not self.products:
            return "0"
        counts: dict[tuple[bool, tuple[str, ...]], int] = {}
        for terms, times in self.products:
            symbols = tuple(term.symbol for term in terms if term.symbol != "1")  # LIMIT 1 multiplies nothing
            key = (bool(terms), symbols)
            counts[key] = counts.get(key, 0) + times
        ordered = sorted(counts.items(), key=lambda item: item[0][0])
        return " + ".join(_product(list(symbols), times) for (_, symbols), times in ordered)


def _product(symbols: list[str], times: int) -> str:
    if times != 1 or not symbols:
        symbols.insert(0, str(times))
    return "·".join(symbols)


def _gathered(products: Iterable[tuple[tuple[Term, ...], int]]) -> Formula:
    """Add up equal products; the order in which a product was built up does not matter."""
    written: dict[tuple[Term, ...], tuple[Term, ...]] = {}  # as it was built up first, by its terms in order
    counts: dict[tuple[Term, ...], int] = {}
    for terms, times in products:
        ordered = terms if len(terms) < 2 else tuple(sorted(terms, key=_key))
        same = written.setdefault(ordered, terms)
        counts[same] = counts.get(same, 0) + times
    value = sum([times * prod([term.value for term in terms]) for terms, times in counts.items()])
    return Formula(tuple([(terms, times) for terms, times in counts.items() if times]), value)


def _key(term: Term) -> tuple[str, int]:
    return (term.symbol, term.value)


def number(value: int) -> Formula:
    """Return a plain number as a formula."""
    return Formula((((), value),), value) if value else ZERO


def named(term: Term) -> Formula:
    """Return one named number as a formula."""
    return Formula((((term,), 1),), term.value)


def total(formulas: Iterable[Formula]) -> Formula:
    """Return the sum of formulas, quicker than one after the other where there are many."""
    return _gathered(product for formula in formulas for product in formula.products)


def smaller(first: Formula, second: Formula) -> Formula:
    """Return the formula with the smaller value; the second when they are equal."""
    return first if first.value < second.value else second


ZERO = Formula((), 0)
ONE = number(1)
