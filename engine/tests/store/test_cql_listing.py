"""Batches whose requests differ in one column only are sent as one statement."""

from collections.abc import Callable
from datetime import UTC, datetime

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.store.base import ReadShape
from piql.store.cql.layout import layout_of
from piql.store.cql.reads.grouping import MOST_KEYS, MOST_ROWS, Sent
from piql.store.cql.reads.listing import all_rows_of_keys, listed, listing_for, rows_of_keys
from piql.store.cql.reads.reads import CqlRead, plan_read
from piql.store.rows import Row

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

TEXT, INT = SqlType(Kind.VARCHAR), SqlType(Kind.INT)
USERS = Table("users", (Column("name", TEXT, False), Column("town", TEXT, True), Column("age", INT, True)), ("name",))
FOLLOWS = Table("follows", (Column("owner", TEXT, False), Column("target", TEXT, False)), ("owner", "target"))
START = datetime(2026, 1, 1, tzinfo=UTC)
PLACES = Table("places", (Column("width", SqlType(Kind.DOUBLE), False), Column("name", TEXT, True)), ("width",))
BY_TOWN = Index("by_town", "users", (IndexColumn("town"), IndexColumn("name")), partition_columns=1)


def read_of(table: Table, columns: tuple[str, ...], prefix: int, index: Index | None = None, **more: bool) -> CqlRead:
    index = index or table.primary_index()
    return plan_read(ReadShape(table, index, columns, prefix, **more), layout_of(table, index, "k"))


USER = read_of(USERS, ("name", "age"), 1)
TARGETS = read_of(FOLLOWS, ("target",), 1)


def on_one_node(partitions: list[bytes]) -> list[tuple[object, list[int]]]:
    return [(None, list(range(len(partitions))))]


def sent(read: CqlRead, *arguments: Row) -> list[Sent]:
    listing = listing_for(read.listings, arguments)
    assert listing is not None
    statement = read.statements[0]
    values = statement.bind(arguments[0])
    assert values is not None
    limit = None if read.is_get else arguments[0][-1]
    return listed(listing, statement, values, listing.keys(arguments), limit, on_one_node)


def rows(read: CqlRead, keys: list[str], *answers: list[Row]) -> dict[str, list[Row]] | None:
    return rows_of_keys(read.listings[0], keys, list(answers))


def test_gets_are_one_statement_with_their_keys() -> None:
    (one,) = sent(USER, ("ada",), ("bob",))
    assert one.cql == 'SELECT "name", "age", "#state" FROM "k"."users" WHERE "name" IN ?'
    assert one.values == [b"\x00\x00\x00\x02\x00\x00\x00\x03ada\x00\x00\x00\x03bob"]


def test_slices_are_one_statement_with_a_limit_for_each() -> None:
    (one,) = sent(TARGETS, ("ada", 7), ("bob", 7))
    assert one.cql.endswith('WHERE "owner" IN ? PER PARTITION LIMIT ?')
    assert one.values[1] == b"\x00\x00\x00\x07"


def test_rows_of_a_partition_are_one_statement_that_lists_the_last_column() -> None:
    (one,) = sent(read_of(FOLLOWS, ("target",), 2), ("ada", "bob"), ("ada", "cyd"))
    assert one.cql.endswith('WHERE "owner" = ? AND "target" IN ?')
    assert one.partition == b"ada"


@pytest.mark.parametrize(
    ("read", "arguments"),
    [
        (TARGETS, (("ada", 7), ("bob", 8))),
        (read_of(FOLLOWS, ("target",), 2), (("ada", "bob"), ("bob", "ada"))),
        (read_of(PLACES, ("name",), 1), ((0.0,), (-0.0,))),
        (read_of(FOLLOWS, ("target",), 1, has_low=True), (("ada", "a", 7), ("bob", "a", 7))),
    ],
    ids=["limits", "two columns", "numbers with several forms", "ranges"],
)
def test_requests_that_may_differ_in_more_are_looked_at_one_by_one(read: CqlRead, arguments: list[Row]) -> None:
    assert listing_for(read.listings, arguments) is None


