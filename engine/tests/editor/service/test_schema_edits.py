"""Changes of a schema, by the texts that they leave."""

from __future__ import annotations

import piql
import pytest
from piql.editor.service.schema_edits.changes import (
    AddColumn,
    AddIndex,
    AddReference,
    AddTable,
    DropColumn,
    NewColumn,
    RenameColumn,
    SchemaChange,
    SchemaEditRefused,
    SetLimit,
)
from piql.editor.service.schema_edits.consequences import consequences
from piql.editor.service.schema_edits.edits import schema_edits
from piql.text.edits import apply_edits

USERS = """CREATE TABLE users (
  username VARCHAR(32) PRIMARY KEY,
  hometown VARCHAR(64) -- a city
);"""
SUBSCRIPTIONS = """CREATE TABLE subscriptions (
  owner  VARCHAR(32) REFERENCES users,
  target VARCHAR(32),
  note   TEXT, -- why
  CARDINALITY LIMIT 100 (owner),
  PRIMARY KEY (owner, target)
);"""
QUERY = "CREATE QUERY following AS SELECT target FROM subscriptions WHERE owner = [1: me];\n"
TEXTS = {"schema.piql": f"{USERS} -- people\n\n{SUBSCRIPTIONS}\n", "q.piql": QUERY}


def changed(change: SchemaChange, texts: dict[str, str] = TEXTS) -> dict[str, str]:
    after = apply_edits(texts, schema_edits(texts, change))
    errors = [finding.message for finding in piql.compile(after).diagnostics if finding.severity == "error"]
    assert errors == []
    return after


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (
            AddColumn("users", NewColumn("age", "INT", is_required=True)),
            "hometown VARCHAR(64) -- a city\n);",
            "hometown VARCHAR(64), -- a city\n  age INT NOT NULL\n);",
        ),
        (
            AddColumn("subscriptions", NewColumn("order", "DECIMAL(10, 2)")),
            "  CARDINALITY LIMIT",
            '  "order" DECIMAL(10, 2),\n  CARDINALITY LIMIT',
        ),
        (RenameColumn("users", "hometown", "city"), "hometown", "city"),
        (DropColumn("users", "hometown"), "PRIMARY KEY,\n  hometown VARCHAR(64) -- a city\n", "PRIMARY KEY\n"),
        (DropColumn("subscriptions", "note"), "  note   TEXT, -- why\n", ""),
        (SetLimit("subscriptions", ("owner",), 50), "LIMIT 100 (owner)", "LIMIT 50 (owner)"),
        (
            SetLimit("subscriptions", ("target",), 7),
            "PRIMARY KEY (owner, target)\n",
            "PRIMARY KEY (owner, target),\n  CARDINALITY LIMIT 7 (target)\n",
        ),
        (
            AddReference("subscriptions", ("target",), "users", 5000),
            SUBSCRIPTIONS,
            SUBSCRIPTIONS.replace("target VARCHAR(32),", "target VARCHAR(32) REFERENCES users,").replace(
                "target)\n", "target),\n  CARDINALITY LIMIT 5000 (target)\n"
            ),
        ),
        (
            AddIndex("towns", "users", ("hometown", "username"), ("hometown",)),
            "-- people\n",
            "-- people\n\nCREATE INDEX towns ON users (hometown DESC, username);\n",
        ),
        (
            AddTable("tags", (NewColumn("owner", "VARCHAR(32)"), NewColumn("tag", "VARCHAR(20)")), ("owner", "tag")),
            f"{SUBSCRIPTIONS}\n",
            f"{SUBSCRIPTIONS}\n\nCREATE TABLE tags (\n  owner VARCHAR(32),\n  tag VARCHAR(20),\n"
            "  PRIMARY KEY (owner, tag)\n);\n",
        ),
    ],
)
def test_a_change_edits_only_what_it_is_about(change: SchemaChange, old: str, new: str) -> None:
    assert TEXTS["schema.piql"].count(old) == 1
    assert changed(change) == {**TEXTS, "schema.piql": TEXTS["schema.piql"].replace(old, new)}


def test_tables_on_one_line_without_semicolons_and_with_windows_line_ends_keep_their_shape() -> None:
    short = {"s.piql": "CREATE TABLE a (id INT PRIMARY KEY, note TEXT, b INT REFERENCES a MAX 5)"}
    assert changed(DropColumn("a", "note"), short)["s.piql"] == (
        "CREATE TABLE a (id INT PRIMARY KEY, b INT REFERENCES a MAX 5)"
    )
    assert changed(DropColumn("a", "b"), short)["s.piql"] == "CREATE TABLE a (id INT PRIMARY KEY, note TEXT)"
    assert changed(SetLimit("a", ("b",), 9), short)["s.piql"].endswith("REFERENCES a MAX 9)")
    assert changed(SetLimit("a", ("b",), None), short)["s.piql"].endswith("REFERENCES a)")
    assert changed(AddIndex("notes", "a", ("b",)), short)["s.piql"].endswith(";\n\nCREATE INDEX notes ON a (b);")
    assert changed(AddReference("a", ("b",), "a", 3), {"s.piql": "CREATE TABLE a (id INT PRIMARY KEY, b INT);"}) == {
        "s.piql": "CREATE TABLE a (id INT PRIMARY KEY, b INT REFERENCES a, CARDINALITY LIMIT 3 (b));"
    }
    assert schema_edits(short, SetLimit("a", ("b",), 5)) == ()
    windows = {"s.piql": "CREATE TABLE a (\r\n  id INT PRIMARY KEY,\r\n  note TEXT\r\n);\r\n"}
    assert changed(DropColumn("a", "note"), windows)["s.piql"] == "CREATE TABLE a (\r\n  id INT PRIMARY KEY\r\n);\r\n"
    table = changed(AddTable("b", (NewColumn("id", "INT"),), ("id",)), {"s.piql": ""})["s.piql"]
    assert table == "CREATE TABLE b (\n  id INT,\n  PRIMARY KEY (id)\n);\n"


