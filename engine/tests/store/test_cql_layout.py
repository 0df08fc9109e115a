"""The CQL tables that indexes become, and the SELECTs of reads; no cluster is asked."""

from dataclasses import replace

import pytest
from piql.errors import NotDeployed
from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.store.base import ReadShape
from piql.store.cql.layout import LONGEST_NAME, layout_of, table_name
from piql.store.cql.reads.reads import plan_read

TEXT, INT = SqlType(Kind.VARCHAR), SqlType(Kind.INT)
USERS = Table("users", (Column("name", TEXT, False), Column("town", TEXT, True), Column("age", INT, True)), ("name",))
THOUGHTS = Table(
    "thoughts",
    (
        Column("owner", TEXT, False),
        Column("posted", SqlType(Kind.TIMESTAMP), False),
        Column("id", SqlType(Kind.UUID), False),
        Column("text", TEXT, True),
    ),
    ("owner", "posted", "id"),
)
BY_TOWN = (IndexColumn("town"), IndexColumn("name"))


def test_the_first_key_column_is_the_partition_and_the_others_cluster_in_their_order() -> None:
    created = layout_of(THOUGHTS, THOUGHTS.primary_index(), "k", "p_").create()
    assert created == (
        'CREATE TABLE IF NOT EXISTS "k"."p_thoughts" ("owner" text, "posted" timestamp, "id" blob, "text" text,'
        ' "#write" text, "#state" tinyint, PRIMARY KEY (("owner"), "posted", "id"))'
        ' WITH CLUSTERING ORDER BY ("posted" ASC, "id" ASC)'
        " AND comment = 'piql[p_] table thoughts' AND speculative_retry = '10ms'"
    )


def test_columns_that_reads_always_fix_are_the_partition_of_an_index() -> None:
    index = Index("by_town", "users", BY_TOWN, ("age",), partition_columns=1)
    layout = layout_of(USERS, index)
    assert 'PRIMARY KEY (("town"), "name"))' in layout.create()
    assert layout.bind_key()((None, "ada")) is None  # no read can ask for it


def test_one_order_of_all_is_one_partition_and_null_comes_first_by_a_flag() -> None:
    index = Index("by_town", "users", (IndexColumn("town", False), IndexColumn("name")), partition_columns=0)
    layout = layout_of(USERS, index)
    assert 'PRIMARY KEY (("#all"), "?town", "town", "name"))' in layout.create()
    assert 'CLUSTERING ORDER BY ("?town" DESC, "town" DESC, "name" ASC)' in layout.create()
    bind = layout.bind_key()
    assert bind((None, "ada")) == [b"\x00", b"\x00", b"", b"ada"]
    assert bind(("", "ada")) == [b"\x00", b"\x01", b"", b"ada"]


def test_a_partition_of_one_text_is_never_empty() -> None:
    bind = layout_of(USERS, USERS.primary_index()).bind_key()
    assert [bind((name,)) for name in ("", "ada", "\x00ada")] == [[b"\x00"], [b"ada"], [b"\x00\x00ada"]]


def test_indexes_that_differ_have_other_names() -> None:
    names = {
        layout_of(USERS, Index("by_town", "users", BY_TOWN, covering, partition_columns=count, buckets=buckets)).name
        for covering in ((), ("age",))
        for count in (0, 1)
        for buckets in (1, 4)
    }
    assert len(names) == 8


@pytest.mark.parametrize("name", ["users", "Users", "Größe", "9 lives", "a" * 100, "select", "_x"])
def test_every_name_becomes_one_that_cql_allows(name: str) -> None:
    for prefix in ("", "c123_"):
        cql_name = table_name(prefix, name, "0123abcd")
        assert cql_name.isascii()
        assert cql_name.replace("_", "a").isalnum()
        assert cql_name[0].isalpha()
        assert len(cql_name) <= LONGEST_NAME


def test_names_that_look_alike_stay_apart() -> None:
    assert len({table_name("", name) for name in ("users", "Users", "USERS", "ü", "ö", "a" * 60, "a" * 61)}) == 7


