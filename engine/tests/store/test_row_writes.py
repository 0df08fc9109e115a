"""What every store without transactions must do: conditional changes of records, and later changes of entries win."""

from uuid import UUID

from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.store.base import Batch, ReadShape, Store
from piql.store.row_writes import Cell, EntryChange, RecordChange, SingleRowWrites, StoredRecord, Swap
from piql.store.rows import KEPT_SECONDS, STATE, WRITE, Row, State
from piql.store.stepwise.store import StepwiseStore

INT = SqlType(Kind.INT)
TABLE = Table("t", (Column("g", INT, True), Column("k", INT, False), Column("text", SqlType(Kind.TEXT), True)), ("k",))
TEXT, UNIQUE_ID = SqlType(Kind.TEXT), SqlType(Kind.UUID)
PAIRS = Table(
    "pairs",
    (Column("a", TEXT, False), Column("k", INT, False), Column("u", UNIQUE_ID, False), Column("text", TEXT, True)),
    ("a", "k", "u"),
)
PRIMARY = TABLE.primary_index()
BY_G = Index("by_g", "t", (IndexColumn("g"), IndexColumn("k")), ("text",), partition_columns=0)
ASKED_TWICE = True, None  # a busy cluster was: whether the first or the second made it cannot be told


def row_writes_of(store: Store) -> SingleRowWrites:
    row_writes = store.row_writes
    assert row_writes is not None
    with store.transaction() as transaction:
        transaction.create_table(TABLE, is_in_order=True)
        transaction.create_index(TABLE, BY_G)
    return row_writes


def read(store: Store, shape: ReadShape, *arguments: object) -> list[Row]:
    return store.read_many([Batch(store.prepare(shape), [arguments])])[0][0]


def entries_of(store: Store) -> list[Row]:
    return read(store, ReadShape(TABLE, BY_G, ("g", "k", "text", STATE), 0), 100)


def test_a_record_is_put_only_where_the_last_write_is_the_known_one(stepped_store: Store) -> None:
    row_writes, records = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, PRIMARY)
    assert row_writes.find(records, (1,)) is None
    assert row_writes.change(records, (1, 7, "a"), State.VISIBLE, "w1", None) == (True, None)
    there = StoredRecord("w1", State.VISIBLE, (1, 7, "a"))
    assert row_writes.change(records, (1, 8, "b"), State.VISIBLE, "w2", None) == (False, there)
    assert row_writes.change(records, (1, 8, "b"), State.VISIBLE, "w2", "w0") == (False, there)
    assert row_writes.find(records, (1,), is_serial=True) == there
    assert row_writes.change(records, (1, None, None), State.VISIBLE, "w2", "w1") == (True, None)
    assert row_writes.find(records, (1,)) == StoredRecord("w2", State.VISIBLE, (1, None, None))
    assert read(stepped_store, ReadShape(TABLE, PRIMARY, ("k", "g", WRITE), 1), 1) == [(1, None, "w2")]


def test_the_same_change_once_more_changes_nothing(stepped_store: Store) -> None:
    row_writes, records = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, PRIMARY)
    row_writes.change(records, (1, 7, "a"), State.VISIBLE, "w1", None)
    there = StoredRecord("w1", State.VISIBLE, (1, 7, "a"))
    assert row_writes.change(records, (1, 7, "a"), State.VISIBLE, "w1", None) in ((False, there), ASKED_TWICE)
    assert row_writes.find(records, (1,)) == there


