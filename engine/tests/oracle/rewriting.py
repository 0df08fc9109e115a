"""The same query in another order: what is written first must not matter to what is found out about it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from .query import And, Col, Compare, Expr, Or, Param, Select, Source
from .query_generator import QueryCase

MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def rewritten(rng: random.Random, case: QueryCase) -> QueryCase:
    """Return an equal query: AND and OR shuffled, sides exchanged, inner joins in another order, other aliases, and a
    predicate said twice.

    Joins are left as they stand where the order of rows is completed by the keys of their tables, and stopped.
    """
    query = case.query
    if isinstance(query, Select):
        is_free = query.stop is None or (query.stop.kind == "LIMIT" and not query.order)
        if is_free and len(query.sources) > 1 and not query.by:
            query = replace(query, sources=_other_sources(rng, query.sources))
        if query.where is not None and rng.random() < 0.5:
            query = replace(query, where=_with_one_twice(rng, query.where))
    if rng.random() < 0.5:
        query = _renamed(query, _other_names(rng, query))
    return replace(case, query=_shuffled(rng, query))


def _with_one_twice(rng: random.Random, predicate: Expr) -> Expr:
    """Say one of the parts of a WHERE again, but no subquery: one that stands twice is read twice."""
    parts = predicate.operands if isinstance(predicate, And) else (predicate,)
    again = [part for part in parts if "Select(" not in repr(part)]
    return And((*parts, rng.choice(again))) if again else predicate


def _other_names(rng: random.Random, query: object) -> dict[str, str]:
    """Return each alias of a query another name."""
    aliases = sorted(set(_aliases(query)))
    names = [f"r{number}" for number in range(len(aliases))]
    rng.shuffle(names)
    return dict(zip(aliases, names, strict=True))


def _aliases(node: Any) -> Iterator[str]:
    if isinstance(node, Source):
        yield node.alias
    if isinstance(node, tuple):
        for item in node:
            yield from _aliases(item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _aliases(getattr(node, field.name))


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, tuple):
        return tuple(_renamed(item, names) for item in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {field.name: _renamed(getattr(node, field.name), names) for field in fields(node)}
    if isinstance(node, Col | Source):
        changed["alias"] = names.get(node.alias, node.alias)
    return replace(node, **changed)


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
    changed = {field.name: _shuffled(rng, getattr(node, field.name)) for field in fields(node)}
    if isinstance(node, And | Or):
        operands = list(changed["operands"])
        rng.shuffle(operands)
        changed["operands"] = tuple(operands)
    return replace(node, **changed)
