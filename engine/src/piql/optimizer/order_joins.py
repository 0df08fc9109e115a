"""Rule: the relations are joined in the order with the smallest bound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from piql.logical.expressions import ColumnRef
from piql.logical.operators import (
    Derived,
    Distinct,
    GroupBy,
    LogicalNode,
    Projection,
    SemiJoin,
    Sort,
    SortKey,
    Stop,
    Union,
    inputs,
    map_inputs,
)
from piql.node import Node
from piql.optimizer.facts import facts_about
from piql.optimizer.joining import Joining
from piql.optimizer.keeps_rows import keeps_every_row
from piql.optimizer.predicates import relations_of
from piql.optimizer.region import Leg, Region, is_region, read_region, write_region
from piql.optimizer.restrictions import Restrictions, restrictions_on
from piql.optimizer.rule import RuleContext

EXHAUSTIVE_LEGS = 6  # beyond, the next relation is the cheapest one to add
UNKNOWN_ROWS = 1_000_000  # stands for a size that nothing limits; only compared, never shown


def order_joins(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Choose the linear join order by the requests that it may need at most; equal ones keep the order written.

        Join t.owner = s.target                 Join t.owner = s.target
          Relation t                      →       Selection s.owner = [me]
          Selection s.owner = [me]                  Relation s
            Relation s                            Relation t

    Needs predicates where `push_selection_down` left them. All orders are tried for up to six relations, by the best
    way to each set of relations; beyond, the next relation is the one that adds least. A left-joined relation comes
    after those that its ON reads.
    """
    return _visit(plan, None, (), context)


def _visit(node: LogicalNode, stop: Stop | None, keys: tuple[SortKey, ...], context: RuleContext) -> LogicalNode:
    """Walk down to the join parts, keeping the stop and the order that reach them."""
    if is_region(node):
        return _order(node, stop, keys, context)
    match node:
        case Stop():
            below = _visit(node.input, node, (), context)
        case Sort():
            below = _visit(node.input, stop, node.keys, context)
        case Projection():
            below = _visit(node.input, stop, keys, context)
        case Union():
            branches = tuple(_visit(each, None, (), context) for each in node.inputs)
            return node if branches == node.inputs else replace(node, inputs=branches)
        case SemiJoin():
            left, right = _visit(node.left, None, keys, context), _visit(node.right, None, (), context)
            return node if left is node.left and right is node.right else replace(node, left=left, right=right)
        case _:
            below = _visit(inputs(node)[0], None, (), context)
    return map_inputs(node, lambda child: below)


def _order(node: LogicalNode, stop: Stop | None, keys: tuple[SortKey, ...], context: RuleContext) -> LogicalNode:
    region = read_region(node)
    legs = tuple(_order_inside(leg, context) for leg in region.legs)
    if len(legs) > 1:
        search = _Search(replace(region, legs=legs), stop, keys)
        chosen = search.exhaustively() if len(legs) <= EXHAUSTIVE_LEGS else search.greedily()
        if chosen != tuple(range(len(legs))):
            legs = tuple(legs[at] for at in chosen)
            names = ", ".join(" ".join(sorted(leg.relations)) for leg in legs)
            context.note(f"joined in the order {names}, which needs the fewest requests")
    if legs == region.legs:
        return node
    return write_region(replace(region, legs=legs))


def _order_inside(leg: Leg, context: RuleContext) -> Leg:
    if leg.relation is not None:
        return leg
    below = _visit(leg.input, None, (), context) if not isinstance(leg.input, Derived) else _derived(leg.input, context)
    return leg if below is leg.input else replace(leg, input=below)


def _derived(node: Derived, context: RuleContext) -> Derived:
    below = _visit(node.input, None, (), context)
    return node if below is node.input else replace(node, input=below)


@dataclass(frozen=True, slots=True)
class _Way:
    """The best way found to join a set of legs.

    Ways are compared by the reads that not even a new limit could bound, those that nothing bounds, products, requests,
    and then by the order written.
    """

    cost: tuple[int, int, int, int, tuple[int, ...]]
    rows: int
    order: tuple[int, ...]


