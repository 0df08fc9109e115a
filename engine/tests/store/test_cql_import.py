"""`piql import`: a live keyspace becomes a schema that compiles, and keeps its data."""

import os
from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from cluster.running import Cluster
from piql.commands.importing import import_
from piql.importing.keyspaces import schema_text
from piql.store.cql.address import parse_address
from piql.store.cql.schema.foreign_tables import ForeignColumn, ForeignTable, read_keyspace
from piql.store.cql.session.connection import Connection

USERS = ForeignTable("users", (ForeignColumn("username", "text", "partition_key", 0), ForeignColumn("Home", "text")))
THOUGHTS = ForeignTable(
    "thoughts",
    (
        ForeignColumn("text", "text"),
        ForeignColumn("tags", "set<text>"),
        ForeignColumn("posted", "timestamp", "clustering", 0, is_descending=True),
        ForeignColumn("username", "text", "partition_key", 0),
        ForeignColumn("town", "text", "static"),
    ),
    (("thoughts_by_text", "text"),),
)
ODD = ForeignTable("odd", (ForeignColumn("at", "duration", "partition_key", 0),))
OWN = ForeignTable("piql_cells", (ForeignColumn("key", "text", "partition_key", 0),), is_piql=True)


def test_tables_become_a_schema_with_notes_of_the_limits_to_choose() -> None:
    assert (
        schema_text("shop", [USERS, THOUGHTS, ODD, OWN])
        == """\
-- The tables of the keyspace shop. Limits are yours to choose: see the notes below each table.

CREATE TABLE users (
  username TEXT,
  "Home"   TEXT,
  PRIMARY KEY (username)
);

CREATE TABLE thoughts (
  username TEXT,
  posted   TIMESTAMP,
  text     TEXT,
  PRIMARY KEY (username, posted)
);
CREATE INDEX thoughts_by_text ON thoughts (text);
-- How many rows of thoughts share one username? To read them all, add to the table
-- CARDINALITY LIMIT 100 (username); else read them with LIMIT or PAGINATE.
-- thoughts_by_text: to read all rows of one text, add CARDINALITY LIMIT 100 (text).
-- username may name a row of users: add REFERENCES users.
-- posted is kept in descending order; PIQL reads either way.
-- tags is left out: PIQL has no set<text>.
-- town is left out: it is static.

-- odd is left out: its key has a column of type duration.

-- 1 tables that PIQL keeps itself are left out.
"""
    )


def test_views_and_counters_are_left_out_with_the_reason() -> None:
    hits = ForeignTable("hits", (ForeignColumn("page", "text", "partition_key", 0), ForeignColumn("n", "counter")))
    text = schema_text("shop", [hits, ForeignTable("users_by_home", (), view_of="users")])
    assert "-- hits is left out: it counts (n); PIQL has no counters.\n" in text
    assert "-- users_by_home is left out: it is a view of users; PIQL derives an index of that table" in text


def test_what_is_written_compiles_whatever_names_there_are() -> None:
    names = ("select", "Größe", 'a"b', "text", "order")
    columns = (ForeignColumn("limit", "int", "partition_key", 0), *(ForeignColumn(name, "int") for name in names))
    text = schema_text("k", [ForeignTable("group", columns), USERS, THOUGHTS])
    assert [diagnostic.message for diagnostic in piql.compile(text).diagnostics if diagnostic.severity == "error"] == []


def test_a_wrong_address_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert import_(["cql://nowhere"]) == 1
    assert "is not the address of a cluster" in capsys.readouterr().err


