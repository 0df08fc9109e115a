"""Columns that have one value in each group: those of a row whose key the keys of GROUP BY determine.

    SELECT u.id, u.name, COUNT(*) … GROUP BY u.id    u.id is the primary key, so it determines u.name

Equalities that hold for every row (of WHERE and inner joins) carry this on: where t.owner = u.id, grouping by t.owner
determines u.name, too. So do those of a LEFT JOIN onto a whole key, if nothing else that may differ within a group
decides whether it finds the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from piql.compiler.binding.types import type_of
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.schema.catalog import Kind
from piql.schema.types import WHOLE


@dataclass(slots=True)
class _Input:
    """What FROM and WHERE say: the tables, the tests that hold for every row, and the left joins onto a table."""

    tables: list[logical.Relation] = field(default_factory=list)
    tests: list[bound.Expression] = field(default_factory=list)
    left_joins: list[tuple[logical.Relation, bound.Expression]] = field(default_factory=list)


def determined_columns(plan: logical.LogicalNode, keys: Sequence[bound.Expression]) -> frozenset[bound.ColumnRef]:
    """Return the columns that have one value in each group by `keys`; `plan` gives the rows that are grouped."""
    source = _Input()
    _collect(plan, source)
    known = {key for key in keys if isinstance(key, bound.ColumnRef)}
    before = -1
    while len(known) > before:
        before = len(known)
        for test in source.tests:
            known.update(_equal_to_known(test, known))
        for table in source.tables:
            if _has_key(table, known, not_null=True):
                known.update(_columns(table))
        for table, condition in source.left_joins:
            known.update(_left_joined(table, condition, known))
    return frozenset(known)


def _collect(node: logical.LogicalNode, source: _Input) -> None:
    match node:
        case logical.Selection():
            source.tests.extend(bound.conjuncts(node.predicate))
            _collect(node.input, source)
        case logical.Join():
            _collect(node.left, source)
            _collect(node.right, source)
            if node.condition is None:
                return
            if node.kind == "inner":
                source.tests.extend(bound.conjuncts(node.condition))
            elif isinstance(node.right, logical.Relation):
                source.left_joins.append((node.right, node.condition))
        case logical.Relation():
            source.tables.append(node)


def _equal_to_known(test: bound.Expression, known: set[bound.ColumnRef]) -> Iterator[bound.ColumnRef]:
    """Yield the columns that a test makes equal to a constant, a parameter or a known column."""
    if isinstance(test, bound.Comparison) and test.operator == "=":
        for column, value in ((test.left, test.right), (test.right, test.left)):
            is_known = isinstance(value, bound.Constant | bound.Parameter) or value in known
            if is_known and isinstance(column, bound.ColumnRef) and _is_same_value(column, value):
                yield column


def _is_same_value(column: bound.ColumnRef, value: bound.Expression) -> bool:
    """Return whether values that are equal are the same: 0.0 and -0.0 are not, nor are 1 and 1.0."""
    kind, other = column.type.kind, type_of(value).kind
    return kind is not Kind.DOUBLE and (kind is other or (kind in WHOLE and other in WHOLE))


def _has_key(table: logical.Relation, known: set[bound.ColumnRef], *, not_null: bool) -> bool:
    """Return whether known columns hold a key of a table; with `not_null` one whose columns are never NULL."""
    keys = [table.table.primary_key, *(key.columns for key in table.table.unique_keys)]
    for key in keys:
        declared = [table.table.column(name) for name in key]
        if not_null and any(column is None or column.nullable for column in declared):
            continue
        if known.issuperset(table.columns(key)):
            return True
    return False


def _left_joined(
    table: logical.Relation, condition: bound.Expression, known: set[bound.ColumnRef]
) -> tuple[bound.ColumnRef, ...]:
    """Return the columns of a left-joined table if each group finds one row of it, the same for all, or none."""
    if any(isinstance(node, bound.Exists | bound.InSubquery | bound.ScalarSubquery) for node in condition.walk()):
        return ()
    outside = {column for column in bound.columns_of(condition) if column.relation != table.alias}
    if not known.issuperset(outside):
        return ()
    fixed = {column for test in bound.conjuncts(condition) for column in _equal_to_known(test, known)}
    return _columns(table) if _has_key(table, fixed, not_null=False) else ()


def _columns(table: logical.Relation) -> tuple[bound.ColumnRef, ...]:
    return table.columns(column.name for column in table.table.columns)
