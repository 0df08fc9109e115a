"""Copies of a part of a plan under other aliases, so that aliases stay unique in the whole statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.logical.operators import Derived, Relation
from piql.trees.node import Node


def aliases_in(plan: Node) -> set[str]:
    """Return the aliases of all relations in a plan, those inside derived tables included."""
    return {node.alias for node in plan.walk() if isinstance(node, Relation | Derived)}


def unused(name: str, taken: set[str]) -> str:
    """Return an alias that is not taken, and take it."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def renamed(plan: Node, names: Mapping[str, str]) -> Node:
    """Return a plan or an expression with relations renamed."""

    def change(node: Node) -> Node:
        match node:
            case Relation(alias=alias) | Derived(alias=alias) if alias in names:
                return replace(node, alias=names[alias])
            case ColumnRef(relation=relation) if relation in names:
                return replace(node, relation=names[relation])
            case _:
                return node

    return plan.transform_up(change)
