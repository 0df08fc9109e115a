"""Values that a query chooses among, such as CASE: what both dialects write alike, and random ones."""

from __future__ import annotations

import random
from collections.abc import Callable

from .query import Case, Expr


def case_text(case: Case, written: Callable[[Expr], str]) -> str:
    """Write a CASE; `written` writes its parts."""
    operand = f" {written(case.operand)}" if case.operand is not None else ""
    whens = "".join(f" WHEN {written(test)} THEN {written(value)}" for test, value in case.branches)
    otherwise = f" ELSE {written(case.otherwise)}" if case.otherwise is not None else ""
    return f"CASE{operand}{whens}{otherwise} END"


def random_case(rng: random.Random, column: Expr, test: Callable[[], Expr], value: Callable[[], Expr]) -> Case:
    """Return a CASE of values such as those of `column`; `test` makes a condition, `value` a value of its type."""
    if rng.random() < 0.3:
        branches = tuple((value(), rng.choice((value(), column))) for _ in range(rng.choice((1, 2))))
        return Case(branches, rng.choice((None, column, value())), column)
    branches = tuple((test(), rng.choice((value(), column))) for _ in range(rng.choice((1, 1, 2))))
    return Case(branches, rng.choice((None, column, value())))
