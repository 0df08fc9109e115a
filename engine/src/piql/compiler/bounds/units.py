"""The bound of a unit: the sum of the bounds of its statements.

    INSERT INTO orders …; UPDATE item SET …; DELETE FROM cart_line WHERE cart = [c]    1 + 4 + (1 + 2·cart_line.cart)

Its statements wait for one another, so their round trips add up, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from piql.compiler.bounds.bound import Bound, OperatorBound


def bound_of_unit(statements: Sequence[Bound]) -> Bound:
    """Return the bound of statements that are made one after another."""
    operations = sum(bound.operations for bound in statements)
    formula = _sum([bound.formula for bound in statements])
    rows = sum(bound.rows for bound in statements)  # one returns rows at most
    rows_formula = _sum([bound.rows_formula for bound in statements])
    of_statements = tuple(
        replace(operator, path=(number, *operator.path))
        for number, bound in enumerate(statements)
        for operator in bound.by_operator
    )
    width = sum(bound.bytes for bound in statements)
    unit = OperatorBound((), "Unit", 0, "0", rows, rows_formula, 0)
    return Bound(
        operations=operations,
        round_trips=sum(bound.round_trips for bound in statements),
        rows=rows,
        bytes=width,
        formula=formula,
        rows_formula=rows_formula,
        rows_fetched=sum(bound.rows_fetched for bound in statements),
        terms=tuple(dict.fromkeys(term for bound in statements for term in bound.terms)),
        by_operator=(unit, *of_statements),
        puts=sum(bound.puts for bound in statements),
        deletes=sum(bound.deletes for bound in statements),
        reads=sum(bound.reads for bound in statements),
        counts=sum(bound.counts for bound in statements),
        other_ways=tuple(way for bound in statements for way in bound.other_ways),
    )


def _sum(formulas: Sequence[str]) -> str:
    """Return formulas as a sum, plain numbers added up first: `5`, `1 + 2·count` and `3` give `9 + 2·count`."""
    terms = [term for formula in formulas for term in formula.split(" + ")]
    plain = sum(int(term.replace(",", "")) for term in terms if term.replace(",", "").isdigit())
    named: dict[str, int] = {}
    for term in terms:
        if not term.replace(",", "").isdigit():
            times, symbols = _product(term)
            named[symbols] = named.get(symbols, 0) + times
    shown = [symbols if times == 1 else f"{times}·{symbols}" for symbols, times in named.items()]
    return " + ".join([*([str(plain)] if plain or not shown else []), *shown])


def _product(term: str) -> tuple[int, str]:
    """Return how often a product counts, and its symbols: `2·a·b` is (2, `a·b`)."""
    first, _, symbols = term.partition("·")
    return (int(first), symbols) if symbols and first.isdigit() else (1, term)
