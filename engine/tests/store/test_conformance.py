"""What every store must do: ranges in order from any position in both directions, NULL first; writes whole or not."""

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from queue import Queue
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.schema.values import TimeUUID
from piql.store.base import Batch, ReadShape, Store
from piql.store.embedded.store import EmbeddedStore
from piql.store.rows import Row

INT = SqlType(Kind.INT)
TABLE = Table("t", (Column("g", INT, True), Column("k", INT, False), Column("text", SqlType(Kind.TEXT), True)), ("k",))
VALUES = (None, 1, 2, 3)


def read(store: Store, shape: ReadShape, *arguments: object) -> list[Row]:
    return store.read_many([Batch(store.prepare(shape), [arguments])])[0][0]


def fill(store: Store, table: Table, index: Index, entries: Sequence[tuple[Any, ...]]) -> None:
    with store.transaction() as transaction:
        if index.is_primary:
            transaction.create_table(table, is_in_order=True)
        else:
            transaction.create_index(table, index)
        transaction.put(store.prepare_entries(table, index), entries)


def in_order(index: Index, entries: Sequence[tuple[Any, ...]], is_ascending: bool = True) -> list[tuple[Any, ...]]:
    """Sorts entries as the index must keep them."""
    rows = list(entries)
    for at, column in reversed(list(enumerate(index.columns))):
        rows.sort(key=lambda row: (row[at] is not None, row[at] or 0), reverse=not column.ascending)
    return rows if is_ascending else rows[::-1]


def test_a_get_finds_the_record_of_its_key_and_no_other(store: Store) -> None:
    primary = TABLE.primary_index()
    fill(store, TABLE, primary, [(1, 7, "one"), (2, None, None)])
    shape = ReadShape(TABLE, primary, ("k", "g", "text"), 1)
    assert read(store, shape, 1) == [(1, 7, "one")]
    assert read(store, shape, 2) == [(2, None, None)]
    assert read(store, shape, 3) == []


def test_many_gets_are_answered_in_the_order_of_their_keys(store: Store) -> None:
    primary = TABLE.primary_index()
    fill(store, TABLE, primary, [(key, None, f"text {key}") for key in range(0, 600, 2)])
    keys = [(key * 37 % 601,) for key in range(450)] + [(4,), (4,)]
    with store.transaction() as transaction:
        texts = transaction.get_many(store.prepare(ReadShape(TABLE, primary, ("text",), 1)), keys)
        nothing = transaction.get_many(store.prepare(ReadShape(TABLE, primary, (), 1)), keys)
    assert texts == [(f"text {key}",) if key % 2 == 0 and key < 600 else None for (key,) in keys]
    assert nothing == [() if text else None for text in texts]


def test_a_read_of_no_column_says_only_how_many_rows_there_are(store: Store) -> None:
    primary = TABLE.primary_index()
    fill(store, TABLE, primary, [(1, 7, "one"), (2, None, None), (3, 7, None)])
    assert read(store, ReadShape(TABLE, primary, (), 1), 2) == [()]
    assert read(store, ReadShape(TABLE, primary, (), 0), 9) == [(), (), ()]
    assert read(store, ReadShape(TABLE, primary, (), 0, after_length=1), 1, 9) == [(), ()]


def test_several_batches_are_answered_in_their_order(store: Store) -> None:
    primary = TABLE.primary_index()
    fill(store, TABLE, primary, [(k, k * 10, None) for k in range(5)])
    get = store.prepare(ReadShape(TABLE, primary, ("g",), 1))
    scan = store.prepare(ReadShape(TABLE, primary, ("k",), 0))
    answers = store.read_many([Batch(get, [(3,), (9,), (1,)]), Batch(scan, [(2,)])])
    assert answers == [[[(30,)], [], [(10,)]], [[(0,), (1,)]]]


def test_started_reads_give_their_answers_to_the_callback(store: Store) -> None:
    primary = TABLE.primary_index()
    fill(store, TABLE, primary, [(1, 7, "one")])
    answers: Queue[object] = Queue()
    store.start_many([Batch(store.prepare(ReadShape(TABLE, primary, ("g",), 1)), [(1,)])], answers.put)
    assert answers.get(timeout=120) == [[[(7,)]]]


DIRECTIONS = list(itertools.product((True, False), repeat=3))


