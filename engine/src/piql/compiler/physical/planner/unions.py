"""Plans UNION: the branches are read at the same time, and for a page each from where the last page ended.

SELECT id AS i FROM a UNION SELECT key FROM b ORDER BY i PAGINATE 10
→   the page asks branch a for 10 rows in the order of a.id, and branch b for 10 in the order of b.key
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.types import type_of
from piql.compiler.logical.expressions import ColumnRef, Constant, FunctionCall
from piql.compiler.logical.operators import Distinct, LogicalNode, Projection, Sort, SortKey, Stop, Union
from piql.compiler.optimizer.analysis.predicates import is_lookup_type, replace_columns
from piql.compiler.optimizer.analysis.region import Region, is_region, read_region
from piql.compiler.optimizer.rules.complete_order import Determined
from piql.compiler.physical.operators import LocalUnion
from piql.compiler.physical.planner.part import NOTHING, Part, Want, fetched, total_order
from piql.schema.catalog import SqlType

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner


def plan_union(
    planner: Planner, node: Union, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]
) -> Part:
    """Plan every branch. In a union marked for pages (`has_distinct_inputs`), each gives as many rows as a page has."""
    columns = output_columns(node)
    types = [column.type for column in columns]
    fields = tuple(
        ColumnRef(relation="", name=column.name, type=column.type, nullable=column.nullable) for column in columns
    )
    is_paged = node.has_distinct_inputs and want.is_page and want.count is not None
    parts: list[Part] = []
    for at, branch in enumerate(node.inputs):
        below = (*path, at)
        branch_want = _own_want(branch, fields, want, is_distinct=not node.all) if is_paged else None
        if branch_want is not None and isinstance(branch, Projection):
            read = branch.input.input if isinstance(branch.input, Sort) else branch.input
            typed = with_types(branch, types)
            assert isinstance(typed, Projection)
            depth = (0, 0) if isinstance(branch.input, Sort) else (0,)
            part = planner.plan(read, branch_want, (*below, *depth), (branch, *under))
            parts.append(fetched(planner.project(part, typed.outputs, "", branch.span)))
        else:
            parts.append(fetched(planner.plan(with_types(branch, types), NOTHING, below, under)))
    plan = LocalUnion(inputs=tuple(part.plan for part in parts), all=node.all, fields=fields, span=node.span)
    rows = sum(part.rows for part in parts)
    return Part(plan, rows, (), fields, is_unique=not node.all or node.has_distinct_inputs)


def _own_want(branch: LogicalNode, fields: tuple[ColumnRef, ...], want: Want, *, is_distinct: bool) -> Want | None:
    """Return what a page asks of a branch: its rows in the page's order, told in columns of the tables of the branch.

    None where a key of the order is computed in the branch, so that no index has it.

    Keys are left out that have one value in the branch, or that the keys before them determine. So an entry may be read
    that is equal to the end of the last page in all other keys; only its whole row shows whether it comes after it.
    """
    if not isinstance(branch, Projection):
        return None
    determined = _determined(branch)
    meanings = {("", output.name): output.expression for output in branch.outputs}
    order = total_order(want.keys, Part(LocalUnion(inputs=(), all=True), 0, keys=fields)) if is_distinct else want.keys
    order_keys: list[SortKey] = []
    for key in order:
        if not isinstance(key.expression, ColumnRef):
            return None
        meaning = replace_columns(key.expression, meanings)
        if isinstance(meaning, Constant) or any(meaning == order_key.expression for order_key in order_keys):
            continue
        if determined is not None and determined.holds(meaning):
            continue
        if not isinstance(meaning, ColumnRef) or not is_lookup_type(key.expression.type, meaning):
            return None
        order_keys.append(replace(key, expression=meaning))
        if determined is not None:
            determined.add(meaning)
    return Want(tuple(order_keys), want.count, is_page=True, must_cover=True)


def _determined(branch: Projection) -> Determined | None:
    """Return what the tests of a branch determine; None where it is no join of tables."""
    below = branch.input.input if isinstance(branch.input, Sort) else branch.input
    if not is_region(below):
        return None
    region: Region = read_region(below)
    return Determined(region) if all(leg.relation is not None for leg in region.legs) else None


def with_types(plan: LogicalNode, types: Sequence[SqlType]) -> LogicalNode:
    """Return a branch of a UNION with its outputs converted to the types of the whole."""
    match plan:
        case Projection():
            outputs = tuple(
                output
                if type_of(output.expression) == target
                else replace(
                    output, expression=FunctionCall(name="COALESCE", arguments=(output.expression,), type=target)
                )
                for output, target in zip(plan.outputs, types, strict=True)
            )
            return plan if outputs == plan.outputs else replace(plan, outputs=outputs)
        case Union():
            return replace(plan, inputs=tuple(with_types(source, types) for source in plan.inputs))
        case Stop() | Sort() | Distinct():
            return replace(plan, input=with_types(plan.input, types))
        case _:
            return plan
