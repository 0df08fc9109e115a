"""Which rows an UPDATE or DELETE changes: one, named by a whole key, or those of a section.

    DELETE FROM line WHERE cart = [cart] AND item = 7 AND n = 0    the row (cart, item), where n = 0 holds
    DELETE FROM line WHERE cart = [cart]                           the rows that SELECT cart, item … would read
    DELETE FROM kind, under CARDINALITY LIMIT 40                   all rows

A section is planned like a SELECT, so it is refused like one where nothing bounds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.order import sort_keys
from piql.compiler.binding.scope import Scope
from piql.compiler.binding.stops import with_stop
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Table
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report

Write: TypeAlias = ast.Update | ast.Delete
Verb: TypeAlias = Literal["UPDATE", "DELETE"]


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """The rows of a write; its fields are those of `logical.Update`."""

    key: tuple[logical.Assignment, ...] = ()
    where: bound.Expression | None = None
    section: logical.LogicalNode | None = None


def section_select(node: Write) -> ast.Select:
    """Return the SELECT that reads the rows of a write, without its columns."""
    return ast.Select(
        items=(),
        items_span=node.source.span,
        from_clause=ast.FromClause(first=node.source, span=node.source.span),
        where=node.where,
        order=node.order,
        stop=node.stop,
        span=node.span,
    )


def bind_rows(
    context: QueryContext,
    scope: Scope,
    table: Table,
    node: Write,
    verb: Verb,
    reads_its_row_only: Callable[[bound.Expression], bool],
) -> WrittenRows | None:
    """Return the rows of a write to a table, the only relation of `scope`; None after a report.

    `reads_its_row_only` reports subqueries, and returns whether there are none.
    """
    predicate = None
    if node.where is not None:
        predicate = ExpressionBinder(context, scope, "WHERE").predicate(node.where)
        if predicate is None or not reads_its_row_only(predicate):
            return None
    elif node.stop is None and all(limit.columns for limit in table.limits):
        context.diagnostics.append(_every_row(table, node, verb))
        return None
    if not _may_take_none(node):
        named = _named_row(table, predicate)
        if named is not None:
            return named
    if node.condition is not None:
        context.diagnostics.append(_condition_of_several(node, node.condition, verb))
        return None
    return _section(context, scope, table, node, predicate, reads_its_row_only)


def _may_take_none(node: Write) -> bool:
    """Whether a LIMIT may let no row through; one that is a number above 0 changes nothing where there is one row."""
    return node.stop is not None and not (isinstance(node.stop.count, ast.LiteralValue) and node.stop.count.value)


def _named_row(table: Table, predicate: bound.Expression | None) -> WrittenRows | None:
    """Return the row of which a condition fixes the primary key or a UNIQUE key; None where it fixes none."""
    parts = [(part, _equality(part)) for part in bound.conjuncts(predicate)] if predicate is not None else []
    fixed = {assignment.column for _, assignment in parts if assignment is not None}
    keys = (table.primary_key, *(unique.columns for unique in table.unique_keys))
    key = next((columns for columns in keys if set(columns) <= fixed), None)
    if key is None:
        return None
    assignments: dict[str, logical.Assignment] = {}
    tests: list[bound.Expression] = []
    for part, assignment in parts:
        if assignment is None or assignment.column not in key or assignment.column in assignments:
            tests.append(part)
        else:
            assignments[assignment.column] = assignment
    return WrittenRows(tuple(assignments[column] for column in key), _all_of(tests))


def _all_of(tests: Sequence[bound.Expression]) -> bound.Expression | None:
    """Return the AND of tests; None where there is none."""
    return bound.And(operands=tuple(tests)) if len(tests) > 1 else next(iter(tests), None)


def _section(
    context: QueryContext,
    scope: Scope,
    table: Table,
    node: Write,
    predicate: bound.Expression | None,
    reads_its_row_only: Callable[[bound.Expression], bool],
) -> WrittenRows | None:
    """Return the rows of a section, each by its primary key; None after a report."""
    (relation,) = scope.relations
    plan: logical.LogicalNode = logical.Relation(table=table, alias=relation.alias, span=node.source.span)
    if predicate is not None and node.where is not None:
        plan = logical.Selection(predicate=predicate, input=plan, span=node.where.span)
    if node.order is not None:
        binder = ExpressionBinder(context, scope, "ORDER BY")
        keys: list[logical.SortKey] = []
        for item in node.order.items:
            expression = binder.value(item.expression)
            if expression is None or not reads_its_row_only(expression):
                return None
            keys.extend(sort_keys(item, expression))
        plan = logical.Sort(keys=tuple(keys), input=plan, span=node.order.span)
    columns = relation.columns or {}
    outputs = tuple(
        logical.Output(name=name, expression=relation.reference(columns[name.lower()], node.source.span))
        for name in table.primary_key
    )
    plan = logical.Projection(outputs=outputs, input=plan, span=node.source.span)
    return WrittenRows(where=predicate, section=with_stop(context, section_select(node), plan))


def _every_row(table: Table, node: Write, verb: Verb) -> Diagnostic:
    """Return the error of a write without WHERE and LIMIT, with the test of one row as its fix."""
    example = " AND ".join(f"{column} = [{column}]" for column in table.primary_key)
    edit = Edit(node.span.file, node.span.end, node.span.end, f" WHERE {example}")
    consequence = "changes one row, which each execution names"
    fix = Fix(f"Name one row: add WHERE {example}", (edit,), consequence=consequence)
    is_at_end = node.condition is None and not node.returning
    return report(
        "bulk-write",
        f"{verb} without WHERE changes every row of {table.name}",
        node.table.span,
        help=f"name one row by its whole primary key, WHERE {example}, or the rows that a limit bounds",
        fixes=(fix,) if is_at_end else (),
    )


def _condition_of_several(node: Write, condition: ast.Expression, verb: Verb) -> Diagnostic:
    """Return the error of an IF where several rows may be meant, with the test as a part of WHERE as its fix."""
    fixes: tuple[Fix, ...] = ()
    if node.where is not None and node.stop is None:
        where, test = (_in_junction(part) for part in (node.where, condition))
        start, end = node.where.span.start, condition.span.end
        edit = Edit(node.span.file, start, end, f"{where} AND {test}")
        change = "rows that do not pass the test stay as they are, and the write is not refused"
        fixes = (Fix("Make it a part of WHERE", (edit,), consequence=change),)
    return report(
        "bulk-write",
        f"IF refuses the {verb} of one row, and this may change several",
        condition.span,
        help="write the test in WHERE: rows that do not pass it stay as they are",
        fixes=fixes,
    )


def _in_junction(node: ast.Expression) -> str:
    """Return the text of a condition as a part of an AND."""
    is_or = isinstance(node, ast.Junction) and node.operator == "OR"
    return f"({node.span.text})" if is_or else node.span.text


def _equality(part: bound.Expression) -> logical.Assignment | None:
    """Return the assignment of `column = value` (either way round) if the value has no columns, else None."""
    if not isinstance(part, bound.Comparison) or part.operator != "=":
        return None
    column, value = part.left, part.right
    if not isinstance(column, bound.ColumnRef):
        column, value = value, column
    if not isinstance(column, bound.ColumnRef) or next(value.find(bound.ColumnRef), None) is not None:
        return None
    return logical.Assignment(column=column.name, value=value, span=part.span)
