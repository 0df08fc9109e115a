"""How full the groups under each CARDINALITY LIMIT are, by one walk through the tables that have limits.

    rows of a table, a bounded read at a time  →  rows of each group  →  levels: a histogram, and the fullest groups

No query makes such a walk. `walk_cost` says before how many requests it takes; `stop` is asked after each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, TypeAlias

from piql.client.database import Database
from piql.client.table_pages import PAGE_ROWS, table_pages
from piql.errors import InvalidParameter
from piql.schema.catalog import CardinalityLimit, Table
from piql.schema.words import words_of

BINS = 10  # of the histogram: groups up to 10 % full, up to 20 %, …, up to 100 %
FULLEST = 10  # groups that are named
_NEARLY = 0.8

Group: TypeAlias = tuple[Any, ...]
ProgressCallback: TypeAlias = Callable[[str, int, int], None]
"""Called after each request with the table, the rows looked at so far, and the requests so far."""


@dataclass(frozen=True, slots=True)
class GroupLevel:
    """One group: the values of the limit's columns (of a limit on words, the word), and its rows."""

    key: Group
    rows: int


@dataclass(frozen=True, slots=True)
class LimitLevels:
    """How full the groups of one limit are.

    `histogram` counts groups: number i those that are more than i / BINS full, and (i + 1) / BINS at most.
    `nearly_full` are at least 80 % full, `full` ones included. `is_complete` is False where the walk was stopped: then
    groups may have more rows than were counted.
    """

    table: str
    limit: CardinalityLimit
    groups: int
    histogram: tuple[int, ...]
    nearly_full: int
    full: int
    fullest: tuple[GroupLevel, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class SharedRows:
    """How many rows share their values of some columns, whether a limit is on these or not.

    `limit` is one with room to grow: twice the rows of the fullest group, rounded up to 1, 2 or 5 times a power of ten.
    Of a table with more rows than may be read `is_complete` is False: groups may have more rows than were counted.
    """

    rows: int
    groups: int
    fullest: tuple[GroupLevel, ...]
    limit: int
    is_complete: bool


@dataclass(frozen=True, slots=True)
class WalkCost:
    """About how many requests of PAGE_ROWS rows a walk through the tables with limits takes, and their rows."""

    requests: int
    rows: int


def levels_of(table: str, limit: CardinalityLimit, counts: Mapping[Group, int], *, is_complete: bool) -> LimitLevels:
    """Return how full groups are, from the rows of each."""
    histogram = [0] * BINS
    for rows in counts.values():
        histogram[min(BINS - 1, (rows * BINS - 1) // limit.limit)] += 1
    fullest = nlargest(FULLEST, counts.items(), key=lambda group: group[1])
    return LimitLevels(
        table,
        limit,
        len(counts),
        tuple(histogram),
        sum(rows >= _NEARLY * limit.limit for rows in counts.values()),
        sum(rows >= limit.limit for rows in counts.values()),
        tuple(GroupLevel(key, rows) for key, rows in fullest),
        is_complete,
    )


def walk_cost(db: Database) -> WalkCost:
    """Return what a walk through all tables with limits costs; 0 rows where the store cannot tell quickly."""
    rows = [db.store.estimate_rows(table) for table in _with_limits(db.deployment.tables)]
    return WalkCost(sum(count // PAGE_ROWS + 1 for count in rows), sum(rows))


def all_levels(
    db: Database, tell: ProgressCallback | None = None, stop: Callable[[], bool] | None = None
) -> list[LimitLevels]:
    """Walk through the tables with limits, and return how full the groups of each limit are.

    Stopped, it returns what was counted until then. Rows with NULL in the columns of a limit are in no group.
    """
    levels: list[LimitLevels] = []
    requests = 0
    for table in _with_limits(db.deployment.tables):
        names = tuple(dict.fromkeys(name for limit in table.limits for name in limit.columns))
        counts: list[dict[Group, int]] = [{} for _ in table.limits]
        rows = 0
        is_complete = stop is None or not stop()
        if is_complete:
            for page in table_pages(db, table.name, columns=names):
                requests += 1
                rows += len(page)
                for record in page:
                    values = dict(zip(names, record, strict=True))
                    for limit, count in zip(table.limits, counts, strict=True):
                        for group in _groups(limit, values):
                            count[group] = count.get(group, 0) + 1
                if tell is not None:
                    tell(table.name, rows, requests)
                if stop is not None and stop():
                    is_complete = False
                    break
        levels += [
            levels_of(table.name, limit, count, is_complete=is_complete)
            for limit, count in zip(table.limits, counts, strict=True)
        ]
    return levels


def rows_that_share(db: Database, table: str, columns: Sequence[str], most_rows: int) -> SharedRows:
    """Count the rows of each group by some columns, with reads of PAGE_ROWS rows, until `most_rows` are read.

    Rows with NULL in one of the columns are in no group. Raises InvalidParameter for columns that the table has not.
    """
    declared = db.deployment.table(table)
    for name in columns:
        if declared.column(name) is None:
            present = ", ".join(column.name for column in declared.columns)
            raise InvalidParameter(f"{table} has no column {name!r}; it has {present}")
    counts: dict[Group, int] = {}
    rows = 0
    is_complete = True
    for page in table_pages(db, table, columns=columns):
        if rows >= most_rows:
            is_complete = False
            break
        rows += len(page)
        for group in page:
            if None not in group:
                counts[group] = counts.get(group, 0) + 1
    fullest = nlargest(FULLEST, counts.items(), key=lambda group: group[1])
    levels = tuple(GroupLevel(key, count) for key, count in fullest)
    return SharedRows(rows, len(counts), levels, roomy_limit(levels[0].rows if levels else 0), is_complete)


def roomy_limit(rows: int) -> int:
    """Return a round number that is at least twice as large: 20 → 50, 50 → 100, 51 → 200, 0 → 1."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= 2 * rows:
                return factor * power
        power *= 10


def _with_limits(tables: Mapping[str, Table]) -> list[Table]:
    return [table for table in tables.values() if table.limits]


def _groups(limit: CardinalityLimit, values: Mapping[str, Any]) -> Iterable[Group]:
    """Return the groups that a row counts in: one for each word, or that of its columns unless one is NULL."""
    if limit.is_token:
        return [(word,) for word in words_of(*(values[name] for name in limit.columns))]
    group = tuple(values[name] for name in limit.columns)
    return () if None in group else (group,)
