"""Completion: `|` is the cursor."""

from __future__ import annotations

import pytest
from piql.editor.service.completion import complete

SCHEMA = """CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown TEXT, "order" INT);
CREATE TABLE subscriptions (owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users,
  approved BOOLEAN, PRIMARY KEY (owner, target));
"""


def labels(text: str, kind: str = "") -> list[str]:
    offset = text.index("|")
    items = complete({"schema.piql": SCHEMA, "q.piql": text.replace("|", "")}, "q.piql", offset)
    return [item.label for item in items if not kind or item.kind == kind]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("|", ["CREATE QUERY", "CREATE TABLE"]),
        ("CREATE |", ["QUERY", "TABLE", "INDEX"]),
        ("CREATE QUERY q |", ["AS"]),
        ("CREATE QUERY q AS |", ["SELECT", "INSERT INTO"]),
        ("CREATE VIEW v |", ["AS"]),
        ("CREATE VIEW v AS |", ["SELECT"]),
        ("CREATE TABLE t (a INT)\nCREATE VIEW v AS |", ["SELECT"]),
        ("SELECT * FROM |", ["users", "subscriptions"]),
        ("SELECT * FROM us|", ["users"]),
        ("SELECT * FROM users u JOIN |", ["users", "subscriptions"]),
        ("SELECT * FROM users, |", ["users", "subscriptions"]),
        ("SELECT u.| FROM users u", ["username", "hometown", "order"]),
        ("SELECT u.ho| FROM users u", ["hometown"]),
        ("CREATE TABLE users (|", ["PRIMARY KEY", "FOREIGN KEY", "CARDINALITY LIMIT", "UNIQUE", "CHECK"]),
        ("CREATE TABLE users (username TEXT, CHECK (|", ["username", "hometown"]),
        ("CREATE TABLE users (username TEXT CHECK (LENGTH(us|", ["username"]),
        ("CREATE TABLE users (username TEXT, CHECK (username |", ["AND", "OR", "IN"]),
        ("WITH |", ["RECURSIVE"]),
        ("WITH RECURSIVE up (name) AS (SELECT username FROM users) |", ["MAX 5 LEVELS", "SELECT"]),
        ("WITH RECURSIVE up (name) AS (SELECT username FROM users) SELECT * FROM u|", ["up", "users"]),
        ("WITH RECURSIVE up (name, home) AS (SELECT username FROM users) SELECT u.| FROM up u", ["name", "home"]),
        ("WITH RECURSIVE up AS (SELECT username AS n FROM users) SELECT u.| FROM up u", ["n"]),
        ("SELECT | FROM users", ["username", "hometown"]),
        ("SELECT | FROM users u JOIN subscriptions s ON u.username = s.owner", ["u.username", "u.hometown"]),
        ("SELECT * FROM users WHERE |", ["username", "hometown"]),
        ("SELECT * FROM users WHERE username |", ["AND", "OR", "IN"]),
        ("SELECT * FROM users u JOIN subscriptions s ON |", ["u.username = s.owner", "u.username = s.target"]),
        ("SELECT * FROM users u JOIN subscriptions s |", ["ON"]),
        ("SELECT COUNT(*) AS n FROM users GROUP BY hometown ORDER BY |", ["n"]),
        ("SELECT * FROM users ORDER BY username |", ["DESC", "ASC", "LIMIT"]),
        ("SELECT * FROM users WHERE username = [1: me] LIMIT |", ["[me]"]),
        ("SELECT * FROM users WHERE username = [1: me] AND hometown = [|", ["me"]),
        ("SELECT d.| FROM (SELECT owner AS o, COUNT(*) AS n FROM subscriptions) d", ["o", "n"]),
        ("SELECT 1 FROM users u WHERE EXISTS (SELECT 1 FROM subscriptions WHERE |", ["owner", "target", "approved"]),
        ("INSERT INTO |", ["users", "subscriptions"]),
        ("INSERT INTO users (|", ["username", "hometown"]),
        ("INSERT INTO users (username) VALUES (|", ["[username]"]),
        ("INSERT INTO users (username) VALUES |", ["[rows] MAX 50"]),
        ("INSERT INTO users (username) VALUES [rows] MAX 5 |", ["IF NOT EXISTS", "ON CONFLICT", "RETURNING"]),
        ("INSERT INTO users (username) VALUES ('a') |", ["IF NOT EXISTS", "ON CONFLICT", "RETURNING"]),
        ("INSERT INTO users (username) VALUES ('a') RETURNING |", ["username", "hometown"]),
        ("DELETE FROM users WHERE username = 'a' RETURNING username, |", ["username", "hometown"]),
        ("INSERT INTO users (username) VALUES ('a') ON CONFLICT |", ["(username)", "DO NOTHING", "DO UPDATE SET"]),
        ("INSERT INTO users (username) VALUES ('a') ON CONFLICT (|", ["username", "hometown"]),
        ("INSERT INTO users (username) VALUES ('a') ON CONFLICT (username) DO |", ["NOTHING", "UPDATE SET"]),
        ("INSERT INTO users (username) VALUES ('a') ON CONFLICT (username) DO UPDATE SET |", ["username", "hometown"]),
        (
            "INSERT INTO users (username) VALUES ('a') ON CONFLICT (username) DO UPDATE SET hometown = |",
            ["username", "hometown"],
        ),
        (
            "INSERT INTO users (username) VALUES ('a') ON CONFLICT (username) DO UPDATE SET hometown = EXCLUDED.|",
            ["username", "hometown"],
        ),
        (
            "INSERT INTO users (username) VALUES ('a') ON CONFLICT (username) DO UPDATE SET hometown = excl|",
            ["EXCLUDED.username", "EXCLUDED.hometown"],
        ),
        ("UPDATE users SET |", ["username", "hometown"]),
        ("DELETE FROM users WHERE |", ["username", "hometown"]),
        ("CREATE TABLE x (a |", ["INT", "BIGINT"]),
        ("CREATE TABLE x (a INT |", ["NOT NULL", "NULL", "DEFAULT", "PRIMARY KEY"]),
        ("CREATE TABLE x (a INT, |", ["PRIMARY KEY", "FOREIGN KEY", "CARDINALITY LIMIT"]),
        ("CREATE TABLE x (a INT, b INT, CARDINALITY LIMIT 5 (|", ["a", "b"]),
        ("CREATE TABLE x (a INT REFERENCES |", ["users", "subscriptions"]),
        ("CREATE TABLE x (a INT, FOREIGN KEY (a) REFERENCES users (|", ["username"]),
        ("CREATE VIEW v AS SELECT |", ["WINDOW_START"]),
        ("CREATE VIEW v AS SELECT hometown FROM users GROUP BY hometown |", ["WINDOW 1 HOUR", "STRIPES", "HAVING"]),
        ("CREATE VIEW v AS SELECT hometown FROM users GROUP BY hometown WINDOW 2 |", ["WEEKS", "DAYS", "HOURS"]),
        ("CREATE VIEW v AS SELECT hometown FROM users GROUP BY hometown WINDOW 2 HOURS |", ["BY", "STRIPES"]),
        ("CREATE VIEW v AS SELECT hometown FROM users GROUP BY hometown WINDOW 2 HOURS BY 5 |", ["WEEKS", "DAYS"]),
        ("SET |", ["expensive_requests", "expensive_rows"]),
        ("CREATE INDEX i ON users (|", ["username", "hometown"]),
    ],
)
def test_what_may_follow_is_offered_first(text: str, expected: list[str]) -> None:
    assert labels(text)[: len(expected)] == expected


@pytest.mark.parametrize("text", ["-- SELECT |", "SELECT 'ab|", "SELECT 'a|b'", "/* | */", "SELECT 12|"])
def test_nothing_is_offered_inside_comments_texts_and_numbers(text: str) -> None:
    assert labels(text) == []


def test_the_statements_around_the_cursor_do_not_matter() -> None:
    text = "CREATE QUERY a AS SELECT owner FROM subscriptions WHERE ;\nCREATE QUERY b AS SELECT | FROM users;\nbroken"
    assert labels(text, "column") == ["username", "hometown", "order"]


def test_a_name_that_is_a_keyword_is_inserted_in_quotes() -> None:
    text = "SELECT o FROM users"
    items = complete({"schema.piql": SCHEMA, "q.piql": text}, "q.piql", 8)
    assert [item.insert_text for item in items if item.label == "order"] == ['"order"']


def test_an_unknown_file_has_no_completions_but_those_of_an_empty_one() -> None:
    assert [item.kind for item in complete({}, "new.piql", 0)][:1] == ["keyword"]
