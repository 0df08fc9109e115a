"""Formatting as an editor asks for it."""

from __future__ import annotations

import pytest
from piql.editor.service.formatting import FormatRefused, format_edits
from piql.text.edits import apply_edits

TEXT = """-- the people
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, -- 😀
  hometown TEXT);

CREATE QUERY named AS
SELECT hometown
FROM users
WHERE username = [me];
"""


def formatted(text: str) -> str:
    return apply_edits({"q.piql": text}, format_edits(text, "q.piql"))["q.piql"]


def test_only_the_lines_that_change_are_replaced() -> None:
    (edit,) = format_edits(TEXT, "q.piql")
    assert TEXT[edit.start : edit.end] == TEXT[TEXT.index("CREATE TABLE") : TEXT.index("\nCREATE QUERY")]
    after = formatted(TEXT)
    assert "-- the people" in after
    assert "-- 😀" in after
    assert format_edits(after) == ()


def test_lines_end_as_they_did() -> None:
    after = formatted(TEXT.replace("\n", "\r\n"))
    assert after == formatted(TEXT).replace("\n", "\r\n")


def test_what_cannot_be_read_is_refused_with_the_reason() -> None:
    with pytest.raises(FormatRefused, match=r"^line 2 must be corrected first: "):
        format_edits("CREATE TABLE t (a INT PRIMARY KEY);\nCREATE QUERY q AS SELECT FROM t;")


def test_what_the_compiler_refuses_is_formatted_all_the_same() -> None:
    text = "CREATE QUERY q AS SELECT nobody FROM nowhere"
    assert formatted(text) == "CREATE QUERY q AS\nSELECT nobody\nFROM nowhere;\n"


def test_nothing_stays_nothing() -> None:
    assert format_edits("") == ()
    assert formatted("\n\n") == ""
