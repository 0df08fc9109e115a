"""Where a node of a plan is in a later one. Pure.

A node is known by its operator and, where it reads or writes a table, by that table: `IndexScan` of `subscriptions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from piql_backend.compilations.schemas import PlanNodeRead, QueryRead


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """A node of a plan; `table` is empty where it is about none."""

    id: str
    operator: str
    table: str


def nodes_of(query: QueryRead) -> Sequence[PlannedNode]:
    """The nodes of the last stage of a plan; none where nothing could be planned."""
    return [*_below(query.stages[-1].plan)] if query.stages else []


def node_now(nodes: Sequence[PlannedNode], node: PlannedNode) -> PlannedNode | None:
    """The node where it was, or else the only one of that operator and table; None where it is gone."""
    alike = [candidate for candidate in nodes if (candidate.operator, candidate.table) == (node.operator, node.table)]
    at_its_place = [candidate for candidate in alike if candidate.id == node.id]
    return at_its_place[0] if at_its_place else alike[0] if len(alike) == 1 else None


def _below(node: PlanNodeRead) -> Iterator[PlannedNode]:
    first = node.detail.split(maxsplit=1)[0].rstrip(":") if node.detail.strip() else ""
    yield PlannedNode(node.id, node.operator, first if node.kind in ("remote", "write") else "")
    for child in node.children:
        yield from _below(child)
