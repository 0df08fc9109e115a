"""The differences between two declarations of a table: what can never change, and what must be checked before it may.

Enters: a table as stored and as desired. Leaves: the reason to refuse the change, or the constraints to check rows for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from piql.schema.catalog import CardinalityLimit, Check, Column, ForeignKey, Kind, SqlType, Table, UniqueKey
from piql.schema.types import TEXTS, WHOLE

_WIDER = {WHOLE, TEXTS}  # from the first of two to the second
_UNLIMITED = 2**63


@dataclass(frozen=True, slots=True)
class AddedConstraints:
    """Constraints of the new declaration that rows written under the old one may violate.

    `columns` are those that become NOT NULL or hold fewer values than before.
    """

    limits: tuple[CardinalityLimit, ...] = ()
    unique: tuple[UniqueKey, ...] = ()
    references: tuple[ForeignKey, ...] = ()
    columns: tuple[Column, ...] = ()
    checks: tuple[Check, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.limits or self.unique or self.are_of_rows)

    @property
    def are_of_rows(self) -> bool:
        """Whether some are checked row by row."""
        return bool(self.references or self.columns or self.checks)


def reason_against(
    stored: Table,
    declared: Table | None,
    desired: Table,
    keeps_alike: Callable[[SqlType, SqlType], bool] = lambda before, after: True,
) -> str | None:
    """Return why no row of the stored table could be one of the desired table; None if rows can be.

    `declared` is the table in force, None where only its data remain: columns that it names may not be dropped.
    `keeps_alike` tells whether the store writes the values of two types in the same form.
    """
    if desired.view != stored.view:
        if stored.view is None:
            return "a view cannot take its place: give the view another name"
        return "it is a view, and what it holds cannot change: give the new one another name"
    if desired.primary_key != stored.primary_key:
        return f"its primary key is ({', '.join(stored.primary_key)}) and cannot change"
    for column in stored.columns:
        new_column = desired.column(column.name)
        if new_column is None:
            if declared is not None and declared.column(column.name) is not None:
                return f"{column.name} would be dropped with its data; keep the column"
        elif not (
            _holds_all_of(new_column.type, column.type)
            or _may_hold(new_column.type, column.type)
            or (desired.view is not None and _has_more_digits_behind_the_point(new_column.type, column.type))
        ):
            return f"{column.name} is {column.type} and cannot become {new_column.type}"
        elif not keeps_alike(column.type, new_column.type):
            why = f"this store keeps the two differently: add a column of type {new_column.type}, and copy the values"
            return f"{column.name} is {column.type} and cannot become {new_column.type}; {why}"
    return None


def added_constraints(stored: Table, desired: Table) -> AddedConstraints:
    """Return the constraints that existing rows must be checked for."""
    limits = {(limit.columns, limit.is_token): limit.limit for limit in stored.limits}
    unique = {key.columns for key in stored.unique_keys}
    references = {(key.columns, key.table, key.referenced_columns) for key in stored.foreign_keys}
    tests = {check.test for check in stored.checks}
    return AddedConstraints(
        tuple(
            limit
            for limit in desired.limits
            if limits.get((limit.columns, limit.is_token), _UNLIMITED) > limit.limit
            and (limit.is_token or set(limit.columns) != set(desired.primary_key))
        ),
        tuple(key for key in desired.unique_keys if key.columns not in unique),
        tuple(
            key for key in desired.foreign_keys if (key.columns, key.table, key.referenced_columns) not in references
        ),
        tuple(column for column in desired.columns if _is_stricter(stored.column(column.name), column)),
        tuple(check for check in desired.checks if check.test not in tests),
    )


def _is_stricter(old: Column | None, new: Column) -> bool:
    if old is None:
        return not new.nullable
    return (old.nullable and not new.nullable) or not _holds_all_of(new.type, old.type)


def _holds_all_of(new: SqlType, old: SqlType) -> bool:
    """Return whether every value of the old type is one of the new type, stored in the same form."""
    if old.kind is not new.kind and (old.kind, new.kind) not in _WIDER:
        return False
    if new.length is not None and (old.length is None or old.length > new.length):
        return False
    if new.precision is not None:
        if old.precision is None:
            return False
        old_scale, new_scale = old.scale or 0, new.scale or 0
        return new_scale >= old_scale and new.precision - new_scale >= old.precision - old_scale
    return True


def _has_more_digits_behind_the_point(new: SqlType, old: SqlType) -> bool:
    """Return whether a sum of the old type is one of the new, if it has no more digits before the point than that."""
    return new.kind is old.kind is Kind.DECIMAL and (new.scale or 0) >= (old.scale or 0)


def _may_hold(new: SqlType, old: SqlType) -> bool:
    """Return whether both types store values in the same form, so that each value only has to fit the new type."""
    return (new.kind in TEXTS and old.kind in TEXTS) or (old.kind is Kind.BIGINT and new.kind is Kind.INT)
