"""Whether a join keeps every row of its left side: then a stop may pass it (language.md, 'Foreign keys')."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, InList, IsNull, Not
from piql.compiler.optimizer.analysis.predicates import ColumnKey, equated_columns, key_of
from piql.compiler.optimizer.analysis.region import Leg
from piql.schema.catalog import ForeignKey, Table


def keeps_every_row(
    leg: Leg, conditions: Iterable[Expression], before: Sequence[Leg], is_met: Callable[[ColumnKey], bool]
) -> bool:
    """Whether each row of the legs `before` has at least one match in `leg` under the join's conditions.

    A left join keeps every row. An inner join does when its conditions are exactly a declared foreign key of one of
    the legs before, whose columns cannot be NULL there, and no predicate stands on the joined table. `is_met` says of a
    column whether the joins of the legs before test it, so that no row is left in which it is NULL.
    """
    if leg.kind == "left":
        return True
    return foreign_key_of(leg, conditions, before, is_met) is not None


def foreign_key_of(
    leg: Leg, conditions: Iterable[Expression], before: Sequence[Leg], is_met: Callable[[ColumnKey], bool]
) -> ForeignKey | None:
    """Return the foreign key that an inner join follows, when it proves that every row has exactly one match."""
    joined = leg.relation
    if joined is None or leg.filters:
        return None
    pairs: set[tuple[ColumnKey, ColumnKey]] = set()
    for condition in conditions:
        columns = equated_columns(condition)
        if columns is None:
            return None
        joined_column, earlier_column = columns if columns[0].relation == joined.alias else (columns[1], columns[0])
        if joined_column.relation != joined.alias or earlier_column.relation == joined.alias:
            return None
        pairs.add((key_of(earlier_column), key_of(joined_column)))
    for earlier in before:
        if earlier.relation is None or earlier.kind == "left":
            continue
        alias = earlier.relation.alias
        for key in earlier.relation.table.foreign_keys:
            if key.table != joined.table.name or not _is_key(joined.table, key.referenced_columns):
                continue
            key_pairs = {
                ((alias, column), (joined.alias, referenced))
                for column, referenced in zip(key.columns, key.referenced_columns, strict=True)
            }
            if pairs == key_pairs and all(
                _is_never_null(earlier, column) or is_met((alias, column)) for column in key.columns
            ):
                return key
    return None


def _is_key(table: Table, columns: tuple[str, ...]) -> bool:
    return set(columns) == set(table.primary_key) or any(set(columns) == set(key.columns) for key in table.unique_keys)


def _is_never_null(leg: Leg, name: str) -> bool:
    """Whether a column of a leg cannot be NULL: declared so, or a filter that NULL does not pass."""
    assert leg.relation is not None
    column = leg.relation.table.column(name)
    if column is None or not column.nullable:
        return True
    return any(leaves_out_null(predicate, (leg.relation.alias, name)) for predicate in leg.filters)


def leaves_out_null(predicate: Expression, column: ColumnKey) -> bool:
    """Whether a test does not pass where a column is NULL: it compares the column itself, or asks whether it is."""
    match predicate:
        case Comparison(left=left, right=right):
            tested: tuple[Expression, ...] = (left, right)
        case InList(operand=operand) | Not(operand=IsNull(operand=operand) | InList(operand=operand)):
            tested = (operand,)
        case _:
            return False
    return any(isinstance(expression, ColumnRef) and key_of(expression) == column for expression in tested)
