"""Warns of a SELECT that takes the stripes of a view for its groups: it gets parts of a count, not the count.

    SELECT likes FROM likesOfPost WHERE post = [post]                             up to 8 rows, a part of the likes each
    SELECT SUM(likes) AS likes FROM likesOfPost WHERE post = [post] GROUP BY post    the likes

Whoever names `stripe` means the parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from piql.compiler.binding.scope import ScopeRelation, matches
from piql.compiler.binding.sums_of_stripes import adds_up
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import written
from piql.schema.catalog import Table
from piql.schema.view_stripes import STRIPE
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.node import Node

_ADD = "add them up with SUM"
_ADD_BEFORE = "add them up with SUM in a derived table before"


@dataclass(frozen=True, slots=True)
class BoundSelect:
    """A SELECT, its relations, and what it is bound to.

    Where `are_rows_counted` it matters how often a row comes: not in EXISTS, with DISTINCT, in a UNION or in groups.
    """

    node: ast.Select
    relations: Sequence[ScopeRelation]
    plan: logical.LogicalNode
    aggregates: tuple[bound.Aggregate, ...]
    are_rows_counted: bool


def parts_of_groups(select: BoundSelect) -> Diagnostic | None:
    """Return the warning of a SELECT; None where each view with stripes is added up, or there is none."""
    for relation in select.relations:
        table = relation.table
        if table is None or table.view is None or table.view.stripes is None:
            continue
        columns = list(_outside_aggregates(select.plan))
        if any(_names_stripe(column, relation) for column in columns):
            continue
        part = _first_part(select, relation, table, columns)
        if part is not None:
            span, problem, way_out = part
            stripes = f"a group of {table.name} is up to {table.view.stripes.count} rows, its stripes"
            return report(
                "parts-of-groups",
                f"{problem}: {stripes}",
                span,
                help=f"{way_out}, or name the column stripe if the parts are meant",
                fixes=_added_up(select, relation, table),
            )
    return None


def _outside_aggregates(node: Node) -> Iterator[bound.ColumnRef]:
    """Yield the columns that are read outside of aggregates; those of a `GroupBy` stand in the clauses above it."""
    match node:
        case bound.ColumnRef():
            yield node
        case bound.Aggregate():
            pass
        case _:
            for child in node.children():
                yield from _outside_aggregates(child)


def _names_stripe(column: bound.ColumnRef, relation: ScopeRelation) -> bool:
    """Return whether a column is `stripe`, and was written: `*` has it in any case."""
    is_star = column.span is None or column.span.text.endswith("*")
    return column.relation == relation.alias and column.name == STRIPE and not is_star


def _is_sum(column: bound.ColumnRef, relation: ScopeRelation, table: Table) -> bool:
    """Return whether a column of a view has another value in each stripe of a group."""
    return column.relation == relation.alias and column.name not in table.primary_key


def _first_part(
    select: BoundSelect, relation: ScopeRelation, table: Table, columns: Sequence[bound.ColumnRef]
) -> tuple[Span, str, str] | None:
    """Return where a stripe is taken for its group, how, and what to do instead."""
    for column in columns:
        if _is_sum(column, relation, table) and column.span is not None:
            name = column.name if column.span.text.endswith("*") else column.span.text
            return column.span, f"{name} is that of one stripe", _ADD
    for aggregate in select.aggregates:
        if aggregate.span is not None and not _is_that_of_groups(aggregate, relation, table):
            return aggregate.span, f"{aggregate.span.text} takes each stripe for itself", _ADD_BEFORE
    if select.are_rows_counted:
        return relation.span, "each row comes once for each stripe", "take each once with DISTINCT"
    return None


def _is_that_of_groups(aggregate: bound.Aggregate, relation: ScopeRelation, table: Table) -> bool:
    """Return whether an aggregate over stripes is what it is over groups."""

    def is_sum(column: bound.ColumnRef) -> bool:
        return _is_sum(column, relation, table)

    def may_be_null(column: bound.ColumnRef) -> bool:
        declared = table.column(column.name)
        return declared is None or declared.nullable

    operand = aggregate.operand
    if aggregate.function == "SUM" and not aggregate.distinct:
        return operand is not None and adds_up(operand, is_sum, may_be_null)
    parts = (*aggregate.order, *((operand,) if operand is not None else ()))
    takes_sums = any(is_sum(column) for part in parts for column in bound.columns_in(part))
    return not takes_sums and (aggregate.distinct or aggregate.function in ("MIN", "MAX"))


def _added_up(select: BoundSelect, relation: ScopeRelation, table: Table) -> tuple[Fix, ...]:
    """Return the fix that adds the stripes up in the groups that the rows belong to; none where that says too much."""
    node, source = select.node, select.node.from_clause
    if source is None or node.group is not None or node.having is not None or select.aggregates or node.is_distinct:
        return ()
    if any(neighbour.table is None for neighbour in select.relations):
        return ()
    if any(neighbour is not relation and _has_stripes(neighbour.table) for neighbour in select.relations):
        return ()  # the groups would name the stripes of the other view
    if any(_is_sum(column, relation, table) for column in _outside_aggregates(_without_outputs(select.plan))):
        return ()  # a condition compares the parts
    groups = dict.fromkeys(_keys(select, relation))
    outputs: list[str] = []
    for item in node.items:
        item_texts = _item(item, select, relation, table)
        if item_texts is None:
            return ()
        outputs += item_texts.outputs
        groups |= dict.fromkeys(item_texts.groups)
    end = node.where.span.end if node.where is not None else source.span.end
    file, gap = node.span.file, "\n" if "\n" in node.span.text else " "
    edits = (
        Edit(file, node.items_span.start, node.items_span.end, ", ".join(outputs)),
        Edit(file, end, end, f"{gap}GROUP BY {', '.join(groups)}"),
    )
    are_added = any(output.startswith("SUM(") for output in outputs)
    title = f"Add up the stripes of {table.name}" if are_added else f"Take each group of {table.name} once"
    return (Fix(title, edits),)


def _has_stripes(table: Table | None) -> bool:
    return table is not None and table.view is not None and table.view.stripes is not None


def _without_outputs(plan: logical.LogicalNode) -> logical.LogicalNode:
    """Return what a plan takes its outputs from, before it sorts them."""
    while isinstance(plan, logical.Projection | logical.Sort):
        plan = plan.input
    return plan


def _keys(select: BoundSelect, relation: ScopeRelation) -> Iterator[str]:
    """Yield the keys of all tables: what is grouped by them is a row of each, and all stripes of a group."""
    for source in select.relations:
        for column in source.table.primary_key if source.table is not None else ():
            if source is not relation or column != STRIPE:
                name = written(column)
                yield name if len(select.relations) == 1 else f"{written(source.shown)}.{name}"


class _Item(NamedTuple):
    """What becomes of an item of the select list, and what the groups need for it."""

    outputs: Sequence[str]
    groups: Sequence[str] = ()


def _item(item: ast.SelectItem | ast.Star, select: BoundSelect, relation: ScopeRelation, table: Table) -> _Item | None:
    """Return an item with its sums; None for more than a column, and for a star of several tables."""
    if isinstance(item, ast.Star):
        if len(select.relations) > 1:
            return None
        columns = [column.name for column in table.columns if column.name != STRIPE]
        return _Item(
            [written(column) if column in table.primary_key else _sum(written(column), column) for column in columns]
        )
    if not isinstance(item.expression, ast.ColumnName):
        return None
    qualifier, name = item.expression.qualifier, item.expression.name
    text = item.expression.span.text
    is_of_view = qualifier is None or matches(qualifier, relation.shown)
    columns = [column.name for column in table.columns if matches(name, column.name)] if is_of_view else []
    if columns and columns[0] not in table.primary_key:
        return _Item([_sum(text, item.alias.text if item.alias is not None else columns[0])])
    return _Item([item.span.text], [text])


def _sum(text: str, name: str) -> str:
    return f"SUM({text}) AS {written(name)}"
