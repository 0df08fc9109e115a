"""Which columns of each relation a query names, and whether an index can hold copies of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.logical.operators import DataStop, Output
from piql.schema.catalog import Table
from piql.schema.types import has_size, value_bytes
from piql.trees.node import Node

WIDE_ROW_BYTES = 4_096  # beyond, an index holds keys only rather than a copy of the columns

ColumnUses: TypeAlias = Mapping[str, Mapping[str, int]]  # by alias, how often each column is named


def column_uses(plan: Node) -> ColumnUses:
    """Count how often each column is named, but for the data-stops, which only repeat what is fixed."""
    uses: dict[str, dict[str, int]] = {}
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Output):
            node = node.expression
        if isinstance(node, ColumnRef):
            names = uses.setdefault(node.relation, {})
            names[node.name] = names.get(node.name, 0) + 1
        elif isinstance(node, DataStop):
            waiting.append(node.input)
        else:
            waiting.extend(node.children())
    return uses


def are_copied(table: Table, names: Iterable[str]) -> bool:
    """Whether an index should hold copies of columns: of none without a length, nor of very wide ones."""
    types = [column.type for name in names if (column := table.column(name)) is not None]
    return all(map(has_size, types)) and sum(map(value_bytes, types)) <= WIDE_ROW_BYTES