@pytest.mark.parametrize("is_ascending", [True, False])
@pytest.mark.parametrize("directions", DIRECTIONS)
def test_a_walk_is_in_index_order_and_goes_on_from_every_place(
    store: Store, directions: tuple[bool, bool, bool], is_ascending: bool
) -> None:
    columns = tuple(Column(name, INT, name != "k") for name in "abk")
    table = Table("m", columns, ("k",))
    index = Index("i", "m", tuple(map(IndexColumn, "abk", directions)), partition_columns=0)
    entries = [(a, b, k) for k, (a, b) in enumerate(itertools.product(VALUES, repeat=2))]
    fill(store, table, index, entries)
    expected = in_order(index, entries, is_ascending)
    shape = ReadShape(table, index, ("a", "b", "k"), 0, is_ascending)
    assert read(store, shape, 100) == expected
    for length in (1, 2, 3):
        for is_included in (True, False):
            after = ReadShape(
                table, index, ("a", "b", "k"), 0, is_ascending, after_length=length, is_after_included=is_included
            )
            for at in range(0, len(expected), 3):
                last_key = expected[at][:length]
                same = [row[:length] == last_key for row in expected]
                start = same.index(True) if is_included else len(same) - same[::-1].index(True)
                assert read(store, after, *last_key, 5) == expected[start : start + 5]


@pytest.mark.parametrize("is_ascending", [True, False])
@pytest.mark.parametrize("column_ascending", [True, False])
def test_a_range_leaves_out_null_and_what_lies_beyond_its_ends(
    store: Store, column_ascending: bool, is_ascending: bool
) -> None:
    index = Index("i", "t", (IndexColumn("g", column_ascending), IndexColumn("k")), partition_columns=0)
    entries = [(g, k) for k, g in enumerate([*VALUES, *VALUES])]
    fill(store, TABLE, index, entries)
    walked = in_order(index, entries, is_ascending)
    for has_low, low_in, has_high, high_in in itertools.product((True, False), repeat=4):
        shape = ReadShape(
            TABLE,
            index,
            ("g", "k"),
            0,
            is_ascending,
            has_low=has_low,
            is_low_included=low_in,
            has_high=has_high,
            is_high_included=high_in,
            skips_nulls=True,
        )
        ends = [1] * has_low + [3] * has_high
        expected = [
            (g, k)
            for g, k in walked
            if g is not None
            and (not has_low or g > 1 or (low_in and g == 1))
            and (not has_high or g < 3 or (high_in and g == 3))
        ]
        assert read(store, shape, *ends, 100) == expected


def test_a_fixed_null_column_of_a_key_is_never_equal(store: Store) -> None:
    index = Index("i", "t", (IndexColumn("g"), IndexColumn("k")))
    fill(store, TABLE, index, [(None, 1), (0, 2), (5, 3)])
    assert read(store, ReadShape(TABLE, index, ("k",), 1), 0, 10) == [(2,)]


@pytest.mark.parametrize("is_ascending", [True, False])
def test_entries_whose_key_column_is_null_are_found_by_asking_for_null(store: Store, is_ascending: bool) -> None:
    index = Index("i", "t", (IndexColumn("g"), IndexColumn("k")), ("text",), partition_columns=0)
    entries = [(None, 1, "a"), (0, 2, "b"), (None, 3, "c"), (None, 4, "d"), (5, 5, "e")]
    fill(store, TABLE, index, entries)
    shape = ReadShape(TABLE, index, ("k", "g", "text"), 1, is_ascending, nulls=("g",))
    entries_with_null = [(k, g, text) for g, k, text in in_order(index, entries, is_ascending) if g is None]
    assert read(store, shape, None, 10) == entries_with_null
    assert read(store, shape, None, 2) == entries_with_null[:2]
    assert read(store, replace(shape, after_length=1), None, entries_with_null[0][0], 10) == entries_with_null[1:]
    assert read(store, ReadShape(TABLE, index, ("g", "text"), 2, nulls=("g",)), None, 3) == [(None, "c")]
    assert read(store, ReadShape(TABLE, index, ("g", "text"), 2, nulls=("g",)), None, 2) == []


def test_deleting_takes_away_one_entry_even_with_null_in_its_key(store: Store) -> None:
    index = Index("i", "t", (IndexColumn("g"), IndexColumn("k")), ("text",), partition_columns=0)
    fill(store, TABLE, index, [(None, 1, "a"), (None, 2, "b"), (0, 1, "c")])
    with store.transaction() as transaction:
        transaction.delete(store.prepare_entries(TABLE, index), [(None, 1)])
    assert read(store, ReadShape(TABLE, index, ("g", "k", "text"), 0), 10) == [(None, 2, "b"), (0, 1, "c")]


