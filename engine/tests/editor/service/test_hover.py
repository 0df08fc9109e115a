"""Hovering: `|` is the mouse."""

from __future__ import annotations

import piql
import pytest
from piql.editor.service.hover import hover

SCHEMA = """CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown TEXT);
CREATE TABLE subscriptions (owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner));
CREATE INDEX by_target ON subscriptions (target DESC);
"""


def shown(text: str) -> str | None:
    offset = text.index("|")
    compilation = piql.compile({"schema.piql": SCHEMA, "q.piql": text.replace("|", "")})
    card = hover(compilation, "q.piql", offset)
    return card.markdown if card is not None else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE QUERY q AS SELECT target FROM subs|criptions WHERE owner = [me];", "CARDINALITY LIMIT 100 (owner)"),
        (
            "CREATE QUERY q AS SELECT target FROM subscriptions WHERE own|er = [me];",
            "part of the primary key (owner, target)",
        ),
        ("CREATE QUERY q AS SELECT target FROM subscriptions WHERE own|er = [me];", "refers to users (username)"),
        ("CREATE QUERY q AS SELECT target FROM subscriptions WHERE own|er = [me];", "at most 100 subscriptions"),
        ("CREATE QUERY q AS SELECT target FROM subscriptions WHERE owner = [m|e];", "[me] VARCHAR"),
        (
            "CREATE QUERY q AS SELECT target FROM subscriptions WHERE owner IN [m|e] MAX 5;",
            "list of VARCHAR, at most 5",
        ),
        ("CREATE QUERY q AS SELECT s|.target FROM subscriptions s WHERE s.owner = [me];", "TABLE subscriptions"),
        (
            "CREATE QUERY na|med AS SELECT target FROM subscriptions WHERE owner = [me];",
            "at most **1 operation** in 1 round trip",
        ),
        ("CREATE QUERY na|med AS SELECT owner FROM subscriptions WHERE target = [me];", "**named** is refused"),
    ],
)
def test_a_name_is_explained(text: str, expected: str) -> None:
    card = shown(text)
    assert card is not None
    assert expected in card


@pytest.mark.parametrize(
    "text", ["|", "CREATE QUERY q AS SE|LECT target FROM subscriptions;", "CREATE QUERY q AS SELECT x| FROM y;"]
)
def test_where_nothing_is_named_nothing_is_shown(text: str) -> None:
    assert shown(text) is None
