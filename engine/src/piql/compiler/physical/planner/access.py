"""How one relation is read: the index, its fixed columns, its range, and the limit that bounds each read.

Enters: a `Reading`: the predicates on a relation, and the order and the stop that are wanted of it. Leaves: the best
bounded `Access`, or None when nothing bounds it. There are two kinds:

- The stop bounds the read: the index applies every predicate and gives the order asked, so its first k entries are the
  answer.    owner = [me] ORDER BY posted DESC LIMIT 10, by an index (owner, posted)
- A fact of the schema bounds the read: a whole group is fetched, and what the index did not apply is tested, sorted and
  stopped locally.    owner = [me] AND approved = TRUE, by a limit of 100 rows for each owner
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from piql.compiler.logical.expressions import Expression, columns_in
from piql.compiler.logical.operators import Count
from piql.compiler.optimizer.analysis.effort import Cost, cost_of
from piql.compiler.optimizer.analysis.facts import Fact
from piql.compiler.optimizer.analysis.restrictions import Range, Restrictions, Word
from piql.compiler.physical.indexes.secondary_index import covering_reason, index_on, is_covering
from piql.compiler.physical.operators import KeyPart, KeyRange, PassingRows, RowLimit, partition_of
from piql.compiler.physical.widths import usual_bytes
from piql.schema.catalog import Index, IndexColumn, Table, word_column
from piql.trees.caches import Cached


@dataclass(frozen=True, slots=True)
class Demand:
    """The order and the stop that a read should give; the order is in its own columns (None: no index has it)."""

    keys: tuple[tuple[str, bool], ...] | None = ()  # column, ascending; a total order, or () where any will do
    count: Count | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """One way to read a relation."""

    index: Index
    prefix: tuple[KeyPart, ...]
    range: KeyRange | None
    is_ascending: bool
    order: tuple[tuple[str, bool], ...]  # the order of one read's rows: the key columns after the prefix
    limit: RowLimit
    residual: tuple[Expression, ...]  # the predicates that the index does not apply
    reads: int  # requests for one row of the child
    needs_dereference: bool  # the index holds keys only: the record is fetched for each entry
    is_new: bool  # the index is made for this read
    serves_order: bool  # the rows of one read come in the order asked
    is_one_row: bool  # a key is fixed: one read gives one row at most
    passing: PassingRows | None = None  # where fewer rows pass the residual tests than all reads may give

    @property
    def rows(self) -> int:
        """The rows of all reads, for one row of the child."""
        return self.reads * self.limit.max

    @property
    def rows_passing(self) -> int:
        """The rows of all reads that pass the residual tests."""
        return self.rows if self.passing is None else self.passing.rows


@dataclass(frozen=True, slots=True)
class Reading:
    """A relation about to be read: all that the choice of its access depends on."""

    table: Table
    restrictions: Restrictions  # what the predicates fix
    facts: tuple[Fact, ...]  # what the schema proves of that, the fewest rows first; empty where no fact may bound it
    demand: Demand
    uses: Mapping[str, int]  # how often the query names each column of it
    indexes: tuple[Index, ...]  # secondary ones that exist
    must_cover: bool = False  # a dereference cannot follow (left joins, pages of unions)
    is_frozen: bool = False  # the indexes are deployed: none can be made or hold more
    is_exact: bool = False  # the first row alone counts: of several buckets each would give one


def best_access(reading: Reading) -> Access | None:
    """Return the cheapest bounded access; of equal ones one without a new index.

    An index that the user has spread over b BUCKETS comes before the best one for reads that only the stop bounds,
    though it takes b requests instead of one: that is why it was declared. It does not where the best access uses the
    primary key with an equality, nor where it would need a dereference that the best access does not.
    """
    accesses = [*_stopped(reading), *_limited_by_facts(reading)]
    if reading.is_exact:
        accesses = [access for access in accesses if access.index.buckets == 1]
    if not accesses:
        return None
    width = usual_bytes(reading.table, reading.uses)

    def cost(access: Access) -> tuple[Cost, bool, int, bool, str]:
        records = _records_fetched(reading, access)
        rows_read = access.rows + records
        took = cost_of(access.reads + records, rows_read, rows_read * width, 1 + bool(records), 0)
        return took, access.is_new, len(access.residual), not access.index.is_primary, access.index.name

    best = min(accesses, key=cost)
    spread = [access for access in accesses if access.index.buckets > 1]
    if reading.facts or not spread or (best.index.is_primary and best.prefix):
        return best
    if not best.needs_dereference:
        spread = [access for access in spread if not access.needs_dereference]
    return min(spread, key=cost, default=best)


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
        is_ascending = _walk(following, keys)
        if is_ascending is not None:
            access = _access(reading, index, len(fixed), is_ascending, demand.count, is_new=False)
            if access is not None:
                yield access
    if not reading.is_frozen:
        yield from _new_index(reading, demand.count, fixed, partition, keys)


def _walk(columns: Sequence[IndexColumn], keys: Sequence[tuple[str, bool]]) -> bool | None:
    """Tell which way to walk an index (True: forward) to get an order; None when the index has another one."""
    if not keys:
        return True
    if len(keys) > len(columns):
        return None
    is_forward = columns[0].ascending is keys[0][1]
    for (name, ascending), column in zip(keys, columns, strict=False):
        if column.name != name or (column.ascending is ascending) is not is_forward:
            return None
    return is_forward


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
    access = _access(reading, index, len(fixed), first, count, is_new=True)
    if access is not None:
        yield access


def _limited_by_facts(reading: Reading) -> Iterable[Access]:
    """Yield the accesses whose limit is a fact: the read fixes all columns of the fact."""
    restrictions = reading.restrictions
    near = _beginning_with(restrictions, reading.indexes) if reading.facts else ()
    for fact in reading.facts:
        for index in (reading.table.primary_index(), *(near if fact.columns else reading.indexes)):
            length = _prefix_for(fact, index, restrictions)
            if length is None:
                continue
            access = _access(reading, index, length, None, None, is_new=False, fact=fact)
            if access is not None:
                yield access
        if fact.within is not None and not reading.is_frozen:
            yield from _new_index_of_range(reading, fact, fact.within.column)


def _new_index_of_range(reading: Reading, fact: Fact, column: str) -> Iterable[Access]:
    """Yield the access by an index made for a range of few numbers: the fixed columns of the fact, then the range."""
    table, length = reading.table, len(fact.columns)
    index = index_on(table, [IndexColumn(name) for name in (*fact.columns, column)], partition_columns=length)
    if any(_prefix_for(fact, existing, reading.restrictions) for existing in (table.primary_index(), *reading.indexes)):
        return
    access = _access(reading, index, length, None, None, is_new=True, fact=fact)
    if access is not None:
        yield access


def _beginning_with(restrictions: Restrictions, indexes: tuple[Index, ...]) -> Sequence[Index]:
    """Return the indexes whose first column is fixed by an equality or is one of words; a table may have hundreds."""
    if len(indexes) <= FEW:
        return indexes
    positions = _positions_by_column.recall((indexes,), lambda: _by_first_column(indexes))
    return [indexes[at] for at in sorted({at for name in ("", *restrictions.equal) for at in positions.get(name, ())})]


def _by_first_column(indexes: tuple[Index, ...]) -> Mapping[str, list[int]]:
    """Return the positions of indexes by their first column; those that begin with a column of words by ""."""
    positions: dict[str, list[int]] = {}
    for at, index in enumerate(indexes):
        positions.setdefault("" if index.columns[0].token_of else index.columns[0].name, []).append(at)
    return positions


FEW = 8  # so few indexes are looked through one by one
_positions_by_column: Cached[Mapping[str, list[int]]] = Cached(256)


def _prefix_for(fact: Fact, index: Index, restrictions: Restrictions) -> int | None:
    """Return how many leading columns of an index to fix so that the fact limits the read; None when it cannot."""
    if index.buckets > 1:
        return None
    open_columns = set(fact.columns)
    length = 0
    for column in index.columns:
        if column.token_of:
            if _word_in(column, restrictions) is None:
                break
            if fact.is_token and set(column.token_of) <= set(fact.columns):
                open_columns.clear()
        else:
            fixed = restrictions.equal.get(column.name)
            if fixed is None or (not open_columns and fixed.count > 1):
                break
            if fixed.is_null and open_columns:
                break  # NULL names no partition, and columns that do must come first
            if not fact.is_token:
                open_columns.discard(column.name)
        length += 1
    if open_columns or any(column.token_of for column in index.columns[length:]):
        return None  # a row has an entry for each of its words
    if fact.within is not None and [column.name for column in index.columns[length : length + 1]] != [
        fact.within.column
    ]:
        return None  # it would read more than the range
    return length


def _word_in(column: IndexColumn, restrictions: Restrictions) -> Word | None:
    """Return the word to look for in an index column of words, which holds those of one or more text columns.

    Of several, the word searched in most of these text columns; None where none is searched in them alone.
    """
    words = [word for word in restrictions.words if set(word.columns) <= set(column.token_of)]
    return max(words, key=lambda word: len(word.columns), default=None)


def _access(
    reading: Reading,
    index: Index,
    length: int,
    is_ascending: bool | None,
    count: Count | None,
    *,
    is_new: bool,
    fact: Fact | None = None,
) -> Access | None:
    """Return the access by `length` leading columns of an index; None where deployed indexes do not allow it.

    Either the stop `count` bounds it, and `is_ascending` says which way to walk the index, or `fact` does, and the
    direction is chosen here (None).
    """
    restrictions, table = reading.restrictions, reading.table
    prefix: list[KeyPart] = []
    used: list[Expression] = []
    for column in index.columns[:length]:
        if column.token_of:
            word = _word_in(column, restrictions)
            assert word is not None
            prefix.append(KeyPart(column=column.name, values=(word.word,)))
            if word.name == column.name:
                used.append(word.predicate)
        else:
            fixed = restrictions.equal[column.name]
            prefix.append(KeyPart(column=column.name, values=fixed.values, is_null=fixed.is_null))
            used.append(fixed.predicate)
    columns_after = index.columns[length:]
    following = restrictions.ranges.get(columns_after[0].name) if columns_after else None
    if following is not None:
        used.extend(following.predicates)
    served: set[int] = {id(expression) for expression in used}
    residual = tuple(predicate for predicate in _predicates(restrictions) if id(predicate) not in served)
    serves_order = is_ascending is not None
    if is_ascending is None and reading.demand.keys is not None:
        in_prefix = {part.column for part in prefix}
        one_value = {name for name, equality in restrictions.equal.items() if equality.count == 1}
        walk = _walk(columns_after, tuple(key for key in reading.demand.keys if key[0] not in in_prefix | one_value))
        serves_order, is_ascending = walk is not None, walk
    forward = is_ascending is not False
    reads = (
        prod(restrictions.equal[part.column].count for part in prefix if part.column in restrictions.equal)
        * index.buckets
    )
    if count is not None:
        because = next(
            (limiting for limiting in reading.facts if _prefix_for(limiting, index, restrictions) is not None), None
        )
        if because is not None and because.limit < count.max:
            limit = RowLimit(max=because.limit, count=count, because=because.because, within=because.within)
        else:
            limit = RowLimit(max=count.max, count=count)
    else:
        assert fact is not None
        limit = RowLimit(max=fact.limit, because=fact.because, within=fact.within)
    is_deref = False
    partition = partition_of(tuple(prefix))
    if not index.is_primary and partition < index.partition_columns:
        if reading.is_frozen:
            return None  # a read must name whole partitions
        index = replace(index, partition_columns=partition)
    if not index.is_primary:
        needed = _still_needed(reading, used)
        if reading.is_frozen:
            is_deref = not needed <= index.held_columns
            if is_deref and reading.must_cover:
                return None
        elif not reading.must_cover:
            is_deref = not is_covering(table, index, needed)
        if is_deref and is_new:
            missing = table.in_order(needed - index.held_columns)
            index = replace(index, reason=covering_reason(table, missing, covering=False))
    return Access(
        index=index,
        prefix=tuple(prefix),
        range=_key_range(following),
        is_ascending=forward,
        order=tuple((column.name, column.ascending is forward) for column in columns_after),
        limit=limit,
        residual=residual,
        reads=reads,
        needs_dereference=is_deref,
        is_new=is_new,
        serves_order=serves_order,
        is_one_row=reads == 1
        and any(key.limit == 1 and _is_applied(key, index, length, restrictions) for key in reading.facts),
        passing=_passing_rows(reading, reads * limit.max) if residual else None,
    )


def _passing_rows(reading: Reading, rows: int) -> PassingRows | None:
    """Return the fact by which fewer rows pass all tests than are read; None where there is none."""
    return rows_of_best_fact(reading) if reading.facts and reading.facts[0].rows < rows else None


def rows_of_best_fact(reading: Reading) -> PassingRows | None:
    """Return the fact that limits most how many rows pass all tests on a relation; None where there is none."""
    if not reading.facts:
        return None
    fact = reading.facts[0]
    equal = reading.restrictions.equal
    columns = () if fact.is_token else fact.columns
    prefix = tuple(KeyPart(column=name, values=equal[name].values) for name in columns)
    limit = RowLimit(max=fact.limit, because=fact.because, within=fact.within)
    return PassingRows(table=reading.table, prefix=prefix, limit=limit, rows=fact.rows)


def _is_applied(fact: Fact, index: Index, length: int, restrictions: Restrictions) -> bool:
    """Whether a read that fixes so many leading columns of an index fixes those of a fact."""
    needed = _prefix_for(fact, index, restrictions)
    return needed is not None and needed <= length


def _still_needed(reading: Reading, served: Iterable[Expression]) -> frozenset[str]:
    """Return the columns that are read when the index has applied these predicates."""
    uses = dict(reading.uses)
    for predicate in served:
        for node in columns_in(predicate):
            if node.relation == reading.restrictions.alias:
                uses[node.name] = uses.get(node.name, 0) - 1
    return frozenset([name for name, times in uses.items() if times > 0])


def _predicates(restrictions: Restrictions) -> Iterable[Expression]:
    """Yield all predicates that restrictions were made of."""
    for fixed in restrictions.equal.values():
        yield fixed.predicate
    for range_ in restrictions.ranges.values():
        yield from range_.predicates
    for word in restrictions.words:
        yield word.predicate
    yield from restrictions.residual


def _key_range(range: Range | None) -> KeyRange | None:
    if range is None:
        return None
    return KeyRange(
        column=range.column,
        low=range.low,
        is_low_included=range.is_low_included,
        high=range.high,
        is_high_included=range.is_high_included,
    )
