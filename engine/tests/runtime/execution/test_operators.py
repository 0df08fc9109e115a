"""Operators on rows made by the test: which rows they return, in which order, and which requests they make."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import pytest
from piql.compiler.logical.expressions import Aggregate, ColumnRef, Comparison, Constant, Parameter
from piql.compiler.logical.operators import Count, SortKey
from piql.compiler.physical import operators as physical
from piql.compiler.physical.operators import KeyPart, KeyRange, RowLimit
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.operators.dereference import Dereference
from piql.runtime.execution.operators.index_fk_join import IndexFKJoin
from piql.runtime.execution.operators.index_scan import IndexScan
from piql.runtime.execution.operators.local_distinct import LocalDistinct
from piql.runtime.execution.operators.local_group_by import LocalGroupBy
from piql.runtime.execution.operators.local_join import LocalJoin
from piql.runtime.execution.operators.local_semi_join import LocalSemiJoin
from piql.runtime.execution.operators.local_sort import LocalSort
from piql.runtime.execution.operators.local_stop import LocalStop
from piql.runtime.execution.operators.local_union import LocalUnion
from piql.runtime.execution.operators.sorted_index_join import SortedIndexJoin
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.strategy import Work, drive
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.store.embedded.store import EmbeddedStore
from piql.store.rows import Row

INT = SqlType(Kind.INT)
TABLE = Table("t", tuple(Column(name, INT, name == "v") for name in ("a", "b", "v")), ("a", "b"))
PARENT = Table("p", (Column("id", INT, False), Column("name", INT, True)), ("id",))
NEVER = physical.IndexScan(table=TABLE, alias="t", index=TABLE.primary_index(), limit=RowLimit(max=1))


def column(alias: str, name: str) -> ColumnRef:
    return ColumnRef(relation=alias, name=name, type=INT, nullable=True)


def fields(text: str) -> tuple[ColumnRef, ...]:
    """`l.x l.y` → columns."""
    return tuple(column(*part.split(".")) for part in text.split())


class Given(Operator):
    """Stands for any operator below: gives these rows."""

    def __init__(self, names: str, rows: Sequence[Row]) -> None:
        self.fields = fields(names)
        self._rows = list(rows)

    def run(self, execution: Execution) -> OperatorRun:
        yield from ()
        return self._rows


@pytest.fixture(scope="module")
def preparation() -> Preparation:
    store = EmbeddedStore(synchronous="NORMAL")
    with store.transaction() as transaction:
        for table in (TABLE, PARENT):
            transaction.create_table(table)
        entries = store.prepare_entries(TABLE, TABLE.primary_index())
        transaction.put(entries, [(a, b, a * 10 + b if b else None) for a in range(4) for b in range(4)])
        transaction.put(store.prepare_entries(PARENT, PARENT.primary_index()), [(1, 10), (2, None), (3, 30)])
    return Preparation(store, {"x": 0, "xs": 0, "n": 0}, lambda index: index)


def run(operator: Operator, preparation: Preparation, *parameters: Any) -> Work:
    return drive(operator.run(Execution(list(parameters))), preparation.store, 1000, "parallel")


def by(*keys: str) -> tuple[SortKey, ...]:
    """`"-l.x"` is descending."""
    return tuple(SortKey(expression=column(*key.lstrip("-").split(".")), ascending=key[0] != "-") for key in keys)


def test_sorting_puts_null_first_ascending_and_last_descending(preparation: Preparation) -> None:
    child = Given("l.x l.y", [(2, 1), (None, 2), (1, 3), (2, 4), (None, 5)])
    for keys, expected in (
        (("l.x",), [2, 5, 3, 1, 4]),
        (("-l.x",), [1, 4, 3, 2, 5]),
        (("-l.x", "-l.y"), [4, 1, 3, 5, 2]),
        (("l.x", "-l.y"), [5, 2, 3, 4, 1]),
    ):
        node = physical.LocalSort(child=NEVER, keys=by(*keys))
        assert [row[1] for row in run(LocalSort(node, child, preparation), preparation).rows] == expected


def test_a_stop_takes_the_first_rows_or_fewer_when_asked(preparation: Preparation) -> None:
    child = Given("l.x", [(n,) for n in range(5)])
    node = physical.LocalStop(child=NEVER, count=Count(max=3))
    assert run(LocalStop(node, child, preparation), preparation).rows == [(0,), (1,), (2,)]
    node = physical.LocalStop(child=NEVER, count=Count(max=3, parameter="n"))
    assert run(LocalStop(node, child, preparation), preparation, 1).rows == [(0,)]
    assert run(LocalStop(node, child, preparation), preparation, 0).rows == []


def test_a_page_begins_after_its_place_and_says_where_it_ends(preparation: Preparation) -> None:
    child = Given("l.x", [(None,), (1,), (2,), (3,), (4,)])
    node = physical.LocalStop(child=NEVER, count=Count(max=2), is_page=True, order=by("l.x"))
    stop = LocalStop(node, child, preparation)
    page_end, seen = None, []
    while True:
        execution = Execution([], page_end)
        seen.append(drive(stop.run(execution), preparation.store, 0, "parallel").rows)
        page_end = execution.page_end
        if page_end is None:
            break
    assert seen == [[(None,), (1,)], [(2,), (3,)], [(4,)]]


@pytest.mark.parametrize(("kind", "expected"), [("inner", [(1, 1, 7), (1, 1, 8)]), ("left", None)])
def test_a_local_join_keeps_the_order_of_left_and_right(
    preparation: Preparation, kind: Literal["inner", "left"], expected: list[Row] | None
) -> None:
    left, right = Given("l.x", [(2,), (1,), (None,)]), Given("r.x r.y", [(1, 7), (3, 9), (1, 8), (None, 5)])
    condition = Comparison(operator="=", left=column("r", "x"), right=column("l", "x"))
    node = physical.LocalJoin(left=NEVER, right=NEVER, condition=condition, kind=kind)
    rows = run(LocalJoin(node, left, right, preparation), preparation).rows
    assert rows == (expected or [(2, None, None), (1, 1, 7), (1, 1, 8), (None, None, None)])


@pytest.mark.parametrize(
    ("is_anti", "is_null_aware", "right", "expected"),
    [
        (False, False, [1, None], [1]),
        (True, False, [1, None], [2, None]),
        (True, True, [1, None], []),
        (True, True, [1], [2]),
        (True, True, [], [1, 2, None]),
    ],
)
def test_a_semi_join_knows_what_null_means(
    preparation: Preparation, is_anti: bool, is_null_aware: bool, right: list[int | None], expected: list[int | None]
) -> None:
    condition = Comparison(operator="=", left=column("l", "x"), right=column("r", "x"))
    node = physical.LocalSemiJoin(
        left=NEVER, right=NEVER, condition=condition, is_anti=is_anti, compared=condition if is_null_aware else None
    )
    left, others = Given("l.x", [(1,), (2,), (None,)]), Given("r.x", [(value,) for value in right])
    rows = run(LocalSemiJoin(node, left, others, preparation), preparation).rows
    assert [row[0] for row in rows] == expected


def test_groups_keep_null_together_and_no_keys_give_one_row(preparation: Preparation) -> None:
    child = Given("l.x l.y", [(1, 5), (None, 1), (1, None), (None, 2)])
    aggregates = (
        Aggregate(function="COUNT", operand=None, distinct=False, type=INT),
        Aggregate(function="SUM", operand=column("l", "y"), distinct=False, type=INT),
    )
    node = physical.LocalGroupBy(child=NEVER, keys=(column("l", "x"),), aggregates=aggregates)
    assert run(LocalGroupBy(node, child, preparation), preparation).rows == [(1, 2, 5), (None, 2, 3)]
    node = physical.LocalGroupBy(child=NEVER, keys=(), aggregates=aggregates)
    assert run(LocalGroupBy(node, Given("l.x l.y", []), preparation), preparation).rows == [(0, None)]


def test_distinct_keeps_the_first_of_equal_rows(preparation: Preparation) -> None:
    child = Given("l.x l.y", [(1, 1), (None, 2), (1, 3), (None, 4)])
    node = physical.LocalDistinct(child=NEVER, keys=(column("l", "x"),))
    assert run(LocalDistinct(node, child, preparation), preparation).rows == [(1, 1), (None, 2)]


def test_a_union_concatenates_or_merges_and_drops_equal_rows_unless_all(preparation: Preparation) -> None:
    children = [Given("l.x", [(1,), (3,)]), Given("r.x", [(1,), (2,)])]
    for all_, order, expected in (
        (True, (), [1, 3, 1, 2]),
        (False, (), [1, 3, 2]),
        (True, by("l.x"), [1, 1, 2, 3]),
        (False, by("l.x"), [1, 2, 3]),
    ):
        node = physical.LocalUnion(inputs=(NEVER, NEVER), all=all_, order=order)
        assert [row[0] for row in run(LocalUnion(node, children, preparation), preparation).rows] == expected


def scan(*parts: KeyPart, **more: Any) -> physical.IndexScan:
    return physical.IndexScan(
        fields=fields("t.a t.b"),
        table=TABLE,
        alias="t",
        index=TABLE.primary_index(),
        prefix=parts,
        limit=more.pop("limit", RowLimit(max=3)),
        **more,
    )


def test_a_scan_reads_one_range_a_value_and_none_for_null(preparation: Preparation) -> None:
    one = KeyPart(column="a", values=(Parameter(name="x", type=INT),))
    work = run(IndexScan(scan(one), preparation), preparation, 2)
    assert (work.rows, work.operations) == ([(2, 0), (2, 1), (2, 2)], 1)
    null = KeyPart(column="a", values=(Constant(value=None, type=INT),))
    assert run(IndexScan(scan(null), preparation), preparation).operations == 0
    several = KeyPart(column="a", values=tuple(Constant(value=value, type=INT) for value in (3, None, 1, 3)))
    work = run(IndexScan(scan(several), preparation), preparation)
    assert ([row[0] for row in work.rows], work.operations, work.round_trips) == ([3, 3, 3, 1, 1, 1], 2, 1)
    many = KeyPart(column="a", values=(Parameter(name="xs", type=INT, max_items=5),))
    merged = scan(many, is_merged=True, order=by("-t.b", "t.a"), is_ascending=False)
    assert run(IndexScan(merged, preparation), preparation, (1, 2)).rows[:3] == [(1, 3), (2, 3), (1, 2)]


def test_a_whole_key_is_a_get(preparation: Preparation) -> None:
    parts = [KeyPart(column=name, values=(Constant(value=2, type=INT),)) for name in ("b", "a")]
    assert run(IndexScan(scan(*parts, limit=RowLimit(max=1)), preparation), preparation).rows == [(2, 2)]


def test_a_range_with_a_null_end_matches_nothing_and_asks_nothing(preparation: Preparation) -> None:
    one = KeyPart(column="a", values=(Constant(value=1, type=INT),))
    above = KeyRange(column="b", low=Parameter(name="x", type=INT))
    assert run(IndexScan(scan(one, range=above), preparation), preparation, 1).rows == [(1, 2), (1, 3)]
    work = run(IndexScan(scan(one, range=above), preparation), preparation, None)
    assert (work.rows, work.operations) == ([], 0)


def test_a_number_of_another_type_finds_its_equal_and_nothing_else(preparation: Preparation) -> None:
    for value, count in ((2.0, 3), (2.5, 0), (1e300, 0)):
        part = KeyPart(column="a", values=(Constant(value=value, type=SqlType(Kind.DOUBLE)),))
        assert len(run(IndexScan(scan(part), preparation), preparation).rows) == count


def join(child: str, kind: Literal["inner", "left"], condition: Any = None) -> physical.IndexFKJoin:
    return physical.IndexFKJoin(
        fields=(*fields(child), *fields("p.name")),
        child=NEVER,
        table=PARENT,
        alias="p",
        index=PARENT.primary_index(),
        prefix=(KeyPart(column="id", values=(column("l", "x"),)),),
        kind=kind,
        condition=condition,
    )


def test_a_foreign_key_join_gets_each_key_once_and_null_never(preparation: Preparation) -> None:
    child = Given("l.x l.y", [(1, 1), (1, 2), (None, 3), (9, 4), (2, 5)])
    work = run(IndexFKJoin(join("l.x l.y", "inner"), child, preparation), preparation)
    assert (work.rows, work.operations) == ([(1, 1, 10), (1, 2, 10), (2, 5, None)], 3)
    work = run(IndexFKJoin(join("l.x l.y", "left"), child, preparation), preparation)
    assert [row[1:] for row in work.rows] == [(1, 10), (2, 10), (3, None), (4, None), (5, None)]


def test_the_rest_of_an_on_decides_what_matches(preparation: Preparation) -> None:
    child = Given("l.x l.y", [(1, 1), (1, 99)])
    condition = Comparison(operator=">", left=column("p", "name"), right=column("l", "y"))
    work = run(IndexFKJoin(join("l.x l.y", "left", condition), child, preparation), preparation)
    assert work.rows == [(1, 1, 10), (1, 99, None)]


def test_a_join_lays_its_rows_out_as_the_plan_says(preparation: Preparation) -> None:
    node = physical.IndexFKJoin(
        fields=fields("p.name l.y"),
        child=NEVER,
        table=PARENT,
        alias="p",
        index=PARENT.primary_index(),
        prefix=(KeyPart(column="id", values=(column("l", "x"),)),),
    )
    assert run(IndexFKJoin(node, Given("l.x l.y", [(3, 5)]), preparation), preparation).rows == [(30, 5)]


def test_a_sorted_join_follows_each_child_row_or_merges(preparation: Preparation) -> None:
    child = Given("l.x", [(2,), (None,), (0,)])
    for is_merged, expected in ((False, [23, 22, 3, 2]), (True, [3, 23, 2, 22])):
        node = physical.SortedIndexJoin(
            fields=fields("l.x t.b t.v"),
            child=NEVER,
            table=TABLE,
            alias="t",
            index=TABLE.primary_index(),
            prefix=(KeyPart(column="a", values=(column("l", "x"),)),),
            is_ascending=False,
            order=by("-t.b", "l.x"),
            is_merged=is_merged,
            limit=RowLimit(max=2, count=Count(max=2)),
        )
        work = run(SortedIndexJoin(node, child, preparation), preparation)
        assert [row[2] for row in work.rows] == expected
        assert (work.operations, work.round_trips) == (2, 1)


def test_a_dereference_drops_rows_whose_record_is_gone(preparation: Preparation) -> None:
    node = physical.Dereference(fields=fields("t.b t.a t.v"), child=NEVER, table=TABLE, alias="t")
    child = Given("t.b t.a", [(1, 2), (9, 9), (3, 0)])
    work = run(Dereference(node, child, preparation), preparation)
    assert (work.rows, work.operations) == ([(1, 2, 21), (3, 0, 3)], 3)


def test_an_index_in_buckets_is_one_request_a_bucket_and_goes_on_from_a_place(preparation: Preparation) -> None:
    index = Index("by_v", "t", (IndexColumn("v"), IndexColumn("a"), IndexColumn("b")), buckets=3)
    store = preparation.store
    entries = IndexEntries(TABLE, index, store)
    with store.transaction() as transaction:
        transaction.create_index(TABLE, index)
        transaction.put(
            entries.prepared, [entry for n in range(20) for entry in entries.of((n % 4, n, n // 3 or None))]
        )
    order = by("-t.v", "-t.a", "-t.b")
    node = physical.IndexScan(
        fields=fields("t.v t.a t.b"),
        table=TABLE,
        alias="t",
        index=index,
        is_ascending=False,
        order=order,
        is_merged=True,
        is_resumable=True,
        limit=RowLimit(max=4, count=Count(max=4)),
    )
    page = replace(preparation, page_order=order)
    stop = LocalStop(
        physical.LocalStop(child=node, count=Count(max=4), is_page=True, order=order), IndexScan(node, page), page
    )
    seen: list[Row] = []
    page_end = None
    while True:
        execution = Execution([], page_end)
        work = drive(stop.run(execution), store, 3, "parallel")
        assert (work.operations, work.round_trips) == (3, 1)
        seen += work.rows
        page_end = execution.page_end
        if page_end is None:
            break
    everything = [(n // 3 or None, n % 4, n) for n in range(20)]
    assert seen == sorted(everything, key=lambda row: (row[0] is not None, row), reverse=True)
