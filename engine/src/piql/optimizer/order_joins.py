"""Rule: the relations are joined in the order with the smallest bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple, TypeAlias

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
from piql.node import Node, replace
from piql.optimizer.facts import facts_about
from piql.optimizer.joining import Joining
from piql.optimizer.keeps_rows import keeps_every_row
from piql.optimizer.predicates import relations_of
from piql.optimizer.region import Leg, Region, is_region, read_region, write_region
from piql.optimizer.restrictions import Restrictions, restrictions_on
from piql.optimizer.rule import RuleContext

EXHAUSTIVE_LEGS = 6  # beyond, the next relation is the cheapest one to add
FEW_LEGS = 3
MOST_WAYS = 6  # equally good ways to join a set of relations that are followed further
MOST_PLANNED = 8  # equally good orders whose plans are made to find the best
MOST_LOOKED = 100_000  # legs, to find where a stop may stand; foreign keys alone tell it of what is left then
UNKNOWN_ROWS = 1_000_000  # stands for a size that nothing limits; only compared, never shown

Order: TypeAlias = tuple[int, ...]


def order_joins(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Choose the linear join order by the requests that it may need at most; equal ones keep the order written.

        Join t.owner = s.target                 Join t.owner = s.target
          Relation t                      →       Selection s.owner = [me]
          Selection s.owner = [me]                  Relation s
            Relation s                            Relation t

    Needs predicates where `push_selection_down` left them. All orders are tried for up to six relations, by the best
    ways to each set of relations; beyond, the next relation is the one that adds least. A left-joined relation comes
    after those that its ON reads. What is compared leaves out that records may have to be fetched behind an index:
    where several orders are equally good, their plans are made, and the one with the fewest requests is taken.
    """
    search = _Ordering(context)
    best = search.visit(plan, None, ())
    if not search.others:
        search.note()
        return best
    least = context.cost(best)
    if least is not None and least[0] <= search.requests:
        search.note()
        return best
    chosen = search
    for place, order in [(place, order) for place, orders in search.others.items() for order in orders][:MOST_PLANNED]:
        again = _Ordering(context, {**chosen.chosen, place: order})
        other = again.visit(plan, None, ())
        cost = context.cost(other)
        if cost is not None and (least is None or cost < least):
            best, least, chosen = other, cost, again
    chosen.note()
    return best


class _Ordering:
    """Walks a plan and orders each join part; `chosen` are orders given, by the number of the part."""

    def __init__(self, context: RuleContext, chosen: Mapping[int, Order] | None = None) -> None:
        self.context = context
        self.chosen: dict[int, Order] = dict(chosen or {})
        self.others: dict[int, tuple[Order, ...]] = {}
        self.requests = 0
        self._parts = 0
        self._notes: list[str] = []

    def note(self) -> None:
        for each in self._notes:
            self.context.note(each)

    def visit(self, node: LogicalNode, stop: Stop | None, keys: tuple[SortKey, ...]) -> LogicalNode:
        """Walk down to the join parts, keeping the stop and the order that reach them."""
        if is_region(node):
            return self._order(node, stop, keys)
        match node:
            case Stop():
                below = self.visit(node.input, node, ())
            case Sort():
                below = self.visit(node.input, stop, node.keys)
            case Projection():
                below = self.visit(node.input, stop, keys)
            case Union():
                branches = tuple(self.visit(each, None, ()) for each in node.inputs)
                return node if branches == node.inputs else replace(node, inputs=branches)
            case SemiJoin():
                left, right = self.visit(node.left, None, keys), self.visit(node.right, None, ())
                return node if left is node.left and right is node.right else replace(node, left=left, right=right)
            case _:
                below = self.visit(inputs(node)[0], None, ())
        return map_inputs(node, lambda child: below)

    def _order(self, node: LogicalNode, stop: Stop | None, keys: tuple[SortKey, ...]) -> LogicalNode:
        region = read_region(node)
        legs = tuple(map(self._order_inside, region.legs))
        number = self._parts
        self._parts += 1
        if len(legs) > 1:
            order = self.chosen.get(number)
            if order is None:
                order = self._best(_Search(replace(region, legs=legs), stop, keys), number)
            if order != tuple(range(len(legs))):
                legs = tuple(legs[at] for at in order)
                names = ", ".join(" ".join(sorted(leg.relations)) for leg in legs)
                self._notes.append(f"joined in the order {names}, which needs the fewest requests")
        if legs == region.legs:
            return node
        return write_region(replace(region, legs=legs))

    def _best(self, search: _Search, number: int) -> Order:
        ways = search.exhaustively() if len(search.legs) <= EXHAUSTIVE_LEGS else search.greedily()
        if not ways:
            return tuple(range(len(search.legs)))
        self.requests += ways[0].requests
        if len(ways) > 1:
            self.others[number] = tuple(way.order for way in ways[1:])
        return ways[0].order

    def _order_inside(self, leg: Leg) -> Leg:
        if leg.relation is not None:
            return leg
        inner = leg.input.input if isinstance(leg.input, Derived) else leg.input
        below = self.visit(inner, None, ())
        if below is inner:
            return leg
        return replace(leg, input=replace(leg.input, input=below) if isinstance(leg.input, Derived) else below)