def test_coming_and_gone_records_are_hidden_and_take_no_place_in_a_limit(stepped_store: Store) -> None:
    row_writes, records = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, PRIMARY)
    for key, state in enumerate([State.GONE, State.VISIBLE, State.COMING, State.DOUBTFUL, State.VISIBLE]):
        row_writes.change(records, (key, 7, None), state, f"w{key}", None)
    shape = ReadShape(TABLE, PRIMARY, ("k", STATE), 0)
    assert read(stepped_store, shape, 3) == [(1, State.VISIBLE), (3, State.DOUBTFUL), (4, State.VISIBLE)]
    assert read(stepped_store, ReadShape(TABLE, PRIMARY, ("k",), 1), 0) == []
    coming_too = ReadShape(TABLE, PRIMARY, ("k", STATE), 0, sees_coming=True)
    assert read(stepped_store, coming_too, 2) == [(1, State.VISIBLE), (2, State.COMING)]
    gone = row_writes.find(records, (0,))
    assert gone is not None
    assert gone.state is State.GONE
    assert row_writes.change(records, (0, 8, None), State.VISIBLE, "w9", None) == (False, gone)
    assert row_writes.change(records, (0, 8, None), State.VISIBLE, "w9", "w0") == (True, None)
    assert read(stepped_store, shape, 1) == [(0, State.VISIBLE)]


def test_each_of_several_ranges_read_together_has_its_limit_however_many_rows_are_hidden(stepped_store: Store) -> None:
    table = Table("m", (Column("owner", INT, False), Column("at", INT, False)), ("owner", "at"))
    primary, row_writes = table.primary_index(), stepped_store.row_writes
    assert row_writes is not None
    with stepped_store.transaction() as transaction:
        transaction.create_table(table)
    records = stepped_store.prepare_entries(table, primary)
    hidden = {1: (), 2: (9, 8, 7, 6), 3: (9,), 4: tuple(range(10))}
    for owner, at in ((owner, at) for owner in hidden for at in range(10)):
        state = State.GONE if at in hidden[owner] else State.VISIBLE
        row_writes.change(records, (owner, at), state, f"w{owner}.{at}", None)
    newest = stepped_store.prepare(ReadShape(table, primary, ("at",), 1, is_ascending=False))
    both = stepped_store.prepare(ReadShape(table, primary, ("owner", "at"), 2))
    owners = (2, 1, 3, 4, 5, 2)
    slices = Batch(newest, [(owner, 3) for owner in owners])
    gets = Batch(both, [(2, 9), (1, 9), (2, 5), (3, 5), (2, 5)])
    assert stepped_store.read_many([slices, gets]) == [
        [[(5,), (4,), (3,)], [(9,), (8,), (7,)], [(8,), (7,), (6,)], [], [], [(5,), (4,), (3,)]],
        [[], [(1, 9)], [(2, 5)], [(3, 5)], [(2, 5)]],
    ]


def test_of_two_changes_of_an_entry_the_later_holds_in_whatever_order_they_come(stepped_store: Store) -> None:
    row_writes, entries = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, BY_G)
    row_writes.change_entries([EntryChange(entries, (7, 1, "second"), State.VISIBLE, 20)])
    row_writes.change_entries([EntryChange(entries, (7, 1, "first"), State.DOUBTFUL, 10)])
    assert entries_of(stepped_store) == [(7, 1, "second", State.VISIBLE)]
    row_writes.change_entries(
        [EntryChange(entries, (7, 1), State.GONE, 30), EntryChange(entries, (8, 1), State.GONE, 30)]
    )
    row_writes.change_entries([EntryChange(entries, (7, 1, "late"), State.VISIBLE, 25)])
    row_writes.change_entries([EntryChange(entries, (8, 1, "late"), State.VISIBLE, 29)])
    assert entries_of(stepped_store) == []
    row_writes.change_entries([EntryChange(entries, (7, 1, "new"), State.DOUBTFUL, 40)])
    assert entries_of(stepped_store) == [(7, 1, "new", State.DOUBTFUL)]


def test_at_the_same_time_a_deletion_wins(stepped_store: Store) -> None:
    row_writes, entries = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, BY_G)
    put, delete = EntryChange(entries, (None, 1, "x"), State.VISIBLE, 5), EntryChange(entries, (None, 1), State.GONE, 5)
    row_writes.change_entries([put, delete])
    assert entries_of(stepped_store) == []
    row_writes.change_entries([put])
    assert entries_of(stepped_store) == []


