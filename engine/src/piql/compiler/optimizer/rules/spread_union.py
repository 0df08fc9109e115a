"""Rule: a query over a UNION ALL that is a derived table is the UNION ALL of that query over each branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.types import is_nullable, type_of
from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import (
    Derived,
    Join,
    LogicalNode,
    Output,
    Projection,
    Selection,
    Sort,
    SortKey,
    Stop,
    Union,
    map_inputs,
)
from piql.compiler.optimizer.analysis.copies import aliases_in, renamed, unused
from piql.compiler.optimizer.analysis.predicates import ColumnKey, has_subquery, replace_columns
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import Node, kinds_of


def spread_union(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Move joins and tests of a derived UNION ALL into each branch, where that takes less.

        Stop 5                              Stop 5
          Projection d.posted                 Sort posted
            Sort d.posted                       Union all
              Selection d.posted > 3     →        Projection d.posted
                Derived d                           Selection d.posted > 3
                  Union all                           Derived d
                    Projection a.posted …               Projection a.posted …
                    Projection b.posted …         Projection d_2.posted
                                                    Selection d_2.posted > 3
                                                      Derived d_2 …

    Joins and tests of single rows can be computed for each branch alone; groups and DISTINCT cannot. Of a UNION, which
    drops equal rows, only tests move into the branches, and the stop moves below the select list. The branches also
    give the columns of the order, which are left out above the stop. `push_stop_into_union` then stops the branches.
    """
    if Union not in kinds_of(plan):
        return plan
    stops = [
        node
        for node in plan.walk()
        if isinstance(node, Stop) and (_query_of_union_all(node) is not None or _query_of_union(node) is not None)
    ]
    if not stops:
        return plan
    taken = aliases_in(plan)

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        return (_lifted(changed, taken) or _spread(changed, taken)) if isinstance(changed, Stop) else changed

    spread = visit(plan)
    if not context.is_cheaper(spread, plan):
        return plan
    context.note("each branch of the union is read by itself")
    return spread


class _UnionQuery(NamedTuple):
    """What stands below a LIMIT that reads a derived UNION."""

    projection: Projection
    sort: Sort | None
    joined: LogicalNode  # the join part, the derived table included
    derived: Derived
    union: Union  # inside the derived table


def _query_of_union_all(stop: Stop) -> _UnionQuery | None:
    """Return the query that joins or tests a derived UNION ALL below a LIMIT; None for any other shape."""
    projection = stop.input
    if not isinstance(projection, Projection):
        return None
    sort = projection.input if isinstance(projection.input, Sort) else None
    joined = projection.input if sort is None else sort.input
    if not is_region(joined) or _has_subquery(projection, sort, joined):
        return None
    for leg in read_region(joined).legs:
        match leg.input:
            case Derived(input=Union(all=True) as union) as derived if leg.kind == "inner":
                return _UnionQuery(projection, sort, joined, derived, union)
    return None


def _query_of_union(stop: Stop) -> _UnionQuery | None:
    """Return the query of a LIMIT, not a page, that reads one derived UNION and nothing else; None for other shapes."""
    projection = stop.input
    if stop.is_page or not isinstance(projection, Projection):
        return None
    sort = projection.input if isinstance(projection.input, Sort) else None
    joined = projection.input if sort is None else sort.input
    derived = joined
    while isinstance(derived, Selection):
        derived = derived.input
    if not isinstance(derived, Derived) or not isinstance(derived.input, Union) or derived.input.all:
        return None
    if _has_subquery(projection, sort, joined):
        return None
    kinds = {tuple(column.type.kind for column in output_columns(branch)) for branch in derived.input.inputs}
    if len(kinds) > 1:  # the tests are of the widest type
        return None
    return _UnionQuery(projection, sort, joined, derived, derived.input)


def _has_subquery(projection: Projection, sort: Sort | None, joined: LogicalNode) -> bool:
    keys = sort.keys if sort is not None else ()
    return any(map(has_subquery, (*projection.outputs, *keys, *_tests(joined))))


