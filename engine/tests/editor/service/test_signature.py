"""What the parentheses around the cursor `|` expect."""

from __future__ import annotations

import pytest
from piql.editor.service.signature import signature

SCHEMA = "CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town TEXT);\n"


def shown(text: str) -> tuple[str, str] | None:
    call = signature({"s.piql": SCHEMA, "q.piql": text.replace("|", "")}, "q.piql", text.index("|"))
    if call is None:
        return None
    active = call.parameters[call.active] if call.active < len(call.parameters) else (0, 0)
    return call.label, call.label[slice(*active)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE QUERY q AS SELECT SUBSTR(name, | FROM users", ("SUBSTR(text, from, length)", "from")),
        ("CREATE QUERY q AS SELECT COALESCE(1, (2), 3, 4, |", ("COALESCE(a, b, …)", "…")),
        ("CREATE QUERY q AS SELECT MAX(|", ("MAX(expression)", "expression")),
        ("CREATE QUERY q AS SELECT LOWER(UPPER(name)|)", ("LOWER(text)", "text")),
        (
            "CREATE QUERY q AS INSERT INTO users VALUES ([a], |",
            ("users VALUES (name VARCHAR(32) NOT NULL, town TEXT)", "town TEXT"),
        ),
        (
            "CREATE QUERY q AS INSERT INTO users (town, name) VALUES (|)",
            ("users VALUES (town TEXT, name VARCHAR(32) NOT NULL)", "town TEXT"),
        ),
        ("CREATE QUERY q AS SELECT ROUND(1, 2, |", ("ROUND(number, digits)", "")),
    ],
)
def test_the_argument_at_the_cursor_is_named(text: str, expected: tuple[str, str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text", ["|", "CREATE QUERY q AS SELECT (|1)", "SELECT 1 -- LOWER(|", "INSERT INTO nowhere VALUES (|", "VALUES (|"]
)
def test_other_places_expect_nothing(text: str) -> None:
    assert shown(text) is None
