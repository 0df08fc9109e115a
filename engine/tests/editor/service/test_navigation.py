"""Definitions and references: `|` is the cursor, in the second file."""

from __future__ import annotations

import pytest
from piql.editor.service.navigation import definition, references

SCHEMA = """CREATE TABLE users (username VARCHAR(32), hometown TEXT, PRIMARY KEY (username));
CREATE TABLE thoughts (owner VARCHAR(32) REFERENCES users (username), posted TIMESTAMP, PRIMARY KEY (owner, posted));
ENTITY Pet { int id, FOREIGN KEY keeper REF users PRIMARY(id) }
"""


def opened(text: str) -> tuple[dict[str, str], int]:
    return {"schema.piql": SCHEMA, "q.piql": text.replace("|", "")}, text.index("|")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE QUERY q AS SELECT username FROM us|ers;", "schema.piql:1 users"),
        ("CREATE QUERY q AS SELECT user|name FROM users;", "schema.piql:1 username"),
        ("CREATE QUERY q AS SELECT u.home|town FROM users u;", "schema.piql:1 hometown"),
        ("CREATE QUERY q AS SELECT |u.hometown FROM users u;", "q.piql:1 u"),
        ("CREATE QUERY q AS SELECT users|.hometown FROM users;", "schema.piql:1 users"),
        ("CREATE QUERY q AS SELECT d.n|o FROM (SELECT owner AS no FROM thoughts) d;", "q.piql:1 no"),
        ("CREATE QUERY q AS SELECT d.own|er FROM (SELECT owner FROM thoughts) d;", "schema.piql:2 owner"),
        ("CREATE QUERY q AS SELECT hometown AS h FROM users ORDER BY |h;", "q.piql:1 h"),
        (
            "CREATE QUERY q AS SELECT 1 AS x FROM users u WHERE EXISTS (SELECT * FROM users WHERE u|.username = :a);",
            "q.piql:1 u",
        ),
        ("CREATE QUERY q AS UPDATE users SET home|town = :h WHERE username = :u;", "schema.piql:1 hometown"),
        ("CREATE QUERY q AS INSERT INTO users (home|town) VALUES (:h);", "schema.piql:1 hometown"),
        ("CREATE QUERY q AS DELETE FROM users WHERE user|name = :u;", "schema.piql:1 username"),
        ("CREATE INDEX i ON thoughts (pos|ted);", "schema.piql:2 posted"),
        ("QUERY q FETCH Pet OF users me BY kee|per WHERE me = [this]", "schema.piql:3 keeper"),
        ("QUERY q FETCH Pet OF users me BY keeper WHERE m|e = [this]", "q.piql:1 me"),
        (
            "CREATE QUERY q AS WITH RECURSIVE up (name) AS (SELECT username FROM users) SELECT name FROM u|p;",
            "q.piql:1 up",
        ),
        (
            "CREATE QUERY q AS WITH RECURSIVE up (name) AS (SELECT username FROM users) SELECT u.na|me FROM up u;",
            "q.piql:1 name",
        ),
        (
            "CREATE QUERY q AS WITH RECURSIVE up AS (SELECT username AS n FROM users UNION ALL "
            "SELECT t.|n FROM up t) SELECT n FROM up;",
            "q.piql:1 n",
        ),
        ("CREATE QUERY q|q AS SELECT username FROM users;", "q.piql:1 qq"),
    ],
)
def test_a_name_leads_to_its_declaration(text: str, expected: str) -> None:
    span = definition(*_call(text))
    assert span is not None
    assert f"{span.file}:{span.line} {span.text}" == expected


def _call(text: str) -> tuple[dict[str, str], str, int]:
    texts, offset = opened(text)
    return texts, "q.piql", offset


@pytest.mark.parametrize(
    "text", ["CREATE QUERY q AS SEL|ECT username FROM users;", "|", "CREATE QUERY q AS SELECT nobody| FROM users;"]
)
def test_what_has_no_declaration_leads_nowhere(text: str) -> None:
    assert definition(*_call(text)) is None
    assert references(*_call(text)) == ()


def test_references_are_found_in_all_files() -> None:
    text = (
        "CREATE QUERY q AS SELECT username FROM users WHERE username = [1: me]; "
        "CREATE QUERY r AS SELECT |users.username FROM users;"
    )
    occurrences = references(*_call(text))
    assert [f"{occurrence.span.file} {occurrence.span.text}" for occurrence in occurrences] == [
        "schema.piql users",
        "schema.piql users",
        "schema.piql users",
        "q.piql users",
        "q.piql users",
        "q.piql users",
    ]


def test_parameters_belong_to_their_query() -> None:
    text = (
        "CREATE QUERY a AS SELECT username FROM users WHERE username = [1: m|e] AND hometown = :me; "
        "CREATE QUERY b AS SELECT username FROM users WHERE username = [1: me];"
    )
    assert len(references(*_call(text))) == 2


def test_aliases_belong_to_their_select() -> None:
    text = "CREATE QUERY a AS SELECT |u.username FROM users u WHERE u.username IN (SELECT u.username FROM users u);"
    assert len(references(*_call(text))) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE QUERY q AS SELECT posted % 10 AS |d, COUNT(*) AS n FROM thoughts GROUP BY d ORDER BY d;", 3),
        ("CREATE QUERY q AS SELECT owner AS |posted FROM thoughts GROUP BY posted ORDER BY posted;", 2),
        ("CREATE QUERY q AS SELECT owner AS |posted FROM thoughts ORDER BY posted % 2;", 1),
        ("CREATE QUERY q AS SELECT owner FROM thoughts WHERE owner = [/* me */ m|e] OR owner = :me;", 2),
    ],
)
def test_keys_mean_outputs_where_the_compiler_says_so(text: str, expected: int) -> None:
    assert len(references(*_call(text))) == expected
