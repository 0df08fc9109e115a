"""The fix that adds the stripes of a view up in the groups that the rows of a SELECT belong to.

    SELECT p.*, COALESCE(v.n, 0) AS n FROM posts p LEFT JOIN likesOfPost v ON v.post = p.id WHERE p.room = [room]
    SELECT p.*, COALESCE(SUM(v.n), 0) AS n FROM … WHERE p.room = [room] GROUP BY p.id, v.post

A column that is a part of a sum becomes the sum, wherever it stands in the select list or in ORDER BY.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from piql.compiler.binding.scope import ScopeRelation, matches
from piql.compiler.binding.stripes_read import BoundSelect, StripesRead
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import written
from piql.schema.catalog import Table
from piql.schema.view_stripes import STRIPE
from piql.text.diagnostics.diagnostic import Edit, Fix


def added_up(select: BoundSelect, relation: ScopeRelation, table: Table, stripes: StripesRead) -> tuple[Fix, ...]:
    """Return the fix that adds the stripes up in the groups that the rows belong to; none where that says too much."""
    node, source = select.node, select.node.from_clause
    if source is None or node.group is not None or node.having is not None or select.aggregates or node.is_distinct:
        return ()
    if any(neighbour.table is None for neighbour in select.relations):
        return ()
    if any(neighbour is not relation and _has_stripes(neighbour.table) for neighbour in select.relations):
        return ()  # the groups would name the stripes of the other view
    if any(stripes.is_sum(column) for column in stripes.columns(_without_outputs(select.plan))):
        return ()  # a condition compares the parts
    view = _View(relation, table, len(select.relations) == 1)
    groups = dict.fromkeys(_keys(select, relation))
    file, gap = node.span.file, "\n" if "\n" in node.span.text else " "
    sums: list[Edit] = []  # of each item by itself: what stands between items stays
    for item in node.items:
        item_texts = _item(item, view)
        if item_texts is None:
            return ()
        output = ", ".join(item_texts.outputs)
        if output != item.span.text:
            sums.append(Edit(file, item.span.start, item.span.end, output))
        groups |= dict.fromkeys(item_texts.groups)
    end = node.where.span.end if node.where is not None else source.span.end
    grouped = Edit(file, end, end, f"{gap}GROUP BY {', '.join(groups)}")
    title = f"Add up the stripes of {table.name}" if sums else f"Take each group of {table.name} once"
    return (Fix(title, (*sums, grouped, *_order_edits(node, view))),)


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


class _View(NamedTuple):
    """A view in FROM, and whether it is alone there."""

    relation: ScopeRelation
    table: Table
    is_alone: bool

    def column_of(self, name: ast.ColumnName) -> str | None:
        """Return the column of the view that a name means; None where it means one of another relation."""
        if name.qualifier is not None and not matches(name.qualifier, self.relation.shown):
            return None
        return next((column.name for column in self.table.columns if matches(name.name, column.name)), None)

    def is_sum(self, name: ast.ColumnName) -> bool:
        column = self.column_of(name)
        return column is not None and column not in self.table.primary_key


class _Item(NamedTuple):
    """What becomes of an item of the select list, and what the groups need for it."""

    outputs: Sequence[str]
    groups: Sequence[str] = ()


def _item(item: ast.SelectItem | ast.Star, view: _View) -> _Item | None:
    """Return an item with its sums; None for what reads a query of its own, and for a star of several tables."""
    if isinstance(item, ast.Star):
        return _star(item, view)
    expression = item.expression
    if isinstance(expression, ast.ColumnName):
        text = expression.span.text
        if view.is_sum(expression):
            return _Item([_sum(text, item.alias.text if item.alias is not None else str(view.column_of(expression)))])
        return _Item([item.span.text], [text])
    if any(isinstance(node, ast.Select) for node in expression.walk()):
        return None
    names = [node for node in expression.walk() if isinstance(node, ast.ColumnName)]
    if item.alias is None and any(map(view.is_sum, names)):
        return None  # the output would get another name
    text, start = item.span.text, item.span.start
    for name in sorted(filter(view.is_sum, names), key=lambda name: -name.span.start):
        at = name.span.start - start
        text = f"{text[:at]}SUM({name.span.text}){text[at + len(name.span.text) :]}"
    return _Item([text], [name.span.text for name in names if not view.is_sum(name)])


def _star(star: ast.Star, view: _View) -> _Item | None:
    """Return the columns of a star of the view; that of another table stays, as the groups have its key."""
    if star.qualifier is None and not view.is_alone:
        return None
    if star.qualifier is not None and not matches(star.qualifier, view.relation.shown):
        return _Item([star.span.text])
    prefix = "" if star.qualifier is None else f"{star.qualifier.span.text}."
    columns = [column.name for column in view.table.columns if column.name != STRIPE]
    texts = {column: f"{prefix}{written(column)}" for column in columns}
    return _Item([text if name in view.table.primary_key else _sum(text, name) for name, text in texts.items()])


def _order_edits(node: ast.Select, view: _View) -> Iterator[Edit]:
    """Yield the edits of ORDER BY: a part that it names is added up, unless the name is that of an output."""
    if node.order is None:
        return
    for name in node.order.walk():
        if isinstance(name, ast.ColumnName) and view.is_sum(name):
            is_output = name.qualifier is None and any(_is_output(item, name) for item in node.items)
            if not is_output:
                yield Edit(name.span.file, name.span.start, name.span.end, f"SUM({name.span.text})")


def _is_output(item: ast.SelectItem | ast.Star, name: ast.ColumnName) -> bool:
    if isinstance(item, ast.Star):
        return True
    if item.alias is not None:
        return matches(name.name, item.alias.text)
    return isinstance(item.expression, ast.ColumnName) and matches(name.name, item.expression.name.text)


def _sum(text: str, name: str) -> str:
    return f"SUM({text}) AS {written(name)}"
