"""Finds the cheapest orders in which the legs of a region can be joined; `order_joins` makes a plan of them.

Dynamic programming over sets of legs, after Selinger et al., "Access path selection in a relational database management
system" (SIGMOD 1979). A set is a number with a bit for each leg, since all subsets of six tables are looked at.

    {s}    s, 1 request     ──▶  {s, t}    s t, 1 + 100 requests     ──▶  {s, t, u}    s t u, 1 + 100 + 100 requests
    {t}    t, unbounded                    t s dropped: s t is cheaper                 s u t …

A `_Read` says how one leg is read after given legs, an `_Extension` adds where the stop stands, and a `Way` is an order
with the sum of its extensions. Costs are estimates that only compare orders; the bound is read off the plan later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf, prod
from operator import itemgetter
from typing import NamedTuple, TypeAlias, cast

from piql.compiler.logical.expressions import ColumnRef, Or
from piql.compiler.logical.operators import SortKey, Stop
from piql.compiler.optimizer.analysis.effort import Effort
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.predicates import relations_of
from piql.compiler.optimizer.analysis.region import Leg, Region
from piql.compiler.optimizer.analysis.restrictions import Restrictions, restrictions_on
from piql.compiler.optimizer.joins.joining import Dependencies, Joining
from piql.compiler.optimizer.joins.key_values import KeyValues
from piql.compiler.optimizer.joins.leg_sets import Legs, leg_set, positions_in
from piql.compiler.optimizer.joins.rough_rows import rough_rows
from piql.compiler.optimizer.joins.stop_places import StopPlaces

EXHAUSTIVE_LEGS = 6  # all orders of up to so many legs are compared; of more, the cheapest next leg is added each time
NONE_ALIKE = 2  # legs: of so few, no two sets of legs before one are alike
FEW_LEGS = 3  # of so few, each is taken to depend on all others: to find out takes longer than to try
MOST_WAYS = 12  # ways kept for one set of legs
UNKNOWN_ROWS = 1_000_000  # stands for a size that nothing limits; only compared, never shown

Order: TypeAlias = tuple[int, ...]


class Way(NamedTuple):
    """An order of a set of legs, with what joining them so takes. The smaller tuple is the better way."""

    hopeless: int = 0  # reads that not even a new limit could bound
    unbounded: int = 0  # reads that nothing bounds
    open_products: int = 0  # legs that nothing bounds, joined by no condition
    requests: int = 0
    products: int = 0  # legs joined by no condition
    rows: int = 1  # that come out
    round_trips: int = 0  # reads that wait for one another
    order: Order = ()
    how: int = 0  # a hash of the reads and their numbers of rows: one of the ways that agree in it stands for all

    @property
    def cost(self) -> tuple[int, ...]:
        """What ways are compared by before products, rows and order."""
        return self[:4]


_by_products = itemgetter(0, 1, 4, slice(None))  # a leg that a condition joins comes before any product
_way = partial(tuple.__new__, Way)  # quicker than `Way(…)`; thousands are made for a few tables


class _Extension(NamedTuple):
    """What joining one leg to a set of legs takes, in whatever order these were joined."""

    number: int  # identifies the read among all that the search has looked at
    reads: int  # requests for one row of the legs before
    rows: int  # that come out for one row of the legs before
    is_hopeless: bool
    is_unbounded: bool
    is_product: bool
    keys: int  # different keys that are read at most, however many rows come before
    is_once: bool  # read once, not for each row
    is_alone: bool  # read once if all legs before are bounded, else for each row
    alone: Effort | None  # what it takes to read it once, if all legs before are bounded
    limit: int | None  # the count of the stop, where it may stand after this leg


class _Read(NamedTuple):
    """How one leg is read once those that are related to it are joined, wherever the stop stands."""

    number: int  # identifies the read among all that the search has looked at
    reads: int  # requests for one row of the legs before
    keys: int  # different keys that are read at most, however many rows come before
    rows: int  # that come out for one row of the legs before; `UNKNOWN_ROWS` where nothing limits them
    is_derived: bool  # a derived table: bounded by itself, and read once
    is_product: bool  # no condition joins it to the legs before
    is_alone: bool  # its best fact does not depend on the rows before, so it is read once and joined in memory
    alone: Effort | None  # where it is not: what one read by another fact, which does not depend on them, would take
    is_fixed: bool  # by an equality or a word, on which a limit could be declared
    serves_stop: bool  # an index gives first the rows that the stop wants
    is_limited: bool  # by a fact of the schema; or it is derived, or an OR may make several bounded reads of it


class JoinSearch:
    """The search over one region; `stop` and `keys` are the LIMIT and the ORDER BY that reach it from above.

    `best` gives the answer. Everything else is cached by leg and by the set of legs before it that matter for it. With
    `is_step` the region is the step of a recursion: its rows are read from at the next level.
    """

    def __init__(self, region: Region, stop: Stop | None, keys: tuple[SortKey, ...], *, is_step: bool = False) -> None:
        self.region = region
        self.is_step = is_step
        self.legs = region.legs
        self.limit = stop.count.max if stop is not None and not region.above else None
        self.joining = Joining(region)
        self.equal = self.joining.equal
        self.keys = keys
        self._home = {relation: at for at, leg in enumerate(self.legs) for relation in leg.relations}
        self._needs = tuple(map(self._needs_of, self.legs))
        self._everything: Legs = (1 << len(self.legs)) - 1
        self._related = tuple(map(self._related_to, self.legs))
        self._stops = StopPlaces(
            self.joining,
            self.legs,
            keys,
            self._home,
            self._needs,
            self._related,
            is_page=stop is not None and stop.is_page,
        )
        self._dependencies: dict[int, Dependencies] = {}  # of each leg
        self._reads: dict[tuple[int, Legs, bool], _Read] = {}  # by leg, related legs before, whether it is the first
        self._extensions: dict[tuple[int, Legs, bool], _Extension] = {}  # the same, where no stop is to be placed
        self._reads_alike: dict[tuple[int, bool, object], _Read] = {}  # by leg and the signature of its dependencies
        self._values: KeyValues | None = None

    def _needs_of(self, leg: Leg) -> Legs:
        """Return the legs that must stand before this one: those that its ON reads."""
        reads = frozenset[str]().union(*map(relations_of, leg.on)) - leg.relations
        return leg_set(self._home[read] for read in reads if read in self._home)

    def _related_to(self, leg: Leg) -> Legs:
        """Return the legs that change how this one is joined; all legs where there are few."""
        if len(self.legs) <= FEW_LEGS:
            return self._everything
        return leg_set(self.joining.related(leg, self.legs))

    def best(self) -> Sequence[Way]:
        """Return equally good orders: of all orders for up to `EXHAUSTIVE_LEGS` legs, else the greedy one.

        With each goes the order in which a stop passes its other legs, where that is another one.
        """
        ways = self.exhaustively() if len(self.legs) <= EXHAUSTIVE_LEGS else self.greedily()
        return [*ways, *self._passed_by_stops(ways)]

    def _passed_by_stops(self, ways: Sequence[Way]) -> list[Way]:
        """Return ways whose stop stands where the search placed it: the legs above it in an order that keeps every row.

        The search holds sets of legs against each other. By foreign keys v → s → t, a stop may stand above v alone, but
        it passes t only once s is joined: v s t, not v t s.
        """
        orders = {way.order for way in ways}
        passed: list[Way] = []
        for order in tuple(orders) if self.limit is not None and len(self.legs) > NONE_ALIKE else ():
            for count in range(1, len(order) - 1):
                below = leg_set(order[:count])
                if self._stops.may_stand_above(below):
                    keeping = (*order[:count], *self._stops.kept_above(below))
                    way = self.way_in_order(keeping) if len(keeping) == len(order) and keeping not in orders else None
                    passed += [way] if way is not None else []
                    break
        return passed

    def exhaustively(self) -> Sequence[Way]:
        """Return the cheapest orders, by the best ways to join each set of legs, from small sets to all.

        A way that costs more than the greedy order is dropped, since cost only grows. Of the step of a recursion none
        is, and all ways with fewer rows are returned: the requests of the next levels depend on these rows.
        """
        worst = [] if self.is_step else [cast("Way", (*way.cost, inf)) for way in self.greedily()]
        frontier: dict[Legs, list[Way]] = {0: [Way()]}
        for _ in self.legs:
            following: dict[Legs, list[Way]] = {}
            for joined, ways in frontier.items():
                for at in positions_in(self._everything & ~joined):
                    extension = self._extension(joined, at)
                    if extension is not None:
                        grown = following.setdefault(joined | 1 << at, [])
                        longer_ways = _extended(ways, extension, at, self.legs[at])
                        grown.extend([way for way in longer_ways if way < worst[0]] if worst else longer_ways)
            frontier = {joined: _best_ways(ways) for joined, ways in following.items() if ways}
        ways = frontier.get(self._everything, [])
        if self.is_step:
            return [way for way in ways if way[:3] == ways[0][:3]]
        return [way for way in ways if way.cost == ways[0].cost]

    def greedily(self) -> Sequence[Way]:
        """Return the order that adds the cheapest leg each time; empty where no leg may come next."""
        way, joined = Way(), 0
        while joined != self._everything:
            grown = [
                extended
                for at in positions_in(self._everything & ~joined)
                if (extension := self._extension(joined, at)) is not None
                for extended in _extended((way,), extension, at, self.legs[at])
            ]
            if not grown:
                return ()
            way = min(grown, key=_by_products)
            joined |= 1 << way.order[-1]
        return (way,)

    def way_in_order(self, order: Order) -> Way | None:
        """Return the way that joins the legs in this order; None where a left join stands too early."""
        way, joined = Way(), 0
        for at in order:
            extension = self._extension(joined, at)
            if extension is None:
                return None
            (way,) = _extended((way,), extension, at, self.legs[at])
            joined |= 1 << at
        return way

    def _extension(self, joined: Legs, at: int) -> _Extension | None:
        """Return what joining one more leg takes; None where a left join or first match may not stand yet."""
        leg = self.legs[at]
        if (leg.kind == "left" or leg.first) and (not joined or self._needs[at] & ~joined):
            return None
        related_legs = joined & self._related[at]
        key = (at, related_legs, not joined)
        cached = self._extensions.get(key)
        if cached is not None:
            return cached
        read = self._reads.get(key)
        if read is None:
            read = self._reads[key] = self._read_once(at, related_legs, is_first=not joined)
        limit = self.limit if self.limit is not None and self._stops.may_stand_above(joined | 1 << at) else None
        rows = read.rows if limit is None or not read.serves_stop else min(read.rows, limit * read.reads)
        is_bounded = read.is_derived or rows < UNKNOWN_ROWS
        can_be_limited = is_bounded or read.is_fixed
        is_once = not joined or read.is_derived or (read.is_product and (is_bounded or not can_be_limited))
        extension = _Extension(
            number=read.number,
            reads=read.reads,
            rows=rows,
            is_hopeless=not can_be_limited,
            is_unbounded=not is_bounded,
            is_product=read.is_product,
            keys=read.keys,
            is_once=is_once,
            is_alone=read.is_alone and is_bounded,
            alone=read.alone,
            limit=limit,
        )
        if self.limit is None:
            self._extensions[key] = extension
        return extension

    def unlimited_relations(self) -> int:
        """Count the relations whose reads no fact limits, even with all others joined before them."""
        return sum(
            leg.kind == "inner"
            and not leg.first
            and not self._read_once(at, self._related[at] & ~(1 << at), is_first=False).is_limited
            for at, leg in enumerate(self.legs)
        )

    def _read_once(self, at: int, related_legs: Legs, *, is_first: bool) -> _Read:
        """Return how a leg is read; cached for all sets before it under which its tests are the same."""
        signature: object = None  # what the ON of a left join reads is joined, or it may not stand there
        if self.legs[at].kind == "inner" and len(self.legs) <= NONE_ALIKE:
            signature = related_legs
        elif self.legs[at].kind == "inner":
            dependencies = self._dependencies.get(at)
            if dependencies is None:
                dependencies = self._dependencies[at] = self.joining.dependencies(self.legs[at], self.legs)
            signature = dependencies.signature(related_legs)
        read = self._reads_alike.get((at, is_first, signature))
        if read is None:
            read = self._reads_alike[at, is_first, signature] = self._read(at, related_legs, is_first=is_first)
        return read

    def _read(self, at: int, related_legs: Legs, *, is_first: bool) -> _Read:
        """Work out how a leg is read after the legs `near`, by the facts that its tests make known."""
        leg = self.legs[at]
        legs_before = [self.legs[position] for position in positions_in(related_legs)]
        predicates = (*self.joining.conditions(leg, legs_before), *self.joining.filters(leg, legs_before))
        relation, number = leg.relation, len(self._reads_alike)
        if relation is None:
            return _Read(
                number,
                reads=1,
                keys=UNKNOWN_ROWS,
                rows=rough_rows(leg.input),
                is_derived=True,
                is_product=False,
                is_alone=True,
                alone=None,
                is_fixed=True,
                serves_stop=False,
                is_limited=True,
            )
        available = self._relations(positions_in(related_legs))
        restrictions = restrictions_on(relation.alias, predicates, available)
        facts = facts_about(relation.table, restrictions)
        reads = prod([fixed.count for fixed in restrictions.equal.values()])
        is_fixed = bool(restrictions.equal or restrictions.words)
        alone = [fact for fact in facts if not any(restrictions.depends_on(name, available) for name in fact.columns)]
        is_alone = bool(facts) and alone[:1] == [facts[0]]
        if related_legs and not is_alone:
            tests = self.joining.filters_alone(leg, legs_before)
            alone = list(facts_about(relation.table, restrictions_on(relation.alias, tests, frozenset())))
        return _Read(
            number,
            reads=min([reads, *(fact.reads for fact in facts)]),
            keys=self._keys(restrictions, available) if related_legs else 1,
            rows=1 if leg.first else facts[0].rows if facts else UNKNOWN_ROWS,
            is_derived=False,
            is_product=not is_first and not any(relations_of(predicate) - leg.relations for predicate in predicates),
            is_alone=is_alone,
            alone=None if is_alone else min((Effort(fact.reads, fact.rows) for fact in alone), default=None),
            is_fixed=is_fixed,
            # Only the first leg may be read in order without an equality.
            serves_stop=(is_first or is_fixed)
            and self.limit is not None
            and self._are_served(relation.alias, restrictions),
            is_limited=bool(facts) or any(isinstance(predicate, Or) for predicate in predicates),
        )

    def _keys(self, restrictions: Restrictions, available: frozenset[str]) -> int:
        """Return how many different keys the rows joined before may have at most."""
        if self._values is None:
            self._values = KeyValues(self.legs, self.joining)
        return self._values.of([value for fixed in restrictions.equal.values() for value in fixed.values], available)

    def _relations(self, legs: Iterable[int]) -> frozenset[str]:
        return frozenset[str]().union(*(self.legs[at].relations for at in legs))

    def _are_served(self, alias: str, restrictions: Restrictions) -> bool:
        """Whether one index of a relation can apply its tests and give its rows in the order asked."""
        names: list[str] = []
        for key in self.keys:
            if not isinstance(key.expression, ColumnRef):
                return False
            column = next((equal for equal in self.equal.equal_to(key.expression) if equal.relation == alias), None)
            if column is not None:
                names.append(column.name)
        return restrictions.are_served_with(names)


def _extended(ways: Iterable[Way], extension: _Extension, at: int, leg: Leg) -> Iterator[Way]:
    """Extend each way by one leg, the one at position `at`: the inner loop of the search, so fields become locals."""
    reads, rows_of_read, limit = extension.reads, extension.rows, extension.limit
    is_hopeless, is_unbounded, is_product = extension.is_hopeless, extension.is_unbounded, extension.is_product
    is_once, is_alone, is_left = extension.is_once, extension.is_alone, leg.kind == "left"
    keys, alone = extension.keys, extension.alone
    is_open_product = is_product and is_unbounded
    for hopeless, unbounded, open_products, requests, products, rows_before, round_trips, order, how in ways:
        rows = rows_before * rows_of_read
        round_trips_more = 0 if order else 1
        if limit is not None and rows > limit:
            rows = limit
        if is_left and rows < rows_before:
            rows = rows_before
        if is_once or (is_alone and not unbounded):
            requests_more = reads
        else:
            times = min(rows_before, keys)
            requests_more = times * reads
            round_trips_more = 1
            if (
                alone is not None
                and not unbounded
                and alone.nanoseconds <= Effort(requests_more, times * rows_of_read).nanoseconds
            ):
                requests_more, round_trips_more = alone.requests, 0
        yield _way(
            (
                hopeless + is_hopeless,
                unbounded + is_unbounded,
                open_products + is_open_product,
                requests + requests_more,
                products + is_product,
                rows or 1,
                round_trips + round_trips_more,
                (*order, at),
                how ^ hash((extension.number, rows_before, rows)),
            )
        )


def _best_ways(ways: list[Way]) -> list[Way]:
    """Return the Pareto-best ways by cost and rows, the cheapest first, `MOST_WAYS` at most.

    Of the cheapest ways also those with more rows and fewer round trips: these may cost as little in the end.
    """
    ways.sort()
    best, fewest = cast("Way", (*ways[0][:6], inf)), ways[0].rows  # `inf`: equally cheap ways are less
    cheapest, fewest_trips = cast("Way", (*ways[0][:4], inf)), ways[0].round_trips
    best_ways: list[Way] = []
    signatures: set[int] = set()
    for way in ways:
        is_quicker = way.round_trips < fewest_trips and way < cheapest
        if (way.rows < fewest or way < best or is_quicker) and way.how not in signatures:
            signatures.add(way.how)
            best_ways.append(way)
            fewest = min(fewest, way.rows)
            fewest_trips = min(fewest_trips, way.round_trips)
            if len(best_ways) == MOST_WAYS:
                break
    return best_ways
