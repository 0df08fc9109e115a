"""Puts the legs of a region into an order that does not depend on how a query is written.

Enters: legs in the order written. Leaves: their positions, ordered by the tables and tests of each leg and by what
it is joined to (colour refinement, as for graph isomorphism). Aliases, sides and the order written do not matter. The
join search looks at some of equally good orders only; with these ranks it looks at the same ones for equal queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from piql.compiler.logical.expressions import (
    And,
    ColumnRef,
    Comparison,
    Constant,
    Expression,
    InList,
    Or,
    Parameter,
    columns_in,
)
from piql.compiler.logical.operators import Relation
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import MIRRORED, equated_columns
from piql.compiler.optimizer.analysis.region import Leg, Region
from piql.trees.node import Node

_MOST_ROUNDS = 3  # in each, legs of equal rank are told apart by the ranks of what they are joined to

Ranks = dict[str, int]  # by relation


def ranked_positions(region: Region) -> tuple[int, ...]:
    """Return the positions of the legs by rank; legs of equal rank stay in the order written."""
    legs = region.legs
    descriptions = [_description(leg) for leg in legs]
    ranks = _ranks(descriptions)
    equal = Equalities(
        (*region.conditions, *(predicate for leg in legs if leg.kind == "inner" for predicate in leg.filters))
    )
    conditions = [condition for condition in region.conditions if equated_columns(condition) is None]
    for _ in range(_MOST_ROUNDS):
        if len(set(ranks)) == len(legs):
            break
        by_relation = {name: rank for leg, rank in zip(legs, ranks, strict=True) for name in leg.relations}
        ranks = _ranks(
            [
                (rank, *_neighbourhood(leg, equal, conditions, by_relation))
                for leg, rank in zip(legs, ranks, strict=True)
            ]
        )
    return tuple(sorted(range(len(legs)), key=ranks.__getitem__))


def _ranks(descriptions: Sequence[tuple[object, ...]]) -> list[int]:
    """Number descriptions by their sorted order; equal ones have equal numbers."""
    rank_of = {description: rank for rank, description in enumerate(sorted(set(descriptions)))}
    return [rank_of[description] for description in descriptions]


def _description(leg: Leg) -> tuple[object, ...]:
    """Return a leg's kind, tables and own tests as comparable values."""
    ranks = dict.fromkeys(leg.relations, 0)
    tables = tuple(sorted(relation.table.name for relation in leg.input.find(Relation)))
    return (
        leg.kind,
        leg.relation is None,
        tables,
        tuple(sorted(canonical_text(expression, ranks) for expression in (*leg.filters, *leg.on))),
    )


def _neighbourhood(leg: Leg, equal: Equalities, conditions: Iterable[Expression], ranks: Ranks) -> tuple[object, ...]:
    """Return what a leg is joined to as comparable values: other relations by their ranks, its own as -2."""
    classes = []
    for members in equal.classes():
        names = tuple(sorted(member.name for member in members if member.relation in leg.relations))
        if names:
            classes.append((names, tuple(sorted((ranks.get(member.relation, -1), member.name) for member in members))))
    named = {**ranks, **dict.fromkeys(leg.relations, -2)}
    tests = [
        expression
        for expression in conditions
        if any(column.relation in leg.relations for column in columns_in(expression))
    ]
    return tuple(sorted(classes)), tuple(sorted(canonical_text(expression, named) for expression in (*tests, *leg.on)))


def canonical_text(test: Node, ranks: Mapping[str, int]) -> str:
    """Write a test with its sides, operands and items in a canonical order, and relations by their ranks."""
    match test:
        case ColumnRef(relation=relation, name=name):
            return f"{ranks.get(relation, relation)}.{name}"
        case Constant(value=value):
            return repr(value)
        case Parameter(name=name):
            return f"[{name}]"
        case Comparison(operator=operator, left=left, right=right):
            left_text, right_text = canonical_text(left, ranks), canonical_text(right, ranks)
            if operator in (">", ">="):
                operator, left_text, right_text = MIRRORED[operator], right_text, left_text
            elif operator in ("=", "<>") and right_text < left_text:
                left_text, right_text = right_text, left_text
            return f"({left_text} {operator} {right_text})"
        case And(operands=operands) | Or(operands=operands):
            texts = sorted(canonical_text(expression, ranks) for expression in operands)
            return f"({type(test).__name__} {' '.join(texts)})"
        case InList(operand=operand, items=items):
            texts = sorted(canonical_text(item, ranks) for item in items)
            return f"({canonical_text(operand, ranks)} in {' '.join(texts)})"
        case _:
            inside = (canonical_text(child, ranks) for child in test.children())
            return f"({type(test).__name__} {getattr(test, 'name', '')} {' '.join(inside)})"
