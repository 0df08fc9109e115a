"""What is added to a read after it was drawn: whole conditions as values, computed lists, columns compared as values.

All of it is drawn from a state of its own, so that the other queries of a seed stay as they were.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .predicates import PredicateGenerator, Sight
from .query import (
    And,
    Arithmetic,
    Call,
    Col,
    Compare,
    Const,
    Distinct,
    Exists,
    Expr,
    In,
    IsNull,
    Item,
    Or,
    Param,
    Select,
    Stop,
    Union,
)
from .sources import conjunction
from .values import BOOLEAN, INT, TEXT, ValueType, random_value


def with_more(maker: PredicateGenerator, query: Select | Union) -> Select | Union:
    """Return a query, or one with more in it, or whether it finds a row."""
    rng = maker.rng
    if not isinstance(query, Select) or maker.is_basic or query.by:
        return query
    if query.where is not None and rng.random() < 0.3:
        query = replace(query, where=_computed(rng, query.where))
    sights = sights_of(maker, query)
    if sights and not query.group and not query.is_star and query.items and not _has_aggregates(query):
        if rng.random() < 0.1:
            query = replace(query, items=(*query.items, Item(nested(maker, sights), "holds")))
        if rng.random() < 0.06:
            found = nested(maker, sights)
            query = replace(query, where=conjunction([found] if query.where is None else [query.where, found]))
    if rng.random() < 0.06:
        return _whether(rng, query)
    return query


def sights_of(maker: PredicateGenerator, query: Select) -> list[Sight]:
    """Return the tables of a query's FROM as predicates see them."""
    tables = {table.name: table for table in maker.schema.tables}
    return [
        maker.sight(source.alias, tables[source.relation])
        for source in query.sources
        if isinstance(source.relation, str) and source.relation in tables
    ]


def _has_aggregates(query: Select) -> bool:
    return any(item.name[0] == "g" and item.name[1:].isdigit() for item in query.items)


def nested(maker: PredicateGenerator, sights: Sequence[Sight]) -> Expr:
    """Return a condition about a condition, or about two columns of which either may be NULL."""
    rng = maker.rng
    one, other = (maker.extra(sights, depth=2) for _ in range(2))
    match rng.randrange(6):
        case 0:
            return Compare(rng.choice(("=", "<>")), one, other)
        case 1:
            return IsNull(one, rng.random() < 0.5)
        case 2:
            return Distinct(one, rng.choice((other, Const(True, BOOLEAN))), rng.random() < 0.5)
        case 3:
            return Call("COALESCE", (one, Const(rng.random() < 0.5, BOOLEAN)))
        case 4:
            return In(one, (Const(rng.random() < 0.5, BOOLEAN), other), rng.random() < 0.3)
    sight = rng.choice(sights)
    column = rng.choice(sight.table.columns)
    alike = [
        Col(some.alias, candidate.name)
        for some in sights
        for candidate in some.table.columns
        if candidate.type.kind == column.type.kind
    ]
    return Distinct(Col(sight.alias, column.name), rng.choice(alike), rng.random() < 0.5)


def _computed(rng: random.Random, where: Expr) -> Expr:
    """Compute some of the values that a WHERE compares columns with."""
    match where:
        case And() | Or():
            return replace(where, operands=tuple(_computed(rng, operand) for operand in where.operands))
        case In(operand=Col()) if not _is_list(where):
            return replace(where, items=tuple(_of_value(rng, item) for item in where.items))
        case Compare(left=Col(), right=Param() | Const()):
            return replace(where, right=_of_value(rng, where.right))
    return where


def _is_list(membership: In) -> bool:
    return any(isinstance(item, Param) and item.max_items is not None for item in membership.items)


def _of_value(rng: random.Random, value: Expr) -> Expr:
    """Return a computation whose value is of the same type, or the value itself."""
    if not isinstance(value, Param | Const) or rng.random() < 0.4:
        return value
    of = value.type
    if of.kind == "INT" and rng.random() < 0.6:  # a BIGINT parameter beside an INT would be an INT
        return Arithmetic(rng.choice("+-*"), value, Const(rng.choice((0, 1, 2)), INT))
    if of.is_text and rng.random() < 0.6:
        return Call(rng.choice(("LOWER", "UPPER", "TRIM")), (value,)) if rng.random() < 0.6 else _joined(value)
    if isinstance(value, Param) and _may_be_written(of):
        return Call(rng.choice(("COALESCE", "NULLIF")), (value, Const(random_value(random.Random(7), of), of)))
    return value


def _joined(value: Expr) -> Expr:
    return Arithmetic("||", value, Const("", TEXT))


def _may_be_written(of: ValueType) -> bool:
    return of.kind in ("INT", "VARCHAR", "TEXT", "DATE", "TIMESTAMP")


def _whether(rng: random.Random, query: Select) -> Select:
    """Ask whether a query finds a row."""
    stop: Any = query.stop
    if stop is not None and stop.kind == "PAGINATE":
        stop = Stop("LIMIT", stop.count)
    return Select((Item(Exists(replace(query, stop=stop), rng.random() < 0.3), "found"),), ())
