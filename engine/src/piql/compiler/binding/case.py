"""CASE: its tests are bound as conditions, its values take one type, and without ELSE it is NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.binding.alike import awaits_type, bind_alike, case_values, report_different
from piql.compiler.binding.types import NULL, common_type
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import SqlType

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder


def bind_case(binder: ExpressionBinder, node: ast.Case, expected: SqlType | None) -> logical.Case | None:
    """Bind a CASE; None, after a report, where a part is wrong. `CASE a WHEN 1` tests `a = 1`."""
    tests = _tests(binder, node)
    values = bind_alike(binder, case_values(node), expected)
    if tests is None or values is None:
        return None
    common = common_type(values)
    if common is None:
        report_different(binder, "the values of this CASE have no type in common", values, node.span)
        return None
    otherwise = values.pop() if node.otherwise is not None else logical.Constant(value=None, type=NULL)
    return logical.Case(tests=tests, values=tuple(values), otherwise=otherwise, type=common, span=node.span)


def _tests(binder: ExpressionBinder, node: ast.Case) -> tuple[logical.Expression, ...] | None:
    """Bind what stands behind WHEN; None after a report. What `CASE a` compares is reported once."""
    operand = node.operand
    if operand is None:
        with binder.in_a_value():
            tests = [binder.predicate(branch.test) for branch in node.branches]
    else:
        if not (awaits_type(operand) or isinstance(operand, ast.LiteralValue)) and binder.value(operand) is None:
            return None
        tests = [
            binder.comparison(
                ast.Binary(operator="=", left=operand, right=branch.test, span=branch.test.span),
            )
            for branch in node.branches
        ]
    bound = tuple(test for test in tests if test is not None)
    return bound if len(bound) == len(tests) else None
