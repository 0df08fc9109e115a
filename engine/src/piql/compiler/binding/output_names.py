"""What a column of a result is called, and the error where two have one name, with a name for one as its fix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import Output
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import written
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span


def output_name(item: ast.SelectItem, expression: Expression) -> str:
    """Return the name of an output: its alias, its column, the function that it calls, or its text."""
    if item.alias is not None:
        return item.alias.text
    if isinstance(expression, ColumnRef):
        return expression.name
    if isinstance(item.expression, ast.Call):
        return item.expression.name.text.lower()
    return " ".join(item.expression.span.text.split())


def duplicate_output(
    output: Output, first: Output, outputs: Sequence[Output], items: Sequence[ast.SelectItem | ast.Star], span: Span
) -> Diagnostic:
    """Return the error of an output that has the name of an earlier one; `span` is that of its expression."""
    first_span = first.expression.span
    labels = (Label(first_span, "the first one"),) if first_span and first_span != span else ()
    taken = {named.name.lower() for named in outputs}
    name = next(f"{output.name}{number}" for number in count(2) if f"{output.name}{number}".lower() not in taken)
    fixes = _renamed(name, "second", items, span)
    if not fixes and first_span is not None:
        fixes = _renamed(name, "first", items, first_span)
    return report(
        "duplicate-output",
        f"two columns of the result are called {output.name}",
        span,
        labels=labels,
        help=f"name the columns one by one, and call one of them something else: … AS {name}",
        fixes=fixes,
    )


def _renamed(name: str, which: str, items: Sequence[ast.SelectItem | ast.Star], span: Span) -> tuple[Fix, ...]:
    """Return the fix that gives an item of a SELECT a name; none where the column comes from a star."""
    item = next((item for item in items if isinstance(item, ast.SelectItem) and item.expression.span == span), None)
    if item is None:
        return ()
    if item.alias is not None:
        edit = Edit(span.file, item.alias.span.start, item.alias.span.end, written(name))
    else:
        edit = Edit(span.file, span.end, span.end, f" AS {written(name)}")
    return (Fix(f"Call the {which} one {name}", (edit,), consequence=f"the rows are the same; it is read as {name}"),)
