"""Plans WITH RECURSIVE: the anchor, and the step once, over a work table that stands for the rows of any level.

A step that is best for one row of the level before may be the worst for a thousand. So the step is planned for the
rows of level 0 and for many, and what takes less over all levels is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.binding.types import BIGINT
from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.logical.operators import Derived, LogicalNode, RecursiveUnion, WorkTable
from piql.compiler.physical import operators as physical
from piql.compiler.physical.planner.part import NOTHING, WORST, Part, fetched
from piql.compiler.physical.planner.unions import with_types

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner

MANY_ROWS = 10_000  # of one level, for which the step is planned beside those of level 0


def plan_recursion(
    planner: Planner, node: RecursiveUnion, path: tuple[int, ...], under: tuple[LogicalNode, ...]
) -> Part:
    """Plan a recursive union; a gap in the step is a gap of the query."""
    types = [column.type for column in node.columns]
    anchor = fetched(planner.plan(with_types(node.anchor, types), NOTHING, (*path, 0), under))
    step = with_types(node.step, types)
    best = _with_step(planner, node, anchor, step, anchor.rows, path, under)
    if best.rows >= WORST:
        return best
    gaps = len(planner.gaps)
    with planner.attempt():
        for_many = _with_step(planner, node, anchor, step, MANY_ROWS, path, under)
    if len(planner.gaps) > gaps:
        del planner.gaps[gaps:]
        return best
    return for_many if planner.cost(for_many.plan) < planner.cost(best.plan) else best


def _with_step(
    planner: Planner,
    node: RecursiveUnion,
    anchor: Part,
    step: LogicalNode,
    rows_before: int,
    path: tuple[int, ...],
    under: tuple[LogicalNode, ...],
) -> Part:
    """Return the union with its step planned for levels of so many rows."""
    planner.work_rows[node.name] = max(1, min(rows_before, WORST - 1))
    part = fetched(planner.plan(step, NOTHING, (*path, 1), under))
    plan = physical.RecursiveUnion(
        name=node.name,
        anchor=anchor.plan,
        step=part.plan,
        all=node.all,
        levels=node.levels,
        levels_span=node.levels_span,
        fields=node.columns,
        span=node.span,
    )
    if anchor.rows >= WORST or part.rows >= WORST:
        return Part(plan, WORST, (), node.columns)
    fan_out = -(-part.rows // planner.work_rows[node.name])
    rows = level = anchor.rows
    for _ in range(node.levels):
        level = min(level * fan_out, WORST)
        rows += level
    return Part(plan, min(rows, WORST - 1), (), node.columns, is_unique=not node.all)


def plan_work_table(planner: Planner, derived: Derived, table: WorkTable) -> Part:
    """Plan the reference to the level before; rows that may be equal are told apart by their number in the level."""
    fields = tuple(
        ColumnRef(relation=derived.alias, name=column.name, type=column.type, nullable=True) for column in table.columns
    )
    row = ColumnRef(relation=f"#{derived.alias}", name="row", type=BIGINT)
    rows = planner.work_rows.get(table.name, 1)
    scan = physical.WorkTableScan(
        name=table.name, alias=derived.alias, row=row, rows=rows, fields=fields, span=derived.span
    )
    return Part(scan, rows, (), (row,) if table.all else fields)
