"""What deploying would change of the tables: from the declarations that are live to those of the text.

CREATE TABLE t (a INT, b INT, …)  →  CREATE TABLE t (a BIGINT, c INT NOT NULL, …)

table    t
change   changed
details  + c INT NOT NULL, − b INT, a INT → a BIGINT
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import Compilation, CompiledQuery
from piql.schema.catalog import CardinalityLimit, Column, ForeignKey, Table
from piql.schema.table_changes import added_constraints, reason_against
from piql.versions.change.composition import upkeep_ends

from piql_backend.comparisons.schemas import TableChangeRead

_MOST_WRITES = 8  # that are named at a view


def table_changes(before: Compilation | None, after: Compilation, stored: Mapping[str, Table]) -> list[TableChangeRead]:
    """The tables that are added or come back, that change, and that are removed, each kind in the order of the text.

    `stored` are the tables that the store has. One of them that is not live keeps rows of earlier versions, so adding
    it brings it `back`. A view that is added says what each write that keeps it takes, after and before.
    """
    live: Mapping[str, Table] = before.tables if before else {}
    wanted = after.tables
    changes = [_change(live[name], table, "changed") for name, table in wanted.items() if name in live]
    added = [
        _change(stored[name], table, "back")
        if name in stored
        else TableChangeRead(
            table=name,
            kind=_kind(table),
            change="added",
            details=[*_upkeep(name, before, after)] if table.view is not None else [],
            checked=[],
            refusal=None,
        )
        for name, table in wanted.items()
        if name not in live
    ]
    removed = [
        TableChangeRead(
            table=name,
            kind=_kind(table),
            change="removed",
            details=["its rows stay in the store" if table.view is None else upkeep_ends(table)],
            checked=[],
            refusal=None,
        )
        for name, table in live.items()
        if name not in wanted
    ]
    return [*added, *(change for change in changes if change.details), *removed]


def _change(before: Table, after: Table, change: Literal["changed", "back"]) -> TableChangeRead:
    """A table that the store has, with the constraints that its existing rows are checked against first."""
    refusal = reason_against(before, before, after)
    new = added_constraints(before, after)
    checked = [_limit(limit) for limit in new.limits]
    checked += [f"UNIQUE ({', '.join(key.columns)})" for key in new.unique]
    checked += [_reference(reference) for reference in new.references]
    checked += [_column(column) for column in new.columns]
    return TableChangeRead(
        table=after.name,
        kind=_kind(after),
        change=change,
        details=[*_details(before, after)],
        checked=checked,
        refusal=refusal,
    )


def _upkeep(view: str, before: Compilation | None, after: Compilation) -> Iterator[str]:
    """What each write that keeps a view takes with it, and took before: its bound in requests."""
    writes = [query for query in after.queries.values() if query.bound is not None and _keeps(query, view)]
    for query in writes[:_MOST_WRITES]:
        known = before.queries.get(query.name) if before else None
        was = known.bound if known is not None else None
        now = query.bound.operations if query.bound is not None else 0
        earlier = "" if was is None else ", as before" if was.operations == now else f", before ≤ {was.operations:,}"
        yield f"{query.name} keeps it up to date: ≤ {now:,} requests{earlier}"
    if len(writes) > _MOST_WRITES:
        yield f"{len(writes) - _MOST_WRITES} more writes keep it up to date"


def _keeps(query: CompiledQuery, view: str) -> bool:
    """Whether a write, or a statement of a unit, changes groups of a view."""
    statements = query.plan.statements if isinstance(query.plan, UnitPlan) else (query.plan,)
    return any(upkeep.view.name == view for plan in statements if isinstance(plan, WritePlan) for upkeep in plan.views)


def _kind(table: Table) -> Literal["table", "view"]:
    return "table" if table.view is None else "view"


def _details(before: Table, after: Table) -> Iterator[str]:
    old = {column.name: column for column in before.columns}
    new = {column.name: column for column in after.columns}
    yield from (f"+ {_column(column)}" for name, column in new.items() if name not in old)
    yield from (f"− {_column(column)}" for name, column in old.items() if name not in new)
    for name in new:
        if name in old and _column(old[name]) != _column(new[name]):
            yield f"{_column(old[name])} → {_column(new[name])}"
    if before.primary_key != after.primary_key:
        yield f"PRIMARY KEY ({', '.join(before.primary_key)}) → ({', '.join(after.primary_key)})"
    yield from _limit_details(before, after)
    yield from _differences(
        [f"UNIQUE ({', '.join(unique_key.columns)})" for unique_key in before.unique_keys],
        [f"UNIQUE ({', '.join(unique_key.columns)})" for unique_key in after.unique_keys],
    )
    yield from _differences([*map(_reference, before.foreign_keys)], [*map(_reference, after.foreign_keys)])


def _limit_details(before: Table, after: Table) -> Iterator[str]:
    old = {(limit.columns, limit.is_token): limit for limit in before.limits}
    new = {(limit.columns, limit.is_token): limit for limit in after.limits}
    yield from (f"+ {_limit(limit)}" for key, limit in new.items() if key not in old)
    yield from (f"− {_limit(limit)}" for key, limit in old.items() if key not in new)
    for key, limit in new.items():
        if key in old and old[key].limit != limit.limit:
            yield f"{_limit(old[key])} → {limit.limit}"


def _differences(before: list[str], after: list[str]) -> Iterator[str]:
    yield from (f"+ {line}" for line in after if line not in before)
    yield from (f"− {line}" for line in before if line not in after)


def _column(column: Column) -> str:
    return f"{column.name} {column.type}{'' if column.nullable else ' NOT NULL'}"


def _limit(limit: CardinalityLimit) -> str:
    return limit.declaration


def _reference(key: ForeignKey) -> str:
    return f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {key.table}"
