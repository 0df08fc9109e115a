"""The same query in another order: what is written first must not matter to what is found out about it."""

from __future__ import annotations

import random
from dataclasses import fields, is_dataclass, replace
from typing import Any

from .query import And, Compare, Or, Param, Select, Source
from .query_generator import QueryCase

MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def rewritten(rng: random.Random, case: QueryCase) -> QueryCase:
    """Give an equal query: AND and OR shuffled, comparisons turned round, inner joins in another order.

    Joins are left as they stand where the order of rows depends on them.
    """
    query = case.query
    if isinstance(query, Select) and not query.order and query.stop is None and len(query.sources) > 1:
        query = replace(query, sources=_other_sources(rng, query.sources))
    return replace(case, query=_shuffled(rng, query))


def _other_sources(rng: random.Random, sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """Reverse the tables of FROM where all are joined inner; ON goes with the last table that it may stand at."""
    if any(source.kind not in ("from", "inner") for source in sources):
        return sources
    conditions = [source.on for source in sources if source.on is not None]
    shuffled = list(sources)
    rng.shuffle(shuffled)
    first, *middle, last = (replace(source, kind="comma", on=None) for source in shuffled)
    all_conditions = And(tuple(conditions)) if len(conditions) > 1 else conditions[0] if conditions else None
    return (replace(first, kind="from"), *middle, replace(last, kind="inner", on=all_conditions))


def _shuffled(rng: random.Random, node: Any) -> Any:
    if isinstance(node, tuple):
        return tuple(_shuffled(rng, item) for item in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    if isinstance(node, Compare) and rng.random() < 0.5 and not isinstance(node.left, Param):
        node = Compare(MIRRORED[node.operator], node.right, node.left)
    changed = {each.name: _shuffled(rng, getattr(node, each.name)) for each in fields(node)}
    if isinstance(node, And | Or):
        operands = list(changed["operands"])
        rng.shuffle(operands)
        changed["operands"] = tuple(operands)
    return replace(node, **changed)
