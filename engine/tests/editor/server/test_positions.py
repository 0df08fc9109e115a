"""Positions as a client counts them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from piql.editor.server.positions import Text, Units, units_of


@pytest.mark.parametrize(("units", "column"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_columns_are_counted_in_the_units_that_were_agreed_on(units: Units, column: int) -> None:
    text = Text("one\nä 😀 b", units)
    at = text.text.index(" b")
    assert text.position(at) == (1, column)
    assert text.offset(1, column) == at


def test_lines_end_as_the_protocol_says_and_nowhere_else() -> None:
    text = Text("a\r\nb\rc\nd\u2028e\x0cf")
    assert text.position(text.text.index("f")) == (3, 4)
    assert [text.text[text.offset(line, 0)] for line in range(4)] == ["a", "b", "c", "d"]
    assert text.offset(0, 99) == 1  # before its line end
    assert text.offset(99, 0) == len(text.text)


@given(st.text(alphabet="a😀ä\r\n\u2028", max_size=12), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_every_offset_outside_of_a_line_end_leads_there_and_back(text: str, units: Units) -> None:
    shown = Text(text, units)
    for offset in range(len(text) + 1):
        if text[max(0, offset - 1) : offset + 1] != "\r\n":
            assert shown.offset(*shown.position(offset)) == offset


@given(st.lists(st.text("ab😀"), min_size=1), st.sampled_from(["\n", "\r\n", "\r"]), st.text("c😀"), st.data())
def test_an_edit_replaces_what_its_range_shows(lines: list[str], end: str, new: str, data: st.DataObject) -> None:
    shown = Text(end.join(lines))
    first = data.draw(st.integers(0, len(lines) - 1))
    line = lines[first]
    cut = data.draw(st.integers(0, len(line)))
    after = shown.replaced((first, units_of(line[:cut], "utf-16")), (first, units_of(line, "utf-16")), new)
    edited = [*lines[:first], line[:cut] + new, *lines[first + 1 :]]
    assert after.text == end.join(edited)
