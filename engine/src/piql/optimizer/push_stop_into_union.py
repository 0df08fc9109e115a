"""Rule: the first rows of a union are among the first rows of its branches."""

from __future__ import annotations

from dataclasses import replace

from piql.logical.expressions import ColumnRef
from piql.logical.operators import LogicalNode, Output, Projection, Relation, Sort, SortKey, Stop, Union, map_inputs
from piql.optimizer.predicates import key_of, replace_columns
from piql.optimizer.region import is_region, read_region
from piql.optimizer.rule import RuleContext


def push_stop_into_union(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Stop each branch of a union, too, after sorting it as the union is sorted.

        Stop 10                              Stop 10
          Sort posted DESC                     Sort posted DESC
            Union all                            Union all
              Projection a.posted         →        Stop 10
                Relation a                           Projection a.posted
              Projection b.posted                      Sort a.posted DESC
                Relation b                               Relation a
                                                   Stop 10 …

    Where UNION drops equal rows, only branches whose rows differ from each other anyway are stopped: those that give
    the primary key of their only relation. A page is not pushed: its branches could not tell where the next one begins.
    """

    def visit(node: LogicalNode) -> LogicalNode:
        changed = map_inputs(node, visit)
        match changed:
            case Stop(is_page=False, input=Sort(keys=keys, input=Union() as union) as sort):
                stopped = _stopped(union, changed, keys)
                return changed if stopped is union else replace(changed, input=replace(sort, input=stopped))
            case Stop(is_page=False, input=Union() as union):
                return replace(changed, input=_stopped(union, changed, ()))
            case _:
                return changed

    pushed = visit(plan)
    if pushed is not plan and pushed != plan:
        context.note("each branch of the union is stopped, too")
    return pushed


def _stopped(union: Union, stop: Stop, keys: tuple[SortKey, ...]) -> Union:
    return replace(union, inputs=tuple(_branch(each, stop, keys, all=union.all) for each in union.inputs))


def _branch(plan: LogicalNode, stop: Stop, keys: tuple[SortKey, ...], *, all: bool) -> LogicalNode:
    if not isinstance(plan, Projection) or (not all and not _gives_key(plan)):
        return plan
    meanings = {("", each.name): each.expression for each in plan.outputs}
    below = plan.input
    if keys:
        own = tuple(replace(key, expression=replace_columns(key.expression, meanings)) for key in keys)
        below = Sort(keys=own, input=below.input if isinstance(below, Sort) else below, span=plan.span)
    return Stop(count=stop.count, is_page=False, input=replace(plan, input=below), span=stop.span)


def _gives_key(plan: Projection) -> bool:
    """Whether a branch gives no two equal rows."""
    below = plan.input.input if isinstance(plan.input, Sort) else plan.input
    if not is_region(below):
        return False
    legs = read_region(below).legs
    if len(legs) != 1 or not isinstance(legs[0].input, Relation):
        return False
    given = _columns(plan.outputs)
    return all((legs[0].input.alias, name) in given for name in legs[0].input.table.primary_key)


def _columns(outputs: tuple[Output, ...]) -> set[tuple[str, str]]:
    return {key_of(each.expression) for each in outputs if isinstance(each.expression, ColumnRef)}
