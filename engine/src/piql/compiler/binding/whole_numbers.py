"""Comparisons of whole numbers with fractions: `v < 2.5` → `v <= 2`.

Ranges of an index are over values of the column's type, so the literal must be of that type.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

from piql.compiler.binding.types import BARE, type_of
from piql.compiler.logical.expressions import Comparison, ComparisonOperator, Constant, Expression
from piql.schema.catalog import Kind
from piql.schema.types import WHOLE
from piql.schema.values import BIGINT_RANGE, INT_RANGE

_LOW, _HIGH = BIGINT_RANGE


def is_fraction(value: object) -> bool:
    """Return whether a literal is a number that no whole-number type holds."""
    return isinstance(value, float | Decimal) and value != int(value)


def in_whole_numbers(test: Comparison) -> Comparison:
    """Return the same test with a whole number; = and <> are unchanged, as no whole number equals a fraction.

    v < 2.5 → v <= 2      2.5 <= v → 3 <= v
    """
    if test.operator in ("=", "<>"):
        return test
    if _is_fraction_literal(test.right) and type_of(test.left).kind in WHOLE:
        operator, value = _whole_bound(test.operator in ("<", "<="), test.right)
        return replace(test, operator=operator, right=value)
    if _is_fraction_literal(test.left) and type_of(test.right).kind in WHOLE:
        operator, value = _whole_bound(test.operator in (">", ">="), test.left)
        return replace(test, operator=_MIRRORED[operator], left=value)
    return test


_MIRRORED: dict[ComparisonOperator, ComparisonOperator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _is_fraction_literal(value: Expression) -> bool:
    return isinstance(value, Constant) and is_fraction(value.value)


def _whole_bound(is_high: bool, literal: Expression) -> tuple[ComparisonOperator, Constant]:
    """Return the operator and the whole number, on the right side, that admit the same numbers as `literal`."""
    assert isinstance(literal, Constant)
    value = literal.value
    assert isinstance(value, float | Decimal)
    end = math.floor(value) if is_high else math.ceil(value)
    operator: ComparisonOperator = "<=" if is_high else ">="
    if end > _HIGH:
        operator, end = ("<=" if is_high else ">"), _HIGH
    elif end < _LOW:
        operator, end = ("<" if is_high else ">="), _LOW
    kind = Kind.INT if INT_RANGE[0] <= end <= INT_RANGE[1] else Kind.BIGINT
    return operator, Constant(value=end, type=BARE[kind], span=literal.span)
