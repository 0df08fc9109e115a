"""Rule: the relations are joined in the order with the smallest bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from piql.compiler.logical.operators import (
    Cases,
    DataStop,
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Projection,
    RecursiveUnion,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
    Stop,
    Union,
    WorkTable,
    map_inputs,
)
from piql.compiler.optimizer.analysis.effort import Effort, step_of
from piql.compiler.optimizer.analysis.region import Leg, Region, is_region, read_region, write_region
from piql.compiler.optimizer.joins.join_search import FEW_LEGS, JoinSearch, Order
from piql.compiler.optimizer.joins.leg_ranks import ranked_positions
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import kinds_of

MOST_PLANNED = 12  # equally good orders whose plans are made to find the best
_WITH_OTHER_BOUNDS = frozenset((Derived, Distinct, GroupBy, RecursiveUnion, SemiJoin, Union))


def order_joins(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Choose the linear join order by the requests that it may need at most; equal ones keep the order written.

        Join t.owner = s.target                 Join t.owner = s.target
          Relation t                      →       Selection s.owner = [me]
          Selection s.owner = [me]                  Relation s
            Relation s                            Relation t

    All orders of up to six relations are compared; of more, the relation that adds least comes next (`JoinSearch`). A
    left-joined relation comes after those that its ON reads. The search does not count the records that are fetched
    behind index entries, nor the reads that wait for others. So where several orders are equally good, their plans are
    made and compared, until one makes its requests in one round trip. Needs predicates where `push_selection_down`
    left them.
    """
    search = _Ordering(context)
    best = search.visit(plan, None, ())
    if not search.alternatives or search.is_refused(plan):
        search.note()
        return best
    least = context.cost(best)
    quickest = step_of(Effort(search.requests, 0, round_trips=1).nanoseconds)
    if least is not None and least.step <= quickest:
        search.note()
        return best
    chosen = search
    alternatives = [{part: order} for part, orders in search.alternatives.items() for order in orders]
    if least is None and len(search.alternatives) > 1:  # the branches of a union may need another order each
        alternatives.insert(0, {part: orders[0] for part, orders in search.alternatives.items()})
    for orders in alternatives[:MOST_PLANNED]:
        ordering = _Ordering(context, {**chosen.chosen, **orders})
        candidate = ordering.visit(plan, None, ())
        cost = context.cost(candidate)
        if cost is not None and (least is None or cost < least):
            best, least, chosen = candidate, cost, ordering
            if least.step <= quickest:
                break
    chosen.note()
    return best


