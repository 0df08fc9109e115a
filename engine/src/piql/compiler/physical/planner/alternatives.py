"""Plans a relation under an OR that no single range serves: one read for each branch, equal rows once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from piql.compiler.logical.expressions import And, ColumnRef, Comparison, Constant, Expression, InList, Or, conjuncts
from piql.compiler.logical.operators import Output, Relation, SortKey
from piql.compiler.optimizer.analysis.effort import Cost
from piql.compiler.optimizer.analysis.predicates import relations_of
from piql.compiler.physical.operators import LocalProjection, LocalStop, LocalUnion
from piql.compiler.physical.planner.part import Part, Want, fetched, sorted_by

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner

    PlanRead = Callable[[Planner, Relation, tuple[Expression, ...], Want], Part | None]

MOST_ALTERNATIVES = 50  # ORs of different shapes on one relation, each of which is planned


def plan_alternatives(
    planner: Planner, relation: Relation, predicates: tuple[Expression, ...], want: Want, plan_read: PlanRead
) -> Part | None:
    """Read each branch of an OR on its own, of several ORs the cheapest; None where none is bounded.

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
    least: Cost | None = None
    for remaining, choices in alternatives(relation, predicates):
        branches: list[Part] = []
        for choice in choices:
            part = plan_read(planner, relation, (*remaining, *choice), want)
            if part is None:
                break
            branches.append(sorted_by(fetched(_stopped(part, want)), want.keys))
        else:
            united = _united(planner, relation, branches, want)
            cost = planner.cost(united.plan)
            if least is None or cost < least:
                best, least = united, cost
    return best


def alternatives(
    relation: Relation, predicates: tuple[Expression, ...]
) -> Iterator[tuple[tuple[Expression, ...], tuple[tuple[Expression, ...], ...]]]:
    """Yield for each OR about a relation the other predicates, and the tests of each of its branches.

    Of ORs that differ in literals alone, which are looked up in the same columns, only the first is yielded: their
    plans take the same requests. Of different ones `MOST_ALTERNATIVES` are, since each is planned with all the others.
    """
    shapes: set[object] = set()
    for choice in predicates:
        if not isinstance(choice, Or) or not relations_of(choice) <= {relation.alias}:
            continue
        shape = _shape(choice)
        if shape in shapes:
            continue
        if len(shapes) == MOST_ALTERNATIVES:
            return
        shapes.add(shape)
        remaining = tuple(predicate for predicate in predicates if predicate is not choice)
        yield remaining, tuple(map(conjuncts, choice.operands))


def _shape(test: Expression) -> object:
    """Return a test without the literals that a column must equal: whatever they are, an index is read alike.

    Literals of other tests stay: the two ends of a range say how many whole numbers lie between them.
    """
    match test:
        case Or(operands=operands) | And(operands=operands):
            return type(test), tuple(map(_shape, operands))
        case (
            Comparison(operator="=", left=ColumnRef() as column, right=Constant() as constant)
            | Comparison(operator="=", left=Constant() as constant, right=ColumnRef() as column)
        ) if constant.value is not None:
            return column, constant.type.kind
        case InList(operand=ColumnRef() as column, items=items):
            return InList, column, tuple(map(_shape_of_item, items))
        case _:
            return test


def _shape_of_item(item: Expression) -> object:
    return item.type.kind if isinstance(item, Constant) and item.value is not None else item


def _stopped(branch: Part, want: Want) -> Part:
    """Apply the stop to the rows of a branch before their records are fetched; a page finds its end by itself."""
    count = want.count
    if count is None or want.is_page or want.is_of_each or branch.is_stopped or not branch.pending:
        return branch
    if branch.rows <= count.max:
        return branch
    branch = sorted_by(branch, want.keys)
    if not branch.pending:  # the order needs more than the entries hold
        return branch
    return branch._replace(plan=LocalStop(child=branch.plan, count=count), rows=count.max)


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
