"""How tightly the operators of an expression bind: the parser and the printer read the same numbers.

A larger number binds more tightly: `a OR b AND c` is `a OR (b AND c)`, since AND is 2 and OR is 1.
"""

from __future__ import annotations

OR, AND, NOT, COMPARISON, CONCATENATION, SUM, PRODUCT, SIGN, CAST, VALUE = range(1, 11)
"""NOT and SIGN stand before their operand; VALUE is a name, a literal, a call or whatever is in parentheses."""

OF_OPERATOR: dict[str, int] = {
    "OR": OR,
    "AND": AND,
    "=": COMPARISON,
    "<>": COMPARISON,
    "!=": COMPARISON,
    "<": COMPARISON,
    "<=": COMPARISON,
    ">": COMPARISON,
    ">=": COMPARISON,
    "IS": COMPARISON,
    "IN": COMPARISON,
    "LIKE": COMPARISON,
    "CONTAINS": COMPARISON,
    "ILIKE": COMPARISON,
    "BETWEEN": COMPARISON,
    "NOT": COMPARISON,  # behind an operand: NOT IN, NOT LIKE, NOT BETWEEN
    "||": CONCATENATION,
    "+": SUM,
    "-": SUM,
    "*": PRODUCT,
    "/": PRODUCT,
    "%": PRODUCT,
    "::": CAST,
}
"""The precedence of each operator that stands behind its left operand."""
