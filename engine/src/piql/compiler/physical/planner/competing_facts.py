"""Which declared facts a query is also planned without because others compete with them: each alone, and the largest.

A fact of the schema may hide a better plan though no read of the plan relies on it: it may only have made an order of
joins look good. So it is not looked for among the reads, but among all that the query may be asked about: a limit or
UNIQUE on columns that it names. Two limits on the same columns count as one, since the larger takes the place of the
smaller.

    LIMIT 90000, LIMIT 18000 (TOKEN(note)), LIMIT 20 (owner)
    →   without each;   without the 90000 and the 18000;   without all three
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.logical.operators import LogicalNode, Projection, Relation, Sort, Stop
from piql.compiler.optimizer.analysis.effort import Cost, Effort, step_of
from piql.compiler.physical.planner.left_out import LeftOut, may_do_without
from piql.schema.catalog import CardinalityLimit, Table, UniqueKey

_Fact: TypeAlias = CardinalityLimit | UniqueKey

FEW_RELATIONS = 3
MANY_FACTS = 3
MOST_WORK = 36  # relations that are planned once more, over all sets that are left out
_ONE_READ = step_of(Effort(1, 0, round_trips=1).nanoseconds)


def competing_facts(logical: LogicalNode, cost: Cost) -> tuple[LeftOut, ...]:
    """Return what is worth leaving out of the facts that compete for the reads of a query, each time together.

    These are each alone, and the largest two, three, … together, from the largest on. A query of two tables and two
    facts has no other orders than are compared anyway, and one that a single read answers has no better plan.
    """
    if cost.step <= _ONE_READ + 1:
        return ()
    relations = tuple(logical.find(Relation))
    tables = {node.table.name: node.table for node in relations}
    are_many = sum(len(table.limits) + len(table.unique_keys) for table in tables.values()) >= MANY_FACTS
    is_joined = len(relations) >= FEW_RELATIONS and may_do_without(logical)
    if not (is_joined or (are_many and len(relations) <= FEW_RELATIONS)):
        return ()
    named = _names_in(logical)
    groups = sorted(
        (group for name, table in tables.items() for group in _groups(name, table, named)), key=_size, reverse=True
    )
    if not is_joined and len(groups) < MANY_FACTS:
        return ()
    sets = list(dict.fromkeys(_in_turn(groups)))
    return tuple(sets[: MOST_WORK // len(relations)])


def _in_turn(groups: list[LeftOut]) -> Iterator[LeftOut]:
    """Yield each group, and all groups up to it, the largest first."""
    together: LeftOut = ()
    for group in groups:
        yield group
        together += group
        yield together


def _groups(name: str, table: Table, named: frozenset[str]) -> Iterator[LeftOut]:
    """Yield the limits and UNIQUEs of a table whose columns are named; limits on the same columns together."""
    by_columns: dict[tuple[type, frozenset[str], bool], list[_Fact]] = {}
    declared: tuple[_Fact, ...] = (*table.limits, *table.unique_keys)
    for fact in declared:
        if named.issuperset(fact.columns):
            is_token = isinstance(fact, CardinalityLimit) and fact.is_token
            by_columns.setdefault((type(fact), frozenset(fact.columns), is_token), []).append(fact)
    for facts in by_columns.values():
        yield tuple((name, fact) for fact in facts)


def _size(group: LeftOut) -> int:
    """Return how many rows a group allows."""
    return min(fact.limit if isinstance(fact, CardinalityLimit) else 1 for _, fact in group)


def _names_in(logical: LogicalNode) -> frozenset[str]:
    """Return the names of all columns that a query mentions, but for those that it only returns or sorts by."""
    node = logical
    names: set[str] = set()
    while isinstance(node, Projection | Sort | Stop):
        if isinstance(node, Projection):
            for output in node.outputs:
                if not isinstance(output.expression, ColumnRef):
                    names |= {column.name for column in output.find(ColumnRef)}
        node = node.input
    return frozenset(names.union(column.name for column in node.find(ColumnRef)))
