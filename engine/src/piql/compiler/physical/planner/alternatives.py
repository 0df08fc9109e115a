"""Plans a relation under an OR that no single range serves: one read for each branch, equal rows once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from piql.compiler.logical.expressions import Expression, Or, conjuncts
from piql.compiler.logical.operators import Output, Relation, SortKey
from piql.compiler.optimizer.analysis.predicates import relations_of
from piql.compiler.physical.operators import LocalProjection, LocalUnion
from piql.compiler.physical.planner.part import Part, SectionCost, Want, fetched, sorted_by
from piql.trees.frozen import replace

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner

    PlanRead = Callable[[Planner, Relation, tuple[Expression, ...], Want], Part | None]


def plan_alternatives(
    planner: Planner, relation: Relation, predicates: tuple[Expression, ...], want: Want, plan_read: PlanRead
) -> Part | None:
    """Read each branch of an OR on its own, of several the one with the fewest requests; None where none is bounded.

    LocalUnion
      LocalProjection …
        IndexScan posts (author = [me])
      LocalProjection …
        IndexScan posts (editor = [me]) by posts_by_editor
    """
    primary = relation.columns(relation.table.primary_key)
    if want.is_page and not want.keys:  # the branches must come in one order
        want = replace(want, keys=tuple(SortKey(expression=column) for column in primary))
    best: Part | None = None
    least: SectionCost | None = None
    for remaining, choices in alternatives(relation, predicates):
        branches: list[Part] = []
        for choice in choices:
            part = plan_read(planner, relation, (*remaining, *choice), want)
            if part is None:
                break
            branches.append(sorted_by(fetched(part), want.keys))
        else:
            united = _united(planner, relation, branches, want)
            cost = planner.cost(united.plan)
            if least is None or cost < least:
                best, least = united, cost
    return best


def alternatives(
    relation: Relation, predicates: tuple[Expression, ...]
) -> Iterator[tuple[tuple[Expression, ...], tuple[tuple[Expression, ...], ...]]]:
    """Yield for each OR about a relation the other predicates, and the tests of each of its branches."""
    for choice in predicates:
        if isinstance(choice, Or) and relations_of(choice) <= {relation.alias}:
            remaining = tuple(predicate for predicate in predicates if predicate is not choice)
            yield remaining, tuple(map(conjuncts, choice.operands))


def _united(planner: Planner, relation: Relation, branches: list[Part], want: Want) -> Part:
    """Put the rows of all branches together, told apart by their primary key."""
    table, alias = relation.table, relation.alias
    needed = {*planner.uses.get(alias, ()), *table.primary_key}
    columns = relation.columns(column.name for column in table.columns if column.name in needed)
    outputs = tuple(Output(name=column.name, expression=column) for column in columns)
    inputs = tuple(
        LocalProjection(child=branch.plan, outputs=outputs, alias=alias, fields=columns) for branch in branches
    )
    return Part(
        LocalUnion(inputs=inputs, all=False, order=want.keys, fields=columns, span=relation.span),
        sum(branch.rows for branch in branches),
        want.keys,
        relation.columns(table.primary_key),
    )