def test_putting_replaces_the_entry_with_the_same_key(store: Store) -> None:
    primary = TABLE.primary_index()
    fill(store, TABLE, primary, [(1, 7, "old"), (1, 8, "new")])
    assert read(store, ReadShape(TABLE, primary, ("g", "text"), 0), 10) == [(8, "new")]


def test_a_transaction_that_fails_leaves_nothing(transactional_store: Store) -> None:
    store = transactional_store
    primary = TABLE.primary_index()
    fill(store, TABLE, primary, [(1, 1, None)])
    with suppress(RuntimeError), store.transaction() as transaction:
        transaction.put(store.prepare_entries(TABLE, primary), [(2, 2, None)])
        raise RuntimeError
    assert read(store, ReadShape(TABLE, primary, ("k",), 0), 10) == [(1,)]


def test_counting_stops_at_the_limit(store: Store) -> None:
    index = Index("i", "t", (IndexColumn("g"), IndexColumn("k")))
    fill(store, TABLE, index, [(1, k) for k in range(5)])
    shape = store.prepare(ReadShape(TABLE, index, (), 1))
    with store.transaction() as transaction:
        assert transaction.count(shape, (1, 3)) == 3
        assert transaction.count(shape, (1, 9)) == 5
        assert transaction.count(shape, (2, 9)) == 0


def test_buckets_are_ranges_of_their_own(store: Store) -> None:
    index = Index("i", "t", (IndexColumn("g"), IndexColumn("k")), buckets=2, partition_columns=0)
    fill(store, TABLE, index, [(0, 5, 1), (1, 4, 2), (0, 3, 3)])
    shape = ReadShape(TABLE, index, ("g", "k"), 0)
    assert read(store, shape, 0, 10) == [(3, 3), (5, 1)]
    assert read(store, shape, 1, 10) == [(4, 2)]


def test_settings_and_version_are_kept(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.set_setting("a", "1")
        transaction.set_version(4)
        assert transaction.version() == 4
    assert store.settings()["a"] == "1"
    assert store.version() == 4


def test_settings_and_version_change_with_their_transaction(transactional_store: Store) -> None:
    store = transactional_store
    with store.transaction() as transaction:
        transaction.set_setting("a", "1")
        transaction.set_version(4)
        assert transaction.version() == 4
    with suppress(RuntimeError), store.transaction() as transaction:
        transaction.set_setting("a", "2")
        transaction.set_version(5)
        raise RuntimeError
    assert store.settings()["a"] == "1"
    assert store.version() == 4


def test_columns_can_be_added_and_indexes_dropped(store: Store) -> None:
    fill(store, TABLE, TABLE.primary_index(), [(1, 7, "x")])
    wider = Table("t", (Column("new", INT, True), *TABLE.columns), ("k",))
    index = Index("i", "t", (IndexColumn("g"), IndexColumn("k")))
    with store.transaction() as transaction:
        transaction.add_columns(wider, ["new"])
        transaction.create_index(wider, index)
        name = store.stored_name(wider, index)
        assert transaction.index_names() == {name}
        transaction.drop_index(name)
        assert transaction.index_names() == set()
        transaction.put(store.prepare_entries(wider, wider.primary_index()), [(2, 9, 8, "y")])
    shape = ReadShape(wider, wider.primary_index(), ("k", "new", "g", "text"), 0)
    assert read(store, shape, 10) == [(1, None, 7, "x"), (2, 9, 8, "y")]


def test_names_may_hold_anything(store: Store) -> None:
    table = Table('a "b"; --', (Column("select", INT, False), Column("Größe '", INT, True)), ("select",))
    fill(store, table, table.primary_index(), [(1, 2)])
    assert read(store, ReadShape(table, table.primary_index(), ("Größe '",), 1), 1) == [(2,)]


MOMENTS = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40).filter(
    lambda number: abs(number.adjusted()) <= 300
)
KINDS: list[tuple[Kind, st.SearchStrategy[Any]]] = [
    (Kind.INT, st.integers(-(2**31), 2**31 - 1)),
    (Kind.BIGINT, st.integers(-(2**63), 2**63 - 1)),
    (Kind.DOUBLE, st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)),
    (Kind.DECIMAL, DECIMALS),
    (Kind.BOOLEAN, st.booleans()),
    (Kind.TEXT, st.text()),
    (Kind.BLOB, st.binary()),
    (Kind.TIMESTAMP, MOMENTS),
    (Kind.DATE, st.dates()),
    (Kind.TIME, st.times().map(lambda moment: moment.replace(fold=0))),
    (Kind.UUID, st.uuids()),
    (Kind.TIMEUUID, st.uuids(version=1).map(lambda identity: TimeUUID(int=identity.int))),
]


