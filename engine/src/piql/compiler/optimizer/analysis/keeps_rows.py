"""Whether a join keeps every row of its left side: then a stop may pass it (language.md, 'Foreign keys')."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, InList, IsNull, Not
from piql.compiler.logical.operators import Relation
from piql.compiler.optimizer.analysis.predicates import ColumnKey, equated_columns, key_of
from piql.compiler.optimizer.analysis.region import Leg
from piql.schema.catalog import Table


def keeps_every_row(
    leg: Leg, conditions: Iterable[Expression], before: Sequence[Leg], drops_null: Callable[[ColumnKey], bool]
) -> bool:
    """Whether each row of the legs `before` has at least one match in `leg` under the join's conditions.

    A left join keeps every row. An inner join does when its conditions are exactly a declared foreign key of one of
    the legs before, whose columns cannot be NULL there, and no predicate stands on the joined table. `drops_null` tells
    whether the joins of the legs before drop the rows in which a column is NULL, because they compare it.
    """
    if leg.kind == "left":
        return True
    joined = leg.relation
    if joined is None or leg.filters:
        return False
    pairs = _equated_pairs(joined.alias, conditions)
    return pairs is not None and any(
        earlier.kind == "inner"
        and earlier.relation is not None
        and _has_foreign_key(earlier, earlier.relation, joined, pairs, drops_null)
        for earlier in before
    )


def _equated_pairs(joined: str, conditions: Iterable[Expression]) -> set[tuple[ColumnKey, ColumnKey]] | None:
    """Return the pairs (earlier column, joined column) that a join equates; None where it tests anything else."""
    pairs: set[tuple[ColumnKey, ColumnKey]] = set()
    for condition in conditions:
        columns = equated_columns(condition)
        if columns is None:
            return None
        joined_column, earlier_column = columns if columns[0].relation == joined else columns[::-1]
        if joined_column.relation != joined or earlier_column.relation == joined:
            return None
        pairs.add((key_of(earlier_column), key_of(joined_column)))
    return pairs


def _has_foreign_key(
    leg: Leg,
    child: Relation,
    parent: Relation,
    pairs: set[tuple[ColumnKey, ColumnKey]],
    drops_null: Callable[[ColumnKey], bool],
) -> bool:
    """Whether the pairs (child column, parent column) are a foreign key, so that each row of `leg` has one match."""
    for key in child.table.references:
        if key.table != parent.table.name or not _is_key(parent.table, key.referenced_columns):
            continue
        key_pairs = {
            ((child.alias, column), (parent.alias, referenced))
            for column, referenced in zip(key.columns, key.referenced_columns, strict=True)
        }
        if pairs == key_pairs and all(
            _is_never_null(leg, child, column) or drops_null((child.alias, column)) for column in key.columns
        ):
            return True
    return False


def _is_key(table: Table, columns: tuple[str, ...]) -> bool:
    """Whether columns are the whole primary key or a whole UNIQUE key."""
    return set(columns) == set(table.primary_key) or any(set(columns) == set(key.columns) for key in table.unique_keys)


def _is_never_null(leg: Leg, relation: Relation, name: str) -> bool:
    """Whether a column of a leg cannot be NULL: it is declared so, or a filter of the leg drops NULL."""
    column = relation.table.column(name)
    if column is None or not column.nullable:
        return True
    return any(leaves_out_null(predicate, (relation.alias, name)) for predicate in leg.filters)


def leaves_out_null(predicate: Expression, column: ColumnKey) -> bool:
    """Whether a test drops the rows in which a column is NULL: it compares the column itself, or asks IS NOT NULL."""
    match predicate:
        case Comparison(left=left, right=right):
            tested: tuple[Expression, ...] = (left, right)
        case InList(operand=operand) | Not(operand=IsNull(operand=operand) | InList(operand=operand)):
            tested = (operand,)
        case _:
            return False
    return any(isinstance(expression, ColumnRef) and key_of(expression) == column for expression in tested)
