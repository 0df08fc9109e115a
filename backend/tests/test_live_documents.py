"""The text of a file as a document that merges: any text becomes any other, and edits of both sides stay."""

from __future__ import annotations

import random

import pytest
from piql_backend.live_sessions import document
from piql_backend.live_sessions.document import LiveDocument, UpdateRefused, changes_between

_LINES = ["CREATE TABLE a (\n", "  ä INT,\n", "  😀 TEXT,\r\n", ");\n", "\n", "-- no end"]


def text_of(chance: random.Random) -> str:
    return "".join(chance.choices(_LINES, k=chance.randrange(8)))


@pytest.mark.parametrize("most_lines", [400, 2])
def test_a_text_becomes_any_other(most_lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_MOST_COMPARED_LINES", most_lines)
    chance = random.Random(1)
    for _ in range(300):
        before, after = text_of(chance), text_of(chance)
        changed, follower = LiveDocument(text=before), LiveDocument()
        follower.merge(changed.state)
        follower.merge(changed.become(after))
        assert changed.text == follower.text == after


def test_only_what_differs_is_replaced() -> None:
    assert [*changes_between("a\nb\nc\n", "a\nB\nc\nd\n")] == [(2, 3, "B"), (6, 6, "d\n")]
    assert [*changes_between("same", "same")] == []


def test_edits_of_two_sides_both_stay_whatever_their_order() -> None:
    chance = random.Random(2)
    for _ in range(50):
        start = LiveDocument(text="a\nb\nc\n")
        sides = LiveDocument(start.state), LiveDocument(start.state)
        updates = [side.become(f"{chance.choice('xyz')}{start.text}{number}") for number, side in enumerate(sides)]
        merged = LiveDocument(start.state)
        for update in chance.sample(updates, 2):
            merged.apply(update)
        for side, update in zip(sides, reversed(updates), strict=True):
            side.apply(update)
        assert sides[0].text == sides[1].text == merged.text
        assert {"0", "1"} <= set(merged.text)


def test_a_text_that_would_be_too_long_and_a_document_that_would_be_too_large_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(document, "MOST_CHARACTERS", 10)
    editor, kept = LiveDocument(text="12345"), LiveDocument()
    kept.apply(editor.state)
    with pytest.raises(UpdateRefused, match="longer than 10 characters"):
        kept.apply(editor.become("12345678901"))
    assert kept.text == "12345"
    monkeypatch.setattr(document, "MOST_STATE_BYTES", 10)
    with pytest.raises(UpdateRefused, match="too large"):
        kept.apply(editor.become("1"))
    assert kept.text == "12345"