USER = "ENTITY User { string(32) username, PRIMARY(username) }\n"


@pytest.mark.parametrize(
    ("pet", "age", "keeper"),
    [
        (
            "ENTITY Pet {\n  int id,\n  PRIMARY(id)\n}\n",
            "ENTITY Pet {\n  int id,\n  BIGINT age NOT NULL,\n  PRIMARY(id)\n}\n",
            "ENTITY Pet {\n  int id,\n  FOREIGN KEY keeper REF User MAX 5,\n  PRIMARY(id)\n}\n",
        ),
        (
            "ENTITY Pet { int id PRIMARY(id) }",
            "ENTITY Pet { int id, BIGINT age NOT NULL, PRIMARY(id) }",
            "ENTITY Pet { int id, FOREIGN KEY keeper REF User MAX 5, PRIMARY(id) }",
        ),
        (
            "ENTITY Pet {\n  int id,\n  FOREIGN KEY owner REF User -- or none\n  PRIMARY(id)\n}\n",
            "ENTITY Pet {\n  int id,\n  FOREIGN KEY owner REF User, -- or none\n"
            "  BIGINT age NOT NULL,\n  PRIMARY(id)\n}\n",
            "ENTITY Pet {\n  int id,\n  FOREIGN KEY owner REF User, -- or none\n"
            "  FOREIGN KEY keeper REF User MAX 5,\n  PRIMARY(id)\n}\n",
        ),
    ],
)
def test_an_entity_takes_attributes_and_references(pet: str, age: str, keeper: str) -> None:
    texts = {"s.piql": USER + pet}
    assert changed(AddColumn("Pet", NewColumn("age", "BIGINT", is_required=True)), texts)["s.piql"] == USER + age
    assert changed(AddReference("Pet", ("keeper",), "User", 5), texts)["s.piql"] == USER + keeper
    with pytest.raises(SchemaEditRefused, match="attributes of their own: write a new name instead of id"):
        schema_edits(texts, AddReference("Pet", ("id",), "User"))
    with pytest.raises(SchemaEditRefused, match="the one attribute that refers to User"):
        schema_edits(texts, AddReference("Pet", ("a", "b"), "User"))


def test_every_column_of_a_table_that_can_go_leaves_a_text_that_compiles() -> None:
    for separator in (", ", ",\n  ", "\n  , ", ", -- a, b\n  ", " /* , */ ,\n"):
        columns = ["id INT PRIMARY KEY", "a INT", "b TEXT REFERENCES t2", "c INT", "UNIQUE (c)"]
        texts = {
            "s.piql": f"CREATE TABLE t2 (k TEXT PRIMARY KEY);\nCREATE TABLE t (\n  {separator.join(columns)}\n);\n"
        }
        for column in ("a", "b", "c"):
            after = changed(DropColumn("t", column), texts)
            assert piql.compile(after).tables["t"].column(column) is None
            assert ",\n)" not in after["s.piql"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (AddColumn("users", NewColumn("Hometown", "TEXT")), "there is a column hometown in users already"),
        (AddColumn("users", NewColumn("age", "INT, x INT")), "no type"),
        (AddColumn("users", NewColumn("age", "NUMBR(")), "no type"),
        (AddColumn("nobody", NewColumn("age", "INT")), "there is no table nobody"),
        (AddColumn("users", NewColumn(" ", "INT")), "a name is missing for"),
        (DropColumn("subscriptions", "target"), r"a part of PRIMARY KEY \(owner, target\)"),
        (DropColumn("users", "username"), "the column username is the primary key of users"),
        (RenameColumn("subscriptions", "target", "owner"), "there is a column owner already"),
        (AddTable("Users", (NewColumn("id", "INT"),), ("id",)), "there is a table users already"),
        (AddTable("tags", (NewColumn("id", "INT"),), ()), "primary key"),
        (SetLimit("users", ("hometown",), None), "no limit on hometown"),
    ],
)
def test_what_cannot_be_changed_is_refused_with_the_reason(change: SchemaChange, reason: str) -> None:
    with pytest.raises(SchemaEditRefused, match=reason):
        schema_edits(TEXTS, change)


def test_the_consequences_of_a_change_are_told_before_it_is_made() -> None:
    before = piql.compile(TEXTS)
    unlimited = apply_edits(TEXTS, schema_edits(TEXTS, SetLimit("subscriptions", ("owner",), None)))
    after = piql.compile(unlimited)
    assert consequences(before, after).now_refused == ("following",)
    assert [finding.query for finding in consequences(before, after).new_errors] == ["following"]
    assert consequences(after, before).now_bounded == ("following",)
