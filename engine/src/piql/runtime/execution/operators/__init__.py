"""The operators that execute a plan. Each file holds the one of its name; `prepare` makes them from a plan's nodes.

with requests       index_scan, index_fk_join, sorted_index_join, dereference
without             local_*, recursive_union, work_table_scan: what is left to compute on rows that have been read
for several         base (the classes they extend), matching (joins child rows with rows read), first_rows (lazy runs)
"""

from __future__ import annotations

from typing import assert_never

from piql.compiler.physical import operators as physical
from piql.runtime.execution.incidents import watch_of
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.operators.dereference import Dereference
from piql.runtime.execution.operators.index_fk_join import IndexFKJoin
from piql.runtime.execution.operators.index_scan import IndexScan
from piql.runtime.execution.operators.local_cases import LocalCases
from piql.runtime.execution.operators.local_distinct import LocalDistinct
from piql.runtime.execution.operators.local_group_by import LocalGroupBy
from piql.runtime.execution.operators.local_join import LocalJoin
from piql.runtime.execution.operators.local_projection import LocalProjection
from piql.runtime.execution.operators.local_selection import LocalSelection
from piql.runtime.execution.operators.local_semi_join import LocalSemiJoin
from piql.runtime.execution.operators.local_sort import LocalSort
from piql.runtime.execution.operators.local_stop import LocalStop
from piql.runtime.execution.operators.local_top import LocalTop
from piql.runtime.execution.operators.local_union import LocalUnion
from piql.runtime.execution.operators.recursive_union import RecursiveUnion
from piql.runtime.execution.operators.sorted_index_join import SortedIndexJoin
from piql.runtime.execution.operators.work_table_scan import WorkTableScan
from piql.runtime.execution.preparation import Preparation


def prepare(node: physical.PhysicalNode, preparation: Preparation, path: tuple[int, ...] = ()) -> Operator:
    """Return the operator that executes a node of a plan, with its children; `path` is the node's position in it."""
    below = [
        prepare(child, _preparation_of(child, node, preparation, path), (*path, at))
        for at, child in enumerate(physical.inputs(node))
    ]
    operator = _prepared(node, below, preparation)
    operator.path = path
    if preparation.watches is not None and (watch := watch_of(node, preparation.store.row_writes is None)):
        preparation.watches[operator] = watch
    return operator


def _preparation_of(
    child: physical.PhysicalNode, node: physical.PhysicalNode, preparation: Preparation, path: tuple[int, ...]
) -> Preparation:
    """Return the preparation of a child of the node at `path`."""
    if isinstance(node, physical.LocalUnion):
        return preparation.in_branch(child)
    if isinstance(node, physical.LocalCases):
        return preparation.in_case(child)
    if isinstance(node, physical.RecursiveUnion) and child is node.step:
        return preparation.in_step(node, path)
    return preparation


def _prepared(node: physical.PhysicalNode, below: list[Operator], preparation: Preparation) -> Operator:
    match node:
        case physical.IndexScan():
            return IndexScan(node, preparation)
        case physical.IndexFKJoin():
            return IndexFKJoin(node, below[0], preparation)
        case physical.SortedIndexJoin():
            return SortedIndexJoin(node, below[0], preparation)
        case physical.Dereference():
            return Dereference(node, below[0], preparation)
        case physical.LocalSelection():
            return LocalSelection(node, below[0], preparation)
        case physical.LocalJoin():
            return LocalJoin(node, below[0], below[1], preparation)
        case physical.LocalSemiJoin():
            return LocalSemiJoin(node, below[0], below[1], preparation)
        case physical.LocalSort():
            return LocalSort(node, below[0], preparation)
        case physical.LocalTop():
            return LocalTop(node, below[0], preparation)
        case physical.LocalStop():
            return LocalStop(node, below[0], preparation)
        case physical.LocalGroupBy():
            return LocalGroupBy(node, below[0], preparation)
        case physical.LocalDistinct():
            return LocalDistinct(node, below[0], preparation)
        case physical.LocalUnion():
            return LocalUnion(node, below, preparation)
        case physical.LocalCases():
            return LocalCases(node, below, preparation)
        case physical.RecursiveUnion():
            return RecursiveUnion(node, below[0], below[1])
        case physical.WorkTableScan():
            return WorkTableScan(node, preparation)
        case physical.LocalProjection():
            return LocalProjection(node, below[0], preparation)
        case _:
            assert_never(node)