def test_what_a_change_of_the_schema_put_is_older_than_every_write(stepped_store: Store) -> None:
    row_writes, entries = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, BY_G)
    row_writes.change_entries([EntryChange(entries, (7, 1), State.GONE, 5)])
    with stepped_store.transaction() as transaction:
        transaction.put(entries, [(7, 1, "filled"), (7, 2, "filled")])
    assert entries_of(stepped_store) == [(7, 2, "filled", State.VISIBLE)]


def test_a_cell_is_swapped_only_where_it_holds_the_known_value(stepped_store: Store) -> None:
    row_writes = row_writes_of(stepped_store)
    assert row_writes.swap("g", "a", None, "1") == (True, None)
    assert row_writes.swap("g", "a", None, "2") == (False, "1")
    assert row_writes.swap("g", "a", "0", "2") == (False, "1")
    assert row_writes.swap("g", "a", "1", "2") == (True, "1")
    assert row_writes.swap("g", "a", "1", None) == (False, "2")
    assert row_writes.swap("g", "a", "2", None) == (True, "2")
    assert row_writes.swap("g", "a", "2", None) in ((False, None), (True, "2"))
    assert row_writes.cells("g", 10) == []


def test_cells_are_listed_by_group_in_the_order_of_their_keys(stepped_store: Store) -> None:
    row_writes = row_writes_of(stepped_store)
    for key in ("c", "a", "b"):
        row_writes.note("g", key, f"value of {key}")
    row_writes.note("other", "x", "'; --")
    row_writes.note("g", "b", "changed")
    row_writes.note("g", "z", None)
    assert row_writes.cells("g", 2) == [Cell("a", "value of a"), Cell("b", "changed")]
    assert (row_writes.cell("g", "b"), row_writes.cell("g", "none"), row_writes.cell("none", "b")) == (
        "changed",
        None,
        None,
    )
    assert row_writes.cells("g", 9, after="a") == [Cell("b", "changed"), Cell("c", "value of c")]
    row_writes.note("g", "a", None)
    assert [cell.key for cell in row_writes.cells("g", 9)] == ["b", "c"]
    assert row_writes.cells("other", 9) == [Cell("x", "'; --")]


def test_many_records_are_found_and_put_where_the_last_writes_are_the_known_ones(stepped_store: Store) -> None:
    row_writes, records = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, PRIMARY)
    keys: list[Row] = [(key,) for key in range(130)]
    assert row_writes.find_many(records, keys) == [None] * 130
    puts = [RecordChange((key, 7, f"{key}"), State.COMING, f"w{key}", None) for key in range(130)]
    assert row_writes.change_many(records, puts) == [True] * 130
    shown = [put._replace(state=State.VISIBLE, write=f"x{at}", known=f"w{at}") for at, put in enumerate(puts[:99])]
    assert row_writes.change_many(records, shown) == [True] * 99
    records_found = row_writes.find_many(records, [(200,), *reversed(keys)], is_serial=True)
    assert records_found[0] is None
    assert records_found[1] == StoredRecord("w129", State.COMING, (129, 7, "129"))
    assert records_found[-1] == StoredRecord("x0", State.VISIBLE, (0, 7, "0"))
    late = [
        RecordChange((1, 8, "late"), State.VISIBLE, "y", "w1"),
        RecordChange((300, 8, None), State.VISIBLE, "y", None),
    ]
    done = row_writes.change_many(records, late)
    assert not done[0]
    assert (row_writes.find(records, (300,)) is not None) == done[1]
    assert row_writes.find(records, (1,)) == StoredRecord("x1", State.VISIBLE, (1, 7, "1"))
    assert row_writes.find_many(records, []) == row_writes.change_many(records, []) == []