class _Ordering:
    """Orders each join part of a plan; `chosen` gives the orders of some parts, by the part's number."""

    def __init__(self, context: RuleContext, chosen: Mapping[int, Order] | None = None) -> None:
        self.context = context
        self.chosen: dict[int, Order] = dict(chosen or {})
        self.alternatives: dict[int, tuple[Order, ...]] = {}
        self.requests = 0  # of the best orders of all parts together
        self._parts = 0  # how many have been numbered
        self._unlimited = 0  # the most relations of one part whose reads no order bounds without a stop
        self._notes: list[str] = []

    def is_refused(self, plan: LogicalNode) -> bool:
        """Whether no order can bound a plan, since a stop limits one read at most and more of them need one.

        False for plans with operators that could bound a read in another way. Left joins, which a stop passes, and
        tests by OR, which may become several reads, are not counted as reads that need a stop.
        """
        kinds = kinds_of(plan)
        return _WITH_OTHER_BOUNDS.isdisjoint(kinds) and self._unlimited > (Stop in kinds)

    def note(self) -> None:
        """Hand the notes on the orders chosen to the context."""
        for note in self._notes:
            self.context.note(note)

    def visit(self, node: LogicalNode, stop: Stop | None, keys: tuple[SortKey, ...]) -> LogicalNode:
        """Order the join parts of a section, which the LIMIT `stop` and the ORDER BY `keys` reach from above."""
        if is_region(node):
            return self._order(node, stop, keys)
        match node:
            case Stop():
                below = self.visit(node.input, node, ())
            case Sort():
                below = self.visit(node.input, stop, node.keys)
            case Projection():
                below = self.visit(node.input, stop, keys)
            case GroupBy(summed=(_, *_)) if not keys:  # each group is one row, which the stop counts
                below = self.visit(node.input, stop, ())
            case Union() | Cases():
                branches = tuple(self.visit(source, None, ()) for source in node.inputs)
                return node if branches == node.inputs else replace(node, inputs=branches)
            case RecursiveUnion():
                return map_inputs(node, lambda source: self.visit(source, None, ()))
            case WorkTable():
                return node
            case SemiJoin():
                left, right = self.visit(node.left, None, keys), self.visit(node.right, None, ())
                return node if left is node.left and right is node.right else replace(node, left=left, right=right)
            case Distinct() | GroupBy() | Selection() | DataStop():
                below = self.visit(node.input, None, ())
            case Join() | Relation() | Derived():
                raise AssertionError("a join part begins here")
            case _:
                assert_never(node)
        return map_inputs(node, lambda child: below)

    def _order(self, node: LogicalNode, stop: Stop | None, keys: tuple[SortKey, ...]) -> LogicalNode:
        """Order one join part, and those inside its derived tables."""
        region = read_region(node)
        legs = tuple(map(self._order_inside, region.legs))
        number = self._parts
        self._parts += 1
        if len(legs) > 1:
            order = self.chosen.get(number)
            if order is None:
                order = self._best(region._replace(legs=legs), stop, keys, number)
            if order != tuple(range(len(legs))):
                legs = tuple(legs[at] for at in order)
                names = ", ".join(" ".join(sorted(leg.relations)) for leg in legs)
                self._notes.append(f"joined in the order {names}, which needs the fewest requests")
        if legs == region.legs:
            return node
        return write_region(region._replace(legs=legs))

    def _best(self, region: Region, stop: Stop | None, keys: tuple[SortKey, ...], number: int) -> Order:
        """Return the best order, whatever the order written, and keep equally good ones in `alternatives`."""
        positions = tuple(range(len(region.legs)))
        if len(positions) > FEW_LEGS:
            positions = ranked_positions(region)
        is_step = any(map(_is_work_table, region.legs))
        in_order = region._replace(legs=tuple(region.legs[at] for at in positions))
        search = JoinSearch(in_order, stop, keys, is_step=is_step)
        ways = search.best()
        if not ways:
            return tuple(range(len(positions)))
        if not is_step:  # else nothing is known of the levels after the first
            self.requests += ways[0].requests
        ways_by_order = {tuple(positions[position] for position in way.order): way for way in ways}
        orders = sorted(ways_by_order, key=lambda order: (ways_by_order[order][:6], order))
        as_written = tuple(range(len(positions)))
        written = search.way_in_order(tuple(map(positions.index, as_written)))
        if written is not None and written[:6] == min(ways)[:6]:
            orders = [as_written, *(order for order in orders if order != as_written)]
        if len(ways) > 1:
            self.alternatives[number] = tuple(sorted(orders[1:], key=lambda order: ways_by_order[order].round_trips))
            self._unlimited = max(self._unlimited, search.unlimited_relations())
        return orders[0]

    def _order_inside(self, leg: Leg) -> Leg:
        """Order the join parts inside a leg that is no table."""
        if leg.relation is not None:
            return leg
        inner = leg.input.input if isinstance(leg.input, Derived) else leg.input
        below = self.visit(inner, None, ())
        if below is inner:
            return leg
        return leg._replace(input=replace(leg.input, input=below) if isinstance(leg.input, Derived) else below)


def _is_work_table(leg: Leg) -> bool:
    """Whether a leg is the rows of the level before, in the step of a recursion."""
    return isinstance(leg.input, Derived) and isinstance(leg.input.input, WorkTable)
