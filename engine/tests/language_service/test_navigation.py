"""Definition, references and renaming: `|` is the cursor, in the second file."""

from __future__ import annotations

import pytest
from piql.language_service.navigation import RenameRefused, definition, references, rename
from piql.source import Source
from piql.syntax.parser import parse

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
    spans = references(*_call(text))
    assert [f"{each.file} {each.text}" for each in spans] == [
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
    ("text", "name", "expected"),
    [
        (
            "CREATE QUERY q AS SELECT |u.hometown FROM users u;",
            "x",
            "CREATE QUERY q AS SELECT x.hometown FROM users x;",
        ),
        (
            "CREATE QUERY q AS SELECT username FROM users WHERE username = [1: m|e];",
            "you",
            "CREATE QUERY q AS SELECT username FROM users WHERE username = [1: you];",
        ),
        (
            "CREATE QUERY q AS SELECT home|town FROM users;",
            "order",
            'CREATE QUERY q AS SELECT "order" FROM users;',
        ),
        ("CREATE QUERY q|q AS SELECT username FROM users;", "r", "CREATE QUERY r AS SELECT username FROM users;"),
    ],
)
def test_renaming_changes_every_place_and_leaves_no_error(text: str, name: str, expected: str) -> None:
    texts, offset = opened(text)
    for edit in sorted(rename(texts, "q.piql", offset, name), key=lambda each: -each.start):
        before = texts[edit.file]
        texts[edit.file] = before[: edit.start] + edit.text + before[edit.end :]
    assert texts["q.piql"] == expected
    assert not [found for each in texts.values() for found in parse(Source(each)).diagnostics]


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("CREATE QUERY q AS SELECT home|town FROM users;", "USERNAME", "column username already"),
        ("CREATE QUERY q AS SELECT username FROM us|ers;", "thoughts", "table thoughts already"),
        ("CREATE QUERY q AS SELECT username FROM users WHERE username = [m|e];", "1st", "no name of a parameter"),
        ("CREATE QUERY q AS SELECT username FROM users|;", " ", "empty"),
        ("CREATE QUERY q AS SEL|ECT username FROM users;", "x", "nothing here"),
    ],
)
def test_a_name_that_is_taken_or_none_is_refused(text: str, name: str, why: str) -> None:
    texts, offset = opened(text)
    with pytest.raises(RenameRefused, match=why):
        rename(texts, "q.piql", offset, name)