def test_many_rows_are_in_partitions_of_their_own_too(stepped_store: Store) -> None:
    row_writes, records = row_writes_of(stepped_store), stepped_store.prepare_entries(PAIRS, PAIRS.primary_index())
    with stepped_store.transaction() as transaction:
        transaction.create_table(PAIRS)
    rows: list[Row] = [(f"a{at % 7}", at, UUID(int=at % 3).bytes, f"{at}") for at in range(150)]
    puts = [RecordChange(row, State.VISIBLE, "w", None) for row in rows]
    assert row_writes.change_many(records, puts) == [True] * 150
    keys = [*(row[:3] for row in rows), ("a1", 1, UUID(int=2).bytes), ("other", 1, bytes(16))]
    assert row_writes.find_many(records, keys) == [*(StoredRecord("w", State.VISIBLE, row) for row in rows), None, None]
    assert row_writes.change_many(records, [puts[3], puts[10]]) == [False, False]


def test_many_cells_are_swapped_noted_and_listed(stepped_store: Store) -> None:
    row_writes = row_writes_of(stepped_store)
    assert row_writes.swap_many([Swap(f"g{at % 2}", f"{at:03}", None, f"{at}") for at in range(80)]) == [True] * 80
    changed = [Swap("g0", "000", "0", "new"), Swap("g1", "001", "1", None)]
    assert row_writes.swap_many(changed) == [True, True]
    assert row_writes.swap_many([Swap("g0", "002", "no", "3"), Swap("g1", "003", "no", None)]) == [False, False]
    even, odd, none = row_writes.cells_many(["g0", "g1", "g2"], 2)
    assert (even, odd) == ([Cell("000", "new"), Cell("002", "2")], [Cell("003", "3"), Cell("005", "5")])
    assert none == []
    row_writes.note_many("log", {f"{at:03}": f"{at}" for at in range(120)})
    row_writes.note_many("log", {f"{at:03}": None if at else "kept" for at in range(119)})
    assert row_writes.cells("log", 9) == [Cell("000", "kept"), Cell("119", "119")]


def test_a_record_that_is_gone_is_forgotten_after_its_time() -> None:
    now = [1000.0]
    store = StepwiseStore(clock=lambda: now[0])
    row_writes, records = row_writes_of(store), store.prepare_entries(TABLE, PRIMARY)
    row_writes.change(records, (1, 7, None), State.GONE, "w1", None)
    row_writes.change(records, (2, 7, None), State.VISIBLE, "w2", None)
    now[0] += KEPT_SECONDS - 1
    assert row_writes.find(records, (1,)) is not None
    now[0] += 2
    assert row_writes.find(records, (1,)) is None
    assert row_writes.find(records, (2,)) is not None
    assert row_writes.change(records, (1, 8, None), State.VISIBLE, "w3", None) == (True, None)
    store.close()


def test_a_store_with_transactions_has_no_row_writes(transactional_store: Store) -> None:
    assert transactional_store.row_writes is None


def test_all_groups_are_listed_once_whatever_else_is_in_the_keyspace(stepped_store: Store) -> None:
    row_writes = row_writes_of(stepped_store)
    wanted = {f'group {at} ["é"]' for at in range(9)}
    for group in wanted:
        row_writes.swap(group, "a", None, "1")
        row_writes.swap(group, "b", None, "2")
    row_writes.swap("gone", "a", None, "1")
    row_writes.swap("gone", "a", "1", None)
    row_writes.note("noted", "a", "1")
    groups: list[str] = []
    while page := row_writes.groups(4, groups[-1] if groups else None):
        assert len(page) <= 4
        groups += page
    assert sorted(groups) == sorted({*wanted, "noted"})


def test_reads_that_go_together_are_fewer_statements_than_requests(stepped_store: Store) -> None:
    row_writes, records = row_writes_of(stepped_store), stepped_store.prepare_entries(TABLE, PRIMARY)
    for key in range(3):
        row_writes.change(records, (key, 7, None), State.VISIBLE, f"w{key}", None)
    gets = Batch(stepped_store.prepare(ReadShape(TABLE, PRIMARY, ("k",), 1)), [(0,), (1,), (2,)])
    before = stepped_store.statements_sent()
    assert stepped_store.read_many([gets]) == [[[(0,)], [(1,)], [(2,)]]]
    expected = 1 if stepped_store.topology() else 0  # a store of this process sends none
    assert stepped_store.statements_sent() - before == expected
