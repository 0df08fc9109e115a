"""A leg of a join, as the planner reads it: one relation with the tests and data-stops above it."""

from __future__ import annotations

from piql.compiler.logical.expressions import Expression
from piql.compiler.logical.operators import DataStop, LogicalNode, Relation, Selection
from piql.compiler.optimizer.analysis.predicates import all_conjuncts


def is_leg(node: LogicalNode) -> bool:
    """Whether a section is one relation under selections and data-stops."""
    while isinstance(node, Selection | DataStop):
        node = node.input
    return isinstance(node, Relation)


def read_leg(node: LogicalNode, path: tuple[int, ...]) -> tuple[Relation, tuple[Expression, ...], tuple[int, ...]]:
    """Return the relation of a leg, the predicates over it in the order written, and its path."""
    predicates: list[Expression | None] = []
    while isinstance(node, Selection | DataStop):
        if isinstance(node, Selection):
            predicates.append(node.predicate)
        node = node.input
        path = (*path, 0)
    assert isinstance(node, Relation)
    parts = all_conjuncts(predicates)
    return (
        node,
        tuple(sorted(parts, key=lambda predicate: predicate.span.start if predicate.span is not None else -1)),
        path,
    )
