"""Requests for one key each, sent as few statements."""

import json
import math
from collections.abc import Callable

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.store.base import ReadShape
from piql.store.cql.layout import layout_of
from piql.store.cql.reads.grouping import MOST_KEYS, MOST_ROWS, Request, grouped, rows_of_requests
from piql.store.cql.reads.reads import plan_read
from piql.store.cql.store import FAN_OUT, grouped_from

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

TEXT, INT = SqlType(Kind.VARCHAR), SqlType(Kind.INT)
USERS = Table("users", (Column("name", TEXT, False), Column("town", TEXT, True), Column("age", INT, True)), ("name",))
FOLLOWS = Table("follows", (Column("owner", TEXT, False), Column("target", TEXT, False)), ("owner", "target"))
PLACES = Table("places", (Column("width", SqlType(Kind.DOUBLE), False), Column("name", TEXT, True)), ("width",))
BY_TOWN_AND_AGE = Index(
    "by_town", "users", (IndexColumn("town"), IndexColumn("age"), IndexColumn("name")), partition_columns=2
)


def requests_of(
    table: Table, index: Index, columns: tuple[str, ...], prefix: int, *arguments: tuple[object, ...], **shape: bool
) -> list[Request]:
    read = plan_read(ReadShape(table, index, columns, prefix, **shape), layout_of(table, index, "k"))
    statement = read.statements[0]
    requests: list[Request] = []
    for argument in arguments:
        values = statement.bind(argument)
        assert values is not None
        requests.append((statement, values))
    return requests


def gets(*names: str) -> list[Request]:
    return requests_of(USERS, USERS.primary_index(), ("name", "age"), 1, *((name,) for name in names))


def slices(limit: int, *owners: str, **shape: bool) -> list[Request]:
    return requests_of(FOLLOWS, FOLLOWS.primary_index(), ("target",), 1, *((owner, limit) for owner in owners), **shape)


def on_one_node(partitions: list[bytes]) -> list[tuple[object, list[int]]]:
    return [(None, list(range(len(partitions))))]


def test_gets_of_several_rows_are_one_statement_with_their_keys() -> None:
    (sent,) = grouped(gets("ada", "bob"), on_one_node)
    assert sent.cql == 'SELECT "name", "age", "#state" FROM "k"."users" WHERE "name" IN ?'
    assert sent.values == [b"\x00\x00\x00\x02\x00\x00\x00\x03ada\x00\x00\x00\x03bob"]


def test_slices_of_several_partitions_are_one_statement_with_a_limit_for_each() -> None:
    (sent,) = grouped(slices(7, "ada", "bob", is_ascending=False), on_one_node)
    assert sent.cql == (
        'SELECT "target", "#state", "owner" FROM "k"."follows" WHERE "owner" IN ?'
        ' ORDER BY "target" DESC PER PARTITION LIMIT ?'
    )
    assert sent.values[1] == b"\x00\x00\x00\x07"


def test_one_request_stays_as_it_is() -> None:
    requests = gets("ada")
    (sent,) = grouped(requests, on_one_node)
    assert (sent.cql, sent.values) == (requests[0][0].cql, requests[0][1])


def test_rows_go_back_to_the_requests_that_asked_for_them() -> None:
    requests = gets("ada", "bob", "cyd", "ada")
    sent = grouped(requests, on_one_node)
    rows = [("cyd", 3, 0), ("ada", 1, 0)]
    assert rows_of_requests(sent, [rows], 4) == [[("ada", 1, 0)], [], [("cyd", 3, 0)], [("ada", 1, 0)]]


def test_a_column_that_was_not_asked_for_is_cut_off_and_order_is_kept() -> None:
    sent = grouped(slices(2, "ada", "bob"), on_one_node)
    rows = [("x", 0, "bob"), ("a", 0, "ada"), ("y", 0, "bob"), ("b", 0, "ada")]
    assert rows_of_requests(sent, [rows], 2) == [[("a", 0), ("b", 0)], [("x", 0), ("y", 0)]]


def test_an_empty_text_and_one_that_begins_with_a_zero_keep_their_rows() -> None:
    sent = grouped(gets("", "\x00ada"), on_one_node)
    rows = [("\x00\x00ada", 2, 0), ("\x00", 1, 0)]
    assert rows_of_requests(sent, [rows], 2) == [[("\x00", 1, 0)], [("\x00\x00ada", 2, 0)]]


def test_a_statement_has_at_most_as_many_keys_as_servers_take() -> None:
    sent = grouped(gets(*(f"user{number}" for number in range(2 * MOST_KEYS + 1))), on_one_node)
    assert [len(select.owners) for select in sent] == [MOST_KEYS, MOST_KEYS, 1]
    assert sent[-1].group is None


