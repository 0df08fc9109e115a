"""How many rows each table gets: as many as asked for, and as its limits and those of its children need to be full."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil, prod

from piql.errors import InvalidParameter
from piql.generating.constraints import counted_column, has_single_rows, keys_of, limits_of, most_rows
from piql.generating.wish import MOST_ROWS, Wish
from piql.schema.catalog import ForeignKey, Table

Distinct = Mapping[str, Mapping[str, int | None]]
"""By table, by column that no foreign key gives: how many values it can have, None without end."""


def in_order(tables: Collection[Table]) -> list[Table]:
    """Return tables, parents before children; those that refer to each other in a circle in their given order."""
    left = {table.name: table for table in tables}
    ordered: list[Table] = []
    while left:
        ready = [
            table
            for table in left.values()
            if not any(key.table in left and key.table != table.name for key in table.foreign_keys)
        ]
        for table in ready or [_first_of_circle(list(left.values()))]:
            ordered.append(left.pop(table.name))
    return ordered


def _first_of_circle(tables: Sequence[Table]) -> Table:
    """Return a table whose foreign keys to the others can be NULL, else the first one."""
    names = {table.name for table in tables}
    for table in tables:
        if all(can_be_null(table, key) for key in table.foreign_keys if key.table in names):
            return table
    return tables[0]


def can_be_null(table: Table, key: ForeignKey) -> bool:
    """Return whether a row may refer to nothing by a foreign key."""
    return any((column := table.column(name)) is not None and column.nullable for name in key.columns)


def row_counts(tables: Sequence[Table], wish: Wish, distinct: Distinct) -> dict[str, int]:
    """Return the rows of each table; `tables` stand in the order of `in_order`.

    Raises InvalidParameter where a table would get more than MOST_ROWS.
    """
    counts = _full_counts(tables, wish.full) if wish.full is not None else {}
    at_least = dict.fromkeys((table.name for table in tables), 0)
    for table in reversed(tables):
        if table.name in wish.rows_of:
            count = wish.rows_of[table.name]
        elif wish.full is not None:
            count = max(counts[table.name], at_least[table.name])
        else:
            limits = [limit for limit in table.limits if limit.columns]
            filled = [limit.limit for limit in limits if limit.is_token or not has_single_rows(table, limit)]
            count = max(wish.rows, sum(filled) if wish.rows else 0, at_least[table.name])
        if count > MOST_ROWS:
            raise InvalidParameter(
                f"{table.name} would get {count:,} rows, and {MOST_ROWS:,} are the most: give fewer, "
                f"such as {table.name}=1000"
            )
        most = most_rows(table)
        count = count if most is None else min(count, most)
        counts[table.name] = count
        _ask_parents(table, count, distinct[table.name], at_least)
    return {table.name: counts[table.name] for table in tables}


def _full_counts(tables: Sequence[Table], parents: int) -> dict[str, int]:
    """Return the rows that fill every group of every limit, for so many rows of each table that refers to none."""
    counts: dict[str, int] = {}
    for table in tables:
        count = max([parents, *(counts.get(key.table, parents) for key in table.foreign_keys)])
        for limit in limits_of(table):
            if has_single_rows(table, limit):
                continue
            groups = parents
            for key in table.foreign_keys:
                if set(limit.columns) & set(key.columns):
                    groups = max(groups, counts.get(key.table, parents))
            count = max(count, groups * limit.limit)
        counts[table.name] = count
    return counts


def _ask_parents(table: Table, count: int, distinct: Mapping[str, int | None], at_least: dict[str, int]) -> None:
    """Raise `at_least` of the parents to what gives the rows of a table, and its full groups, enough values."""
    if not count:
        return
    constraints = [(set(key), 1) for key in keys_of(table) if counted_column(table, key, distinct) is None]
    limits = [limit for limit in limits_of(table) if not has_single_rows(table, limit)]
    constraints += [(set(limit.columns), limit.limit) for limit in limits]
    groups = [(set[str](), count), *((set(limit.columns), min(count, limit.limit)) for limit in limits)]
    for columns, most in constraints:
        for fixed, rows in groups:
            if not fixed or not columns <= fixed:
                _ask(table, columns - fixed, ceil(rows / most), distinct, at_least)


def _ask(
    table: Table, columns: set[str], values: int, distinct: Mapping[str, int | None], at_least: dict[str, int]
) -> None:
    """Ask the parents of a table for enough rows, so that these columns can have so many values."""
    inherited = {name for key in table.foreign_keys for name in key.columns}
    numbers = [distinct.get(name) for name in columns - inherited]
    if any(number is None for number in numbers):
        return
    parents = {key.table for key in table.foreign_keys if set(key.columns) & columns and key.table != table.name}
    keys = [key for key in table.foreign_keys if set(key.columns) & columns]
    if not keys:
        return
    missing = ceil(values / max(1, prod(number or 1 for number in numbers)))
    needed = ceil(round(missing ** (1 / len(keys)), 6))
    for parent in parents:
        at_least[parent] = max(at_least.get(parent, 0), needed)
