"""Plans the read of one relation: an IndexScan, and what must be tested of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from piql.compiler.logical.expressions import ColumnRef, Constant, Expression, Or, Parameter, TokenMatch
from piql.compiler.logical.operators import LogicalNode, Relation, SortKey
from piql.compiler.optimizer.analysis.effort import cost_of
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.predicates import (
    ColumnKey,
    conjunction,
    is_given,
    key_of,
    may_stand_for,
    relations_of,
)
from piql.compiler.optimizer.analysis.restrictions import Restrictions, restrictions_on
from piql.compiler.physical.operators import IndexScan, KeyPart, RowLimit
from piql.compiler.physical.planner.access import best_access
from piql.compiler.physical.planner.alternatives import alternatives, plan_alternatives
from piql.compiler.physical.planner.legs import read_leg
from piql.compiler.physical.planner.part import WORST, Part, Pending, Want, fetched, selected, total_order
from piql.compiler.physical.planner.reading import Access, Demand, Reading
from piql.compiler.physical.planner.unbounded import gap_of
from piql.trees.node import Node

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner

MOST_BRANCHES = 20  # of an unbounded OR, whose gaps are described one by one


def own_keys(keys: Sequence[SortKey], alias: str, available: frozenset[str]) -> tuple[tuple[str, bool], ...] | None:
    """Return the part of an order that one relation must give; None where no index can (a computed key)."""
    order: list[tuple[str, bool]] = []
    for key in keys:
        match key.expression:
            case ColumnRef(relation=relation, name=name) if relation == alias:
                order.append((name, key.ascending))
            case expression if _reads_only(expression, available):
                pass
            case _:
                return None
    return tuple(order)


def _reads_only(expression: Expression, relations: frozenset[str]) -> bool:
    """Whether an expression reads columns of these relations alone, or none."""
    return all(not isinstance(node, ColumnRef) or node.relation in relations for node in expression.walk())


def plan_leg(
    planner: Planner, node: LogicalNode, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]
) -> Part:
    """Plan the read of one relation that no other row fixes; under an OR as a whole or by branch, what takes less."""
    relation, predicates, at = read_leg(node, path)
    part = plan_read(planner, relation, predicates, want)
    if part is None and not want.is_exact:
        part = plan_alternatives(planner, relation, predicates, want, plan_read)
    elif part is not None and _may_be_cheaper_by_branch(planner, part, predicates):
        by_branch = plan_alternatives(planner, relation, predicates, want, plan_read)
        part = part if by_branch is None else cheaper(planner, part, by_branch)
    if part is not None:
        return part
    for reading in _unbounded(planner, relation, predicates, want):
        planner.miss(partial(gap_of, relation, at, under, reading, is_joined=False, has_equality=True))
    return Part(_never(relation), WORST)


def _may_be_cheaper_by_branch(planner: Planner, whole: Part, predicates: Sequence[Expression]) -> bool:
    """Whether there is an OR, and two requests at once would take less than a plan of the whole read."""
    if not any(isinstance(predicate, Or) for predicate in predicates):
        return False
    return planner.cost(fetched(whole).plan) > cost_of(2, 0, 0, 1, 0)


def cheaper(planner: Planner, first: Part, second: Part) -> Part:
    """Return the part that takes less; the first one of equals."""
    was, now = planner.cost(fetched(first).plan), planner.cost(fetched(second).plan)
    return second if now < was else first


def _unbounded(
    planner: Planner, relation: Relation, predicates: tuple[Expression, ...], want: Want
) -> tuple[Reading, ...]:
    """Return the unbounded reads of a relation, to describe them: the branches of an OR, or the relation as a whole.

    Branches count where each of them fixes a column or a word. Of those that fix the same columns, the first stands for
    all: one limit bounds them.
    """
    whole = _reading(planner, relation, predicates, want)
    if planner.is_trial or whole.restrictions.equal or whole.restrictions.words:
        return (whole,)
    for remaining, choices in alternatives(relation, predicates):
        if len(choices) > MOST_BRANCHES:
            continue
        readings = [_reading(planner, relation, (*remaining, *choice), want) for choice in choices]
        if all(reading.restrictions.equal or reading.restrictions.words for reading in readings):
            by_columns: dict[object, Reading] = {}
            for reading in readings:
                fixed = (
                    frozenset(reading.restrictions.equal),
                    tuple(word.columns for word in reading.restrictions.words),
                )
                if best_access(reading) is None:
                    by_columns.setdefault(fixed, reading)
            return tuple(by_columns.values()) or (whole,)
    return (whole,)


def plan_read(planner: Planner, relation: Relation, predicates: tuple[Expression, ...], want: Want) -> Part | None:
    """Plan one scan of a relation; None when nothing bounds it."""
    reading = _reading(planner, relation, predicates, want)
    access = best_access(reading)
    return None if access is None else _scan(relation, access, want, reading.restrictions)


def _reading(planner: Planner, relation: Relation, predicates: tuple[Expression, ...], want: Want) -> Reading:
    """Gather what the choice of an access depends on."""
    table, alias = relation.table, relation.alias
    restrictions = restrictions_on(alias, predicates, frozenset())
    return Reading(
        table,
        restrictions,
        () if want.is_exact else facts_about(table, restrictions),  # what limits them does not say which are first
        Demand(own_keys(want.keys, alias, frozenset()), want.count),
        planner.uses.get(alias, {}),
        planner.indexes.get(table.name, ()),
        must_cover=want.must_cover,
        is_frozen=planner.is_frozen,
        is_exact=want.is_exact,
    )


def _scan(relation: Relation, access: Access, want: Want, restrictions: Restrictions) -> Part:
    """Return an IndexScan by `access`, with a selection above it for the predicates that the index does not apply."""
    table, alias = relation.table, relation.alias
    is_many = access.index.buckets > 1 or any(has_many(part) for part in access.prefix)
    fixed = {(alias, part.column): part.values[0] for part in access.prefix if not has_many(part)}
    key = relation.columns(table.primary_key)
    natural = natural_order(relation, access)
    is_merged = is_many and not want.is_of_each and (access.serves_order if want.keys else want.is_page)
    order = () if is_many else natural
    if is_merged:
        order = want.keys or total_order(natural, Part(_never(relation), access.rows, keys=key, fixed=fixed))
    scan = IndexScan(
        table=table,
        alias=alias,
        index=access.index,
        prefix=access.prefix,
        range=access.range,
        is_ascending=access.is_ascending,
        order=order,
        is_merged=is_merged,
        is_resumable=want.is_page and access.limit.count is not None,
        limit=access.limit,
        span=relation.span,
    )
    pending = (Pending(table, alias, access.index),) if access.needs_dereference else ()
    fixed |= columns_of_one_value(alias, restrictions, {})
    is_stopped = access.limit.count is not None and not is_many
    part = Part(scan, access.rows_passing, order, key, fixed, is_stopped=is_stopped, pending=pending)
    return selected(part, access.residual, conjunction(access.residual), access.passing)


def columns_of_one_value(
    alias: str, restrictions: Restrictions, fixed: Mapping[ColumnKey, Expression]
) -> Mapping[ColumnKey, Expression]:
    """Return the columns that have one value in all rows which pass the tests; `fixed` have one in the rows before."""
    values: dict[ColumnKey, Expression] = {}
    for name, equality in restrictions.equal.items():
        if equality.count != 1:
            continue
        match equality.values[0]:
            case ColumnRef() as column if key_of(column) in fixed:
                values[alias, name] = fixed[key_of(column)]
            case Parameter(max_items=int()):
                pass
            case value if is_given(value):
                values[alias, name] = value
            case _:
                pass
    return values


def with_values(expression: Expression, fixed: Mapping[ColumnKey, Expression]) -> Expression:
    """Return a test with the columns in `fixed` replaced by their values, where these are of the column's type.

    A column whose words are searched stays: only a column has an index of words.
    """

    def change(node: Node) -> Node:
        if isinstance(node, TokenMatch):
            word = change(node.word)
            return node if word is node.word else replace(node, word=cast("Expression", word))
        if not isinstance(node, ColumnRef):
            return node.map_children(change)
        value = fixed.get(key_of(node))
        return value if value is not None and may_stand_for(value, node) and not is_null(value) else node

    return cast("Expression", change(expression))


def tests_with_values(
    expressions: Iterable[Expression], fixed: Mapping[ColumnKey, Expression], relations: frozenset[str]
) -> tuple[Expression, ...]:
    """Return the tests that name only these relations once columns of one value are replaced by it."""
    tests = (with_values(expression, fixed) for expression in expressions)
    return tuple(
        expression for expression in tests if relations_of(expression) and relations_of(expression) <= relations
    )


def is_null(value: Expression) -> bool:
    """Whether a value is the constant NULL."""
    return isinstance(value, Constant) and value.value is None


def natural_order(relation: Relation, access: Access) -> tuple[SortKey, ...]:
    """Return the order in which an index gives the rows of one read: by the key columns after the fixed ones."""
    columns = relation.columns([name for name, _ in access.order])
    return tuple(
        [
            SortKey(expression=column, ascending=ascending)
            for column, (_, ascending) in zip(columns, access.order, strict=True)
        ]
    )


def has_many(part: KeyPart) -> bool:
    """Whether a key column may have several values."""
    return len(part.values) > 1 or (isinstance(part.values[0], Parameter) and part.values[0].max_items is not None)


def _never(relation: Relation) -> IndexScan:
    """Return a placeholder for a read that is not planned yet, or cannot be; it would read nothing."""
    return IndexScan(
        table=relation.table, alias=relation.alias, index=relation.table.primary_index(), limit=RowLimit(max=0)
    )
