"""Decorrelates subqueries: separates the tests that read the query outside from the rows inside."""

from __future__ import annotations

from collections.abc import Iterable

from piql.compiler.logical.expressions import Comparison, Expression
from piql.compiler.logical.operators import (
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Projection,
    Relation,
    SemiJoin,
    Sort,
    Stop,
)
from piql.compiler.optimizer.analysis.predicates import has_subquery, relations_of
from piql.compiler.optimizer.analysis.region import aliases_below, is_region, read_region, write_region
from piql.text.source import Span
from piql.trees.node import Node


def pairwise_equalities(
    values: Iterable[Expression], counterparts: Iterable[Expression], span: Span | None
) -> tuple[Comparison, ...]:
    """Return an equality for each value and its counterpart; both have the same length."""
    pairs = zip(values, counterparts, strict=True)
    return tuple(Comparison(operator="=", left=value, right=counterpart, span=span) for value, counterpart in pairs)


def outer_relations(query: Node) -> frozenset[str]:
    """Return the relations of the queries outside that a subquery reads."""
    aliases = {node.alias for node in query.walk() if isinstance(node, Relation | Derived)}
    return relations_of(query) - aliases - {""}  # columns of a UNION have no relation


def _as_join(node: SemiJoin) -> LogicalNode | None:
    """Return an inner join with the rows of a semi-join, some of them several times.

    None for an anti-join, a mark, an input that is no plain join, and where both sides use one alias.
    """
    left, right = node.left, node.right
    if isinstance(left, SemiJoin):
        joined = _as_join(left)
        if joined is None:
            return None
        left = joined
    if node.is_anti or node.mark is not None or not (is_region(left) and is_region(right)):
        return None
    region = read_region(right)
    if region.above or any(leg.kind == "left" for leg in region.legs) or aliases_below(left) & aliases_below(right):
        return None
    return Join(kind="inner", left=left, right=right, condition=node.condition, span=node.span)


def decorrelated(
    query: LogicalNode, *, only_existence: bool = False, counts_rows: bool = True
) -> tuple[LogicalNode, tuple[Expression, ...]] | None:
    """Return a subquery's join part, and its predicates that read the query outside; None for any other shape.

    EXISTS (SELECT 1 FROM s WHERE s.owner = t.owner AND s.approved)    →    s, s.approved    and    s.owner = t.owner

    The select list, the order and DISTINCT are dropped. `only_existence`: the caller asks whether there is a row, so
    LIMIT and GROUP BY are dropped, too. `counts_rows`: False where the caller accepts equal rows several times; then,
    and for existence, a semi-join inside becomes a join.
    """
    node = query
    is_set = only_existence or not counts_rows
    while not is_region(node):
        match node:
            case Projection() | Sort() | Distinct():
                node = node.input
            case Stop(count=count) if only_existence and count.parameter is None and count.max > 0 and not node.is_page:
                node = node.input
            case GroupBy(keys=keys) if only_existence and keys:
                node = node.input
            case SemiJoin() if is_set and (joined := _as_join(node)) is not None:
                node = joined
            case _:
                return None
    aliases = {relation.alias for relation in node.walk() if isinstance(relation, Relation | Derived)}
    region = read_region(node)
    optional = [test for leg in region.legs if leg.kind == "left" for test in (*leg.on, *leg.filters)]
    if not all(relations_of(expression) <= aliases for expression in optional):
        return None
    outside: list[Expression] = []

    def inside(predicates: tuple[Expression, ...]) -> tuple[Expression, ...]:
        tests = tuple(predicate for predicate in predicates if relations_of(predicate) <= aliases)
        outside.extend(predicate for predicate in predicates if predicate not in tests)
        return tests

    legs = tuple(leg._replace(filters=inside(leg.filters)) if leg.kind == "inner" else leg for leg in region.legs)
    region = region._replace(legs=legs, conditions=inside(region.conditions), above=inside(region.above))
    if any(has_subquery(expression) for expression in outside):
        return None
    return write_region(region), tuple(outside)
