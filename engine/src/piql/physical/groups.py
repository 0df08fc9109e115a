"""How many groups, or different rows, there can be: no more than the rows, values or facts that their keys come from.

Enters: the keys, and the section below. Leaves: how many operators below the rows stand that are the groups, and the
facts that count them. Next: `bounds` takes the least of all this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from math import prod

from piql.catalog import Table
from piql.logical.expressions import ColumnRef, Constant, Expression, columns_in
from piql.logical.operators import GroupBy
from piql.optimizer.facts import facts_about
from piql.optimizer.predicates import ColumnKey, key_of
from piql.optimizer.restrictions import Fixed, Restrictions
from piql.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    Kept,
    KeyPart,
    LocalJoin,
    LocalProjection,
    LocalSelection,
    LocalSort,
    PhysicalNode,
    RowLimit,
    SortedIndexJoin,
    inputs,
    operators,
)
from piql.physical.part import Part
from piql.physical.scans import has_many

Reads = IndexScan | IndexFKJoin | SortedIndexJoin


def depth_of_rows(group: GroupBy, plan: PhysicalNode) -> int:
    """Give how many operators below a group per row the rows stand; 0 where another join came in between."""
    summed, depth = set(group.summed), 1
    while summed:
        joined = _joined_by(plan)
        if not joined <= summed:
            return 0
        summed -= joined
        below = inputs(plan)
        if not below:
            return 0
        plan, depth = below[0], depth + 1
    return depth


def depth_of_keys(keys: Sequence[Expression], plan: PhysicalNode) -> int:
    """Give how many operators below stand the rows of which the keys read columns, before more is joined; 0: none do.

    There are no more groups than these rows, however many matches each has.
    """
    read = {key_of(column) for each in keys for column in columns_in(each)}
    depth, found = 1, 0
    while read:
        match plan:
            case IndexFKJoin() | SortedIndexJoin():
                given = _given(read, plan)
                if given is None:
                    break
                read, found = given, depth + 1
            case LocalSelection() | LocalSort() | Dereference():
                pass
            case _:
                break
        plan, depth = inputs(plan)[0], depth + 1
    return found


def _given(read: set[ColumnKey], join: IndexFKJoin | SortedIndexJoin) -> set[ColumnKey] | None:
    """Give columns of the left of a join with the values of those read; None where its matches may differ in them."""
    given = {each for each in read if each[0] != join.alias}
    found_by = {part.column: part for part in join.prefix}
    for _, name in read - given:
        part = found_by.get(name)
        if part is None or has_many(part):
            return None
        given.update(map(key_of, columns_in(part.values[0])))
    return given


def kept_groups(keys: Sequence[Expression], part: Part) -> tuple[Kept, ...]:
    """Give facts of which each counts the values of some keys: there are no more groups than their product.

    A key is counted by the values of its list, or by the rows that can agree with what is fixed of its relation.
    """
    reads = tuple(_reads(part.plan))
    tables = {each.alias: each.table for each in reads}
    lists = _lists(reads[-1]) if reads else {}
    fixed = part.fixed | _fixed(reads)
    found: list[Kept] = []
    for alias in dict.fromkeys(column.relation for each in keys for column in columns_in(each)):
        own = {column.name for each in keys for column in columns_in(each) if column.relation == alias}
        kept = _kept(tables[alias], alias, own, fixed, lists) if alias in tables else None
        if kept is None:
            return ()
        if kept.prefix or kept.limit is not None:
            found.append(kept)
    return tuple(found)


def different_outputs(part: Part) -> tuple[int, tuple[Kept, ...]]:
    """Tell of the rows of a select list what `depth_of_keys` and `kept_groups` tell of groups."""
    if not isinstance(part.plan, LocalProjection):
        return 0, ()
    given = tuple(each.expression for each in part.plan.outputs)
    below = part.on(part.plan.child)
    depth = depth_of_keys(given, below.plan)
    return depth + 1 if depth else 0, kept_groups(given, below)


def _reads(plan: PhysicalNode) -> Iterator[Reads]:
    """Yield the reads whose rows are joined to one another, the one that begins last."""
    match plan:
        case IndexScan():
            yield plan
        case IndexFKJoin() | SortedIndexJoin():
            yield plan
            yield from _reads(plan.child)
        case LocalSelection() | LocalSort() | Dereference():
            yield from _reads(plan.child)
        case LocalJoin():
            yield from _reads(plan.right)
            yield from _reads(plan.left)
        case _:
            pass


def _lists(first: Reads) -> dict[ColumnKey, KeyPart]:
    """Give the columns of the relation that is read first which have the values of lists in all rows."""
    if not isinstance(first, IndexScan):
        return {}
    return {(first.alias, each.column): each for each in first.prefix if has_many(each) and not each.is_null}


def _fixed(reads: Sequence[Reads]) -> frozenset[ColumnKey]:
    """Give the columns that are read by one value, the same in all rows."""
    found: set[ColumnKey] = set()
    for each in reversed(reads):
        for part in each.prefix if isinstance(each, IndexScan) or each.kind == "inner" else ():
            value = part.values[0]
            is_known = key_of(value) in found if isinstance(value, ColumnRef) else not any(columns_in(value))
            if is_known and not has_many(part) and not part.is_null:
                found.add((each.alias, part.column))
    return frozenset(found)


def _kept(
    table: Table, alias: str, own: set[str], of_one_value: Set[ColumnKey], lists: Mapping[ColumnKey, KeyPart]
) -> Kept | None:
    """Give the fact that counts different values of some columns of a relation; None where there is none."""
    listed = {name: each for (relation, name), each in lists.items() if relation == alias}
    fixed = {name for relation, name in of_one_value if relation == alias}
    open_names = own - fixed
    if all(name in listed for name in open_names):
        prefix = tuple(listed[name] for name in sorted(open_names))
        return Kept(table=table, prefix=prefix, rows=prod(each.count for each in prefix))
    unset = {column.name for column in table.columns if column.nullable}  # no limit counts rows with NULL
    one: tuple[Expression, ...] = (Constant(value=None, type=table.columns[0].type),)
    equal = dict.fromkeys(fixed - unset, one)
    equal |= {name: each.values for name, each in listed.items()}
    known = Restrictions(alias, {name: Fixed(name, values, values[0]) for name, values in equal.items()})
    facts = facts_about(table, known)
    if not facts:
        return None
    fact = facts[0]
    prefix = tuple(listed[name] for name in fact.columns if name in listed)
    return Kept(table=table, prefix=prefix, limit=RowLimit(max=fact.limit, because=fact.because), rows=fact.rows)


def _joined_by(plan: PhysicalNode) -> set[str]:
    match plan:
        case IndexFKJoin() | SortedIndexJoin():
            return {plan.alias}
        case LocalJoin():
            return _aliases(plan.right)
        case _:
            return set()


def _aliases(plan: PhysicalNode) -> set[str]:
    return {each.alias for each in operators(plan) if isinstance(each, Reads)}