@pytest.mark.cluster
def test_a_live_keyspace_is_read_and_left_as_it_is(cluster_url: Callable[[], str], tmp_path: Path) -> None:
    url = cluster_url()
    with piql.connect(url) as db:
        db.deploy(piql.compile("CREATE TABLE own (k INT PRIMARY KEY);"))
    address = parse_address(url)
    connection = Connection(address)
    table = (
        f"CREATE TABLE {address.keyspace}.visits (who text, at timestamp, place text, PRIMARY KEY (who, at))"
        " WITH CLUSTERING ORDER BY (at DESC)"
    )
    for definition in (table, f"CREATE INDEX visits_place ON {address.keyspace}.visits (place)"):
        connection.change_schema([definition])  # one at a time: the next may be asked of a node that must know it
    connection.close()
    out = tmp_path / "visits.piql"
    assert import_([url, "--out", str(out)]) == 0
    schema = out.read_text()
    assert import_([url, "--out", str(out)]) == 1
    assert out.read_text() == schema
    assert "CREATE TABLE visits (\n  who   TEXT,\n  at    TIMESTAMP,\n  place TEXT,\n" in schema
    assert "CREATE INDEX visits_place ON visits (place);" in schema
    assert "own" not in schema.replace("down", "")
    without_prefix = url.partition("?")[0]
    refusal = pytest.raises(piql.CompilationRefused, match="a table visits that is not PIQL's")
    with piql.connect(without_prefix) as db, refusal:
        db.deploy(piql.compile("CREATE TABLE visits (who TEXT, PRIMARY KEY (who));"))


ODD_KEYSPACE = (
    "CREATE TYPE {k}.place (street text, number int)",
    'CREATE TABLE {k}."Orders" ("Customer" uuid, made timestamp, "select" int, "a""b" text, note text STATIC,'
    ' PRIMARY KEY (("Customer"), made, "select")) WITH CLUSTERING ORDER BY (made DESC, "select" ASC)',
    'CREATE INDEX by_text ON {k}."Orders" ("a""b")',
    "CREATE TABLE {k}.hits (page text PRIMARY KEY, views counter)",
    "CREATE TABLE {k}.people (country text, town text, id timeuuid, home frozen<place>, tags set<text>, score float,"
    " scores map<text, int>, list_of list<int>, pair tuple<int, text>, ip inet, at time, big varint, small tinyint,"
    " born date, for_long duration, PRIMARY KEY ((country, town), id))",
    "CREATE INDEX by_tag ON {k}.people (tags)",
    "CREATE TABLE {k}.spots (at frozen<place> PRIMARY KEY, what text)",
    "CREATE TABLE {k}.nets (ip inet, seen timestamp, PRIMARY KEY (ip, seen))",
)


@pytest.mark.cluster
def test_a_keyspace_with_everything_cql_has_gives_a_schema_or_a_sentence_for_each_part(
    cluster: Cluster, tmp_path: Path
) -> None:
    keyspace = f"odd_{os.getpid()}"
    address = parse_address(cluster.url(keyspace, "timeout=30"))
    connection = Connection(parse_address(cluster.url("system", "timeout=30")))
    copies = f"{{'class': 'SimpleStrategy', 'replication_factor': {len(cluster.nodes)}}}"
    try:
        connection.change_schema([f"CREATE KEYSPACE {keyspace} WITH replication = {copies}"])
        connection.change_schema([definition.format(k=keyspace) for definition in ODD_KEYSPACE])
        asked = f"SELECT table_name, column_name, type FROM system_schema.columns WHERE keyspace_name = '{keyspace}'"
        before = connection.execute(asked)
        text = schema_text(keyspace, read_keyspace(address))
        (tmp_path / "odd.piql").write_text(text)
        compiled = piql.compile(text)
        assert [diagnostic.message for diagnostic in compiled.diagnostics if diagnostic.severity == "error"] == []
        assert sorted(compiled.tables) == ["Orders", "people"], text
        assert [column.name for column in compiled.tables["Orders"].columns] == ["Customer", "made", "select", 'a"b']
        assert str(compiled.tables["people"].columns[2].type) == "TIMEUUID"
        assert compiled.tables["people"].primary_key == ("country", "town", "id")
        for sentence in (
            'CREATE INDEX by_text ON "Orders" ("a""b");',
            "note is left out: it is static.",
            "made is kept in descending order",
            "hits is left out: it counts (views); PIQL has no counters.",
            "home is left out: PIQL has no frozen<place>.",
            "tags is left out: PIQL has no set<text>.",
            "ip is left out: PIQL has no inet.",
            "by_tag is left out: PIQL has no index of values(tags).",
            "spots is left out: its key has a column of type frozen<place>.",
            "nets is left out: its key has a column of type inet.",
            "CARDINALITY LIMIT 100 (country, town)",
        ):
            assert sentence in text, f"{sentence!r} is not said in\n{text}"
        assert connection.execute(asked) == before
    finally:
        connection.change_schema([f"DROP KEYSPACE IF EXISTS {keyspace}"])
        connection.close()
