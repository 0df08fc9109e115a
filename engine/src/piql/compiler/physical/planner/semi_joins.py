"""Plans EXISTS and IN, the semi-joins, in the cheapest of three ways.

looked up    the right is one relation, which is read for each row of the left
followed     the right joins several relations, which are joined to each row of the left, one after the other
in memory    both sides are read at the same time, each once, and compared
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Literal

from piql.compiler.binding.types import BOOLEAN, is_nullable
from piql.compiler.logical.expressions import (
    ColumnRef,
    Comparison,
    Constant,
    Expression,
    IsNull,
    Not,
    Parameter,
    conjuncts,
)
from piql.compiler.logical.operators import (
    Count,
    DataStop,
    Join,
    LogicalNode,
    Relation,
    Selection,
    SemiJoin,
    map_inputs,
)
from piql.compiler.optimizer.analysis.effort import REQUEST, ROUND_TRIP
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.predicates import all_conjuncts, conjunction, key_of, relations_of
from piql.compiler.optimizer.analysis.region import Leg, aliases_below, is_region, read_region, write_region
from piql.compiler.optimizer.analysis.restrictions import restrictions_on
from piql.compiler.physical.operators import LocalDistinct, LocalSelection, LocalSemiJoin, PassingRows
from piql.compiler.physical.planner.access import best_access
from piql.compiler.physical.planner.joins import join_remotely
from piql.compiler.physical.planner.legs import is_leg, read_leg
from piql.compiler.physical.planner.part import WORST, Part, Want, depth_of, with_columns
from piql.compiler.physical.planner.reading import Demand, Reading
from piql.compiler.physical.planner.scans import has_many, is_null, tests_with_values
from piql.compiler.physical.planner.unbounded import Gap

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner

MOST_FOLLOWED = 3  # of so many relations of one EXISTS all 6 orders are tried; of more, the one written


def plan_semi_join(
    planner: Planner, node: SemiJoin, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]
) -> Part:
    """Plan a semi-join in the cheapest way; the stop never passes it, since it drops rows."""
    below = (node, *under)
    left = planner.plan(node.left, want.without_stop(), (*path, 0), below)
    gaps = len(planner.gaps)
    with planner.attempt():
        right = planner.plan(_with_values_of(left, node), Want(), (*path, 1), below)
    is_apart = len(planner.gaps) == gaps and right.rows < WORST
    looked_up = _looked_up(planner, node, left, (*path, 1))
    if looked_up is None and (not is_apart or (left.rows < WORST and _is_dear(planner, right))):
        looked_up = _followed(planner, node, left, path, under)
    compared = _compared_in_memory(node, left, right) if is_apart and left.rows < WORST else None
    if looked_up is not None and (compared is None or planner.cost(looked_up.plan) < planner.cost(compared.plan)):
        if left.rows < WORST or not _may_lead(node, planner.gaps[gaps:]):
            del planner.gaps[gaps:]
        return looked_up if left.rows < WORST else left._replace(rows=WORST)
    return compared if compared is not None else left._replace(rows=WORST)


def _is_dear(planner: Planner, right: Part) -> bool:
    """Whether reading a section takes longer than following its relations could: by some keys, in two round trips."""
    return planner.cost(right.plan).nanoseconds > 2 * (ROUND_TRIP + REQUEST)


def _with_values_of(left: Part, node: SemiJoin) -> LogicalNode:
    """Return the right side with tests for the values that all rows of the left have in common.

    A comparison of NOT IN that may be unknown adds no test: `NULL NOT IN (…)` depends on whether there is any row.
    """
    if left.rows >= WORST or not is_region(node.right):
        return node.right
    tests = all_conjuncts((node.condition,))
    if _may_be_unknown(node.compared, left):
        unknown = all_conjuncts((node.compared,))
        tests = tuple(test for test in tests if test not in unknown)
    predicate = conjunction(tests_with_values(tests, left.fixed, aliases_below(node.right)))
    if predicate is None:
        return node.right
    return write_region(read_region(Selection(predicate=predicate, input=node.right, span=node.right.span)))


def _compared_in_memory(node: SemiJoin, left: Part, right: Part) -> Part:
    """Return a section that reads both sides at the same time, and compares them in memory."""
    conditions = conjuncts(node.condition) if node.condition is not None else ()
    left, right = with_columns(left, conditions), with_columns(right, conditions)
    plan = LocalSemiJoin(
        left=left.plan,
        right=right.plan,
        condition=node.condition,
        is_anti=node.is_anti,
        compared=node.compared,
        mark=node.mark,
        span=node.span,
    )
    return left.on(plan)._replace(is_stopped=False)


def _may_lead(node: SemiJoin, gaps: Sequence[Gap]) -> bool:
    """Whether rows of an unbounded left could be found from the right instead, if a limit bounded one of its `gaps`."""
    return not node.is_anti and node.mark is None and any(gap.columns or gap.words for gap in gaps)


def _looked_up(planner: Planner, node: SemiJoin, left: Part, path: tuple[int, ...]) -> Part | None:
    """Return a join that looks for a match of each left row; None where the right is not one relation that it fixes.

    Where the index applies every test, one entry for each row tells whether there is a match. Otherwise a fact must
    limit the matches; all of them are read and tested, and each row of the left is kept once. NOT EXISTS keeps the rows
    for which a left join finds nothing; a mark says for which it finds something.
    """
    if not is_leg(node.right) or not left.is_unique:
        return None
    conditions = conjuncts(node.condition) if node.condition is not None else ()
    if _may_be_unknown(node.compared, left):
        return None
    relation, filters, _ = read_leg(node.right, path)
    available = aliases_below(node.left)
    restrictions = restrictions_on(relation.alias, (*conditions, *filters), available)
    reading = Reading(
        relation.table,
        restrictions,
        facts_about(relation.table, restrictions),
        Demand((), Count(max=1)),
        planner.uses.get(relation.alias, {}),
        planner.indexes.get(relation.table.name, ()),
        must_cover=True,
        is_frozen=planner.is_frozen,
    )
    access = best_access(reading)
    if access is None or not access.prefix:
        return None
    join = Join(
        kind="left" if node.is_anti or node.mark is not None else "inner",
        left=node.left,
        right=node.right,
        condition=node.condition,
        span=node.span,
    )
    part = join_remotely(join, relation, access, restrictions, Want(), left)
    part = part._replace(keys=left.keys, fixed=left.fixed, order=left.order)
    if node.mark is not None:
        return _marked(part, left, relation, node.mark)
    if node.is_anti:
        missing = IsNull(operand=relation.columns(relation.table.primary_key)[0])
        depth = depth_of(left.plan, part.plan)
        passing = PassingRows(table=relation.table, depth=depth, rows=left.rows) if depth else None
        return part.on(LocalSelection(child=part.plan, predicate=missing, passing=passing))._replace(rows=left.rows)
    if access.limit.count is None or any(has_many(key_part) for key_part in access.prefix):
        part = _once(part, left)
    return part


def _followed(
    planner: Planner, node: SemiJoin, left: Part, path: tuple[int, ...], under: tuple[LogicalNode, ...]
) -> Part | None:
    """Join the relations of an EXISTS to each left row, one after the other, and keep each row once.

    NOT EXISTS and marks use left joins, each only where the one before it found something: where the last one found
    something, all did. None where no order of the relations is bounded, or the right is no plain inner join.
    """
    if not is_region(node.right) or not left.is_unique:
        return None
    is_inner = not node.is_anti and node.mark is None
    if _may_be_unknown(node.compared, left):
        return None
    region = read_region(_without_data_stops(node.right))
    if region.above or any(leg.relation is None or leg.kind == "left" or leg.first for leg in region.legs):
        return None
    conditions = (*all_conjuncts((node.condition,)), *region.conditions)
    orders = permutations(region.legs) if len(region.legs) <= MOST_FOLLOWED else (region.legs,)
    gaps = len(planner.gaps)
    unbounded = aliases_below(node.left) if left.rows >= WORST else frozenset()
    for legs in orders:
        joined = _joined(node.left, legs, conditions, is_inner=is_inner)
        with planner.probe():
            part = planner.plan(joined, Want(), path, under)
        is_bounded = len(planner.gaps) == gaps and part.rows < WORST
        is_bounded_by_left = bool(unbounded) and all(gap.relation.alias in unbounded for gap in planner.gaps[gaps:])
        del planner.gaps[gaps:]
        if is_bounded_by_left:
            return left
        if is_bounded:
            order = left.order if depth_of(left.plan, part.plan) else ()  # else it was planned anew, in any order
            part = part._replace(keys=left.keys, fixed=left.fixed, order=order)
            if is_inner:
                return _once(part, left)
            last = legs[-1].relation
            assert last is not None
            mark = node.mark or ColumnRef(relation=f"{last.alias} found", name="found", type=BOOLEAN)
            part = _marked(part, left, last, mark)
            if node.mark is not None:
                return part
            missing = Comparison(operator="=", left=mark, right=Constant(value=False, type=BOOLEAN))
            return part.on(LocalSelection(child=part.plan, predicate=missing))
    return None


def _marked(part: Part, left: Part, relation: Relation, mark: ColumnRef) -> Part:
    """Keep each left row once, marked with whether a left join found a row of a relation for it."""
    key_column = relation.columns(relation.table.primary_key)[0]
    return _once(part, left, key_column, mark)


def _once(part: Part, left: Part, tested: ColumnRef | None = None, mark: ColumnRef | None = None) -> Part:
    """Keep each left row once."""
    plan = LocalDistinct(
        child=part.plan, keys=left.keys, depth=depth_of(left.plan, part.plan), tested=tested, mark=mark
    )
    return part.on(plan)._replace(rows=left.rows)


def _without_data_stops(node: LogicalNode) -> LogicalNode:
    """Return a section without its data-stops, which hold where it is read alone: a join to the left fixes more."""
    below = map_inputs(node, _without_data_stops)
    return below.input if isinstance(below, DataStop) else below


def _joined(left: LogicalNode, legs: Iterable[Leg], conditions: Iterable[Expression], *, is_inner: bool) -> LogicalNode:
    """Join legs to a section one after the other, each condition as soon as it can be tested."""
    plan, available, waiting = left, aliases_below(left), list(conditions)
    before: Relation | None = None
    for leg in legs:
        available = available | leg.relations
        testable = [expression for expression in waiting if relations_of(expression) <= available]
        waiting = [expression for expression in waiting if expression not in testable]
        filters = conjunction(leg.filters)
        right = leg.input if filters is None else Selection(predicate=filters, input=leg.input)
        if before is not None and not is_inner:
            testable.append(Not(operand=IsNull(operand=before.columns(before.table.primary_key)[0])))
        kind: Literal["inner", "left"] = "inner" if is_inner else "left"
        plan = Join(kind=kind, left=plan, right=right, condition=conjunction(testable), span=leg.input.span)
        before = leg.relation
    return plan


def _may_be_unknown(compared: Expression | None, left: Part) -> bool:
    """Whether a comparison of NOT IN may be unknown; then NOT IN does not simply mean that no row is equal.

    Rows of the left that were found by `a = [p]` have passed it, so neither a nor [p] is NULL there.
    """
    values = {value.name for value in left.fixed.values() if isinstance(value, Parameter)}

    def may_be_null(value: Expression) -> bool:
        match value:
            case Parameter(name=name) if name in values:
                return False
            case ColumnRef() if key_of(value) in left.fixed and not is_null(left.fixed[key_of(value)]):
                return False
        return is_nullable(value)

    return any(
        may_be_null(test.left) or may_be_null(test.right)
        for test in all_conjuncts((compared,))
        if isinstance(test, Comparison)
    )
