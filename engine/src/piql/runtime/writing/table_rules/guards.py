"""The checks that writers make for another version, besides those of the version in force.

The other version is the coming one, while existing rows are checked against its constraints, or the one before, while
some reader may still rely on it (see `Deployment.also_held`).
"""

from __future__ import annotations

from dataclasses import dataclass

from piql.compiler.physical.indexes.secondary_index import referrers_of
from piql.runtime.deployment import Deployment
from piql.runtime.writing.table_rules.check_constraint import CheckConstraint
from piql.runtime.writing.table_rules.column_check import ColumnCheck
from piql.runtime.writing.table_rules.constraints import GroupCount, ReferenceCheck, ReferrerCheck, UniqueCheck
from piql.schema.catalog import Table
from piql.schema.table_changes import added_constraints
from piql.store.base import Store


@dataclass(frozen=True, slots=True)
class Guards:
    """The checks of the constraints that only the other version has; all empty if there is no other version."""

    columns: tuple[ColumnCheck, ...] = ()
    references: tuple[ReferenceCheck, ...] = ()
    unique: tuple[UniqueCheck, ...] = ()
    limits: tuple[GroupCount, ...] = ()
    referrers: tuple[ReferrerCheck, ...] = ()
    rows: tuple[CheckConstraint, ...] = ()


def guards_of(table: Table, record: Table, deployment: Deployment, store: Store) -> Guards:
    """Return the checks that writers of a table make for another version; `record` is the table as it is stored."""
    other_version = deployment.also_held
    other_table = other_version.tables.get(table.name) if other_version is not None else None
    if other_version is None or other_table is None:
        return Guards()
    added = added_constraints(record, other_table)
    return Guards(
        tuple(ColumnCheck(record, other_table, column, store) for column in added.columns),
        tuple(ReferenceCheck(other_table, key, other_version, store, record) for key in added.references),
        tuple(UniqueCheck(other_table, key, other_version, store, record) for key in added.unique),
        tuple(GroupCount(other_table, limit, other_version, store, record) for limit in added.limits),
        tuple(
            ReferrerCheck(other_table, referrer, key, other_version, store, record)
            for referrer, key in referrers_of(other_version.compilation.catalog, table.name)
            if referrer.name in other_version.kept
            and key in added_constraints(deployment.kept_as_declared(referrer.name), referrer).references
        ),
        tuple(CheckConstraint(other_table, check, store, record) for check in added.checks),
    )
