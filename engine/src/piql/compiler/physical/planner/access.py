"""How one relation is read: the index, its fixed columns, its range, and the limit that bounds each read.

Enters: a `Reading`: the predicates on a relation, and the order and the stop that are wanted of it. Leaves: the best
bounded `Access`, or None when nothing bounds it. There are two kinds:

- The stop bounds the read: the index applies every predicate and gives the order asked, so its first k entries are the
  answer.    owner = [me] ORDER BY posted DESC LIMIT 10, by an index (owner, posted)
- A fact of the schema bounds the read: a whole group is fetched, and what the index did not apply is tested, sorted and
  stopped locally.    owner = [me] AND approved = TRUE, by a limit of 100 rows for each owner
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from piql.compiler.logical.expressions import columns_in
from piql.compiler.logical.operators import Count
from piql.compiler.optimizer.analysis.effort import Cost, cost_of
from piql.compiler.optimizer.analysis.facts import Fact
from piql.compiler.optimizer.analysis.restrictions import Restrictions
from piql.compiler.physical.indexes.secondary_index import index_on
from piql.compiler.physical.planner.access_by_index import access_by, prefix_for, walk_of
from piql.compiler.physical.planner.reading import Access, Reading
from piql.compiler.physical.widths import usual_bytes
from piql.schema.catalog import Index, IndexColumn, word_column
from piql.trees.caches import Cached

AccessCost: TypeAlias = tuple[Cost, bool, int, bool, str]

_LISTED = 8  # indexes of a table that are looked through one by one; more are looked up by their first column
_positions_by_column: Cached[Mapping[str, list[int]]] = Cached(256)


def best_access(reading: Reading) -> Access | None:
    """Return the cheapest bounded access; of equal ones one without a new index.

    An index that the user has spread over b BUCKETS comes before the best one for reads that only the stop bounds,
    though it takes b requests instead of one: that is why it was declared. It does not where the best access uses the
    primary key with an equality, nor where it would need a dereference that the best access does not.
    """
    accesses = _bounded(reading)
    return _best(reading, accesses) if accesses else None


def best_accesses(reading: Reading, *, is_page: bool) -> Sequence[Access]:
    """Return the best access for one row before a join, then those that may take less for all of these rows together.

    Equal keys are asked for once, so an access by fewer columns may make fewer requests, though it finds more rows of
    each key. A page may read the list of a key in several ranges if its stop bounds that list, but only once if a fact
    does.
    """
    accesses = _bounded(reading)
    if not accesses:
        return ()
    best = _best(reading, accesses)
    if len(accesses) == 1 or best.index.buckets > 1:
        return (best,)
    fixed = frozenset(part.column for part in best.prefix)
    others: dict[frozenset[str], Access] = {}
    for access in sorted(accesses, key=_cost_of(reading)):
        columns = frozenset(part.column for part in access.prefix)
        is_whole = is_page and best.limit.count is not None and access.limit.count is None
        if columns and access.index.buckets == 1 and (is_whole or not columns >= fixed):
            others.setdefault(columns, access)
    return (best, *others.values())


def _bounded(reading: Reading) -> list[Access]:
    """Return all accesses that a stop or a fact bounds."""
    accesses = [*_stopped(reading), *_limited_by_facts(reading)]
    return [access for access in accesses if access.index.buckets == 1] if reading.is_exact else accesses


def _best(reading: Reading, accesses: Sequence[Access]) -> Access:
    cost = _cost_of(reading)
    best = min(accesses, key=cost)
    spread = [access for access in accesses if access.index.buckets > 1]
    if reading.facts or not spread or (best.index.is_primary and best.prefix):
        return best
    if not best.needs_dereference:
        spread = [access for access in spread if not access.needs_dereference]
    return min(spread, key=cost, default=best)


def _cost_of(reading: Reading) -> Callable[[Access], AccessCost]:
    """Return what accesses are compared by: what they take for one row before them."""
    width = usual_bytes(reading.table, reading.uses)

    def cost(access: Access) -> AccessCost:
        records = _records_fetched(reading, access)
        rows_read = access.rows + records
        took = cost_of(access.reads + records, rows_read, rows_read * width, 1 + bool(records), 0)
        return took, access.is_new, len(access.residual), not access.index.is_primary, access.index.name

    return cost


def _records_fetched(reading: Reading, access: Access) -> int:
    """Return how many records are fetched behind the entries of an index, for one row of the child.

    Before a test or a sort that needs more than an entry holds all are, and after the stop only those it lets through.
    """
    if not access.needs_dereference:
        return 0
    held = access.index.held_columns
    if any(column.name not in held for test in access.residual for column in columns_in(test)):
        return access.rows
    demand = reading.demand
    is_sorted = access.serves_order or (demand.keys is not None and all(name in held for name, _ in demand.keys))
    rows = access.rows_passing
    return min(rows, demand.count.max) if demand.count is not None and is_sorted else rows


def _stopped(reading: Reading) -> Iterable[Access]:
    """Yield the accesses whose limit is the stop: the index applies all predicates and gives the order asked."""
    restrictions, demand = reading.restrictions, reading.demand
    if (
        demand.count is None
        or demand.keys is None
        or restrictions.blocking
        or len(restrictions.words) > 1
        or len(restrictions.ranges) > 1
    ):
        return
    if restrictions.keeps_none:
        return  # no index is made for what reads nothing
    keys = tuple(key for key in demand.keys if key[0] not in restrictions.equal)
    if restrictions.ranges and keys and keys[0][0] not in restrictions.ranges:
        return
    nulls = [name for name, equality in restrictions.equal.items() if equality.is_null]
    fixed = [*(name for name in restrictions.equal if name not in nulls), *(word.name for word in restrictions.words)]
    partition = len(fixed)  # NULL names no partition, so it comes after what does
    fixed += nulls
    for index in (
        reading.table.primary_index(),
        *(_beginning_with(restrictions, reading.indexes) if fixed else reading.indexes),
    ):
        if {column.name for column in index.columns[: len(fixed)]} != set(fixed):
            continue
        if {column.name for column in index.columns[:partition]} != set(fixed[:partition]):
            continue
        following = index.columns[len(fixed) :]
        if any(column.token_of for column in following):
            continue  # a row has an entry for each of its words
        if restrictions.ranges and not (following and following[0].name in restrictions.ranges):
            continue
        is_ascending = walk_of(following, keys)
        if is_ascending is not None:
            access = access_by(reading, index, len(fixed), is_ascending, demand.count, is_new=False)
            if access is not None:
                yield access
    if not reading.is_frozen:
        yield from _new_index(reading, demand.count, fixed, partition, keys)


def _new_index(
    reading: Reading, count: Count, fixed: Sequence[str], partition: int, keys: Sequence[tuple[str, bool]]
) -> Iterable[Access]:
    """Yield the access by an index made for this read: fixed columns, then the order or range, then the primary key.

    `partition` of the fixed columns name the partition; the rest of them IS NULL. Nothing where such an index exists.
    """
    table, restrictions = reading.table, reading.restrictions
    tokens = {word.name: word_column(word.columns) for word in restrictions.words}
    columns = [tokens.get(name) or IndexColumn(name) for name in fixed]
    first = keys[0][1] if keys else True
    columns += [IndexColumn(name, ascending is first) for name, ascending in keys]
    if not keys:
        columns += [IndexColumn(name) for name in restrictions.ranges]
    index = index_on(table, columns, partition_columns=partition)
    if any(
        index.columns == existing.columns and existing.buckets == 1
        for existing in (table.primary_index(), *reading.indexes)
    ):
        return
    access = access_by(reading, index, len(fixed), first, count, is_new=True)
    if access is not None:
        yield access


def _limited_by_facts(reading: Reading) -> Iterable[Access]:
    """Yield the accesses whose limit is a fact: the read fixes all columns of the fact."""
    restrictions = reading.restrictions
    near = _beginning_with(restrictions, reading.indexes) if reading.facts else ()
    for fact in reading.facts:
        for index in (reading.table.primary_index(), *(near if fact.columns else reading.indexes)):
            length = prefix_for(fact, index, restrictions)
            if length is None:
                continue
            access = access_by(reading, index, length, None, None, is_new=False, fact=fact)
            if access is not None:
                yield access
        if fact.within is not None and not reading.is_frozen:
            yield from _new_index_of_range(reading, fact, fact.within.column)


def _new_index_of_range(reading: Reading, fact: Fact, column: str) -> Iterable[Access]:
    """Yield the access by an index made for a range of few numbers: the fixed columns of the fact, then the range."""
    table, length = reading.table, len(fact.columns)
    index = index_on(table, [IndexColumn(name) for name in (*fact.columns, column)], partition_columns=length)
    if any(prefix_for(fact, existing, reading.restrictions) for existing in (table.primary_index(), *reading.indexes)):
        return
    access = access_by(reading, index, length, None, None, is_new=True, fact=fact)
    if access is not None:
        yield access


def _beginning_with(restrictions: Restrictions, indexes: tuple[Index, ...]) -> Sequence[Index]:
    """Return the indexes whose first column is fixed by an equality or is one of words; a table may have hundreds."""
    if len(indexes) <= _LISTED:
        return indexes
    positions = _positions_by_column.recall((indexes,), lambda: _by_first_column(indexes))
    return [indexes[at] for at in sorted({at for name in ("", *restrictions.equal) for at in positions.get(name, ())})]


def _by_first_column(indexes: tuple[Index, ...]) -> Mapping[str, list[int]]:
    """Return the positions of indexes by their first column; those that begin with a column of words by ""."""
    positions: dict[str, list[int]] = {}
    for at, index in enumerate(indexes):
        positions.setdefault("" if index.columns[0].token_of else index.columns[0].name, []).append(at)
    return positions