def test_a_table_that_is_kept_backwards_is_read_along_its_order_from_its_end() -> None:
    usual = layout_of(THOUGHTS, THOUGHTS.primary_index(), "k")
    layout = usual.backwards()
    assert 'CLUSTERING ORDER BY ("posted" DESC, "id" DESC)' in layout.create()
    assert (layout.name, layout.backwards()) == (usual.name, usual)
    newest = ReadShape(THOUGHTS, THOUGHTS.primary_index(), ("text",), 1, is_ascending=False)
    older = replace(newest, after_length=2)
    oldest = replace(newest, is_ascending=True)
    assert [
        plan_read(shape, layout).statements[0].cql.partition(" WHERE ")[2] for shape in (newest, older, oldest)
    ] == [
        '"owner" = ? LIMIT ?',
        '"owner" = ? AND ("posted", "id") < (?, ?) LIMIT ?',
        '"owner" = ? ORDER BY "posted" ASC, "id" ASC LIMIT ?',
    ]


def select(shape: ReadShape, **layout: bool) -> list[str]:
    read = plan_read(shape, layout_of(shape.table, shape.index, "k", **layout))
    return [statement.cql.replace('"', "") for statement in read.statements]


def test_a_read_is_one_select_of_one_partition_with_a_limit() -> None:
    newest = ReadShape(THOUGHTS, THOUGHTS.primary_index(), ("text",), 1, is_ascending=False)
    assert select(newest) == [
        "SELECT text, #state FROM k.thoughts WHERE owner = ? ORDER BY posted DESC, id DESC LIMIT ?"
    ]


def test_a_get_names_the_whole_key() -> None:
    assert select(ReadShape(THOUGHTS, THOUGHTS.primary_index(), ("text",), 3)) == [
        "SELECT text, #state FROM k.thoughts WHERE owner = ? AND posted = ? AND id = ?"
    ]


def test_columns_are_selected_as_a_driver_wants_them() -> None:
    shape = ReadShape(THOUGHTS, THOUGHTS.primary_index(), ("posted", "text"), 1, is_ascending=False)
    (statement,) = plan_read(shape, layout_of(THOUGHTS, shape.index, "k"), {"timestamp": "f({})"}).statements
    assert statement.cql.replace('"', "") == (
        "SELECT f(posted) AS posted, text, #state FROM k.thoughts WHERE owner = ? ORDER BY posted DESC, id DESC LIMIT ?"
    )


def test_what_follows_a_place_is_one_range_of_tuples_when_all_columns_go_one_way() -> None:
    shape = ReadShape(THOUGHTS, THOUGHTS.primary_index(), ("text",), 1, after_length=2, has_high=True)
    assert select(shape) == [
        "SELECT text, #state FROM k.thoughts WHERE owner = ? AND (posted, id) > (?, ?) AND (posted) < (?) LIMIT ?"
    ]


def test_what_follows_a_place_is_several_ranges_where_directions_differ() -> None:
    index = Index("i", "thoughts", (IndexColumn("owner"), IndexColumn("posted", False), IndexColumn("id")))
    statements = select(ReadShape(THOUGHTS, index, ("id",), 1, after_length=2))
    assert [statement.split("WHERE ")[1] for statement in statements] == [
        "owner = ? AND posted = ? AND id > ? LIMIT ?",
        "owner = ? AND posted < ? LIMIT ?",
    ]


def test_a_table_kept_by_partitions_refuses_to_be_read_as_one_order() -> None:
    with pytest.raises(NotDeployed, match="users is not kept in the order that is read"):
        select(ReadShape(USERS, USERS.primary_index(), ("name",), 0))
    assert select(ReadShape(USERS, USERS.primary_index(), ("name",), 0), is_in_order=True) == [
        "SELECT name, #state FROM k.users__in_order WHERE #all = ? LIMIT ?"
    ]


@pytest.mark.parametrize(
    ("end", "is_included", "low", "high"),
    [(2, True, 2, 2), (2, False, 3, 1), (2.5, True, 3, 2), (2.5, False, 3, 2), (-(2**40), True, -(2**31), None)],
)
def test_a_range_of_whole_numbers_may_end_at_any_number(
    end: float, is_included: bool, low: int | None, high: int | None
) -> None:
    index = Index("i", "users", (IndexColumn("name"), IndexColumn("age")), partition_columns=1)
    from_low = ReadShape(USERS, index, ("age",), 1, has_low=True, is_low_included=is_included)
    to_high = ReadShape(USERS, index, ("age",), 1, has_high=True, is_high_included=is_included)
    for shape, expected in ((from_low, low), (to_high, high)):
        (statement,) = plan_read(shape, layout_of(USERS, index)).statements
        values = statement.bind(("ada", end, 10))
        assert (None if values is None else values[2]) == (
            None if expected is None else expected.to_bytes(4, "big", signed=True)
        )
