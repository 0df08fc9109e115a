"""Rule: a LIMIT is applied as early as it may be (VLDB 2012, Algorithm 1, lines 10 to 14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import (
    DataStop,
    Derived,
    GroupBy,
    Join,
    LogicalNode,
    Projection,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
    Stop,
    map_inputs,
)
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.keeps_rows import keeps_every_row, leaves_out_null
from piql.compiler.optimizer.analysis.one_row import gives_one_row
from piql.compiler.optimizer.analysis.predicates import ColumnKey, all_conjuncts, key_of, relations_of, replace_columns
from piql.compiler.optimizer.analysis.region import Leg, Region, aliases_below
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.complete_order import Determined

_ROWS = (Sort, Join, Selection, SemiJoin, Relation, DataStop)  # what a projection may be computed above


def push_stop_down(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Move a stop, with the sort that it stops, below projections and joins that keep every row.

        Stop 10                                        Projection
          Projection                                     Join u.username = s.target   (a foreign key)
            Sort s.target                                  Stop 10
              Join u.username = s.target         →           Sort s.target
                Selection s.owner = [me]                       Selection s.owner = [me]
                  Relation s                                     Relation s
                Relation u                                 Relation u

    A stop never passes a selection, a group or DISTINCT. It passes an inner join only along a declared foreign key
    that is never NULL there (declared so, or compared by what stands below), with no predicate on the joined table.
    A left join keeps every row, but may give several for one. There LIMIT is applied twice, below and above; a
    page's stop stays above, since the cursor counts its rows. A sort on columns of the joined table passes when the
    join makes them equal to columns of the left.
    """

    def visit(node: LogicalNode) -> LogicalNode:
        below = map_inputs(node, visit)
        return _push(below, context) if isinstance(below, Stop) else below

    return visit(plan)


def _push(stop: Stop, context: RuleContext) -> LogicalNode:
    """Return a stop as far down as it may go; the same object where it may not move."""
    if stop.group_keys:
        return stop
    match stop.input:
        case Projection() as projection:
            below = _push(replace(stop, input=projection.input), context)
            if isinstance(below, Stop) and not isinstance(below.input, _ROWS):
                return stop
            context.note("the stop moves below the projection, to where its rows come from")
            return replace(projection, input=below)
        case Sort(keys=keys, input=Join() as join) as sort:
            return _push_through_join(stop, sort, keys, join, context)
        case Join() as join:
            return _push_through_join(stop, None, (), join, context)
        case GroupBy(summed=(_, *_), input=below) as group if (rows := _rows_summed(group)) is not None:
            context.note("the stop moves below the step that sums up the matches of each row")
            return replace(group, input=_with_rows(below, rows, _push(replace(stop, input=rows), context)))
        case SemiJoin(mark=ColumnRef()) as marking:
            context.note("the stop moves below a step that only marks rows")
            return replace(marking, left=_push(replace(stop, input=marking.left), context))
        case _:
            return stop


def _rows_summed(group: GroupBy) -> LogicalNode | None:
    """Return the rows below the left joins that a GROUP BY sums up; None where another join stands between."""
    node, summed = group.input, frozenset(group.summed)
    while summed:
        match node:
            case Join(kind="left", left=left, right=right) if aliases_below(right) <= summed:
                node, summed = left, summed - aliases_below(right)
            case _:
                return None
    return node


def _with_rows(node: LogicalNode, rows: LogicalNode, stopped: LogicalNode) -> LogicalNode:
    """Return left joins with other rows at their bottom: `stopped` instead of `rows`."""
    if node is rows:
        return stopped
    assert isinstance(node, Join)
    return replace(node, left=_with_rows(node.left, rows, stopped))


def _push_through_join(
    stop: Stop, sort: Sort | None, keys: tuple[SortKey, ...], join: Join, context: RuleContext
) -> LogicalNode:
    """Return a join with the stop and the sort below it, where it keeps every row of its left side; else as it was."""
    before, leg, conditions = _last_leg(join)
    unmoved = replace(stop, input=replace(sort, input=join) if sort is not None else join)
    tested = tuple(_tested_below(join.left))

    def drops_null(column: ColumnKey) -> bool:
        return any(leaves_out_null(expression, column) for expression in tested)

    if not keeps_every_row(leg, conditions, before, drops_null):
        return unmoved
    left = aliases_below(join.left)
    moved = _keys_on_the_left(keys, left, conditions, leg)
    if moved is None and leg.kind == "left" and sort is not None and sort.is_total:
        moved = _keys_before_the_match(keys, left, before)
    if moved is None:
        return unmoved
    is_exact = leg.kind == "inner" or bool(join.first) or _has_one_match(join.right)
    if not is_exact and stop.is_page:
        return unmoved
    below: LogicalNode = join.left
    if sort is not None:
        below = replace(sort, keys=moved, input=below)
    below = _push(replace(stop, input=below), context)
    names = " ".join(sorted(leg.relations))
    context.note(f"the stop moves below the join with {names}, which keeps every row")
    pushed = replace(join, left=below)
    if is_exact:
        return pushed
    return replace(stop, input=pushed if sort is None else replace(sort, input=pushed))


