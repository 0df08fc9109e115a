"""`piql import`: a live keyspace becomes a schema that compiles, and keeps its data."""

from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from piql.commands.importing import import_, schema_text
from piql.store.cql.address import parse_address
from piql.store.cql.connection import Connection
from piql.store.cql.foreign_tables import ForeignColumn, ForeignTable

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


def test_what_is_written_compiles_whatever_names_there_are() -> None:
    names = ("select", "Größe", 'a"b', "text", "order")
    columns = (ForeignColumn("limit", "int", "partition_key", 0), *(ForeignColumn(name, "int") for name in names))
    text = schema_text("k", [ForeignTable("group", columns), USERS, THOUGHTS])
    assert [each.message for each in piql.compile(text).diagnostics if each.severity == "error"] == []


def test_a_wrong_address_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert import_(["cql://nowhere"]) == 1
    assert "is no address of a cluster" in capsys.readouterr().err


@pytest.mark.cluster
def test_a_live_keyspace_is_read_and_left_as_it_is(cluster_url: Callable[[], str], tmp_path: Path) -> None:
    url = cluster_url()
    with piql.connect(url) as db:
        db.deploy(piql.compile("CREATE TABLE own (k INT PRIMARY KEY);"))
    address = parse_address(url)
    connection = Connection(address)
    connection.change_schema(
        [
            f"CREATE TABLE {address.keyspace}.visits (who text, at timestamp, place text, PRIMARY KEY (who, at))"
            " WITH CLUSTERING ORDER BY (at DESC)",
            f"CREATE INDEX visits_place ON {address.keyspace}.visits (place)",
        ]
    )
    connection.close()
    out = tmp_path / "visits.piql"
    assert import_([url, "--out", str(out)]) == 0
    schema = out.read_text()
    assert "CREATE TABLE visits (\n  who   TEXT,\n  at    TIMESTAMP,\n  place TEXT,\n" in schema
    assert "CREATE INDEX visits_place ON visits (place);" in schema
    assert "own" not in schema.replace("down", "")
    without_prefix = url.partition("?")[0]
    refusal = pytest.raises(piql.CompilationRefused, match="a table visits that is not PIQL's")
    with piql.connect(without_prefix) as db, refusal:
        db.deploy(piql.compile("CREATE TABLE visits (who TEXT, PRIMARY KEY (who));"))
