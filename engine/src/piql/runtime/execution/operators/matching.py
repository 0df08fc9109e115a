"""Puts child rows and their matches together: inner, or left with a condition, in the layout that the plan asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.physical import operators as physical
from piql.runtime.execution.preparation import Fields, Preparation, own_columns
from piql.store.base import Row


class Matching:
    """Joins each child row with the rows that were read for it; rows read hold the own columns of `fields`."""

    def __init__(
        self, node: physical.IndexFKJoin | physical.SortedIndexJoin, child: Fields, preparation: Preparation
    ) -> None:
        own = own_columns(node.fields, node.alias)
        self._padding = (None,) * len(own)
        self._is_left = node.kind == "left"
        compiler = preparation.over_pair(child, own)
        self._is_match: Callable[..., Any] | None = None
        if node.condition is not None:
            self._is_match = compiler.function("l, r, p", compiler.is_true(node.condition))
        self._lay_out: Callable[[Row, Row], Row] | None = None
        if tuple(node.fields) != (*child, *own):
            places = preparation.over_pair(child, own)
            self._lay_out = places.function("l, r", places.tuple_of([places.stored(field) for field in node.fields]))

    def joined(self, rows: list[Row], matches: list[list[Row]], parameters: list[Any]) -> list[Row]:
        if self._is_left:
            is_match = self._is_match
            if is_match is not None:
                matches = [
                    [each for each in found if is_match(row, each, parameters)]
                    for row, found in zip(rows, matches, strict=True)
                ]
            padding = [self._padding]
            matches = [found or padding for found in matches]
        lay_out = self._lay_out
        if lay_out is not None:
            return [lay_out(row, each) for row, found in zip(rows, matches, strict=True) for each in found]
        return [row + each for row, found in zip(rows, matches, strict=True) for each in found]
