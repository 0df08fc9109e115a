"""Values that share one type: those of COALESCE, of CASE, of GREATEST and LEAST.

COALESCE(posted, [p])                        [p] takes the type of `posted`
CASE WHEN a THEN day ELSE '2026-01-31' END   the text becomes a DATE
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from piql.compiler.binding.dates import is_dated, takes_day
from piql.compiler.binding.functions import FUNCTIONS
from piql.compiler.binding.types import bare, common_type, is_number, is_text, type_of, wider
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType
from piql.text.diagnostics.diagnostic import Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder


def bind_alike(
    binder: ExpressionBinder, nodes: Sequence[ast.Expression], expected: SqlType | None
) -> list[logical.Expression] | None:
    """Bind values of one type; None after a report. What tells no type takes that of the others, else `expected`.

    Parameters tell none, nor do texts beside a value that a text can be written for, such as a DATE.
    """
    bound: dict[int, logical.Expression] = {}
    for position in sorted(range(len(nodes)), key=lambda at: _rank(nodes[at])):
        node = nodes[position]
        known = common_type(bound.values())
        context = known if known is not None and known.kind is not Kind.NULL else expected
        is_text_of = isinstance(node, ast.LiteralValue) and _may_be_written(node.value, context)
        value = binder.value(node, context if awaits_type(node) or is_text_of else None)
        if value is None:
            return None
        bound[position] = value
    return [bound[position] for position in range(len(nodes))]


def _rank(node: ast.Expression) -> int:
    """Return 0 for what has a type of its own, 1 for a literal, 2 for what takes its type from the others."""
    return 2 if awaits_type(node) else int(isinstance(node, ast.LiteralValue))


def _may_be_written(literal: object, type: SqlType | None) -> bool:
    """Return whether a literal is a text that stands for a value of another type."""
    if not isinstance(literal, str) or type is None:
        return False
    return not (is_text(type) or is_number(type) or type.kind in (Kind.NULL, Kind.BOOLEAN, Kind.BLOB))


def awaits_type(node: ast.Expression) -> bool:
    """Return whether an expression takes its type from its context: a parameter, or a choice among parameters only."""
    match node:
        case ast.ParameterUse():
            return True
        case ast.Binary(left=left, right=right) if is_dated(node):
            return takes_day(right if isinstance(left, ast.Interval) else left)
        case ast.Call(arguments=arguments) if _chooses(node.name.text.upper()):
            return _all_await(arguments)
        case ast.Case():
            return _all_await(case_values(node))
    return False


def takes_type(node: ast.Expression) -> bool:
    """Return whether an expression can take the type that its context expects.

    A literal can, and what `awaits_type`, and a choice among these, such as COALESCE([p], '2026-01-31').
    """
    match node:
        case ast.LiteralValue():
            return True
        case ast.Call(arguments=arguments) if _chooses(node.name.text.upper()):
            return all(map(takes_type, arguments))
        case ast.Case():
            return all(map(takes_type, case_values(node)))
    return awaits_type(node)


def _chooses(name: str) -> bool:
    """Return whether a function gives one of its arguments, as COALESCE does: they are of any type."""
    function = FUNCTIONS.get(name)
    return function is not None and function.takes == "a"


def _all_await(values: Sequence[ast.Expression]) -> bool:
    """Return whether all values take their types from the context, but for those that are NULL."""
    return any(map(awaits_type, values)) and all(
        awaits_type(value) or (isinstance(value, ast.LiteralValue) and value.value is None) for value in values
    )


def case_values(node: ast.Case) -> list[ast.Expression]:
    """Return what stands behind THEN and ELSE."""
    values = [branch.value for branch in node.branches]
    return [*values, node.otherwise] if node.otherwise is not None else values


def report_different(binder: ExpressionBinder, message: str, values: Sequence[logical.Expression], span: Span) -> None:
    """Report that values have no type in common, with a label at the first two that differ."""
    first = next(value for value in values if type_of(value).kind is not Kind.NULL)
    different = next(value for value in values if wider(bare(type_of(first)), bare(type_of(value))) is None)
    labels = tuple(
        Label(value.span, f"this is {type_of(value).with_article}")
        for value in (first, different)
        if value.span is not None
    )
    finding = report("type-mismatch", message, span, labels=labels, help="give values of one type")
    binder.context.diagnostics.append(finding)
