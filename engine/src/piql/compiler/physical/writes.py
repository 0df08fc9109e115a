"""Plans a write: INSERT, UPDATE or DELETE of one record → a `WritePlan` with the constraints that it can break.

A constraint is looked up in an index of its table (`group_index`, `token_index`); each pair here is one of a constraint
and this index. Next: `runtime.writing` takes the steps, `bounds` counts their requests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Literal, assert_never

from piql.compiler.logical.operators import Delete, Insert, LogicalWrite, Update
from piql.compiler.physical.indexes.secondary_index import group_index, referrers_of, token_index
from piql.compiler.physical.operators import PhysicalNode
from piql.compiler.physical.view_upkeep import upkeep_of_views
from piql.compiler.physical.write_plan import WritePlan
from piql.schema.catalog import CardinalityLimit, Catalog, ForeignKey, Index, Table, UniqueKey
from piql.trees.caches import Cached


def plan_write(
    write: LogicalWrite, catalog: Catalog, indexes: Mapping[str, Index], section: PhysicalNode | None = None
) -> WritePlan:
    """Plan a write; `indexes` are the secondary indexes of the set, by name, `section` is the plan of what it reads."""
    table = write.table
    of_table = tuple(index for index in indexes.values() if index.table == table.name)
    match write:
        case Insert():
            return _plan_insert(write, of_table, catalog, indexes, section)
        case Update():
            return _plan_update(write, of_table, catalog, indexes, section)
        case Delete():
            return WritePlan(
                kind="delete",
                table=table,
                key=write.key,
                where=write.where,
                section=section,
                condition=write.condition,
                returning=write.returning,
                found_by=_found_by(table, [part.column for part in write.key]),
                referrers=_referrers(table, catalog, indexes),
                left=_constraints_of(
                    _limits(table, of_table, table.limits), _unique(table, of_table, table.unique_keys)
                ),
                indexes=of_table,
                views=upkeep_of_views(table, catalog, indexes, None, may_move=False),
                span=write.span,
            )
        case _:
            assert_never(write)


def planned_again(plan: WritePlan, catalog: Catalog, indexes: Mapping[str, Index]) -> WritePlan:
    """Return a write as the tables and indexes of another version have it planned, which must have its table.

    What finds its rows stays as it was planned: the rules that it has to keep are those of the other version.
    """
    table = catalog.tables[plan.table.name]
    write: LogicalWrite
    match plan.kind:
        case "insert":
            write = Insert(
                table=table,
                values=plan.values,
                if_not_exists=plan.if_not_exists,
                conflict=replace(plan.conflict, key=()) if plan.conflict is not None else None,
                returning=plan.returning,
                more=plan.more,
                rows=plan.rows,
            )
        case "update":
            write = Update(table=table, key=(), changes=plan.values, returning=plan.returning)
        case "delete":
            write = Delete(table=table, key=(), returning=plan.returning)
        case _:
            assert_never(plan.kind)
    again = plan_write(write, catalog, indexes)
    return replace(
        again,
        key=plan.key,
        where=plan.where,
        section=plan.section,
        condition=plan.condition,
        conflict=plan.conflict,
        found_by=plan.found_by,
        given_by=plan.given_by,
    )


def _plan_insert(
    write: Insert,
    of_table: tuple[Index, ...],
    catalog: Catalog,
    indexes: Mapping[str, Index],
    given_by: PhysicalNode | None,
) -> WritePlan:
    """Plan an INSERT: every constraint of the table can be broken, and what it replaces may leave groups."""
    table, conflict = write.table, write.conflict
    limits, unique = _limits(table, of_table, table.limits), _unique(table, of_table, table.unique_keys)
    keeps_old = write.if_not_exists or conflict is not None
    key = tuple(value for value in write.values if value.column in table.primary_key)
    otherwise = None
    if conflict is not None and conflict.changes:
        update = Update(table=table, key=key, changes=conflict.changes, span=write.span)
        otherwise = _plan_update(update, of_table, catalog, indexes, None)
    columns = {column.name for column in table.columns}
    return WritePlan(
        kind="insert",
        table=table,
        values=write.values,
        key=key,
        if_not_exists=write.if_not_exists,
        conflict=conflict,
        more=write.more,
        rows=write.rows,
        given_by=given_by,
        returning=write.returning,
        found_by=_found_by(table, conflict.key) if conflict is not None else None,
        otherwise=otherwise,
        references=table.foreign_keys,
        counted_limits=limits,
        unique_checks=unique,
        referrers=() if keeps_old else _referrers(table, catalog, indexes, columns),
        left=() if keeps_old else _may_be_left(table, _constraints_of(limits, unique)),
        unique_references=_unique_references(table.foreign_keys, catalog),
        is_shown_first=any(_is_found_by_records(table, of_table, key) for key in table.foreign_keys),
        indexes=of_table,
        views=upkeep_of_views(table, catalog, indexes, None, may_move=not keeps_old),
        span=write.span,
    )


def _plan_update(
    write: Update,
    of_table: tuple[Index, ...],
    catalog: Catalog,
    indexes: Mapping[str, Index],
    section: PhysicalNode | None,
) -> WritePlan:
    """Plan an UPDATE: only constraints on columns that it changes can be broken."""
    table = write.table
    changed = {change.column for change in write.changes}
    limits = _limits(table, of_table, (limit for limit in table.limits if changed & set(limit.columns)))
    unique = _unique(table, of_table, (key for key in table.unique_keys if changed & set(key.columns)))
    references = tuple(key for key in table.foreign_keys if changed & set(key.columns))
    return WritePlan(
        kind="update",
        table=table,
        values=write.changes,
        key=write.key,
        where=write.where,
        section=section,
        condition=write.condition,
        returning=write.returning,
        found_by=_found_by(table, [part.column for part in write.key]),
        references=references,
        counted_limits=limits,
        unique_checks=unique,
        referrers=_referrers(table, catalog, indexes, changed),
        left=_constraints_of(limits, unique),
        unique_references=_unique_references(references, catalog),
        indexes=of_table,
        views=upkeep_of_views(table, catalog, indexes, changed, may_move=True),
        span=write.span,
    )


def _found_by(table: Table, columns: Collection[str]) -> UniqueKey | None:
    """Return the UNIQUE key that a write names its row by; None for the primary key, and for no key (no columns)."""
    if not columns or set(columns) == set(table.primary_key):
        return None
    return next(key for key in table.unique_keys if set(key.columns) == set(columns))


def _constraints_of(
    limits: tuple[tuple[CardinalityLimit, Index], ...], unique: tuple[tuple[UniqueKey, Index], ...]
) -> tuple[CardinalityLimit | UniqueKey, ...]:
    return (*(limit for limit, _ in limits), *(key for key, _ in unique))


def _may_be_left(
    table: Table, constraints: tuple[CardinalityLimit | UniqueKey, ...]
) -> tuple[CardinalityLimit | UniqueKey, ...]:
    """Return the constraints whose groups a row may leave when an INSERT replaces it by its primary key."""
    return tuple(constraint for constraint in constraints if not set(constraint.columns) <= set(table.primary_key))


def _unique_references(keys: tuple[ForeignKey, ...], catalog: Catalog) -> tuple[ForeignKey, ...]:
    """Return the foreign keys that reference a UNIQUE key, not the primary one."""
    return tuple(key for key in keys if set(key.referenced_columns) != set(catalog.tables[key.table].primary_key))


def _is_found_by_records(table: Table, of_table: tuple[Index, ...], key: ForeignKey) -> bool:
    """Whether rows that reference another row are found among the records themselves, not by a secondary index."""
    index = group_index(table, key.columns, of_table)
    return index is not None and index.is_primary


def is_counted(table: Table, limit: CardinalityLimit) -> bool:
    """Whether a limit can be broken at all: one on a whole primary key cannot, since one row has that key."""
    return limit.is_token or set(limit.columns) != set(table.primary_key)


def _limits(
    table: Table, of_table: tuple[Index, ...], limits: Iterable[CardinalityLimit]
) -> tuple[tuple[CardinalityLimit, Index], ...]:
    """Return the limits that can be broken, each with the index by which its groups are counted."""
    counted: list[tuple[CardinalityLimit, Index]] = []
    for limit in limits:
        index = token_index(limit.columns, of_table) if limit.is_token else group_index(table, limit.columns, of_table)
        if index is not None and is_counted(table, limit):
            counted.append((limit, index))
    return tuple(counted)


def _unique(
    table: Table, of_table: tuple[Index, ...], keys: Iterable[UniqueKey]
) -> tuple[tuple[UniqueKey, Index], ...]:
    """Return UNIQUE keys, each with the index by which a value of it is looked up."""
    served = ((key, group_index(table, key.columns, of_table)) for key in keys)
    return tuple((key, index) for key, index in served if index is not None)


def _referrers(
    table: Table, catalog: Catalog, indexes: Mapping[str, Index], changed: set[str] | None = None
) -> tuple[tuple[Table, ForeignKey, Index], ...]:
    """Return the foreign keys that may name the row written, each with its table and the index that finds such rows.

    For a DELETE all of them (`changed` is None), else those that reference a column that changes.
    """
    referrers = _all_referrers.recall(
        (table, catalog.tables, indexes), lambda: _find_referrers(table, catalog, indexes)
    )
    if changed is None:
        return referrers
    columns = changed - set(table.primary_key)
    return tuple(
        (referring, key, index) for referring, key, index in referrers if not columns.isdisjoint(key.referenced_columns)
    )


_all_referrers: Cached[tuple[tuple[Table, ForeignKey, Index], ...]] = Cached(512)


def _find_referrers(
    table: Table, catalog: Catalog, indexes: Mapping[str, Index]
) -> tuple[tuple[Table, ForeignKey, Index], ...]:
    """Return all foreign keys that name rows of a table, with the index by which those that do are found."""
    keys = referrers_of(catalog, table.name)
    by_table: dict[str, list[Index]] = {referring.name: [] for referring, _ in keys}
    for index in indexes.values():
        if index.table in by_table:
            by_table[index.table].append(index)
    served = (
        (referring, key, group_index(referring, key.columns, by_table[referring.name])) for referring, key in keys
    )
    return tuple((referring, key, index) for referring, key, index in served if index is not None)


Change = Literal["none", "put", "replace"]


def change_of(plan: WritePlan, index: Index) -> Change:
    """Tell what a write may do to the entries of an index: nothing, put one, or put one and delete a stale one."""
    keys = {name for column in index.columns for name in (column.token_of or (column.name,))}
    if plan.kind == "delete":
        return "replace"
    if plan.kind == "insert":  # a row with the same primary key has its entry in the same place
        return "put" if not plan.may_replace or keys <= set(plan.table.primary_key) else "replace"
    changed = {value.column for value in plan.values}
    if changed & keys:
        return "replace"
    return "put" if changed & set(index.covering) else "none"