class _Way(NamedTuple):
    """A way to join a set of legs.

    Ways are compared by the reads that not even a new limit could bound, those that nothing bounds, products, requests,
    rows, and then by the order written: in the order of these fields.
    """

    hopeless: int = 0
    unbounded: int = 0
    products: int = 0
    requests: int = 0
    rows: int = 1
    order: Order = ()

    @property
    def cost(self) -> tuple[int, ...]:
        return self[:4]


@dataclass(frozen=True, slots=True)
class _Step:
    """What joining one leg to a set of legs takes, however these were joined."""

    reads: int
    rows: int
    is_hopeless: bool
    is_unbounded: bool
    is_product: bool
    is_once: bool  # read once, not for each row
    is_alone: bool  # neither, if what it is joined to is bounded
    limit: int | None  # the stop, where it may stand after this


@dataclass(frozen=True, slots=True)
class _Read:
    """How one leg is read once those that are related to it are joined, wherever the stop stands."""

    reads: int
    rows: int
    is_derived: bool  # not from a table: bounded by itself, and read once
    is_product: bool
    is_alone: bool  # what bounds it does not depend on the rows that it is joined to: it is read once, and joined here
    is_fixed: bool  # by an equality or a word, which a new limit could be about
    serves_stop: bool  # an index gives the rows that a stop wants first


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
        self._everything = frozenset(range(len(self.legs)))
        self._related = tuple(map(self._related_to, self.legs))
        self._followers: tuple[tuple[int, ...], ...] | None = None
        self._stoppable: dict[frozenset[int], bool] = {}
        self._reads: dict[tuple[int, frozenset[int], bool], _Read] = {}
        self._kept: dict[tuple[int, frozenset[int]], bool] = {}
        self._looked = 0

    def _related_to(self, leg: Leg) -> frozenset[int]:
        """Give the legs that change how one is joined; of few legs all, since looking is not worth it."""
        if len(self.legs) <= FEW_LEGS:
            return self._everything
        return frozenset(self.joining.related(leg, self.legs))

    def exhaustively(self) -> Sequence[_Way]:
        """Find the best orders by the best ways to each set of legs, from small sets to all.

        What costs more than the order found by adding the cheapest leg is not followed further: it grows only.
        """
        worst = [way.cost for way in self.greedily()]
        frontier: dict[frozenset[int], list[_Way]] = {frozenset(): [_Way()]}
        for _ in self.legs:
            following: dict[frozenset[int], list[_Way]] = {}
            for joined, ways in frontier.items():
                for at in self._everything - joined:
                    step = self._step(joined, at)
                    if step is not None:
                        grown = following.setdefault(joined | {at}, [])
                        more = (_extended(way, step, at, self.legs[at]) for way in ways)
                        grown.extend(way for way in more if not worst or way.cost <= worst[0])
            frontier = {joined: _best_ways(ways) for joined, ways in following.items() if ways}
        ways = frontier.get(self._everything, [])
        return [way for way in ways if way.cost == ways[0].cost]

    def greedily(self) -> Sequence[_Way]:
        """Add the leg that costs least, again and again."""
        way, joined = _Way(), frozenset[int]()
        while joined != self._everything:
            grown = [
                _extended(way, step, at, self.legs[at])
                for at in sorted(self._everything - joined)
                if (step := self._step(joined, at)) is not None
            ]
            if not grown:
                return ()
            way = min(grown)
            joined = frozenset(way.order)
        return (way,)

    def _step(self, joined: frozenset[int], at: int) -> _Step | None:
        """Tell what it takes to join one more leg; None where a left join may not stand yet."""
        if self.legs[at].kind == "left" and (not joined or not self.needs[at] <= self._relations(joined)):
            return None
        near = joined & self._related[at]
        place = (at, near, bool(joined))
        read = self._reads.get(place)
        if read is None:
            read = self._reads[place] = self._read(at, near, is_first=not joined)
        limit = self.limit if self.limit is not None and self._is_stoppable(joined | {at}) else None
        rows = read.rows if limit is None or not read.serves_stop else min(read.rows, limit * read.reads)
        is_bounded = read.is_derived or rows < UNKNOWN_ROWS
        can_be_limited = is_bounded or read.is_fixed
        is_once = not joined or read.is_derived or (read.is_product and (is_bounded or not can_be_limited))
        is_alone = read.is_alone and is_bounded
        return _Step(read.reads, rows, not can_be_limited, not is_bounded, read.is_product, is_once, is_alone, limit)

    def _read(self, at: int, near: frozenset[int], *, is_first: bool) -> _Read:
        leg = self.legs[at]
        before = [self.legs[each] for each in sorted(near)]
        predicates = (*self.joining.conditions(leg, before), *self.joining.filters(leg, before))
        relation = leg.relation
        if relation is None:
            rows = rows_of(leg.input)
            return _Read(1, rows, is_derived=True, is_product=False, is_alone=True, is_fixed=True, serves_stop=False)
        available = self._relations(near)
        known = restrictions_on(relation.alias, predicates, available)
        facts = facts_about(relation.table, known)
        reads = 1
        for fixed in known.equal.values():
            reads *= fixed.count
        is_fixed = bool(known.equal or known.words)
        return _Read(
            min([reads, *(fact.reads for fact in facts)]),
            facts[0].rows if facts else UNKNOWN_ROWS,
            is_derived=False,
            is_product=not is_first and not any(relations_of(each) - leg.relations for each in predicates),
            is_alone=bool(facts) and not any(known.depends_on(each, available) for each in facts[0].columns),
            is_fixed=is_fixed,
            # a join reads by an equality
            serves_stop=(is_first or is_fixed) and self.limit is not None and self._are_served(relation.alias, known),
        )

    def _relations(self, legs: Iterable[int]) -> frozenset[str]:
        return frozenset[str]().union(*(self.legs[at].relations for at in legs))

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
        available = self._relations(joined)
        for key in self.keys:
            columns = list(_columns(key.expression))
            if not all(any(each.relation in available for each in self.equal.equal_to(column)) for column in columns):
                return False
        if not self._may_reach_all(joined):
            return False
        if self._looked > MOST_LOOKED:
            return True
        before = set(joined)
        ready = [at for at in self._everything - joined if self._is_kept(at, before)]
        heapify(ready)
        while ready:
            at = heappop(ready)
            if at not in before and self._is_kept(at, before):
                before.add(at)
                for other in self._related[at] - before:
                    if self._is_kept(other, before):
                        heappush(ready, other)
        return len(before) == len(self.legs)

    def _is_kept(self, at: int, joined: set[int]) -> bool:
        """Whether joining a leg to these keeps every row; what is not related to it does not matter."""
        near = self._related[at].intersection(joined)
        found = self._kept.get((at, near))
        self._looked += 1
        if found is None:
            leg = self.legs[at]
            before = [self.legs[each] for each in sorted(near)]
            self._looked += len(before)
            bare = replace(leg, filters=self.joining.filters(leg, before))
            found = self.needs[at] <= self._relations(near) and keeps_every_row(
                bare, self.joining.conditions(leg, before), before
            )
            self._kept[at, near] = found
        return found

    def _may_reach_all(self, joined: frozenset[int]) -> bool:
        """Whether foreign keys lead from these legs to all others that a left join does not bring."""
        followers = self._followers
        if followers is None:
            followers = self._followers = tuple(
                tuple(
                    at for at, leg in enumerate(self.legs) if leg is not one and self.joining.may_be_followed(leg, one)
                )
                for one in self.legs
            )
        reached, waiting = set(joined), list(joined)
        while waiting:
            new = [at for at in followers[waiting.pop()] if at not in reached]
            reached.update(new)
            waiting.extend(new)
        return len(reached) == len(self.legs)


def _extended(way: _Way, step: _Step, at: int, leg: Leg) -> _Way:
    """Join one more leg to a way."""
    is_once = step.is_once or (step.is_alone and not way.unbounded)
    rows = way.rows * step.rows
    if step.limit is not None:
        rows = min(rows, step.limit)
    if leg.kind == "left":
        rows = max(rows, way.rows)
    return _Way(
        way.hopeless + step.is_hopeless,
        way.unbounded + step.is_unbounded,
        way.products + step.is_product,
        way.requests + (step.reads if is_once else way.rows * step.reads),
        max(1, rows),
        (*way.order, at),
    )


def _best_ways(ways: list[_Way]) -> list[_Way]:
    """Keep the cheapest ways, and those that give fewer rows to what is joined next, the best first."""
    ways.sort()
    kept: list[_Way] = []
    fewest, best = ways[0].rows, ways[0][:5]
    for way in ways:
        if way.rows < fewest or way[:5] == best:
            kept.append(way)
            fewest = min(fewest, way.rows)
    return kept[:MOST_WAYS]


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
