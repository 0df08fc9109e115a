"""Rule: the stop of a union is applied to its branches, too: its first rows are among their first rows."""

from __future__ import annotations

from dataclasses import replace

from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.types import BARE
from piql.compiler.logical.expressions import ColumnRef, Constant, Expression
from piql.compiler.logical.operators import (
    LogicalNode,
    Output,
    Projection,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
    Stop,
    Union,
    map_inputs,
)
from piql.compiler.optimizer.analysis.predicates import key_of, replace_columns
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.drop_distinct import do_rows_differ
from piql.schema.catalog import Kind, SqlType


def push_stop_into_union(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Add the stop of a union to each of its branches, with the sort of the union.

        Stop 10                              Stop 10
          Sort posted DESC                     Sort posted DESC
            Union all                            Union all
              Projection a.posted         →        Stop 10
                Relation a                           Projection a.posted
              Projection b.posted                      Sort a.posted DESC
                Relation b                               Relation a
                                                   Stop 10 …

    Where UNION drops equal rows, only branches whose rows differ from each other anyway are stopped: those whose
    columns and fixed values determine a row of each relation joined. The branches of a page get no stop. Instead the
    union is marked (`has_distinct_inputs`), and the planner reads each branch from where the last page ended. For that
    the branches of UNION ALL also give their number and the keys of their relations. These hidden columns complete the
    order, and are left out above the stop.
    """

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        match changed:
            case Stop(is_page=False, input=Sort(keys=keys, input=Union() as union) as sort):
                stopped = _stopped(union, changed, keys)
                return changed if stopped is union else replace(changed, input=replace(sort, input=stopped))
            case Stop(is_page=False, input=Union() as union):
                return replace(changed, input=_stopped(union, changed, ()))
            case Stop(is_page=True, input=Sort(keys=keys, input=Union() as union) as sort):
                return _paged(changed, sort, keys, union)
            case Stop(is_page=True, input=Union() as union):
                return _paged(changed, None, (), union)
            case _:
                return changed

    pushed = visit(plan)
    if pushed is not plan and pushed != plan:
        is_paged = any(union.has_distinct_inputs for union in pushed.find(Union))
        context.note(
            "each branch of the union continues where the last page ended"
            if is_paged
            else "each branch of the union gets the stop, too"
        )
    return pushed


def _paged(stop: Stop, sort: Sort | None, keys: tuple[SortKey, ...], union: Union) -> LogicalNode:
    """Mark a union whose pages can be read branch by branch; return the stop as it is where rows may be equal."""
    if not union.all:
        if not all(isinstance(source, Projection) and _gives_primary_key(source) for source in union.inputs):
            return stop
        marked = replace(union, has_distinct_inputs=True)
        return replace(stop, input=marked if sort is None else replace(sort, input=marked))
    outputs = tuple(
        Output(name=column.name, expression=_column(column.name, column.type, column.nullable))
        for column in output_columns(union)
    )
    marked_union = _with_hidden_keys(union, {output.name for output in outputs})
    if marked_union is None:
        return stop
    marked, columns = marked_union
    ascending = keys[-1].ascending if keys else True
    order = (*keys, *(SortKey(expression=column, ascending=ascending) for column in columns))
    span = sort.span if sort is not None else stop.span
    below = Sort(keys=order, input=marked, is_total=True, span=span)
    return Projection(outputs=outputs, input=replace(stop, input=below), span=union.span)


def _with_hidden_keys(union: Union, taken: set[str]) -> tuple[Union, tuple[ColumnRef, ...]] | None:
    """Add hidden columns to each branch: its number and the keys of its relations; None where one has no key.

    Keys of one type share a column, which is NULL in the branches with fewer keys of that type: a "slot" is a type and
    the number of keys of this type before it. NULLs mislead no order, since the branch's number is compared first.
    """
    keys: list[dict[tuple[SqlType, int], ColumnRef]] = []
    for branch in union.inputs:
        columns = _key_columns(branch)
        if columns is None:
            return None
        columns_by_slot: dict[tuple[SqlType, int], ColumnRef] = {}
        for key in columns:
            columns_by_slot[key.type, sum(key_type == key.type for key_type, _ in columns_by_slot)] = key
        keys.append(columns_by_slot)
    slots = tuple(dict.fromkeys(slot for columns_by_slot in keys for slot in columns_by_slot))
    names = ["#branch", *(f"#key_{number}" for number in range(1, len(slots) + 1))]
    if taken & set(names):
        return None
    branches = []
    for number, (branch, columns_by_slot) in enumerate(zip(union.inputs, keys, strict=True)):
        assert isinstance(branch, Projection)
        values: list[Expression] = [Constant(value=number, type=BARE[Kind.INT])]
        values += [columns_by_slot.get(slot) or Constant(value=None, type=slot[0]) for slot in slots]
        hidden = (Output(name=name, expression=value) for name, value in zip(names, values, strict=True))
        branches.append(replace(branch, outputs=(*branch.outputs, *hidden)))
    types = [BARE[Kind.INT], *(key_type for key_type, _ in slots)]
    hidden_columns = tuple(
        _column(name, key_type, name != "#branch") for name, key_type in zip(names, types, strict=True)
    )
    return replace(union, inputs=tuple(branches), has_distinct_inputs=True), hidden_columns


def _key_columns(branch: LogicalNode) -> list[ColumnRef] | None:
    """Return the primary keys of the relations that a branch joins; None where it joins anything else."""
    if not isinstance(branch, Projection):
        return None
    below = branch.input.input if isinstance(branch.input, Sort) else branch.input
    while not is_region(below) and isinstance(below, SemiJoin | Selection):
        below = below.left if isinstance(below, SemiJoin) else below.input
    if not is_region(below):
        return None
    relations = [leg.relation for leg in read_region(below).legs]
    if any(relation is None for relation in relations):
        return None
    return [
        column
        for relation in relations
        if relation is not None
        for column in relation.columns(relation.table.primary_key)
    ]


def _column(name: str, type: SqlType, nullable: bool) -> ColumnRef:
    return ColumnRef(relation="", name=name, type=type, nullable=nullable)


def _stopped(union: Union, stop: Stop, keys: tuple[SortKey, ...]) -> Union:
    """Return a union with the stop and the order `keys` in each branch that may be stopped."""
    branches = tuple(_stopped_branch(branch, stop, keys, drops_equal=not union.all) for branch in union.inputs)
    return replace(union, inputs=branches)


def _stopped_branch(plan: LogicalNode, stop: Stop, keys: tuple[SortKey, ...], *, drops_equal: bool) -> LogicalNode:
    if not isinstance(plan, Projection):
        return plan
    if drops_equal and not do_rows_differ(plan.input, (output.expression for output in plan.outputs)):
        return plan
    meanings = {("", output.name): output.expression for output in plan.outputs}
    below = plan.input
    if keys:
        branch_keys = tuple(replace(key, expression=replace_columns(key.expression, meanings)) for key in keys)
        below = Sort(keys=branch_keys, input=below.input if isinstance(below, Sort) else below, span=plan.span)
    return Stop(count=stop.count, is_page=False, input=replace(plan, input=below), span=stop.span)


def _gives_primary_key(plan: Projection) -> bool:
    """Whether a branch reads one relation and gives its whole primary key, so that no two rows are equal."""
    below = plan.input.input if isinstance(plan.input, Sort) else plan.input
    if not is_region(below):
        return False
    legs = read_region(below).legs
    if len(legs) != 1 or not isinstance(legs[0].input, Relation):
        return False
    columns = {key_of(output.expression) for output in plan.outputs if isinstance(output.expression, ColumnRef)}
    return all((legs[0].input.alias, name) in columns for name in legs[0].input.table.primary_key)
