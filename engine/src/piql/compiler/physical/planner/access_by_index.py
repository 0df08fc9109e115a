"""The access by the first columns of one index: its prefix, range, direction and limit, and what it leaves to test.

Enters: a `Reading`, an index, how many of its leading columns are fixed, and what bounds the read: a stop or a fact.
Leaves: an `Access`. `access.py` decides which indexes are tried, and which access is the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

from piql.compiler.logical.expressions import Expression, columns_in
from piql.compiler.logical.operators import Count
from piql.compiler.optimizer.analysis.facts import Fact
from piql.compiler.optimizer.analysis.restrictions import Range, Restrictions, Word
from piql.compiler.physical.indexes.secondary_index import covering_reason, is_covering
from piql.compiler.physical.operators import KeyPart, KeyRange, PassingRows, RowLimit, partition_of
from piql.compiler.physical.planner.reading import Access, Reading
from piql.schema.catalog import Index, IndexColumn


def walk_of(columns: Sequence[IndexColumn], keys: Sequence[tuple[str, bool]]) -> bool | None:
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


def prefix_for(fact: Fact, index: Index, restrictions: Restrictions) -> int | None:
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


def access_by(
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
    restrictions = reading.restrictions
    prefix, used = _fixed(index, length, restrictions)
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
        walk = walk_of(columns_after, tuple(key for key in reading.demand.keys if key[0] not in in_prefix | one_value))
        serves_order, is_ascending = walk is not None, walk
    forward = is_ascending is not False
    reads = (
        prod(restrictions.equal[part.column].count for part in prefix if part.column in restrictions.equal)
        * index.buckets
    )
    limit = _limit(reading, index, count, fact)
    holding = _holding(reading, index, partition_of(prefix), used, is_new)
    if holding is None:
        return None
    index, needs_dereference = holding
    return Access(
        index=index,
        prefix=prefix,
        range=_key_range(following),
        is_ascending=forward,
        order=tuple((column.name, column.ascending is forward) for column in columns_after),
        limit=limit,
        residual=residual,
        reads=reads,
        needs_dereference=needs_dereference,
        is_new=is_new,
        serves_order=serves_order,
        is_one_row=reads == 1
        and any(key.limit == 1 and _is_applied(key, index, length, restrictions) for key in reading.facts),
        passing=_passing_rows(reading, reads * limit.max) if residual else None,
    )


def _fixed(index: Index, length: int, restrictions: Restrictions) -> tuple[tuple[KeyPart, ...], list[Expression]]:
    """Return the values of the leading columns of an index, and the predicates that these fix."""
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
    return tuple(prefix), used


def _limit(reading: Reading, index: Index, count: Count | None, fact: Fact | None) -> RowLimit:
    """Return the limit of each read: the fact, or the stop, unless a fact that the index serves allows fewer rows."""
    if count is None:
        assert fact is not None
        return RowLimit(max=fact.limit, because=fact.because, within=fact.within)
    because = next(
        (limiting for limiting in reading.facts if prefix_for(limiting, index, reading.restrictions) is not None), None
    )
    if because is not None and because.limit < count.max:
        return RowLimit(max=because.limit, count=count, because=because.because, within=because.within)
    return RowLimit(max=count.max, count=count)


def _holding(
    reading: Reading, index: Index, partition: int, used: Iterable[Expression], is_new: bool
) -> tuple[Index, bool] | None:
    """Return the index with its partition, and whether records are fetched behind its entries.

    None where a deployed index has larger partitions than the read names, or holds too little and must cover.
    """
    if index.is_primary:  # one whose key is in several columns is read by all of them, or by none, in its order
        return None if 0 < partition < index.partition_columns else (index, False)
    if partition < index.partition_columns:
        if reading.is_frozen:
            return None  # a read must name whole partitions
        index = replace(index, partition_columns=partition)
    needed = _still_needed(reading, used)
    if reading.is_frozen:
        is_covered = needed <= index.held_columns
        return None if reading.must_cover and not is_covered else (index, not is_covered)
    if reading.must_cover or is_covering(reading.table, index, needed):
        return index, False
    if is_new:
        missing = reading.table.in_order(needed - index.held_columns)
        index = replace(index, reason=covering_reason(reading.table, missing, covering=False))
    return index, True


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
    needed = prefix_for(fact, index, restrictions)
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
