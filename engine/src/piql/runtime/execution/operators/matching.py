"""Puts child rows and the rows that were read for them together, as the joins with requests do.

An inner join's condition was part of the read. A left join's is tested here, and a child row without a match is
padded with NULLs. The result has the columns in the order that the plan asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.compiler.physical import operators as physical
from piql.runtime.execution.preparation import Fields, Preparation, own_columns
from piql.store.rows import Row


class Matching:
    """The join of child rows with rows read, which hold those columns of the node's fields that are of its table."""

    def __init__(
        self, node: physical.IndexFKJoin | physical.SortedIndexJoin, child: Fields, preparation: Preparation
    ) -> None:
        fields = own_columns(node.fields, node.alias)
        self._padding = (None,) * len(fields)
        self._is_left = node.kind == "left"
        compiler = preparation.over_pair(child, fields)
        self._is_match: Callable[..., Any] | None = None
        if node.condition is not None:
            self._is_match = compiler.function("l, r, p", compiler.is_true(node.condition))
        self._lay_out: Callable[[Row, Row], Row] | None = None
        if tuple(node.fields) != (*child, *fields):
            layout = preparation.over_pair(child, fields)
            self._lay_out = layout.function("l, r", layout.tuple_of([layout.stored(field) for field in node.fields]))

    def joined(self, rows: list[Row], matches: list[list[Row]], parameters: list[Any]) -> list[Row]:
        """Return the joined rows in the order of the child rows; `matches` are the rows read for each of them."""
        if self._is_left:
            is_match = self._is_match
            if is_match is not None:
                matches = [
                    [match for match in row_matches if is_match(row, match, parameters)]
                    for row, row_matches in zip(rows, matches, strict=True)
                ]
            padding = [self._padding]
            matches = [row_matches or padding for row_matches in matches]
        lay_out = self._lay_out
        if lay_out is not None:
            return [
                lay_out(row, match) for row, row_matches in zip(rows, matches, strict=True) for match in row_matches
            ]
        return [row + match for row, row_matches in zip(rows, matches, strict=True) for match in row_matches]
