"""How many bytes the requests of an operator fetch: the rows times the width of the columns read."""

from __future__ import annotations

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical.operators import Dereference, IndexFKJoin, IndexScan, PhysicalNode, SortedIndexJoin
from piql.compiler.physical.widths import columns_bytes
from piql.schema.types import has_size, value_bytes


def row_bytes(node: PhysicalNode) -> int:
    """Give the most bytes in one row that an operator's requests fetch; 0 for operators that make none."""
    match node:
        case IndexScan() | IndexFKJoin() | SortedIndexJoin():
            own = [each for each in node.fields if isinstance(each, ColumnRef) and each.relation == node.alias]
            return sum(value_bytes(each.type) for each in own) or columns_bytes(node.table, node.table.primary_key)
        case Dereference():
            known = set(node.child.fields)
            added = [each for each in node.fields if each not in known and isinstance(each, ColumnRef)]
            return sum(value_bytes(each.type) for each in added)
        case _:
            return 0


def reads_unsized(node: PhysicalNode) -> bool:
    """Whether an operator fetches a value whose type says no length, so that its bytes are assumed, not proven."""
    if not isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin | Dereference):
        return False
    return any(
        isinstance(each, ColumnRef) and each.relation == node.alias and not has_size(each.type) for each in node.fields
    )
