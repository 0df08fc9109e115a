"""Bulk load: many rows of one table, checked against the same constraints as single writes.

put_batch        on a store with transactions: a batch is one transaction, and is written whole or not at all. It is
                 checked as a set: each key that a foreign key names is looked up once, each group is counted once.
load_by_steps    on a store without: groups of new records at the same time, the rest one by one. Each record is
                 written whole or not at all; after a failure some are in and some are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from piql.errors import ForeignKeyViolation
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Transaction
from piql.store.rows import Row

T = TypeVar("T")

BATCH = 5000  # rows

Progress: TypeAlias = Callable[[int], None]
"""Called after each batch with the number of rows loaded so far."""

Write = Callable[[Row], object]
"""Writes the record with a primary key by itself."""

LoadGroup = Callable[[Mapping[Row, Row]], list[Row]]
"""Loads records, by primary key, together; returns the keys of those that must be written by themselves."""

_GROUPS_AT_ONCE = 3  # groups, of some hundred records each, that are loaded at the same time


def batches(rows: Iterable[Mapping[str, Any]], size: int = BATCH) -> Iterator[list[Mapping[str, Any]]]:
    """Divide rows into lists of `size` rows; the last may be shorter."""
    source = iter(rows)
    while batch := list(islice(source, size)):
        yield batch


def load_by_steps(groups: list[dict[Row, Row]], load: LoadGroup, write: Write, writers: int) -> None:
    """Load groups of records by primary key, then write by themselves those that `load` left, in their order.

    `writers` is how many threads may write at the same time. A record whose foreign key names no row yet is tried a
    second time at the end: it may name a row of the same load.
    """
    left: list[Row] = []
    _for_all(groups, lambda group: left.extend(load(group)), min(writers, _GROUPS_AT_ONCE))
    without_parent: list[Row] = []

    def attempt(key: Row) -> None:
        try:
            write(key)
        except ForeignKeyViolation:
            without_parent.append(key)

    position = {key: at for at, key in enumerate(key for group in groups for key in group)}
    _for_all(sorted(left, key=position.__getitem__), attempt, writers)
    for key in sorted(without_parent, key=position.__getitem__):
        write(key)


def _for_all(items: Sequence[T], work: Callable[[T], object], writers: int) -> None:
    """Call `work` for all items in up to `writers` threads; after a failure start no more, and raise it."""
    if writers == 1 or len(items) == 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(writers, thread_name_prefix="piql-load") as pool:
        started = [pool.submit(work, item) for item in items]
        try:
            for future in started:
                future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def put_batch(transaction: Transaction, writer: TableWriter, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put a batch of rows in a transaction, or raise ConstraintViolation; of rows with the same key the last counts."""
    make, key_of = writer.make, writer.key_of
    records: dict[Row, Row] = {}
    for row in rows:
        record = make(row)
        records[key_of(record)] = record
    records = {key: records[key] for key in _in_key_order(records)}
    old = _old_records(transaction, writer, records)
    whole_records = {key: writer.keep_hidden(old.get(key), record) for key, record in records.items()}
    changed = {key: record for key, record in whole_records.items() if old.get(key) != record}
    if not changed:
        return
    _check_unique(transaction, writer, changed, old)
    for key, old_record in old.items():
        if key in changed:
            for check in (*writer.referrers, *writer.guards.referrers):
                check.check(transaction, Meter(), old_record, changed[key])
    for column in writer.guards.columns:
        for key, record in changed.items():
            column.check(transaction, Meter(), old.get(key), record)
    for row_check in writer.guards.rows:
        for key, record in changed.items():
            row_check.check_change(old.get(key), record)
    _check_limits(transaction, writer, changed, old)
    changes = [(old.get(key), record) for key, record in changed.items()]
    begun = [(view, view.begin(transaction, Meter(), changes)) for view in (*writer.views, *writer.other_views)]
    for entries in (*writer.indexes, *writer.others):
        puts: list[Row] = []
        stale: list[Row] = []
        for key, record in changed.items():
            before = old.get(key)
            if before is None:
                puts.extend(entries.of(record))
            else:
                new_entries, stale_keys = entries.changes(before, record)
                puts.extend(new_entries)
                stale.extend(stale_keys)
        transaction.put(entries.prepared, _in_key_order(puts))
        transaction.delete(entries.prepared, stale)
    transaction.put(
        writer.record.prepared, [entry for record in changed.values() for entry in writer.record.of(record)]
    )
    for view, begun_view in begun:
        view.keep(transaction, Meter(), changes, begun_view)
    _check_references(transaction, writer, changed, old)


def _in_key_order(entries: Collection[Row]) -> list[Row]:
    """Sort keys or entries, so that neighbours are read and written together; those with NULLs, which do not compare,
    stay as they are.
    """
    try:
        return sorted(entries)
    except TypeError:
        return list(entries)


def _old_records(transaction: Transaction, writer: TableWriter, records: dict[Row, Row]) -> dict[Row, Row]:
    """Return the records that the store has under these keys, by key."""
    keys = list(records)
    old_records = zip(keys, transaction.get_many(writer.get, keys), strict=True)
    return {key: old for key, old in old_records if old is not None}


def _check_references(
    transaction: Transaction, writer: TableWriter, changed: dict[Row, Row], old: dict[Row, Row]
) -> None:
    """Look up each key that foreign keys name once; called after the batch is put, as its rows may name each other."""
    for check in (*writer.references, *writer.guards.references):
        named = {value: None for record in changed.values() if (value := check.value(record)) is not None}
        missing = check.first_missing(transaction, list(named))
        if missing is not None:
            raise check.violation(missing)


def _check_unique(transaction: Transaction, writer: TableWriter, changed: dict[Row, Row], old: dict[Row, Row]) -> None:
    """Raise DuplicateKey if two rows of the batch, or a row of it and one outside, have the same unique value."""
    for check in (*writer.unique, *writer.guards.unique):
        owners: dict[Row, Row] = {}
        for key, record in changed.items():
            value = check.value(record)
            if value is None:
                continue
            if owners.setdefault(value, key) != key:
                raise check.violation(value)
            before = old.get(key)
            if before is not None and check.value(before) == value:
                continue
            owner = check.owner(transaction, value)
            if owner is not None and owner != key and owner not in changed:  # `owners` catches one in the batch
                raise check.violation(value)


def _check_limits(transaction: Transaction, writer: TableWriter, changed: dict[Row, Row], old: dict[Row, Row]) -> None:
    """Raise CardinalityViolation if a group would have more rows than its limit, after all changes of the batch."""
    for check in (*writer.limits, *writer.guards.limits):
        gained: Counter[Row] = Counter()
        lost: Counter[Row] = Counter()
        for key, record in changed.items():
            before, after = check.groups(old.get(key)), check.groups(record)
            if before != after:
                gained.update(after - before)
                lost.update(before - after)
        for group, count in gained.items():
            if check.count(transaction, group) - lost[group] + count > check.limit.limit:
                raise check.violation(group)
