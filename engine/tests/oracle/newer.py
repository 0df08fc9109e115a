"""What is added to a read after all else was drawn: the place of NULL in an order, BOOL_OR, BOOL_AND and STRING_AGG.

All of it is drawn last, so that a query without it is what it was.
"""

from __future__ import annotations

from dataclasses import replace

from .further import sights_of
from .predicates import PredicateGenerator, Sight
from .query import Aggregate, Col, Item, Order, Select, Union
from .values import BOOLEAN


def with_newer(maker: PredicateGenerator, query: Select | Union) -> Select | Union:
    """Return a query, or one with newer constructs in it."""
    rng = maker.rng
    if not isinstance(query, Select) or query.by:
        return query
    query = replace(query, order=tuple(_with_place_of_null(maker, order) for order in query.order))
    sights = sights_of(maker, query)
    if sights and not maker.is_basic and rng.random() < 0.4:
        query = replace(query, items=tuple(_summarized(maker, item, sights) for item in query.items))
    return query


def _with_place_of_null(maker: PredicateGenerator, order: Order) -> Order:
    return order if maker.rng.random() < 0.9 else replace(order, nulls=maker.rng.choice(("FIRST", "LAST")))


def _summarized(maker: PredicateGenerator, item: Item, sights: list[Sight]) -> Item:
    """Return an output with another aggregate in the place of its own, or as it is."""
    rng = maker.rng
    if not (item.name.startswith("g") and isinstance(item.expression, Aggregate)) or rng.random() < 0.3:
        return item
    kept = item.expression.filter
    sight = rng.choice(sights)
    texts = [column for column in sight.table.columns if column.type.is_text]
    if texts and rng.random() < 0.5:
        column = Col(sight.alias, rng.choice(texts).name)
        return replace(item, expression=Aggregate("STRING_AGG", column, rng.random() < 0.3, filter=kept))
    function = rng.choice(("BOOL_OR", "BOOL_AND"))
    return replace(item, expression=Aggregate(function, maker.extra([sight], depth=2), type=BOOLEAN, filter=kept))
