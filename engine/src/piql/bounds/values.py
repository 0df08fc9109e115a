"""How many values a column may have in the rows of a section: no more groups are made of it, nor distinct rows."""

from __future__ import annotations

from collections.abc import Sequence

from piql.binding.types import BOOLEAN
from piql.bounds.facts import of_prefix, of_row_limit
from piql.bounds.formula import ONE, Formula, number
from piql.logical.expressions import ColumnRef, Constant, Expression, Parameter
from piql.physical.operators import (
    IndexFKJoin,
    IndexScan,
    KeyPart,
    LocalGroupBy,
    LocalJoin,
    LocalProjection,
    LocalSemiJoin,
    LocalUnion,
    PhysicalNode,
    SortedIndexJoin,
)

TRUTH_VALUES = 3  # TRUE, FALSE and NULL


def combinations_of(keys: Sequence[Expression], node: PhysicalNode) -> Formula | None:
    """Give how many different rows of some keys there may be; None where a key is fixed by nothing.

    Columns of one relation together have no more than it has rows.
    """
    if isinstance(node, LocalProjection):
        given = {(node.alias, each.name): each.expression for each in node.outputs}
        named = [given.get((each.relation, each.name)) if isinstance(each, ColumnRef) else None for each in keys]
        meanings = [each for each in named if each is not None]
        if len(meanings) == len(named):
            return combinations_of(meanings, node.child)
    total = ONE
    of_relation: dict[str, Formula | None] = {}
    for each in keys:
        found = values_of(each, node)
        if isinstance(each, ColumnRef):
            before = of_relation.get(each.relation, ONE)
            of_relation[each.relation] = None if found is None or before is None else before * found
        elif found is None:
            return None
        else:
            total = total * found
    for relation, values in of_relation.items():
        rows = _different_rows(relation, node)
        if rows is None and values is None:
            return None
        total = total * min((each for each in (values, rows) if each is not None), key=lambda each: each.value)
    return total


def _different_rows(relation: str, node: PhysicalNode) -> Formula | None:
    """Give how many rows of a relation are read, however often each is met; None where that is not known."""
    match node:
        case IndexScan():
            values = of_prefix(node.prefix) if node.alias == relation else None
        case IndexFKJoin() | SortedIndexJoin() if node.alias == relation:
            values = ONE
            for part in node.prefix:
                found = _values_of_part(part, node.child)
                values = values * found if found is not None and values is not None else None
        case LocalProjection() | LocalUnion():
            return None
        case LocalJoin():
            found = _different_rows(relation, node.left)
            return _or_null(_different_rows(relation, node.right), node.kind) if found is None else found
        case LocalSemiJoin():
            return _different_rows(relation, node.left)
        case _:
            return _different_rows(relation, node.child)
    if values is None:
        return None
    if isinstance(node, IndexFKJoin):
        return _or_null(values, node.kind)
    found = values * number(node.index.buckets) * of_row_limit(node.table, node.limit)
    if isinstance(node, IndexScan):
        return found
    # What is read for equal keys is the same, whatever else the child's row holds.
    is_same = node.limit.count is None or (node.range is None and not node.is_resumable)
    return _or_null(found, node.kind) if is_same else None


def values_of(expression: Expression, node: PhysicalNode) -> Formula | None:
    """Give how many values an expression may have in the rows of an operator; None where nothing fixes it."""
    match expression:
        case Constant():
            return ONE
        case Parameter(max_items=None):
            return ONE
        case ColumnRef():
            found = _values_of_column(expression, node)
            return number(TRUTH_VALUES) if found is None and expression.type == BOOLEAN else found
        case _:
            return None


def _values_of_column(column: ColumnRef, node: PhysicalNode) -> Formula | None:
    match node:
        case IndexScan():
            return _values_of_part(_part_of(column, node.prefix), None) if node.alias == column.relation else None
        case IndexFKJoin() | SortedIndexJoin() if node.alias == column.relation:
            return _or_null(_values_of_part(_part_of(column, node.prefix), node.child), node.kind)
        case LocalProjection():
            outputs = [each.expression for each in node.outputs if each.name == column.name]
            return values_of(outputs[0], node.child) if outputs and node.alias == column.relation else None
        case LocalGroupBy():
            return _values_of_column(column, node.child) if column in node.keys else None
        case LocalJoin():
            if column in node.left.fields:
                return _values_of_column(column, node.left)
            return _or_null(_values_of_column(column, node.right), node.kind)
        case LocalSemiJoin():
            return _values_of_column(column, node.left)
        case LocalUnion():
            return None
        case _:
            return _values_of_column(column, node.child)


def _part_of(column: ColumnRef, prefix: tuple[KeyPart, ...]) -> KeyPart | None:
    return next((part for part in prefix if part.column == column.name), None)


def _values_of_part(part: KeyPart | None, child: PhysicalNode | None) -> Formula | None:
    """Give how many values an index is read by: those of the columns of a child, and those of the text."""
    if part is None:
        return None
    written = tuple(each for each in part.values if isinstance(each, Constant | Parameter))
    if part.is_null or len(written) == len(part.values):
        return of_prefix((part,))
    total = of_prefix((KeyPart(column=part.column, values=written),)) if written else number(0)
    for each in part.values:
        if not isinstance(each, Constant | Parameter):
            found = values_of(each, child) if child is not None else None
            if found is None:
                return None
            total = total + found
    return total


def _or_null(found: Formula | None, kind: str) -> Formula | None:
    return found + ONE if found is not None and kind == "left" else found
