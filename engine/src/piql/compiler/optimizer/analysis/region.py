"""The join part of a SELECT, taken apart: what is joined, how, and which predicates stand where.

Rules that look at all joined relations at once read a `Region` from the plan, and write a plan from it:

    Selection a.x = 1 AND a.y = b.y             legs: a [a.x = 1], b
      Join b.z > 3                       ↔      conditions: a.y = b.y
        Relation a                              (b.z > 3 is a filter of the leg b)
        Relation b
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from piql.compiler.logical.expressions import Expression, conjuncts
from piql.compiler.logical.operators import (
    DataStop,
    Derived,
    Join,
    LogicalNode,
    Relation,
    Selection,
    SemiJoin,
    SortKey,
    inputs,
    map_inputs,
)
from piql.compiler.optimizer.analysis.decided_tests import is_never
from piql.compiler.optimizer.analysis.predicates import conjunction, has_subquery, relations_of
from piql.trees.caches import Cached
from piql.trees.node import Node


class Leg(NamedTuple):
    """One input of a chain of joins, with the tests that belong to it.

    `filters` read this leg alone, and are tested before it is joined. `on` is the rest of the ON of a left join, or
    the tests that find a first match. The conditions of other inner joins stand in the region.
    """

    input: LogicalNode
    relations: frozenset[str]
    kind: Literal["inner", "left"] = "inner"
    filters: tuple[Expression, ...] = ()
    on: tuple[Expression, ...] = ()
    join: Join | None = None  # the join that was written for it; its span is kept
    first: tuple[SortKey, ...] = ()  # not empty: only the first match in this order is joined

    @property
    def relation(self) -> Relation | None:
        """The table that is joined; None for a derived table and anything else."""
        return self.input if isinstance(self.input, Relation) else None


class Region(NamedTuple):
    """The joined legs, in join order, and the predicates that no single leg can test."""

    legs: tuple[Leg, ...]
    conditions: tuple[Expression, ...] = ()  # of inner joins, on several legs
    above: tuple[Expression, ...] = ()  # on a left-joined leg, or with a subquery: tested after that join
    selection: Selection | None = None  # the topmost selection; its span is kept


def is_region(node: Node) -> bool:
    """Whether this operator is the top of a join part: joins and relations under selections and data-stops."""
    while isinstance(node, (Selection, DataStop)):
        node = node.input
    return isinstance(node, (Join, Relation, Derived))


def map_regions(plan: LogicalNode, change: Callable[[LogicalNode], LogicalNode]) -> LogicalNode:
    """Apply `change` to each join part of a plan, those inside derived tables and unions included, innermost first."""

    def visit(node: LogicalNode) -> LogicalNode:
        return change(map_inputs(node, inside)) if is_region(node) else map_inputs(node, visit)

    def inside(node: LogicalNode) -> LogicalNode:
        is_inner = isinstance(node, Selection | DataStop | Join | Relation)
        return map_inputs(node, inside if is_inner else visit)

    return visit(plan)


def read_region(node: LogicalNode) -> Region:
    """Take the join part that begins at `node` apart; each predicate goes as far down as it may.

    One rule after another reads the same part, so the last regions read are cached.
    """
    return _regions.recall((node,), lambda: _read_region(node))


_regions: Cached[Region] = Cached(16)


def _read_region(node: LogicalNode) -> Region:
    legs: list[Leg] = []
    loose: list[Expression] = []
    _collect(node, legs, loose)
    conditions: list[Expression] = []
    above: list[Expression] = []
    left_joined = frozenset(relation for leg in legs if leg.kind == "left" for relation in leg.relations)
    filters = [list(leg.filters) for leg in legs]
    for predicate in loose:
        if is_never(predicate):
            for leg_filters in filters:
                leg_filters.append(predicate)
            continue
        relations = relations_of(predicate)
        if relations & left_joined or has_subquery(predicate):
            above.append(predicate)
            continue
        home = next((at for at, leg in enumerate(legs) if relations <= leg.relations), None)
        if home is None:
            conditions.append(predicate)
        else:
            filters[home].append(predicate)
    legs = [
        leg._replace(filters=tuple(leg_filters)) if len(leg_filters) > len(leg.filters) else leg
        for leg, leg_filters in zip(legs, filters, strict=True)
    ]
    selection = node if isinstance(node, Selection) else None
    return Region(tuple(legs), tuple(conditions), tuple(above), selection)


def _collect(node: LogicalNode, legs: list[Leg], loose: list[Expression]) -> None:
    """Append the legs below a node, and the predicates of its selections and inner joins, which no leg has yet."""
    match node:
        case Selection():
            _collect(node.input, legs, loose)
            loose.extend(conjuncts(node.predicate))
        case Join(kind="inner"):
            _collect(node.left, legs, loose)
            first = len(legs)
            _collect(node.right, legs, loose)
            legs[first] = legs[first]._replace(join=node, first=node.first)
            if node.condition is not None:
                loose.extend(conjuncts(node.condition))
        case Join():
            _collect(node.left, legs, loose)
            legs.append(_left_joined(node))
        case _:
            legs.append(Leg(node, aliases_below(node)))


def _left_joined(node: Join) -> Leg:
    """Return the right side of a left join as a leg; conditions on it alone become filters."""
    right: LogicalNode = node.right
    filters: list[Expression] = []
    while isinstance(right, Selection):
        filters.extend(conjuncts(right.predicate))
        right = right.input
    relations = aliases_below(right)
    on: list[Expression] = []
    for predicate in conjuncts(node.condition) if node.condition is not None else ():
        reads = relations_of(predicate)
        is_filter = reads and reads <= relations and not has_subquery(predicate)
        (filters if is_filter or is_never(predicate) else on).append(predicate)
    return Leg(right, relations, "left", tuple(filters), tuple(on), node, node.first)


def aliases_below(node: LogicalNode) -> frozenset[str]:
    """Return the aliases whose columns the operators above a section can read."""
    aliases: list[str] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        match node:
            case Relation() | Derived():
                aliases.append(node.alias)
            case Join():
                waiting += (node.left, node.right)
            case SemiJoin():
                waiting.append(node.left)
                if node.mark is not None:
                    aliases.append(node.mark.relation)
            case _:
                waiting += inputs(node)
    return frozenset(aliases)


def write_region(region: Region) -> LogicalNode:
    """Build the plan of a region: legs joined in order, each predicate as low as it may stand."""
    waiting = [(condition, relations_of(condition)) for condition in region.conditions]
    above = list(region.above)
    first = region.legs[0]
    plan = _with_filters(first)
    joined = first.relations
    plan = _with_testable(plan, joined, above, region)
    for leg in region.legs[1:]:
        joined = joined | leg.relations
        if leg.kind == "left":
            conditions = leg.on
        else:
            conditions = tuple([condition for condition, reads in waiting if reads <= joined])
            waiting = [entry for entry in waiting if not entry[1] <= joined]
        span = leg.join.span if leg.join is not None else leg.input.span
        plan = Join(
            kind=leg.kind,
            left=plan,
            right=_with_filters(leg),
            condition=conjunction(conditions),
            first=leg.first,
            span=span,
        )
        plan = _with_testable(plan, joined, above, region)
    untested = conjunction((*(condition for condition, _ in waiting), *above))
    if untested is not None:  # correlated with a query outside, or holding a subquery
        plan = Selection(predicate=untested, input=plan, span=region.selection.span if region.selection else None)
    return plan


def reads_leg(test: Expression, leg: Leg) -> bool:
    """Whether a test reads a column of a leg."""
    return not relations_of(test).isdisjoint(leg.relations)


def _with_filters(leg: Leg) -> LogicalNode:
    predicate = conjunction(leg.filters)
    if predicate is None:
        return leg.input
    return Selection(predicate=predicate, input=leg.input, span=leg.filters[0].span)


def _with_testable(plan: LogicalNode, joined: frozenset[str], above: list[Expression], region: Region) -> LogicalNode:
    """Test the predicates of `above` whose relations are all joined, and remove them from the list."""
    testable = [
        expression for expression in above if relations_of(expression) <= joined and not has_subquery(expression)
    ]
    if not testable:
        return plan
    for expression in testable:
        above.remove(expression)
    predicate = conjunction(testable)
    assert predicate is not None
    return Selection(predicate=predicate, input=plan, span=region.selection.span if region.selection else None)
