"""Rule: what holds for a column holds for every column equal to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from piql.compiler.logical.expressions import Comparison, Expression, Or, conjuncts
from piql.compiler.logical.operators import Derived, LogicalNode, SemiJoin, map_inputs
from piql.compiler.optimizer.analysis.comparisons import compared_column, compared_columns, moved_to_relation
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import key_of, replace_columns
from piql.compiler.optimizer.analysis.region import Leg, Region, is_region, map_regions, read_region, write_region
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import kinds_of


def spread_equalities(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Copy comparisons with a value to the columns that must be equal.

        Join t.owner = s.target               Join t.owner = s.target
          Selection s.target = [me]    →        Selection s.target = [me]
            Relation s                            Relation s
          Relation t                            Selection t.owner = [me]
                                                  Relation t

    Two columns of one relation may be equal, too. An OR of such comparisons moves as a whole, to a relation that has a
    column for each of them. Only inner joins count: columns of a left-joined relation are NULL where it has no match. A
    left-joined derived table is read on its own, so it gets the tests that its matches must pass. Where an equality
    gives a column inside an EXISTS one value, an equal column outside has this value in each row that is kept.

    Needs predicates where `push_selection_down` left them.
    """

    def spread(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        classes = Equalities((*region.conditions, *(predicate for leg in region.legs for predicate in leg.filters)))
        if not classes.classes() and not any(_is_derived(leg) for leg in region.legs):
            return node
        legs = list(region.legs)
        _spread_comparisons(region, classes, legs, context)
        _spread_into_derived(region, legs, context)
        conditions = _spread_alternatives(region, classes, legs, context)
        if tuple(legs) == region.legs:
            return node
        return write_region(region._replace(legs=tuple(legs), conditions=conditions))

    if SemiJoin in kinds_of(plan):
        plan = _spread_from_semi_joins(plan, context)
    return map_regions(plan, spread)


def _spread_comparisons(region: Region, classes: Equalities, legs: list[Leg], context: RuleContext) -> None:
    """Add to the inner `legs` a copy of each filter of an inner leg that compares a column equal to one of theirs."""
    position_of = _positions(region)
    for leg in region.legs:
        for predicate in leg.filters if leg.kind == "inner" else ():
            column = compared_column(predicate)
            for equal_column in classes.equal_to(column)[1:] if column is not None else ():
                at = position_of.get(equal_column.relation)
                if column is None or at is None or legs[at].kind == "left":
                    continue
                copy = replace_columns(predicate, {key_of(column): equal_column})
                if copy not in legs[at].filters:
                    legs[at] = legs[at]._replace(filters=(*legs[at].filters, copy))
                    context.note(
                        f"{equal_column.relation}.{equal_column.name} equals {column.relation}.{column.name}, "
                        "so a test of one holds for the other"
                    )


def _spread_into_derived(region: Region, legs: list[Leg], context: RuleContext) -> None:
    """Add to left-joined derived tables what their matches must have."""
    for at, leg in enumerate(legs):
        if leg.kind == "left" and _is_derived(leg):
            legs[at] = leg._replace(filters=tuple(dict.fromkeys((*leg.filters, *_tests_of_match(region, leg)))))
            if legs[at] != leg:
                context.note(f"a match of {' '.join(leg.relations)} equals a column with one value")


def _spread_alternatives(
    region: Region, classes: Equalities, legs: list[Leg], context: RuleContext
) -> tuple[Expression, ...]:
    """Add each OR to the inner `legs` that have an equal column for all its columns; return the conditions left."""
    conditions = list(region.conditions)
    inner = [predicate for leg in region.legs if leg.kind == "inner" for predicate in leg.filters]
    for predicate in (*region.conditions, *inner):
        if not isinstance(predicate, Or) or not (columns := compared_columns(predicate)):
            continue
        for relation, at in _positions(region).items():
            copy = moved_to_relation(predicate, columns, relation, classes)
            if legs[at].kind == "left" or copy is None or copy in legs[at].filters:
                continue
            legs[at] = legs[at]._replace(filters=(*legs[at].filters, copy))
            if predicate in conditions:
                conditions.remove(predicate)
            context.note(f"the tests of an OR also hold for equal columns of {relation} that are equal to those in it")
    return tuple(conditions)


def _positions(region: Region) -> dict[str, int]:
    """Return the position of the leg of each relation."""
    return {relation: at for at, leg in enumerate(region.legs) for relation in leg.relations}


def _spread_from_semi_joins(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Copy equalities with a value on the right of a semi-join to equal columns of its left side."""

    def visit(node: LogicalNode) -> LogicalNode:
        node = map_inputs(node, visit)
        if not isinstance(node, SemiJoin) or node.is_anti or node.mark is not None or not is_region(node.right):
            return node
        region = read_region(node.right)
        inner = [predicate for leg in region.legs if leg.kind == "inner" for predicate in leg.filters]
        conditions = conjuncts(node.condition) if node.condition is not None else ()
        classes = Equalities((*conditions, *region.conditions, *inner))
        left = node.left
        for predicate in inner:
            column = compared_column(predicate)
            if column is None or not isinstance(predicate, Comparison) or predicate.operator != "=":
                continue
            for equal_column in classes.equal_to(column)[1:]:
                left = _tested(left, equal_column.relation, replace_columns(predicate, {key_of(column): equal_column}))
        if left is node.left:
            return node
        context.note("a subquery finds one value, so the column that equals it has this value")
        return replace(node, left=left)

    return visit(plan)


def _tested(rows: LogicalNode, relation: str, test: Expression) -> LogicalNode:
    """Add a test of one relation to the inner legs below; the same plan where the relation is not among them."""
    if isinstance(rows, SemiJoin):
        left = _tested(rows.left, relation, test)
        return rows if left is rows.left else replace(rows, left=left)
    if not is_region(rows):
        return rows
    region = read_region(rows)
    at = next((at for at, leg in enumerate(region.legs) if relation in leg.relations), None)
    if at is None or region.legs[at].kind == "left" or region.legs[at].first or test in region.legs[at].filters:
        return rows
    leg = region.legs[at]._replace(filters=(*region.legs[at].filters, test))
    return write_region(region._replace(legs=(*region.legs[:at], leg, *region.legs[at + 1 :])))


def _is_derived(leg: Leg) -> bool:
    return isinstance(leg.input, Derived)


def _tests_of_match(region: Region, leg: Leg) -> Iterator[Expression]:
    """Yield tests of inner legs on the columns of a left-joined leg that its ON makes equal."""
    inner = [predicate for other_leg in region.legs if other_leg.kind == "inner" for predicate in other_leg.filters]
    classes = Equalities((*region.conditions, *inner, *leg.on))
    for predicate in inner:
        column = compared_column(predicate)
        for equal_column in classes.equal_to(column) if column is not None else ():
            if column is not None and equal_column.relation in leg.relations:
                yield replace_columns(predicate, {key_of(column): equal_column})