def _last_leg(join: Join) -> tuple[Sequence[Leg], Leg, tuple[Expression, ...]]:
    """Return the legs before a join, the leg that it joins, and the conditions of the join."""
    node = join.right
    while isinstance(node, DataStop | Selection):
        node = node.input
    leg = Leg(node, aliases_below(node), join.kind, _tests(join.right))
    return _legs_below(join.left), leg, all_conjuncts((join.condition,))


def _legs_below(node: LogicalNode) -> list[Leg]:
    """Return the legs of a join part in join order, each with the tests that stand over it alone."""
    match node:
        case Join():
            before, leg, _ = _last_leg(node)
            return [*before, leg]
        case Selection() | DataStop() | Relation():
            inner: LogicalNode = node
            while isinstance(inner, Selection | DataStop):
                inner = inner.input
            if isinstance(inner, Relation):
                return [Leg(inner, frozenset((inner.alias,)), "inner", _tests(node))]
            return _legs_below(inner)
        case _:
            return [Leg(node, aliases_below(node))]


def _tested_below(node: LogicalNode) -> Iterator[Expression]:
    """Yield the tests that all rows of a join have passed, without those of single relations."""
    while isinstance(node, Selection | DataStop | Join):
        if isinstance(node, Selection):
            yield from all_conjuncts((node.predicate,))
        elif isinstance(node, Join) and node.kind == "inner":
            yield from all_conjuncts((node.condition,))
        node = node.left if isinstance(node, Join) else node.input


def _tests(node: LogicalNode) -> tuple[Expression, ...]:
    """Return the predicates of the selections over one relation."""
    predicates: list[Expression | None] = []
    while isinstance(node, Selection | DataStop):
        if isinstance(node, Selection):
            predicates.append(node.predicate)
        node = node.input
    return all_conjuncts(predicates)


def _has_one_match(right: LogicalNode) -> bool:
    """Whether one row of the left has at most one match on the right."""
    while isinstance(right, Selection):
        right = right.input
    return (isinstance(right, DataStop) and right.limit == 1) or (isinstance(right, Derived) and gives_one_row(right))


def _keys_on_the_left(
    keys: tuple[SortKey, ...], left: frozenset[str], conditions: tuple[Expression, ...], leg: Leg
) -> tuple[SortKey, ...] | None:
    """Return the sort keys in columns of the left side; None where one needs the joined table."""
    equal = Equalities(conditions if leg.kind == "inner" else ())
    moved: list[SortKey] = []
    for key in keys:
        by: dict[ColumnKey, Expression] = {}
        for node in key.expression.walk():
            if not isinstance(node, ColumnRef) or node.relation in left:
                continue
            counterpart = next((column for column in equal.equal_to(node) if column.relation in left), None)
            if counterpart is None:
                return None
            by[key_of(node)] = counterpart
        expression = replace_columns(key.expression, by) if by else key.expression
        if not relations_of(expression) <= left:
            return None
        moved.append(replace(key, expression=expression))
    return tuple(moved)


def _keys_before_the_match(
    keys: tuple[SortKey, ...], left: frozenset[str], before: Sequence[Leg]
) -> tuple[SortKey, ...] | None:
    """Return the sort keys before the first one of the joined table; None where they determine no row of the left.

    With them the left has a total order, so that later keys only order the matches of one row.
    """
    moved = tuple(takewhile(lambda key: relations_of(key.expression) <= left, keys))
    determined = Determined(Region(tuple(before)))
    for key in moved:
        determined.add(key.expression)
    are_total = all(
        leg.relation is not None
        and all(determined.holds(column) for column in leg.relation.columns(leg.relation.table.primary_key))
        for leg in before
    )
    return moved if moved and are_total else None