def by_bytes(kind: Kind, value: Any) -> Any:
    if kind is Kind.TEXT:
        return value.encode()
    if kind is Kind.TIMEUUID:
        return value.time, tuple(byte - 256 * (byte > 127) for byte in value.bytes[8:])
    return value.bytes if kind is Kind.UUID else value


@pytest.mark.parametrize("is_in_order", [True, False])
@pytest.mark.parametrize(("kind", "values"), KINDS, ids=[kind.value for kind, _ in KINDS])
def test_values_of_every_type_come_back_and_sort_as_they_should(
    keeping_store: Store, kind: Kind, values: st.SearchStrategy[Any], is_in_order: bool
) -> None:
    store, of = keeping_store, SqlType(kind)
    table = Table("v", (Column("v", of, False),), ("v",))
    primary = table.primary_index()
    with store.transaction() as transaction:
        transaction.create_table(table, is_in_order)
    codec = store.codec(of)
    entries = store.prepare_entries(table, primary)
    get = store.prepare(ReadShape(table, primary, ("v",), 1))
    shape = store.prepare(ReadShape(table, primary, ("v",), 0, in_any_order=not is_in_order))

    @given(st.lists(values, max_size=8))
    @settings(max_examples=40 if isinstance(store, EmbeddedStore) else 10, deadline=None)
    def check(given_values: list[Any]) -> None:
        encoded = [codec.encode(value) if codec else value for value in given_values]
        with store.transaction() as transaction:
            transaction.put(entries, [(value,) for value in encoded])
        stored = [row[0] for row in store.read_many([Batch(shape, [(100,)])])[0][0]]
        with store.transaction() as transaction:
            for value in encoded:
                assert transaction.read(get, (value,)) == [(value,)]
            transaction.delete(entries, [(value,) for value in stored])
        values_found = [codec.decode(value) if codec else value for value in stored]
        expected = sorted({by_bytes(kind, value) for value in given_values})
        if is_in_order:
            assert [by_bytes(kind, value) for value in values_found] == expected
            assert sorted(stored) == stored
        else:
            assert sorted(by_bytes(kind, value) for value in values_found) == expected
        if kind not in (Kind.DECIMAL,):
            assert all(type(value) is type(given_values[0]) for value in values_found)

    check()


@pytest.mark.parametrize(
    ("of", "value", "shown"),
    [
        (SqlType(Kind.DECIMAL, precision=10, scale=2), Decimal("1.5"), "1.50"),
        (SqlType(Kind.DECIMAL, precision=10, scale=2), Decimal("-100"), "-100.00"),
        (SqlType(Kind.DECIMAL, precision=38, scale=10), Decimal("1234567890123456789012345678.5"), None),
        (SqlType(Kind.DECIMAL), Decimal("100"), "100"),
        (SqlType(Kind.DATE), date(2012, 8, 27), None),
        (SqlType(Kind.TIME), time(12, 30, 5, 250_000), None),
        (SqlType(Kind.UUID), UUID(int=5), None),
        (SqlType(Kind.TIMEUUID), UUID("123e4567-e89b-12d3-a456-426614174000"), None),
    ],
)
def test_a_value_is_shown_as_its_type_says(store: Store, of: SqlType, value: object, shown: str | None) -> None:
    codec = store.codec(of)
    assert codec is not None
    back = codec.decode(codec.encode(value))
    assert back == value
    assert shown is None or str(back) == shown


@pytest.mark.parametrize("key", [("k",), ("g", "k")])
def test_a_walk_in_any_order_comes_by_every_row_once(store: Store, key: tuple[str, ...]) -> None:
    table = Table("walked", (Column("g", INT, False), Column("k", INT, False), Column("text", INT, True)), key)
    rows = {(g, k) if len(key) == 2 else (g * 10 + k,): g * k for g in range(4) for k in range(5)}
    with store.transaction() as transaction:
        transaction.create_table(table)
        entries = store.prepare_entries(table, table.primary_index())
        transaction.put(entries, [(*key_values, *(0,) * (2 - len(key)), text) for key_values, text in rows.items()])
        shape = ReadShape(table, table.primary_index(), (*key, "text"), 0, in_any_order=True)
        chunk = walked = list(transaction.read(store.prepare(shape), (3,)))
        further = store.prepare(replace(shape, after_length=len(key)))
        while len(chunk) == 3:
            chunk = transaction.read(further, (*chunk[-1][: len(key)], 3))
            walked += chunk
    assert sorted(walked) == sorted((*key_values, text) for key_values, text in rows.items())
