"""What a SELECT without FROM reads where its select list holds subqueries: one row without columns of its own.

SELECT EXISTS (SELECT … FROM a …) AS x, (SELECT COUNT(*) FROM b …) AS n

Derived one_row
└─ Projection COUNT(*) AS one
   └─ GroupBy COUNT(*)
      └─ Selection FALSE
         └─ Relation a           read by no request
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.binding.scope import unknown_table
from piql.compiler.binding.types import BARE
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, Table
from piql.text.diagnostics.report import report
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import QueryContext

_NAME = "one_row"


def one_row(context: QueryContext, node: ast.Select, *, is_outermost: bool) -> logical.LogicalNode | None:
    """Return the row that a select list without FROM is over; None, after a report, where it may not be without."""
    names = [name.table for item in node.items for name in item.find(ast.TableName)]
    has_star = any(isinstance(item, ast.Star) for item in node.items)
    tables = [table for name in names if (table := context.tables.find(name)) is not None]
    if not tables or has_star or not is_outermost:
        unknown = [name for name in names if name.text.lower() not in context.with_tables]
        context.diagnostics.append(
            unknown_table(unknown[0], context.tables.tables)
            if unknown and not tables
            else report("missing-from", "this query reads no table", node.items_span, help="add FROM and a table")
        )
        return None
    return row_without_table(context, tables[0], node.items_span)


def row_without_table(context: QueryContext, table: Table, span: Span) -> logical.LogicalNode:
    """Return a plan of one row that reads nothing; no row of `table` comes into it."""
    relation = logical.Relation(table=table, alias=context.unique_alias(table.name), span=span)
    never = bound.Constant(value=False, type=BARE[Kind.BOOLEAN], span=span)
    count = bound.Aggregate(function="COUNT", operand=None, distinct=False, type=BARE[Kind.BIGINT], span=span)
    nothing = logical.Selection(predicate=never, input=relation, span=span)
    group = logical.GroupBy(keys=(), aggregates=(count,), input=nothing, span=span)
    rows = logical.Projection(outputs=(logical.Output(name="one", expression=count),), input=group, span=span)
    return logical.Derived(alias=context.unique_alias(_NAME), input=rows, span=span)