@pytest.mark.parametrize(("limit", "keys"), [(10, 100), (MOST_ROWS // 4, 4), (MOST_ROWS * 2, 1)])
def test_a_statement_asks_for_no_more_rows_than_fit_an_answer(limit: int, keys: int) -> None:
    sent = grouped(slices(limit, *(f"user{number}" for number in range(100))), on_one_node)
    assert max(len(select.owners) for select in sent) == keys
    assert sum(len(select.owners) for select in sent) == 100


def test_each_node_is_asked_for_the_partitions_that_it_has() -> None:
    def by_first_letter(partitions: list[bytes]) -> list[tuple[object, list[int]]]:
        return [
            (node, [at for at, partition in enumerate(partitions) if partition.startswith(node.encode())])
            for node in ("a", "b")
        ]

    sent = grouped(gets("ada", "bob", "abe", "ben"), by_first_letter)
    assert [(select.node, sorted(select.owners)) for select in sent] == [
        ("a", [b"abe", b"ada"]),
        ("b", [b"ben", b"bob"]),
    ]


def test_of_a_partition_of_several_columns_the_one_that_differs_is_listed() -> None:
    requests = requests_of(USERS, BY_TOWN_AND_AGE, ("name",), 2, ("oslo", 1, 5), ("rome", 1, 5), ("oslo", 2, 5))
    sent = grouped(requests, on_one_node)
    assert [select.cql.split("WHERE ")[1] for select in sent] == [
        '"town" IN ? AND "age" = ? PER PARTITION LIMIT ?',
        '"town" = ? AND "age" = ? LIMIT ?',
    ]
    assert sent[0].partition == b"\x00\x04oslo\x00\x00\x04\x00\x00\x00\x01\x00"


def test_rows_of_one_partition_are_one_statement_that_lists_the_last_column() -> None:
    requests = requests_of(FOLLOWS, FOLLOWS.primary_index(), ("target",), 2, ("ada", "bob"), ("ada", "cyd"))
    (sent,) = grouped(requests, on_one_node)
    assert sent.cql.endswith('WHERE "owner" = ? AND "target" IN ?')
    assert rows_of_requests([sent], [[("cyd", 0)]], 2) == [[], [("cyd", 0)]]


def test_numbers_with_several_forms_are_asked_for_one_by_one() -> None:
    requests = requests_of(PLACES, PLACES.primary_index(), ("name",), 1, (0.5,), (1.5,))
    assert [select.group for select in grouped(requests, on_one_node)] == [None, None]


def test_requests_that_differ_in_more_are_sent_side_by_side() -> None:
    requests = [*slices(5, "ada", "bob"), *slices(6, "cyd"), *gets("ada", "bob")]
    assert [len(select.owners) for select in grouped(requests, on_one_node)] == [2, 1, 2]


def test_fewer_requests_than_go_together_are_sent_side_by_side() -> None:
    assert [len(select.owners) for select in grouped(gets("ada", "bob"), on_one_node, at_least=3)] == [1, 1]
    assert [len(select.owners) for select in grouped(gets("ada", "bob", "cyd"), on_one_node, at_least=3)] == [3]


@pytest.mark.parametrize(
    ("wanted", "measured", "expected"),
    [
        ("auto", None, 2),
        ("auto", '{"grouped_from": 25}', 25),
        ("auto", '{"grouped_from": null}', math.inf),
        ("grouped", '{"grouped_from": null}', 2),
        ("parallel", '{"grouped_from": 25}', math.inf),
    ],
)
def test_what_was_measured_counts_unless_the_address_says_otherwise(
    wanted: str, measured: str | None, expected: float
) -> None:
    assert grouped_from(wanted, measured) == expected


@pytest.mark.cluster
def test_what_was_measured_is_obeyed_by_whoever_connects(cluster_url: Callable[[], str]) -> None:
    url = cluster_url()
    source = "CREATE TABLE t (k INT PRIMARY KEY); CREATE QUERY q AS SELECT k FROM t WHERE k IN [1: ks] MAX 9;"
    statements: list[int] = []
    with piql.connect(url) as db:
        db.deploy(piql.compile(source))
        db.load("t", [{"k": k} for k in range(9)])
        statements.append(db.execute("q", {"ks": [1, 2, 3]}).statements)
        db.store.set_setting(FAN_OUT, json.dumps({"grouped_from": 4}))
    with piql.connect(url) as db:
        statements += [db.execute("q", {"ks": list(range(count))}).statements for count in (3, 4)]
    with piql.connect(f"{url}&fan_out=grouped") as db:
        statements.append(db.execute("q", {"ks": [1, 2, 3]}).statements)
    assert statements == [1, 3, 1, 1]
