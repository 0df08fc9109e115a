"""IS [NOT] DISTINCT FROM: equality in which NULL is a value, said with = and IS NULL, which an index can apply.

a IS NOT DISTINCT FROM [p]    a = [p] OR a IS NULL AND [p] IS NULL
a IS DISTINCT FROM 5          NOT (a = 5 AND a IS NOT NULL)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.binding.types import is_nullable
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder


def bind_distinct(binder: ExpressionBinder, node: ast.DistinctTest) -> logical.Expression | None:
    """Bind a test that is never NULL; None after a report. A plain test of rows is FALSE where it is not TRUE."""
    is_test = binder.is_test
    with binder.in_a_value():
        left, right = binder.pair(node.left, node.right)
    if left is None or right is None:
        return None
    if not binder.check_comparable(left, right, node.left, node.right, node.span):
        return None
    same = _same(left, right, node.span, is_test=is_test and node.is_negated)
    return same if node.is_negated else logical.Not(operand=same, span=node.span)


def _same(left: logical.Expression, right: logical.Expression, span: Span, *, is_test: bool) -> logical.Expression:
    """Return the test that two values are one; with `is_test`, it may be NULL instead of FALSE."""
    for value, opposite in ((left, right), (right, left)):
        if isinstance(value, logical.Constant) and value.value is None:
            return logical.IsNull(operand=opposite, span=span)
    equal = logical.Comparison(operator="=", left=left, right=right, span=span)
    nullable = [side for side in (left, right) if is_nullable(side)]
    nulls = [logical.IsNull(operand=side, span=span) for side in nullable]
    exact: logical.Expression = equal
    if nulls and not is_test:
        exact = logical.And(operands=(equal, *(logical.Not(operand=null, span=span) for null in nulls)), span=span)
    if len(nulls) < 2:
        return exact
    return logical.Or(operands=(exact, logical.And(operands=tuple(nulls), span=span)), span=span)
