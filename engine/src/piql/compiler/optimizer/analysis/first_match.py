"""Turns a correlated ORDER BY … LIMIT 1, MIN or MAX subquery into a left join with the first match of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression, IsNull, Not
from piql.compiler.logical.operators import Count, GroupBy, Join, LogicalNode, Projection, Relation, Sort, SortKey, Stop
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.nulls import is_null_with
from piql.compiler.optimizer.analysis.predicates import conjunction, has_subquery, relations_of
from piql.compiler.optimizer.analysis.region import aliases_below, is_region, read_region
from piql.compiler.optimizer.analysis.restrictions import Restrictions, restrictions_on
from piql.compiler.optimizer.analysis.row_keys import keys_of_region
from piql.compiler.optimizer.analysis.subqueries import outer_relations


class _FirstRow(NamedTuple):
    """What a subquery for the first row of an order asks for: a value of it, the order, and the rows."""

    value: Expression
    keys: tuple[SortKey, ...]
    rows: LogicalNode


def first_match(plan: LogicalNode, query: LogicalNode, is_test: bool) -> tuple[LogicalNode, Expression] | None:
    """Return a left join with the first match, and the subquery's value in it; None where no index has it first.

        → SELECT t.text … WHERE t.owner = u.name            LeftJoin t.owner = u.name, first by t.posted DESC
          ORDER BY t.posted DESC LIMIT 1             →        …
                                                              Relation t

    `is_test`: the value is compared in a WHERE or ON, not selected. MIN and MAX that are selected, over matches that
    the schema limits, are left to `summarize_subqueries`, where the rows have the keys that it needs.
    """
    asked = _first_row_request(query)
    if asked is None or not is_region(asked.rows):
        return None
    value, keys, rows = asked
    region = read_region(rows)
    relation = region.legs[0].relation
    tests = (*region.legs[0].filters, *region.conditions)
    if len(region.legs) > 1 or relation is None or region.above or any(map(has_subquery, tests)):
        return None
    relations, outside = frozenset((relation.alias,)), outer_relations(query)
    if not outside or not outside <= aliases_below(plan) or not is_null_with(value, relations):
        return None
    if relations_of(value) != relations or not all(_is_column_of(key.expression, relations) for key in keys):
        return None
    is_extreme = isinstance(query, Projection)
    if is_extreme and keys[0].ascending and isinstance(value, ColumnRef) and value.nullable:
        tests = (*tests, Not(operand=IsNull(operand=value)))  # MIN leaves out NULL, which comes first in an order
    restrictions = restrictions_on(relation.alias, tests, outside)
    is_limited = bool(facts_about(relation.table, restrictions))
    if is_extreme and not is_test and is_limited and keys_of_region(plan) is not None:
        return None
    first = completed_by_primary_key(keys, relation, restrictions)
    names = [key.expression.name for key in first if isinstance(key.expression, ColumnRef)]
    if not restrictions.are_served_with(names) or any(fixed.count > 1 for fixed in restrictions.equal.values()):
        return None
    join = Join(kind="left", left=plan, right=relation, condition=conjunction(tests), first=first, span=query.span)
    return join, value


def _is_column_of(expression: Expression, relations: frozenset[str]) -> bool:
    return isinstance(expression, ColumnRef) and expression.relation in relations


def _first_row_request(query: LogicalNode) -> _FirstRow | None:
    """Return what a LIMIT 1, MIN or MAX subquery asks for; None for any other subquery."""
    match query:
        case Stop(
            count=Count(max=1, parameter=None), is_page=False, input=Projection(outputs=(only,), input=Sort() as sort)
        ):
            return _FirstRow(only.expression, sort.keys, sort.input)
        case Stop(count=Count(max=1, parameter=None), is_page=False, input=Projection(outputs=(only,), input=below)):
            return _FirstRow(only.expression, (), below)
        case Projection(
            outputs=(only,),
            input=GroupBy(
                keys=(), aggregates=(Aggregate(function="MIN" | "MAX", operand=ColumnRef() as column) as extreme,)
            ) as group,
        ) if only.expression == extreme:
            key = SortKey(expression=column, ascending=extreme.function == "MIN")
            return _FirstRow(column, (key,), group.input)
        case _:
            return None


def completed_by_primary_key(
    keys: Sequence[SortKey], relation: Relation, restrictions: Restrictions
) -> tuple[SortKey, ...]:
    """Append the primary key to an order, and drop the columns that the restrictions fix to one value."""
    ascending = keys[-1].ascending if keys else True
    primary = (
        SortKey(expression=column, ascending=ascending) for column in relation.columns(relation.table.primary_key)
    )
    completed_keys: dict[Expression, SortKey] = {}
    for key in (*keys, *primary):
        if isinstance(key.expression, ColumnRef) and key.expression.name not in restrictions.equal:
            completed_keys.setdefault(key.expression, key)
    return tuple(completed_keys.values())
