"""The scaling class of a bounded query (VLDB 2012, section 2): I constant, II bounded by a cardinality limit."""

from __future__ import annotations

from typing import Literal

from piql.compiler.physical.operators import IndexScan, PhysicalNode, SortedIndexJoin, inputs
from piql.schema.catalog import CardinalityLimit


def scaling_class(plan: PhysicalNode) -> Literal["I", "II"]:
    """Return II where a cardinality limit bounds some read, so that raising it makes the query slower; else I."""
    return "II" if _is_bounded_by_limit(plan) else "I"


def _is_bounded_by_limit(node: PhysicalNode) -> bool:
    if isinstance(node, IndexScan | SortedIndexJoin) and isinstance(node.limit.because, CardinalityLimit):
        return True
    return any(map(_is_bounded_by_limit, inputs(node)))
