"""Rule: several MIN and MAX of one group are read one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from piql.compiler.binding.types import is_nullable, type_of
from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression
from piql.compiler.logical.operators import (
    Derived,
    GroupBy,
    Join,
    LogicalNode,
    Output,
    Projection,
    Selection,
    Sort,
    map_inputs,
)
from piql.compiler.optimizer.analysis.copies import aliases_in, renamed, unused
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.stop_extremes import is_one_group
from piql.trees.node import Node, kinds_of


def split_extremes(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Read each MIN and MAX of a group by itself, from its own end of an index, where that takes less.

        Projection MIN(t.posted), MAX(t.posted)        Projection extreme_1.value, extreme_2.value
          GroupBy: MIN(t.posted), MAX(t.posted)          Join (product)
            Selection t.owner = [me]              →        Derived extreme_1
              Relation t                                     Projection MIN(t.posted) AS value
                                                               GroupBy: MIN(t.posted)
                                                                 Selection t.owner = [me] …
                                                           Derived extreme_2 …

    Each part gives one row, or none where the group has no rows. Afterwards `stop_extremes` limits each to one row.
    """
    if GroupBy not in kinds_of(plan) or not any(map(_is_split, plan.find(GroupBy))):
        return plan
    taken = aliases_in(plan)

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        return _split(changed, taken) if isinstance(changed, Projection) else changed

    split = visit(plan)
    if split == plan or not context.is_cheaper(split, plan):
        return plan
    context.note("each MIN and MAX is read by itself")
    return split


def _is_split(group: GroupBy) -> bool:
    """Whether a group gives nothing but several MIN and MAX of columns of one relation."""
    return (
        len(group.aggregates) > 1
        and all(
            aggregate.function in ("MIN", "MAX") and isinstance(aggregate.operand, ColumnRef)
            for aggregate in group.aggregates
        )
        and is_one_group(group)
    )


def _split(node: Projection, taken: set[str]) -> LogicalNode:
    """Return a select list over one derived table for each MIN and MAX; the same object where nothing can be split.

    `taken` are the aliases in use; those of the copies are added.
    """
    group = node.input
    while isinstance(group, Sort | Selection):
        group = group.input
    if not isinstance(group, GroupBy) or not _is_split(group):
        return node
    meanings: dict[Node, Expression] = {}
    product: LogicalNode | None = None
    for number, aggregate in enumerate(group.aggregates, start=1):
        aliases = aliases_in(group.input)
        names = {alias: alias if number == 1 else unused(f"{alias}_{number}", taken) for alias in aliases}
        derived = _derived(group, aggregate, names, unused(f"extreme_{number}", taken))
        meanings[aggregate] = _column(derived, "value", aggregate)
        for at, key in enumerate(group.keys, start=1):
            meanings.setdefault(key, _column(derived, f"key_{at}", key))
        product = (
            derived
            if product is None
            else Join(kind="inner", left=product, right=derived, condition=None, span=group.span)
        )
    assert product is not None
    joined = product

    def substitute(node: Node) -> Node:
        if node == group:
            return joined
        return meanings[node] if node in meanings else node.map_children(substitute)

    return substitute(node)  # type: ignore[return-value]


def _derived(group: GroupBy, aggregate: Aggregate, names: Mapping[str, str], alias: str) -> Derived:
    """Return a derived table of one aggregate of a group; `names` maps its aliases to new ones."""
    keys = tuple(Output(name=f"key_{at}", expression=key) for at, key in enumerate(group.keys, start=1))
    outputs = (*keys, Output(name="value", expression=aggregate))
    alone = Projection(outputs=outputs, input=replace(group, aggregates=(aggregate,)), span=group.span)
    copied = renamed(alone, names)
    return Derived(alias=alias, input=copied, span=group.span)  # type: ignore[arg-type]


def _column(derived: Derived, name: str, expression: Expression) -> ColumnRef:
    return ColumnRef(relation=derived.alias, name=name, type=type_of(expression), nullable=is_nullable(expression))
