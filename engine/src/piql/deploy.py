"""Puts a compiled set into a store: what is new is created and back-filled, what would lose or break data is refused.

texts of the set + what was deployed earlier and is not named again ──compile──▶ one set
one transaction: tables, columns, indexes, back-fill, new constraints against the rows there are, texts, version
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from piql.catalog import Column, Kind, Table
from piql.compilation import Compilation
from piql.compilation import compile as compile_set
from piql.deployment import SETTING, Deployment
from piql.errors import CompilationRefused
from piql.store.base import Row, Store, Transaction
from piql.store.scan import scan_table
from piql.writing.constraints import GroupCount
from piql.writing.entries import IndexEntries
from piql.writing.table_writer import TableWriter

EARLIER = "deployed earlier.piql"

_WIDER = {(Kind.INT, Kind.BIGINT), (Kind.VARCHAR, Kind.TEXT)}


def load_deployment(store: Store) -> Deployment:
    """Give what is deployed in a store; version 0 when nothing is."""
    kept = store.settings().get(SETTING)
    if kept is None:
        return Deployment(0, None, {}, compile_set({}))
    return _from_text(kept)


def _from_text(kept: str) -> Deployment:
    found: dict[str, Any] = json.loads(kept)
    compilation = compile_set(found["texts"])
    return Deployment(
        found["version"],
        datetime.fromisoformat(found["deployed_at"]),
        found["texts"],
        compilation,
        tables=dict(compilation.tables),
    )


def deploy(store: Store, compilation: Compilation, forget: Iterable[str] = ()) -> Deployment:
    """Make a compiled set executable and give the new deployment."""
    refuse_errors(compilation)
    while True:
        current = load_deployment(store)
        texts, whole = _with_earlier(compilation, current, frozenset(forget))
        _refuse_incompatible(current, whole)
        deployment = Deployment(current.version + 1, datetime.now(UTC), texts, whole, tables=dict(whole.tables))
        with store.transaction() as transaction:
            if transaction.version() != current.version:
                continue  # somebody else deployed meanwhile: begin again from what is there now
            _change_store(transaction, store, current, deployment)
            transaction.set_setting(SETTING, deployment.as_text())
            transaction.set_version(deployment.version)
        return deployment


def refuse_errors(compilation: Compilation) -> None:
    errors = [each for each in compilation.diagnostics if each.severity == "error"]
    if errors:
        first = errors[0]
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        raise CompilationRefused(f"not deployed: {first.message}{more}", compilation.diagnostics)


def _with_earlier(
    compilation: Compilation, current: Deployment, forget: frozenset[str]
) -> tuple[Mapping[str, str], Compilation]:
    """Give the texts and the compilation of the set together with what was deployed before and is not named again."""
    texts = {source.name: source.text for source in compilation.sources}
    before = current.compilation
    earlier = [
        *(_statement(table.span) for name, table in before.tables.items() if name not in compilation.tables),
        *(
            _statement(index.span)
            for name, index in before.catalog.indexes.items()
            if name not in compilation.catalog.indexes and index.span is not None
        ),
        *(
            query.text.rstrip().rstrip(";") + ";"
            for name, query in before.queries.items()
            if name not in compilation.queries and name not in forget
        ),
    ]
    if not earlier:
        return texts, compilation
    texts[EARLIER] = "\n\n".join(earlier) + "\n"
    whole = compile_set(texts)
    errors = [each for each in whole.diagnostics if each.severity == "error"]
    if errors:
        names = sorted({each.query for each in errors if each.query})
        what = ", ".join(names) or "what was deployed earlier"
        raise CompilationRefused(
            f"not deployed: {what} would break, deployed earlier and not named again: {errors[0].message}",
            whole.diagnostics,
        )
    return texts, whole


def _statement(span: Any) -> str:
    text: str = span.text
    return text.rstrip().rstrip(";") + ";"


def _refuse_incompatible(current: Deployment, whole: Compilation) -> None:
    for name, old in current.tables.items():
        new = whole.tables.get(name)
        if new is None:
            continue
        if new.primary_key != old.primary_key:
            raise _refusal(name, f"its primary key is ({', '.join(old.primary_key)}) and cannot change")
        for column in old.columns:
            found = new.column(column.name)
            if found is None:
                raise _refusal(name, f"{column.name} would be dropped with its data; keep the column")
            if not _is_compatible(column, found):
                raise _refusal(name, f"{column.name} is {column.type} and cannot become {found.type}")


def _refusal(table: str, why: str) -> CompilationRefused:
    return CompilationRefused(f"not deployed: the table {table} holds data: {why}")


def _is_compatible(old: Column, new: Column) -> bool:
    """Say whether every value of the old type is one of the new, kept in the same form."""
    if old.type.kind is not new.type.kind and (old.type.kind, new.type.kind) not in _WIDER:
        return False
    if new.type.length is not None and (old.type.length is None or old.type.length > new.type.length):
        return False
    if new.type.precision is not None:
        if old.type.precision is None:
            return False
        old_scale, new_scale = old.type.scale or 0, new.type.scale or 0
        return new_scale >= old_scale and new.type.precision - new_scale >= old.type.precision - old_scale
    return True


def _change_store(transaction: Transaction, store: Store, current: Deployment, new: Deployment) -> None:
    added: set[str] = set()
    for name, table in new.tables.items():
        before = current.tables.get(name)
        if before is None:
            transaction.create_table(table)
            added.add(name)
            continue
        _refuse_nulls(transaction, store, before, table)
        names = [column.name for column in table.columns if before.column(column.name) is None]
        transaction.add_columns(table, names)
    there = transaction.index_names()
    wanted: set[str] = set()
    for index in new.indexes.values():
        table = new.tables[index.table]
        stored_name = store.stored_name(table, index)
        wanted.add(stored_name)
        if stored_name not in there:
            transaction.create_index(table, index)
            if table.name not in added:
                _fill(transaction, store, table, IndexEntries(table, index, store))
    for stored_name in there - wanted:
        transaction.drop_index(stored_name)
    for name, table in new.tables.items():
        if name in current.tables:
            _check_new_constraints(transaction, store, current.tables[name], table, new)


def _fill(transaction: Transaction, store: Store, table: Table, entries: IndexEntries) -> None:
    for rows in _records(transaction, store, table):
        transaction.put(entries.prepared, [entry for row in rows for entry in entries.of(row)])


def _records(transaction: Transaction, store: Store, table: Table) -> Iterator[list[Row]]:
    return scan_table(transaction, store, table, tuple(column.name for column in table.columns))


def _refuse_nulls(transaction: Transaction, store: Store, before: Table, table: Table) -> None:
    """A column may become NOT NULL, or be added as such, only when no row has NULL there."""
    for column in table.columns:
        old = before.column(column.name)
        if column.nullable or (old is not None and not old.nullable):
            continue
        if old is None:
            if any(rows for rows in scan_table(transaction, store, before, (), chunk=1)):
                raise _refusal(table.name, f"the new column {column.name} is NOT NULL; declare it NULL")
        elif any((None,) in rows for rows in scan_table(transaction, store, before, (column.name,))):
            raise _refusal(table.name, f"{column.name} becomes NOT NULL, but some rows have NULL there")


def _check_new_constraints(
    transaction: Transaction, store: Store, before: Table, table: Table, deployment: Deployment
) -> None:
    """Hold limits, unique keys and references that are new or tighter against the rows there are."""
    writer = TableWriter(table, deployment, store)
    old_limits = {(each.columns, each.is_token): each.limit for each in before.limits}
    limits = [
        each
        for each in writer.limits
        if old_limits.get((each.limit.columns, each.limit.is_token), 2**63) > each.limit.limit
    ]
    old_keys = {key.columns for key in before.unique_keys}
    unique = [each for each in writer.unique if each.key.columns not in old_keys]
    old_references = {(key.columns, key.table, key.referenced_columns) for key in before.foreign_keys}
    references = [
        each
        for each in writer.references
        if (each.key.columns, each.key.table, each.key.referenced_columns) not in old_references
    ]
    if not (limits or unique or references):
        return
    groups: dict[GroupCount, Counter[Row]] = {each: Counter() for each in limits}
    seen: dict[int, set[Row]] = {at: set() for at in range(len(unique))}
    for rows in _records(transaction, store, table):
        for row in rows:
            for limit, counts in groups.items():
                counts.update(limit.groups(row))
            for at, key in enumerate(unique):
                value = key.value(row)
                if value is not None:
                    if value in seen[at]:
                        raise CompilationRefused(f"not deployed: {key.violation(value)}")
                    seen[at].add(value)
        for reference in references:
            for named in {reference.value(row) for row in rows}:
                if named is not None and not reference.exists(transaction, named):
                    raise CompilationRefused(f"not deployed: {reference.violation(named)}")
    for limit, counts in groups.items():
        for group, count in counts.items():
            if count > limit.limit.limit:
                raise CompilationRefused(f"not deployed: {limit.violation(group)}: {count}")
