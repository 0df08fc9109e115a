"""RETURNING: the columns of its row that a write gives back.

Only columns stand there, under names of their own if wished. An expression might fail when the row is written already.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.compiler.binding.expressions import QueryContext
from piql.compiler.binding.scope import Scope, matches
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Diagnostic, Label
from piql.text.diagnostics.report import report


def bind_returning(
    context: QueryContext, scope: Scope, items: Sequence[ast.SelectItem | ast.Star], is_broken: bool
) -> tuple[tuple[logical.Output, ...], bool]:
    """Return the columns given back, and whether the write is broken: it was, or an error is reported here."""
    before = len(context.diagnostics)
    outputs: dict[str, logical.Output] = {}
    for item in items:
        for output in _outputs(context, scope, item):
            first = outputs.setdefault(output.name.lower(), output)
            if first is not output:
                context.diagnostics.append(_same_name(output, first, item))
    return tuple(outputs.values()), is_broken or len(context.diagnostics) > before


def _outputs(context: QueryContext, scope: Scope, item: ast.SelectItem | ast.Star) -> list[logical.Output]:
    """Return the columns that an item stands for; none after a report."""
    (relation,) = scope.relations
    if isinstance(item, ast.Star):
        if item.qualifier is not None and not matches(item.qualifier, relation.shown):
            context.diagnostics.append(scope.unknown_relation(item.qualifier))
            return []
        columns = (relation.columns or {}).values()
        return [
            logical.Output(name=column.name, expression=relation.reference(column, item.span)) for column in columns
        ]
    if not isinstance(item.expression, ast.ColumnName):
        context.diagnostics.append(
            report(
                "not-in-piql",
                "an expression in RETURNING is not part of PIQL",
                item.expression.span,
                help="name the columns, and compute from them in the application",
            )
        )
        return []
    column = scope.resolve(item.expression)
    if column is None or isinstance(column, Diagnostic):
        context.diagnostics += [column] if column is not None else []
        return []
    return [logical.Output(name=item.alias.text if item.alias is not None else column.name, expression=column)]


def _same_name(output: logical.Output, first: logical.Output, item: ast.SelectItem | ast.Star) -> Diagnostic:
    """Return the error of two columns with one name."""
    span = first.expression.span
    return report(
        "duplicate-output",
        f"two columns of the result are called {output.name}",
        item.span,
        help="give one of them another name: AS name",
        labels=(Label(span, "the first one"),) if span is not None and span != item.span else (),
    )
