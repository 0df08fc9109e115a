"""Diagnostics as text: what is underlined is what is meant."""

from piql.text.diagnostics.diagnostic import Diagnostic, Label
from piql.text.diagnostics.render import render, render_all
from piql.text.source import Source


def test_the_cause_is_underlined_below_its_line() -> None:
    source = Source("SELECT a\nFROM wrong\n", "q.piql")
    text = render(Diagnostic("some-code", "error", "this is wrong", source.span(14, 19), help=("write right",)))
    assert text.split("\n") == [
        "error[some-code]: this is wrong",
        " --> q.piql:2:6",
        "  |",
        "2 | FROM wrong",
        "  |      ^^^^^",
        "  = help: write right",
    ]


def test_a_cause_of_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    source = Source("SELECT a\nFROM t", "q.piql")
    assert "  | ^^^^^^^^…" in render(Diagnostic("c", "error", "m", source.span(0, 15))).split("\n")


def test_a_label_in_another_file_shows_that_file() -> None:
    first, second = Source("first", "a.piql"), Source("\nsecond", "b.piql")
    finding = Diagnostic("c", "error", "m", first.span(0, 5), labels=(Label(second.span(1, 7), "here too"),))
    lines = render(finding).split("\n")
    assert " --> b.piql:2:1" in lines
    assert "  | ------ here too" in lines


def test_tabs_take_the_same_room_in_the_line_and_below_it() -> None:
    source = Source("\tab", "")
    lines = render(Diagnostic("c", "warning", "m", source.span(1, 3))).split("\n")
    assert lines[1:] == [" --> text:1:2", "  |", "1 |     ab", "  |     ^^"]


def test_several_are_set_apart() -> None:
    source = Source("a")
    finding = Diagnostic("c", "error", "m", source.span(0, 1))
    assert render_all([finding, finding]).count("\n\n") == 1
