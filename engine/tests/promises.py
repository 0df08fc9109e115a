"""Reads all that a database keeps, record by record and entry by entry, and names each promise that does not hold.

records ──the entries that each index should hold──▶ compared with those it holds, both ways
        ──groups, unique keys, references──────────▶ compared with what the schema declares
        ──counts and sums of groups────────────────▶ compared with the rows of each view
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import localcontext
from fractions import Fraction
from typing import Any, cast

import piql
from piql.compiler.logical.expressions import (
    And,
    ColumnRef,
    Comparison,
    Constant,
    Expression,
    InList,
    IsNull,
    Not,
    Or,
)
from piql.runtime.deployment import OtherIndex
from piql.schema.catalog import Index, Table, View, column_of
from piql.schema.words import words_of
from piql.store.base import ReadShape, Store
from piql.store.cql.store import CqlStore
from piql.store.embedded.store import EmbeddedStore
from piql.versions.change.state import read_state
from piql.versions.change.steps import living_indexes

Record = dict[str, Any]
Entry = tuple[Any, ...]
CHUNK = 500


def broken_promises(db: piql.Database) -> list[str]:
    """Return a sentence for each promise that the data breaks; none when all is well."""
    deployment = db.deployment
    records = {name: list(records_of(db.store, table)) for name, table in deployment.tables.items()}
    broken: list[str] = []
    for name, table in deployment.tables.items():
        broken += _broken_constraints(table, records)
        for index in deployment.indexes_of(table):
            broken += _broken_index(db.store, table, index, records[name])
    broken += broken_views(db)
    if db.build is None:
        for other_index in deployment.others:
            stored = list(records_of(db.store, deployment.kept_as_declared(other_index.table.name)))
            broken += _broken_index(
                db.store,
                other_index.table,
                other_index.index,
                [record for record in stored if _has(other_index, record)],
            )
    if isinstance(db.store, EmbeddedStore):
        broken += _broken_file(db.store, deployment)
    return broken


def broken_views(db: piql.Database, with_coming: bool = False) -> list[str]:
    """Compare each view that writers keep, of whatever version, with the counts and sums of its groups.

    Those that are being filled are left out, unless they are `with_coming`.
    """
    deployment = db.deployment
    views = [table for table in deployment.tables.values() if table.view is not None]
    views += [view.table for view in deployment.other_views if with_coming or view.is_filled is None]
    broken: list[str] = []
    for table in views:
        assert table.view is not None
        bases = [list(_decoded(db.store, deployment.tables[name])) for name in table.view.tables]
        held = Counter(tuple(record.values()) for record in _whole_groups(table, _decoded(db.store, table)))
        columns = [[column.name for column in deployment.tables[name].columns] for name in table.view.tables]
        expected = Counter(_groups(table, _joined(table.view, bases, columns)))
        broken += [f"{table.name} lacks the group {group}" for group in expected - held]
        broken += [f"{table.name} holds {group}, which its table does not give" for group in held - expected]
    return broken


def _joined(view: View, bases: list[list[Record]], columns: list[list[str]]) -> list[Record]:
    """Return the records that a view is made from; of several tables, every combination that belongs together."""
    if not view.joins:
        return bases[0]
    rows: list[tuple[Record, ...]] = [(record,) for record in bases[0]]
    for join, records, names in zip(view.joins, bases[1:], columns[1:], strict=True):
        nulls = dict.fromkeys(names)
        longer: list[tuple[Record, ...]] = []
        for row in rows:
            partners = [
                record
                for record in records
                if all(
                    record[ours] is not None and row[number][theirs] == record[ours]
                    for number, theirs, ours in join.pairs
                )
            ]
            longer += [(*row, record) for record in partners or ([nulls] if join.is_left else [])]
        rows = longer
    return [
        {column_of(number, name): value for number, record in enumerate(row) for name, value in record.items()}
        for row in rows
    ]


def _decoded(store: Store, table: Table) -> Iterator[Record]:
    codecs = {column.name: store.codec(column.type) for column in table.columns}
    for record in records_of(store, table):
        yield {
            name: codec.decode(value) if (codec := codecs[name]) is not None and value is not None else value
            for name, value in record.items()
        }


def _groups(table: Table, records: list[Record]) -> Iterator[Entry]:
    """Yield the row of each group of a view, counted and summed anew."""
    view = table.view
    assert view is not None
    records = [at for record in records if _is_counted(view, record) for at in _in_windows(view, record)]
    for key in dict.fromkeys(_key_of(view, record) for record in records):
        group = [record for record in records if _key_of(view, record) == key]
        row = dict(zip((name for name, _ in view.keys), key, strict=True))
        for part in view.aggregates:
            values = (
                [record[part.column] for record in group if record[part.column] is not None] if part.column else group
            )
            with localcontext(prec=100):
                row[part.name] = _AGGREGATES[part.function](values) if values or part.function == "COUNT" else None
        yield tuple(row[column.name] for column in table.columns if column.name in row)


def _whole_groups(table: Table, records: Iterator[Record]) -> Iterator[Record]:
    """Yield the rows of a view, the stripes of each group added up."""
    view = table.view
    assert view is not None
    if view.stripes is None:
        yield from records
        return
    groups: dict[Entry, Record] = {}
    for record in records:
        assert 0 <= record.pop("stripe") < view.stripes.count
        key = tuple(record[name] for name, _ in view.keys)
        group = groups.get(key)
        if group is None:
            groups[key] = record
            continue
        for part in view.aggregates:
            both = [value for value in (group[part.name], record[part.name]) if value is not None]
            with localcontext(prec=100):
                group[part.name] = sum(both) if both else None
    yield from groups.values()


def _key_of(view: View, record: Record) -> Entry:
    """Return the group of a record, with what stands for NULL in its key."""
    stand_ins = {stand_in.column: stand_in.value for stand_in in view.stand_ins}
    return tuple(stand_ins.get(name) if record[name] is None else record[name] for _, name in view.keys)


def _in_windows(view: View, record: Record) -> Iterator[Record]:
    """Yield a record once for each window that it is in, with the beginning of the window in the place of its time."""
    if view.window is None:
        yield record
        return
    value = record[view.window.column]
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day, tzinfo=UTC)
    length, step = (timedelta(milliseconds=time) for time in (view.window.length, view.window.step))
    beginning = moment - (moment - datetime(2000, 1, 3, tzinfo=UTC)) % step
    count = length // step
    for number in range(count):
        try:
            begins = beginning - number * step
        except OverflowError:  # before the year 1 there are no windows
            return
        yield {**record, view.window.column: begins if isinstance(value, datetime) else begins.date()}


_AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {
    "COUNT": len,
    "SUM": sum,
    "AVG": lambda values: float(Fraction(sum(values)) / len(values)),
}


def _is_counted(view: View, record: Record) -> bool:
    """Tell whether the WHERE of a view is true for a record, by an interpreter of the few forms that it may have."""
    return view.condition is None or _truth(cast("Expression", view.condition.test), record) is True


def _truth(test: Expression, record: Record) -> bool | None:
    """Return what SQL says of a test: true, false or unknown."""
    match test:
        case And(operands=operands) | Or(operands=operands):
            decides = isinstance(test, Or)
            truths = [_truth(operand, record) for operand in operands]
            return decides if decides in truths else None if None in truths else not decides
        case Not(operand=operand):
            truth = _truth(operand, record)
            return None if truth is None else not truth
        case IsNull(operand=operand):
            return _plain(operand, record) is None
        case InList(operand=operand, items=items):
            return _truth(
                Or(operands=tuple(Comparison(operator="=", left=operand, right=item) for item in items)), record
            )
        case Comparison(operator=sign, left=left, right=right):
            values = _plain(left, record), _plain(right, record)
            return None if None in values else bool(_SIGNS[sign](*values))
        case _:
            raise AssertionError(f"no view tests {test}")


def _plain(expression: Expression, record: Record) -> Any:
    match expression:
        case ColumnRef(name=name):
            return record[name]
        case Constant(value=value):
            return value
        case _:
            raise AssertionError(f"no view compares {expression}")


_SIGNS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip


def _has(other: OtherIndex, record: Record) -> bool:
    """Return whether a row can stand in an index of another version: not with NULL where that one has none."""
    columns = [other.table.column(column.name) for column in other.index.columns]
    return all(column is None or column.nullable or record[column.name] is not None for column in columns)


def records_of(store: Store, table: Table) -> Iterator[Record]:
    """Return all records of a table, their values as stored."""
    names = tuple(column.name for column in table.columns)
    for row in _walk(store, table, table.primary_index(), names, ()):
        yield dict(zip(names, row, strict=True))


def _walk(store: Store, table: Table, index: Index, columns: tuple[str, ...], bucket: Entry) -> Iterator[Entry]:
    key = tuple(column.name for column in index.columns)
    columns_read = (*key, *columns)
    first = store.prepare(ReadShape(table, index, columns_read, 0, in_any_order=True))
    further = store.prepare(ReadShape(table, index, columns_read, 0, after_length=len(key), in_any_order=True))
    with store.transaction() as transaction:
        rows = transaction.read(first, (*bucket, CHUNK))
        while rows:
            yield from (row[len(key) :] for row in rows)
            rows = transaction.read(further, (*bucket, *rows[-1][: len(key)], CHUNK))


def _broken_index(store: Store, table: Table, index: Index, records: list[Record]) -> list[str]:
    names = (*(column.name for column in index.columns), *index.covering)
    buckets: list[Entry] = [(number,) for number in range(index.buckets)] if index.buckets > 1 else [()]
    held = Counter(entry for bucket in buckets for entry in _walk(store, table, index, names, bucket))
    expected = Counter(entry for record in records for entry in _entries(index, record))
    if isinstance(store, CqlStore):  # keeps no entries that no read can ask for: a part of their partition is NULL
        key_of, length = store.prepare_entries(table, index).key, len(index.columns)
        expected = Counter({entry: count for entry, count in expected.items() if key_of(entry[:length]) is not None})
    broken = [f"{index.name} lacks the entry {entry}" for entry in expected - held]
    return broken + [f"{index.name} holds {entry}, of which there is no record" for entry in held - expected]


def _entries(index: Index, record: Record) -> Iterator[Entry]:
    covering = tuple(record[name] for name in index.covering)
    token = next((column for column in index.columns if column.token_of), None)
    words = words_of(*(record[name] for name in token.token_of)) if token else frozenset({""})
    for word in words:
        yield (*(word if column.token_of else record[column.name] for column in index.columns), *covering)


def _broken_constraints(table: Table, records: dict[str, list[Record]]) -> list[str]:
    broken: list[str] = []
    own_records = records[table.name]
    for column in table.columns:
        if not column.nullable and any(record[column.name] is None for record in own_records):
            broken.append(f"{table.name}.{column.name} is NOT NULL and holds NULL")
    for limit in table.limits:
        groups: Counter[Entry] = Counter()
        for record in own_records:
            values = tuple(record[name] for name in limit.columns)
            if limit.is_token:
                groups.update((word,) for word in words_of(*values))
            elif None not in values:
                groups[values] += 1
        broken += [
            f"{table.name}: {count} rows share {group}, at most {limit.limit} may share one {', '.join(limit.columns)}"
            for group, count in groups.items()
            if count > limit.limit
        ]
    for key in (table.primary_key, *(unique_key.columns for unique_key in table.unique_keys)):
        counts = Counter(tuple(record[name] for name in key) for record in own_records)
        broken += [
            f"{table.name}: {count} rows have the key {value}"
            for value, count in counts.items()
            if count > 1 and None not in value
        ]
    for reference in table.foreign_keys:
        there = {tuple(record[name] for name in reference.referenced_columns) for record in records[reference.table]}
        named = {tuple(record[name] for name in reference.columns) for record in own_records}
        broken += [
            f"{table.name}: {value} names no row of {reference.table}" for value in named - there if None not in value
        ]
    return broken


def _broken_file(store: EmbeddedStore, deployment: piql.client.database.Deployment) -> list[str]:
    """Hold the file itself against SQLite's own check, and its tables against what is deployed."""
    broken = []
    (verdict,) = store.connection().execute("PRAGMA integrity_check").fetchone()
    if verdict != "ok":
        broken.append(f"SQLite finds the file damaged: {verdict}")
    with store.transaction() as transaction:
        index_names = transaction.index_names()
    expected = {store.stored_name(deployment.tables[index.table], index) for index in deployment.indexes.values()}
    other_indexes = {store.stored_name(other_index.table, other_index.index) for other_index in deployment.others}
    return broken + [f"the index {name} is deployed and not kept" for name in (expected | other_indexes) - index_names]


def unused_indexes(db: piql.Database) -> list[str]:
    """Return the indexes of no living version; a deployment that was killed leaves them to the next one."""
    with db.store.transaction() as transaction:
        return sorted(transaction.index_names() - living_indexes(db.store, read_state(db.store)))
