"""Renaming: `|` is the cursor, in the second file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import piql
import pytest
from piql.compiler import texts_of
from piql.compiler.syntax.parser import parse
from piql.editor.service.names import Names
from piql.editor.service.renaming import RenameRefused, rename, renameable
from piql.text.edits import apply_edits
from piql.text.source import Source

SAMPLES = Path(__file__).resolve().parents[4] / "sample-apps"
SCHEMA = """CREATE TABLE users (username VARCHAR(32), hometown TEXT, PRIMARY KEY (username));
CREATE TABLE thoughts (owner VARCHAR(32) REFERENCES users (username), posted TIMESTAMP, PRIMARY KEY (owner, posted));
"""


def opened(text: str) -> tuple[dict[str, str], int]:
    return {"schema.piql": SCHEMA, "q.piql": text.replace("|", "")}, text.index("|")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (
            "CREATE TABLE t (id INT PRIMARY KEY, n| INT CHECK (n > 0), CHECK (t.n < 9 OR id = 1));",
            "m",
            "CREATE TABLE t (id INT PRIMARY KEY, m INT CHECK (m > 0), CHECK (t.m < 9 OR id = 1));",
        ),
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
        (
            "CREATE QUERY q AS SELECT u.username FROM users u|;",
            '"a b"',
            'CREATE QUERY q AS SELECT "a b".username FROM users "a b";',
        ),
        (
            "CREATE QUERY q AS SELECT '😀', u.username FROM users u|;",
            "x",
            "CREATE QUERY q AS SELECT '😀', x.username FROM users x;",
        ),
        (
            "CREATE QUERY q AS INSERT INTO users (username, hometown) VALUES ('a', 'b')"
            " ON CONFLICT (username) DO UPDATE SET users.home|town = EXCLUDED.hometown;",
            "town",
            "CREATE QUERY q AS INSERT INTO users (username, town) VALUES ('a', 'b')"
            " ON CONFLICT (username) DO UPDATE SET users.town = EXCLUDED.town;",
        ),
        (
            "CREATE QUERY q AS INSERT INTO us|ers (username) VALUES ('a')"
            " ON CONFLICT (username) DO UPDATE SET users.hometown = EXCLUDED.hometown;",
            "people",
            "CREATE QUERY q AS INSERT INTO people (username) VALUES ('a')"
            " ON CONFLICT (username) DO UPDATE SET people.hometown = EXCLUDED.hometown;",
        ),
    ],
)
def test_renaming_changes_every_place_and_leaves_no_error(text: str, name: str, expected: str) -> None:
    texts, offset = opened(text)
    texts = apply_edits(texts, rename(texts, "q.piql", offset, name))
    assert texts["q.piql"] == expected
    assert not [diagnostic for new_text in texts.values() for diagnostic in parse(Source(new_text)).diagnostics]


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("CREATE QUERY q AS SELECT home|town FROM users;", "USERNAME", "column username already"),
        ("CREATE QUERY q AS SELECT username FROM us|ers;", "thoughts", "table thoughts already"),
        (
            "CREATE QUERY q AS SELECT username FROM users WHERE username = [m|e];",
            "1st",
            "a parameter cannot be called 1st",
        ),
        ("CREATE QUERY q AS SELECT username FROM users|;", " ", "empty"),
        ("CREATE QUERY q AS SEL|ECT username FROM users;", "x", "nothing here"),
        ("CREATE QUERY q AS SELECT username FROM us|ers;", "a\nb", "one line"),
        (
            "CREATE QUERY q AS SELECT u|.username FROM users u JOIN thoughts t ON t.owner = u.username;",
            "t",
            "already|something else|is wrong",
        ),
        (
            "CREATE QUERY q AS SELECT |u.hometown FROM users u WHERE EXISTS "
            "(SELECT * FROM thoughts t WHERE t.owner = u.username);",
            "t",
            "q.piql:1 would mean something else",
        ),
        (
            "CREATE QUERY q AS SELECT hometown AS |h FROM users WHERE username = [me] ORDER BY username LIMIT 1;",
            "username",
            "else",
        ),
        (
            "CREATE QUERY q AS SELECT posted, hometo|wn FROM thoughts t "
            "JOIN users u ON u.username = t.owner WHERE t.owner = [a];",
            "posted",
            "else",
        ),
    ],
)
def test_a_name_that_is_taken_or_none_is_refused(text: str, name: str, why: str) -> None:
    texts, offset = opened(text)
    with pytest.raises(RenameRefused, match=why):
        rename(texts, "q.piql", offset, name)


@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.long)])
def test_names_of_the_samples_can_change_without_changing_what_is_found(stride: int) -> None:
    """Change each name, or one of five, for minutes are too long for the tests of every change."""
    for folder in ("scadr", "tpcw"):
        texts = dict(texts_of(SAMPLES / folder))
        before = list(facts(texts))
        first = {occurrence.symbol: occurrence.span for occurrence in reversed(Names(texts).all())}
        for symbol, span in list(first.items())[::stride]:
            edits = rename(texts, span.file, span.start, "zzz")
            assert list(facts(apply_edits(texts, edits))) == before, symbol
    assert len(first) > 100


def facts(texts: Mapping[str, str]) -> Iterator[object]:
    compilation = piql.compile(texts)
    yield sorted(diagnostic.code for diagnostic in compilation.diagnostics)
    for query in compilation.queries.values():
        assert query.bound is not None
        yield query.kind, query.bound.operations, query.bound.round_trips, query.bound.rows, query.bound.bytes


def test_what_can_be_renamed_is_told_before_a_name_is_asked_for() -> None:
    texts, offset = opened("CREATE QUERY q AS SELECT u|sername FROM users;")
    assert renameable(texts, "q.piql", offset).text == "username"
    with pytest.raises(RenameRefused, match="nothing here"):
        renameable(texts, "q.piql", 2)
