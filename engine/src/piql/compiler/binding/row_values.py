"""Row values, `(a, b)`: compared with another row, or looked for among rows that are listed or selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from piql.compiler.binding.alike import takes_type
from piql.compiler.binding.outputs import output_columns, with_output_names
from piql.compiler.binding.types import BARE, bare, is_comparable, is_nullable, type_of
from piql.compiler.logical import expressions as logical
from piql.compiler.logical.operators import Derived, Output, Projection, Selection
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder

_STRICT: dict[str, logical.ComparisonOperator] = {"<": "<", "<=": "<", ">": ">", ">=": ">"}


def compare_rows(
    binder: ExpressionBinder, node: ast.Binary, left: ast.Row, right: ast.Row
) -> logical.Expression | None:
    """Bind a comparison of two rows; the first values that differ decide.

    (a, b) = (x, y)   →   a = x AND b = y             (a, b) <> (x, y)   →   a <> x OR b <> y
    (a, b) > (x, y)   →   a > x OR a = x AND b > y, so that each branch is a range of one index
    """
    if len(left.items) != len(right.items):
        binder.report(
            "row-value",
            f"{len(left.items)} values are compared with {len(right.items)}",
            node.span,
            "write the same number of values on both sides",
        )
        return None

    def compared(at: int, operator: logical.ComparisonOperator) -> logical.Expression | None:
        left_item, right_item = left.items[at], right.items[at]
        return binder.comparison(
            ast.Binary(operator=operator, left=left_item, right=right_item, span=left_item.span.to(right_item.span))
        )

    operator = cast(logical.ComparisonOperator, node.operator)
    if operator in ("=", "<>"):
        parts = [compared(at, operator) for at in range(len(left.items))]
        comparisons = tuple(part for part in parts if part is not None)
        if len(comparisons) < len(parts):
            return None
        return (logical.And if operator == "=" else logical.Or)(operands=comparisons, span=node.span)
    branches: list[logical.Expression] = []
    equal = [compared(before, "=") for before in range(len(left.items) - 1)]  # each is bound once, and shared
    for at in range(len(left.items)):
        is_last = at == len(left.items) - 1
        tests = equal[:at]
        tests.append(compared(at, operator if is_last else _STRICT[operator]))
        comparisons = tuple(test for test in tests if test is not None)
        if len(comparisons) < len(tests):
            return None
        branches.append(comparisons[0] if at == 0 else logical.And(operands=comparisons, span=node.span))
    return logical.Or(operands=tuple(branches), span=node.span)


def row_among_values(binder: ExpressionBinder, node: ast.In, row: ast.Row) -> logical.Expression | None:
    """Bind `(a, b) IN ((1, 2), (3, 4))` as `a = 1 AND b = 2 OR a = 3 AND b = 4`."""
    branches: list[logical.Expression] = []
    for item in node.items:
        if not isinstance(item, ast.Row):
            binder.report(
                "row-value",
                "IN compares several values with rows of as many values",
                item.span,
                "(a, b) IN ((1, 2), (3, 4))",
            )
            return None
        equal = ast.Binary(operator="=", left=row, right=item, span=item.span)
        branch = compare_rows(binder, equal, row, item)
        if branch is None:
            return None
        branches.append(branch)
    membership = branches[0] if len(branches) == 1 else logical.Or(operands=tuple(branches), span=node.span)
    return logical.Not(operand=membership, span=node.span) if node.is_negated else membership


def row_among_rows(binder: ExpressionBinder, node: ast.InQuery, row: ast.Row) -> logical.Expression | None:
    """Bind `(a, b) IN (SELECT x, y …)` as `EXISTS (SELECT 1 FROM (SELECT x, y …) d WHERE d.x = a AND d.y = b)`.

    The two differ where a value is NULL: EXISTS is then false, IN unknown. A test that keeps rows treats both alike,
    NOT does not: below NOT it stays an IN.
    """
    with binder.in_a_value():
        values = [None if takes_type(item) else binder.value(item) for item in row.items]
    query = binder.context.bind_nested(binder.context, node.query, binder.scope, True, True)
    columns = output_columns(query) if query is not None else ()
    types = [bare(column.type) for column in columns] if len(columns) == len(values) else [None] * len(values)
    with binder.in_a_value():
        values = [
            binder.value(item, column_type) if takes_type(item) else value
            for item, value, column_type in zip(row.items, values, types, strict=True)
        ]
    bound_values = [expression for expression in values if expression is not None]
    if query is None or len(bound_values) < len(values):
        return None
    if len(columns) != len(bound_values):
        binder.report(
            "subquery-columns",
            f"{len(bound_values)} values are compared with a subquery of {len(columns)} columns",
            node.query.span,
        )
        return None
    alias = binder.context.unique_alias("rows")
    names = [f"value_{number}" for number in range(1, len(columns) + 1)]
    equalities: list[logical.Expression] = []
    for value, column, name, item in zip(bound_values, columns, names, row.items, strict=True):
        if not is_comparable(type_of(value), column.type):
            message = f"{type_of(value).with_article} cannot be compared with {column.type.with_article}"
            binder.report("type-mismatch", message, item.span, "the subquery must give values of the types on the left")
            return None
        reference = logical.ColumnRef(relation=alias, name=name, type=column.type, nullable=column.nullable)
        equalities.append(logical.Comparison(operator="=", left=reference, right=value, span=node.span))
    query = with_output_names(query, names)
    may_be_unknown = any(map(is_nullable, bound_values)) or any(column.nullable for column in columns)
    if may_be_unknown and (node.is_negated or not binder.is_test):
        among = logical.InSubquery(operand=bound_values[0], query=query, more=tuple(bound_values[1:]), span=node.span)
        return logical.Not(operand=among, span=node.span) if node.is_negated else among
    rows = Derived(alias=alias, input=query, span=node.query.span)
    matching = Selection(predicate=logical.And(operands=tuple(equalities), span=node.span), input=rows, span=node.span)
    output = Output(name="one", expression=logical.Constant(value=1, type=BARE[Kind.INT]))
    exists = logical.Exists(query=Projection(outputs=(output,), input=matching, span=node.query.span), span=node.span)
    return logical.Not(operand=exists, span=node.span) if node.is_negated else exists
