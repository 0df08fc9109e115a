"""Orders of rows: sorting by sort keys, and comparing positions in an order. NULL comes first in ascending order.

The position of a row in an order is the tuple of its stored values of the order's keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from piql.compiler.logical.operators import SortKey
from piql.runtime.execution.preparation import Fields, Preparation
from piql.store.rows import Row

Sorter = Callable[[list[Row], list[Any]], list[Row]]
"""From rows and parameters to a sorted copy of the rows."""

_MOST_SINGLE_KEY_PASSES = 3  # so many passes, each by one key, are quicker than one pass by tuples


def sorter(keys: Sequence[SortKey], fields: Fields, preparation: Preparation) -> Sorter:
    """Return a stable sort, made of passes from the last keys to the first.

    Neighbouring keys of one direction are sorted in one pass by tuples if there are many keys. The quick passes compare
    values directly, which fails on a NULL; then all passes are made again with keys that put NULL first.
    """
    runs: list[tuple[bool, list[SortKey]]] = []
    for key in keys:
        if runs and runs[-1][0] == key.ascending and len(keys) > _MOST_SINGLE_KEY_PASSES:
            runs[-1][1].append(key)
        else:
            runs.append((key.ascending, [key]))
    passes = [(not ascending, *_keys_of(run, fields, preparation)) for ascending, run in reversed(runs)]

    def sort(rows: list[Row], parameters: list[Any]) -> list[Row]:
        ordered = rows.copy()
        try:
            for is_descending, plain, _ in passes:
                ordered.sort(key=plain(parameters), reverse=is_descending)
        except TypeError:  # a NULL among the keys; `ordered` is half sorted
            ordered = rows.copy()
            for is_descending, _, null_safe in passes:
                ordered.sort(key=null_safe(parameters), reverse=is_descending)
        return ordered

    return sort


_KeyMaker = Callable[[list[Any]], Callable[[Row], Any]]
"""From the parameters to a `key` function for `list.sort`."""


def _keys_of(run: list[SortKey], fields: Fields, preparation: Preparation) -> tuple[_KeyMaker, _KeyMaker]:
    """Return two key makers for some sort keys: a quick one that fails on NULL, and one that puts NULL first."""
    compiler = preparation.over(fields)
    sources = [compiler.stored(key.expression) for key in run]
    listed = list(fields)
    safe = ", ".join(f"(k := {source}) is not None, k" for source in sources)
    null_safe = compiler.function("p", f"lambda r: ({safe})")
    if all(key.expression in listed for key in run):
        getter = itemgetter(*(listed.index(key.expression) for key in run))
        return (lambda parameters: getter), null_safe
    return compiler.function("p", f"lambda r: {compiler.tuple_of(sources)}"), null_safe


def position_of(keys: Sequence[SortKey], fields: Fields, preparation: Preparation) -> Callable[[Row, list[Any]], Row]:
    """Return a function from a row and the parameters to the row's position in an order."""
    compiler = preparation.over(fields)
    return compiler.function("r, p", compiler.tuple_of([compiler.stored(key.expression) for key in keys]))


def compare(left: Any, right: Any, ascending: bool) -> int:
    """Return whether a value comes before (-1), with (0) or after (1) another in an order."""
    if left == right:
        return 0
    is_less = left is None or (right is not None and left < right)
    return -1 if is_less == ascending else 1


def is_after(position: Sequence[Any], boundary: Sequence[Any], directions: Sequence[bool]) -> bool:
    """Return whether one position comes after another; `directions` says of each key whether it is ascending."""
    for left, right, ascending in zip(position, boundary, directions, strict=True):
        order = compare(left, right, ascending)
        if order:
            return order > 0
    return False