class _Search:
    def __init__(self, region: Region, stop: Stop | None, keys: tuple[SortKey, ...]) -> None:
        self.region = region
        self.legs = region.legs
        self.limit = stop.count.max if stop is not None and not region.above else None
        self.joining = Joining(region)
        self.equal = self.joining.equal
        self.keys = keys
        self.needs = tuple(
            frozenset(
                relation
                for predicate in leg.on
                for relation in relations_of(predicate) - leg.relations
                if any(relation in other.relations for other in self.legs)
            )
            for leg in self.legs
        )
        self._stoppable: dict[frozenset[int], bool] = {}

    def exhaustively(self) -> tuple[int, ...]:
        """Find the best order by the best way to each set of legs, from small sets to all."""
        best: dict[frozenset[int], _Way] = {}
        everything = frozenset(range(len(self.legs)))
        frontier: dict[frozenset[int], _Way] = {frozenset(): _Way((0, 0, 0, 0, ()), 1, ())}
        for _ in self.legs:
            following: dict[frozenset[int], _Way] = {}
            for joined, way in frontier.items():
                for at in everything - joined:
                    grown = self._extend(way, joined, at)
                    if grown is None:
                        continue
                    known = following.get(joined | {at})
                    if known is None or grown.cost < known.cost:
                        following[joined | {at}] = grown
            best.update(following)
            frontier = following
        return best[everything].order if everything in best else tuple(range(len(self.legs)))

    def greedily(self) -> tuple[int, ...]:
        """Add the leg that costs least, again and again."""
        way, joined = _Way((0, 0, 0, 0, ()), 1, ()), frozenset[int]()
        everything = frozenset(range(len(self.legs)))
        while joined != everything:
            grown = [each for at in sorted(everything - joined) if (each := self._extend(way, joined, at)) is not None]
            if not grown:
                return tuple(range(len(self.legs)))
            way = min(grown, key=lambda each: (each.cost[:4], each.rows, each.cost[4]))
            joined = frozenset(way.order)
        return way.order

    def _extend(self, way: _Way, joined: frozenset[int], at: int) -> _Way | None:
        """Join one more leg to a way; None where a left join may not stand yet."""
        leg = self.legs[at]
        available = frozenset().union(*(self.legs[each].relations for each in joined)) if joined else frozenset()
        if leg.kind == "left" and (not joined or not self.needs[at] <= available):
            return None
        before = [self.legs[each] for each in sorted(joined)]
        predicates = (*self.joining.conditions(leg, before), *self.joining.filters(leg, before))
        hopeless, unbounded, products, requests, _ = way.cost
        can_be_limited = True
        after = joined | {at}
        relation = leg.relation
        if relation is None:
            rows, reads, is_bounded = rows_of(leg.input), 1, True
            is_local = bool(joined)
        else:
            known = restrictions_on(relation.alias, predicates, available)
            facts = facts_about(relation.table, known)
            reads = 1
            for fixed in known.equal.values():
                reads *= fixed.count
            reads = min([reads, *(fact.reads for fact in facts)])
            rows = facts[0].rows if facts else UNKNOWN_ROWS
            if self.limit is not None and self._is_stoppable(after) and self._are_served(relation.alias, known):
                rows = min(rows, self.limit * reads)
            is_bounded = rows < UNKNOWN_ROWS
            can_be_limited = is_bounded or bool(known.equal or known.words)
            is_local = False
        if joined and not is_local and not any(relations_of(each) - leg.relations for each in predicates):
            products += 1
            is_local = is_bounded
        requests += reads if is_local or not joined else way.rows * reads
        result = way.rows * rows
        if self.limit is not None and self._is_stoppable(after):
            result = min(result, self.limit)
        if leg.kind == "left":
            result = max(result, way.rows)
        order = (*way.order, at)
        cost = (hopeless + (not can_be_limited), unbounded + (not is_bounded), products, requests, order)
        return _Way(cost, max(1, result), order)

    def _are_served(self, alias: str, known: Restrictions) -> bool:
        own: list[str] = []
        for key in self.keys:
            if not isinstance(key.expression, ColumnRef):
                return False
            column = next((each for each in self.equal.equal_to(key.expression) if each.relation == alias), None)
            if column is not None:
                own.append(column.name)
        return known.are_served_with(own)

    def _is_stoppable(self, joined: frozenset[int]) -> bool:
        """Whether the stop may be applied once these legs are joined: the rest keeps every row and the order."""
        found = self._stoppable.get(joined)
        if found is None:
            found = self._stoppable[joined] = self._find_stoppable(joined)
        return found

    def _find_stoppable(self, joined: frozenset[int]) -> bool:
        available = frozenset().union(*(self.legs[each].relations for each in joined))
        for key in self.keys:
            columns = list(_columns(key.expression))
            if not all(any(each.relation in available for each in self.equal.equal_to(column)) for column in columns):
                return False
        rest = [at for at in range(len(self.legs)) if at not in joined]
        before = [self.legs[at] for at in sorted(joined)]
        while rest:
            for at in rest:
                leg = self.legs[at]
                bare = replace(leg, filters=self.joining.filters(leg, before))
                conditions = self.joining.conditions(leg, before)
                if self.needs[at] <= available and keeps_every_row(bare, conditions, before):
                    rest.remove(at)
                    before.append(leg)
                    available = available | leg.relations
                    break
            else:
                return False
        return True


def _columns(expression: Node) -> Iterable[ColumnRef]:
    return (node for node in expression.walk() if isinstance(node, ColumnRef))


def rows_of(node: LogicalNode) -> int:
    """A rough upper count of a derived table's rows, only to compare join orders by."""
    match node:
        case Stop():
            return node.count.max
        case GroupBy(keys=()):
            return 1
        case Union():
            return sum(rows_of(each) for each in node.inputs)
        case Derived() | Distinct() | Projection() | Sort() | GroupBy():
            return rows_of(node.input)
        case _:
            return 100  # the planner will bound it, or say why not
