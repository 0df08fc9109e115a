"""How many bytes the requests of an operator fetch: the rows times the width of the columns read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    Local,
    PhysicalNode,
    SortedIndexJoin,
)
from piql.compiler.physical.widths import columns_bytes, usual_bytes, usual_value_bytes
from piql.schema.types import has_size, value_bytes


def row_bytes(node: PhysicalNode) -> int:
    """Return the most bytes in one row that an operator's requests fetch; 0 for operators that make none.

    A read of no column, as for COUNT(*), fetches the primary key.
    """
    match node:
        case IndexScan() | IndexFKJoin() | SortedIndexJoin():
            columns = [field for field in node.fields if isinstance(field, ColumnRef) and field.relation == node.alias]
            return sum(value_bytes(column.type) for column in columns) or columns_bytes(
                node.table, node.table.primary_key
            )
        case Dereference():
            child_fields = set(node.child.fields)
            added = [field for field in node.fields if field not in child_fields and isinstance(field, ColumnRef)]
            return sum(value_bytes(column.type) for column in added)
        case Local():
            return 0
        case _:
            assert_never(node)


def usual_row_bytes(node: PhysicalNode, uses: Mapping[str, Iterable[str]]) -> int:
    """Return the bytes of one row that an operator fetches where plans are compared.

    `uses` names the columns that the query reads of each alias: operators have no fields before they are laid out.
    """
    match node:
        case Dereference() if node.fields:
            child_fields = set(node.child.fields)
            added = (field for field in node.fields if isinstance(field, ColumnRef) and field not in child_fields)
            return sum(usual_value_bytes(column.type) for column in added)
        case Dereference():
            return usual_bytes(node.table, uses.get(node.alias, ()))
        case IndexScan() | IndexFKJoin() | SortedIndexJoin() if node.fields:
            columns = (field for field in node.fields if isinstance(field, ColumnRef) and field.relation == node.alias)
            return sum(usual_value_bytes(column.type) for column in columns)
        case IndexScan() | IndexFKJoin() | SortedIndexJoin():
            return usual_bytes(node.table, node.index.held_columns.intersection(uses.get(node.alias, ())))
        case Local():
            return 0
        case _:
            assert_never(node)


def unsized_columns_of(node: PhysicalNode) -> Iterator[tuple[str, str]]:
    """Yield the columns, by table and name, of which an operator fetches values without a length.

    The bytes of these are assumed, not proven.
    """
    if not isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin | Dereference):
        return
    for field in node.fields:
        if isinstance(field, ColumnRef) and field.relation == node.alias and not has_size(field.type):
            yield node.table.name, field.name
