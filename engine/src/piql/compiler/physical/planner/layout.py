"""Gives each operator its fields: the columns that operators above it read, and no others.

LocalProjection u.hometown                          fields: hometown
  IndexFKJoin users u, username = s.target          fields: u.hometown
    IndexScan subscriptions s, owner = [me]         fields: s.target
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from piql.compiler.logical.expressions import ColumnRef, Expression, columns_in
from piql.compiler.logical.operators import Output, Relation, SortKey
from piql.compiler.physical.indexes.secondary_index import covering_reason
from piql.compiler.physical.operators import (
    Choosing,
    Dereference,
    IndexFKJoin,
    IndexScan,
    KeyPart,
    KeyRange,
    Local,
    LocalCases,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalProjection,
    LocalSemiJoin,
    LocalUnion,
    PhysicalNode,
    RecursiveUnion,
    SortedIndexJoin,
    WorkTableScan,
    inputs,
)
from piql.schema.catalog import Index, Table
from piql.trees.node import Node

Fields = tuple[Expression, ...]


def lay_out(plan: PhysicalNode) -> PhysicalNode:
    """Lay out a whole plan; its top gives all of its fields."""
    return _lay_out(plan, plan.fields)


def _lay_out(node: PhysicalNode, required: Fields) -> PhysicalNode:
    """Return an operator, and all below it, with fields that hold at least what is required of its rows."""
    match node:
        case IndexScan():
            fields = required
            if node.is_merged or node.is_resumable:
                fields = _with_order(fields, node.order)
            return _read(node, fields)
        case IndexFKJoin() | SortedIndexJoin():
            return _join(node, required)
        case Dereference():
            return _dereference(node, required)
        case Choosing():
            child = _lay_out(node.child, _needs(node.child, required, node.tests))
            return replace(node, child=child, fields=child.fields)
        case LocalGroupBy():
            child = _lay_out(node.child, _needs(node.child, (), (*node.keys, *node.aggregates)))
            return replace(node, child=child)
        case LocalProjection():
            child = _lay_out(node.child, _needs(node.child, (), node.outputs))
            return replace(node, child=child)
        case LocalDistinct():
            marks = () if node.mark is None else (node.mark,)
            tested = () if node.tested is None else (node.tested,)
            below = tuple(expression for expression in required if expression not in marks)
            child = _lay_out(node.child, _needs(node.child, below, (*node.keys, *tested)))
            return replace(node, child=child, fields=(*child.fields, *marks))
        case LocalUnion():
            needed = _with_order(required, node.order)
            children = tuple(_lay_out(_pruned(source, needed), source.fields) for source in node.inputs)
            return replace(node, inputs=children, fields=children[0].fields)
        case LocalCases():
            cases = tuple(_lay_out(source, source.fields) for source in node.inputs)
            return replace(node, inputs=cases, fields=cases[0].fields)
        case RecursiveUnion():
            anchor, step = _lay_out(node.anchor, node.anchor.fields), _lay_out(node.step, node.step.fields)
            return replace(node, anchor=anchor, step=step, fields=anchor.fields)
        case WorkTableScan():
            is_told_apart = node.row in required and node.row not in node.fields
            return replace(node, fields=(*node.fields, node.row)) if is_told_apart else node
        case LocalJoin():
            left, right = _both_sides(node, required)
            return replace(node, left=left, right=right, fields=(*left.fields, *right.fields))
        case LocalSemiJoin():
            left, right = _both_sides(node, required)
            marks = () if node.mark is None else (node.mark,)
            return replace(node, left=left, right=right, fields=(*left.fields, *marks))
        case _:
            assert_never(node)


def _pruned(branch: PhysicalNode, required: Fields) -> PhysicalNode:
    """Return a branch that gives the columns of one relation with those that are required, and the primary key.

    Any other branch is returned as it is.
    """
    if not isinstance(branch, LocalProjection) or not branch.alias:
        return branch
    read = _reads_of(branch.child, branch.alias)
    keep = {
        *(column.name for column in _columns_of(required, branch.alias)),
        *(read.primary_key if read is not None else ()),
    }
    outputs = tuple(output for output in branch.outputs if output.name in keep)
    return replace(branch, outputs=outputs, fields=tuple(output.expression for output in outputs))


def _reads_of(node: PhysicalNode, alias: str) -> Table | None:
    """Find the table that a relation names."""
    if isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin) and node.alias == alias:
        return node.table
    return next((table for source in inputs(node) if (table := _reads_of(source, alias)) is not None), None)


def _with_order(fields: Fields, keys: Iterable[SortKey]) -> Fields:
    """Add the columns that sort keys read."""
    return tuple(dict.fromkeys((*fields, *(column for key in keys for column in columns_in(key.expression)))))


def _needs(child: PhysicalNode, required: Fields, expressions: Iterable[Node]) -> Fields:
    """Return what a child must offer: what is required of it, and what these expressions read."""
    grouped = _grouped(child)
    if not grouped:
        read = (
            expression.expression if isinstance(expression, Output | SortKey) else expression
            for expression in expressions
        )
        return tuple(dict.fromkeys((*required, *(column for expression in read for column in columns_in(expression)))))
    columns: dict[Expression, None] = dict.fromkeys(required)

    def visit(node: Node) -> None:
        if node in grouped or isinstance(node, ColumnRef):
            columns[node] = None  # type: ignore[index]
            return
        for child in node.children():
            visit(child)

    for expression in expressions:
        visit(expression)
    return tuple(columns)


def _grouped(node: PhysicalNode) -> frozenset[Node]:
    """Return the keys and aggregates of a GROUP BY below, which are read like columns; empty where there is none."""
    while isinstance(node, Choosing | LocalDistinct | LocalSemiJoin):
        node = node.left if isinstance(node, LocalSemiJoin) else node.child
    return frozenset(node.fields) if isinstance(node, LocalGroupBy) else frozenset()


def aliases_of(node: PhysicalNode) -> frozenset[str]:
    """Return the relations whose columns a section offers."""
    match node:
        case IndexScan():
            return frozenset((node.alias,))
        case IndexFKJoin() | SortedIndexJoin():
            return aliases_of(node.child) | {node.alias}
        case LocalProjection():
            return frozenset((node.alias,))
        case LocalSemiJoin():
            return aliases_of(node.left) | ({node.mark.relation} if node.mark is not None else frozenset())
        case LocalDistinct(mark=ColumnRef() as mark):
            return aliases_of(node.child) | {mark.relation}
        case WorkTableScan():
            return frozenset((node.alias, node.row.relation))
        case Dereference() | Local():
            return frozenset().union(*(aliases_of(source) for source in inputs(node)))
        case _:
            assert_never(node)


def _table_columns(table: Table, alias: str, names: Iterable[str]) -> tuple[ColumnRef, ...]:
    return Relation(table=table, alias=alias).columns(names)


def _columns_of(fields: Fields, alias: str) -> tuple[ColumnRef, ...]:
    """Return the columns of one relation among some fields."""
    return tuple(field for field in fields if isinstance(field, ColumnRef) and field.relation == alias)


def _without(fields: Fields, alias: str) -> Fields:
    """Return all fields but the columns of one relation."""
    return tuple(field for field in fields if not _is_of(field, frozenset((alias,))))


def _read(node: IndexScan, required: Fields) -> IndexScan:
    """Lay out a scan; one of which nothing is read gives the first column of its key, so that rows can be counted."""
    columns = _columns_of(required, node.alias) or _table_columns(node.table, node.alias, node.table.primary_key[:1])
    return replace(node, fields=columns, index=covering(node.table, node.index, columns))


def _join(node: IndexFKJoin | SortedIndexJoin, required: Fields) -> PhysicalNode:
    """Lay out a remote join: the child gives what the keys of the read, the order and the condition need of it."""
    keys: list[KeyPart | KeyRange] = list(node.prefix)
    orders: tuple[SortKey, ...] = ()
    if isinstance(node, SortedIndexJoin):
        if node.range is not None:
            keys.append(node.range)
        if node.is_merged or node.is_resumable:
            orders = node.order
    required = _with_order(required, orders)
    if node.condition is not None:
        required = tuple(dict.fromkeys((*required, *columns_in(node.condition))))
    below = [column for key in keys for column in columns_in(key)]
    child = _lay_out(node.child, tuple(dict.fromkeys((*_without(required, node.alias), *below))))
    of_table = _columns_of(required, node.alias)
    return replace(
        node, child=child, fields=(*child.fields, *of_table), index=covering(node.table, node.index, of_table)
    )


def _dereference(node: Dereference, required: Fields) -> Dereference:
    """Lay out a dereference: the child gives the primary key and what the index holds, the record the rest."""
    index = _index_of(node.child, node.alias)
    of_table = _columns_of(required, node.alias)
    held = index.held_columns
    keys = _table_columns(node.table, node.alias, node.table.primary_key)
    held_columns = (column for column in of_table if column.name in held)
    child = _lay_out(node.child, tuple(dict.fromkeys((*_without(required, node.alias), *keys, *held_columns))))
    added = tuple(column for column in of_table if column.name not in held)
    return replace(node, child=child, fields=(*child.fields, *added))


def _index_of(node: PhysicalNode, alias: str) -> Index:
    """Find the index by which a relation was read below."""
    if isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin) and node.alias == alias:
        return node.index
    for source in inputs(node):
        if alias in aliases_of(source):
            return _index_of(source, alias)
    raise AssertionError(f"no read of {alias} below its dereference")


def _both_sides(node: LocalJoin | LocalSemiJoin, required: Fields) -> tuple[PhysicalNode, PhysicalNode]:
    """Lay out both inputs of an operator in memory: each gives what is required, or compared, of its own columns."""
    needed = required if node.condition is None else (*required, *columns_in(node.condition))
    if isinstance(node, LocalSemiJoin) and node.mark is not None:
        needed = tuple(expression for expression in needed if expression != node.mark)
    left, right = aliases_of(node.left), aliases_of(node.right)
    return (
        _lay_out(
            node.left, tuple(dict.fromkeys(expression for expression in needed if not _is_of(expression, right - left)))
        ),
        _lay_out(node.right, tuple(dict.fromkeys(expression for expression in needed if _is_of(expression, right)))),
    )


def _is_of(field: Expression, aliases: frozenset[str]) -> bool:
    return isinstance(field, ColumnRef) and field.relation in aliases


def covering(table: Table, index: Index, columns: Iterable[ColumnRef]) -> Index:
    """Return a secondary index that also holds these columns of its table; a primary one as it is."""
    names = {column.name for column in columns} - index.held_columns
    if index.is_primary or (not names and index.reason):
        return index
    held = table.in_order(names.union(index.covering))
    return replace(index, covering=held, reason=covering_reason(table, held, covering=True))
