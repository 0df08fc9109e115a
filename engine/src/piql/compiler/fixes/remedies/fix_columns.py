"""Remedy: equalities on the columns of a key or a limit, so that the query asks for what the schema limits.

SELECT * FROM thoughts   →   SELECT * FROM thoughts WHERE owner = [owner]     (thoughts have a limit on owner)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from piql.compiler.fixes.remedy import Change, NewTest, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import Occurrence, occurrence_of
from piql.compiler.syntax import ast
from piql.schema.catalog import Table
from piql.schema.view_stripes import STRIPE


def fix_columns(query: RefusedQuery) -> list[Remedy]:
    """Return the equalities that each gap lacks for a limit of its table, one remedy for each column."""
    return _equalities(query, _limited, Change.OTHER_ROWS)


def fix_keys(query: RefusedQuery) -> list[Remedy]:
    """Return those that it lacks for a key: they leave one row of the table, which is seldom what a list is for."""
    return _equalities(query, _keys, Change.ONE_ROW)


def _equalities(
    query: RefusedQuery, columns_of: Callable[[Table], Iterator[tuple[str, ...]]], change: Change
) -> list[Remedy]:
    remedies: dict[NewTest, Remedy] = {}
    for gap in query.gaps:
        occurrence = occurrence_of(query.body, gap.relation)
        if occurrence is None or occurrence.is_optional:
            continue
        for column in dict.fromkeys(name for columns in columns_of(gap.table) for name in columns):
            if column not in gap.columns:
                test = NewTest(
                    occurrence.select, f"{occurrence.column(column)} = {_parameter(query, occurrence, column)}"
                )
                consequence = f"changes the answer: only rows with {test.text}, which each execution gives"
                remedies.setdefault(test, Remedy(f"Add {test.text}", consequence, change, test=test))
    return list(remedies.values())


def _limited(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each limit of a table."""
    for limit in table.limits:
        if not limit.is_token:
            yield limit.columns


def _keys(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each key of a table; a group of a view is all of its stripes."""
    has_stripes = table.view is not None and table.view.stripes is not None
    yield tuple(name for name in table.primary_key if not has_stripes or name != STRIPE)
    for key in table.unique_keys:
        yield key.columns


def _parameter(query: RefusedQuery, occurrence: Occurrence, column: str) -> str:
    """Return a new parameter: named like its column, with its relation before it where that is taken.

    In a query whose parameters are `?` or numbered it is written as they are.
    """
    assert query.body is not None
    uses = tuple(query.body.find(ast.ParameterUse))
    if any(use.style == "?" for use in uses):
        return "?"
    if any(use.style == "$" for use in uses):
        return f"${max(use.ordinal or 0 for use in uses) + 1}"
    used_names = {use.name for use in uses}
    plain = "".join(letter if letter.isalnum() else "_" for letter in column)
    is_shared = sum(gap.table.column(column) is not None for gap in query.gaps) > 1
    if plain not in used_names and not is_shared:
        return f"[{plain}]"
    owner = occurrence.called.text
    name = "".join(letter if letter.isalnum() else "_" for letter in f"{owner}_{plain}")
    while name in used_names:
        name += "_"
    return f"[{name}]"