def _tests(part: LogicalNode) -> Iterator[Expression]:
    """Yield the predicates of a join part, without those inside its derived tables."""
    match part:
        case Selection():
            yield part.predicate
            yield from _tests(part.input)
        case Join():
            if part.condition is not None:
                yield part.condition
            yield from _tests(part.left)
            yield from _tests(part.right)


def _lifted(stop: Stop, taken: set[str]) -> LogicalNode | None:
    """Return a LIMIT of a derived UNION with its tests in each branch, and its select list on top; None for others."""
    query = _query_of_union(stop)
    if query is None:
        return None
    projection, sort, joined, derived, union = query
    columns = output_columns(union)
    branches = []
    for number, branch in enumerate(union.inputs, start=1):
        alias = derived.alias if number == 1 else unused(f"{derived.alias}_{number}", taken)
        outputs = tuple(
            Output(
                name=column.name,
                expression=ColumnRef(relation=alias, name=column.name, type=column.type, nullable=column.nullable),
            )
            for column in columns
        )
        copied = _copied(joined, {derived.alias: alias}, derived, branch)
        branches.append(Projection(outputs=outputs, input=copied, span=projection.span))
    whole: LogicalNode = replace(union, inputs=tuple(branches))
    columns_of_union: dict[ColumnKey, Expression] = {
        (derived.alias, column.name): ColumnRef(
            relation="", name=column.name, type=column.type, nullable=column.nullable
        )
        for column in columns
    }
    if sort is not None:
        keys = tuple(replace(key, expression=replace_columns(key.expression, columns_of_union)) for key in sort.keys)
        whole = replace(sort, keys=keys, input=whole)
    shown = tuple(
        replace(output, expression=replace_columns(output.expression, columns_of_union))
        for output in projection.outputs
    )
    return replace(projection, outputs=shown, input=replace(stop, input=whole))


def _spread(stop: Stop, taken: set[str]) -> LogicalNode:
    """Return a LIMIT of a query over a UNION ALL with the query in each branch; the same object for others."""
    query = _query_of_union_all(stop)
    if query is None:
        return stop
    projection, sort, joined, derived, union = query
    outputs = [*projection.outputs]
    order: list[SortKey] = []
    for number, key in enumerate(sort.keys if sort is not None else (), start=1):
        output = next((candidate for candidate in outputs if candidate.expression == key.expression), None)
        if output is None:
            output = Output(name=f"#order_{number}", expression=key.expression)
            outputs.append(output)
        order.append(replace(key, expression=_column(output)))
    aliases = aliases_in(joined) - aliases_in(union)
    branches = []
    for number, branch in enumerate(union.inputs, start=1):
        names = {alias: alias if number == 1 else unused(f"{alias}_{number}", taken) for alias in aliases}
        copied = _copied(joined, names, derived, branch)
        branch_outputs: tuple[Output, ...] = tuple(renamed(output, names) for output in outputs)  # type: ignore[misc]
        branches.append(Projection(outputs=branch_outputs, input=copied, span=projection.span))
    rows: LogicalNode = replace(union, inputs=tuple(branches))
    if sort is not None:
        rows = Sort(keys=tuple(order), input=rows, span=sort.span)
    whole = replace(stop, input=rows)
    if len(outputs) == len(projection.outputs):
        return whole
    shown = tuple(Output(name=output.name, expression=_column(output)) for output in projection.outputs)
    return Projection(outputs=shown, input=whole, span=projection.span)


def _column(output: Output) -> ColumnRef:
    """Return the column of the UNION that stands for an output of its branches."""
    nullable = is_nullable(output.expression)
    return ColumnRef(relation="", name=output.name, type=type_of(output.expression), nullable=nullable)


def _copied(part: LogicalNode, names: Mapping[str, str], union: Derived, branch: LogicalNode) -> LogicalNode:
    """Copy a join part with other aliases and a branch in the place of the union."""

    def change(node: Node) -> Node:
        if isinstance(node, Derived) and node.alias == names[union.alias]:
            return replace(node, input=branch)
        return node

    return renamed(part, names).transform_up(change)  # type: ignore[return-value]