@pytest.mark.parametrize(("limit", "keys"), [(10, 100), (MOST_ROWS // 4, 4), (MOST_ROWS * 2, 1)])
def test_a_statement_asks_for_no_more_rows_than_fit_an_answer(limit: int, keys: int) -> None:
    statements = sent(TARGETS, *((f"user{number}", limit) for number in range(2 * MOST_KEYS)))
    assert [int.from_bytes((statement.values[0] or b"")[:4], "big") for statement in statements] == [keys] * (
        2 * MOST_KEYS // keys
    )


def test_each_key_gets_its_row_and_one_without_a_row_none() -> None:
    assert rows(USER, ["ada", "bob"], [("ada", 1, 0)]) == {"ada": [("ada", 1)], "bob": []}


def test_a_hidden_record_is_left_out_of_gets() -> None:
    assert rows(USER, ["ada", "bob"], [("ada", 1, 3), ("bob", 2, None)]) == {"ada": [], "bob": [("bob", 2)]}


def test_rows_of_slices_keep_their_order_and_lose_the_column_that_was_added() -> None:
    rows_of_keys = rows(TARGETS, ["ada", "bob"], [("x", 0, "bob"), ("a", 0, "ada"), ("y", 0, "bob")])
    assert rows_of_keys == {"ada": [("a",)], "bob": [("x",), ("y",)]}


def test_a_column_that_is_asked_for_twice_is_selected_once() -> None:
    twice = read_of(USERS, ("name", "age", "name"), 1)
    assert twice.statements[0].cql.startswith('SELECT "name", "age", "#state" FROM')
    assert rows(twice, ["ada"], [("ada", 1, 0)]) == {"ada": [("ada", 1, "ada")]}


def test_entries_of_another_index_come_as_they_are() -> None:
    by_town = read_of(USERS, ("name",), 1, BY_TOWN)
    assert rows(by_town, ["oslo"], [("ada", "oslo"), ("bob", "oslo")]) == {"oslo": [("ada",), ("bob",)]}


def test_where_rows_are_hidden_all_that_came_is_given_to_whoever_counts_them() -> None:
    came: list[Row] = [("x", 3, "bob"), ("a", 0, "ada")]
    assert rows(TARGETS, ["ada", "bob"], came) is None
    assert all_rows_of_keys(TARGETS.listings[0], ["ada", "bob"], [came]) == {"ada": [("a", 0)], "bob": [("x", 3)]}


def test_an_empty_text_and_one_that_begins_with_a_zero_keep_their_rows() -> None:
    keys = USER.listings[0].keys([("",), ("\x00ada",)])
    assert rows(USER, keys, [("\x00\x00ada", 2, 0), ("\x00", 1, 0)]) == {
        "\x00": [("", 1)],
        "\x00\x00ada": [("\x00ada", 2)],
    }


SOURCE = """
CREATE TABLE users (name VARCHAR(9) PRIMARY KEY, born TIMESTAMP);
CREATE TABLE posts (owner VARCHAR(9) REFERENCES users, number INT, PRIMARY KEY (owner, number));
CREATE QUERY named AS SELECT name, born FROM users WHERE name IN [1: names] MAX 9;
CREATE QUERY latest AS
SELECT owner, number FROM posts WHERE owner IN [1: names] MAX 9 ORDER BY number DESC LIMIT 3;
CREATE QUERY remove AS DELETE FROM posts WHERE owner = [1: owner] AND number = [2: number];
"""


@pytest.mark.cluster
def test_a_list_gives_what_requests_one_by_one_give_though_records_are_hidden(cluster_url: Callable[[], str]) -> None:
    url = cluster_url()
    names = ["", "ada", "bob", "\x00cyd", "dan"]
    questions = {"named": [*names, "eve"], "latest": ["ada", "dan"]}
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("users", [{"name": name, "born": START} for name in names])
        db.load("posts", [{"owner": name, "number": number} for name in names[:-1] for number in range(6)])
        for number in (5, 3, 2):  # a deleted record is hidden, and stays for a while
            db.execute("remove", {"owner": "ada", "number": number})
        together = [db.execute(query, {"names": asked}) for query, asked in questions.items()]
    with piql.connect(f"{url}&fan_out=parallel") as db:
        alone = [db.execute(query, {"names": asked}) for query, asked in questions.items()]
    assert [page.rows for page in together] == [page.rows for page in alone]
    assert [row["number"] for row in alone[1].rows] == [4, 1, 0]
    assert (together[0].statements, alone[0].statements) == (1, 6)
    assert [page.operations for page in together] == [page.operations for page in alone]
