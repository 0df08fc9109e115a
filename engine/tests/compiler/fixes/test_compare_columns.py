"""A column that is compared in another spelling: the fix compares it itself. OFFSET 0 skips nothing."""

from __future__ import annotations

import piql
import pytest
from piql import Fix
from piql.text.edits import apply_edits

TABLES = """CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(40), active BOOLEAN);
CREATE TABLE emails (id INT PRIMARY KEY, user_id INT NOT NULL REFERENCES users, email VARCHAR(200));
CREATE TABLE likes (id INT PRIMARY KEY, post_id INT NOT NULL, user_id INT NOT NULL, at INT);
"""


def first_fix(query: str) -> tuple[str, Fix]:
    text = f"{TABLES}CREATE QUERY q AS {query};"
    finding = next(finding for finding in piql.compile(text).diagnostics if finding.fixes)
    return text, finding.fixes[0]


@pytest.mark.parametrize(
    ("call", "stored"),
    [
        ("LOWER(e.email)", "in lower case"),
        ("upper(e.email)", "in upper case"),
        ("TRIM(email)", "without blanks around it"),
    ],
)
def test_the_column_itself_is_compared(call: str, stored: str) -> None:
    text, fix = first_fix(f"SELECT e.id FROM emails e JOIN users u ON u.id = e.user_id WHERE {call} = [x] LIMIT 1")
    assert fix.title.startswith("Compare ")
    assert fix.consequence == f"changes the answer: only rows whose email is stored {stored} are found"
    after = piql.compile(apply_edits({"": text}, fix.edits)[""])
    assert after.queries["q"].is_bounded


def test_a_foreign_key_is_offered_before_a_limit_on_what_it_bounds() -> None:
    _, fix = first_fix(
        "SELECT u.name FROM likes l JOIN users u ON u.id = l.user_id WHERE l.post_id = [p] ORDER BY l.at LIMIT 20"
    )
    assert fix.title == "Add FOREIGN KEY (user_id) REFERENCES users (id) to likes"


def test_an_offset_of_zero_skips_nothing() -> None:
    plain = piql.compile(f"{TABLES}CREATE QUERY q AS SELECT id FROM users ORDER BY id LIMIT 10;")
    zero = piql.compile(f"{TABLES}CREATE QUERY q AS SELECT id FROM users ORDER BY id LIMIT 10 OFFSET 0;")
    assert zero.queries["q"].plan == plain.queries["q"].plan
    assert zero.queries["q"].is_bounded
    some = piql.compile(f"{TABLES}CREATE QUERY q AS SELECT id FROM users ORDER BY id LIMIT 10 OFFSET 10;")
    assert "offset" in {finding.code for finding in some.diagnostics}


@pytest.mark.parametrize(("value", "written"), [("'t'", "TRUE"), ("'no'", "FALSE"), ("1", "TRUE"), ("0", "FALSE")])
def test_a_truth_value_of_another_database_is_written_as_in_piql(value: str, written: str) -> None:
    text, fix = first_fix(f"UPDATE users SET active = {value} WHERE id = [id]")
    assert fix.title == f"Write {written}"
    assert not piql.compile(apply_edits({"": text}, fix.edits)[""]).has_errors
