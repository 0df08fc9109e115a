"""Where lines of a text, and nodes of a plan, are in a later one."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from piql_backend.threads.lines import lines_of, moved_lines
from piql_backend.threads.nodes import PlannedNode, node_now

BEFORE = """\
CREATE TABLE carts (
  owner VARCHAR(32),
  item VARCHAR(64),
  PRIMARY KEY (owner, item)
);

CREATE QUERY cart AS
SELECT item FROM carts
WHERE owner = [1: me]
LIMIT 10;
"""
SELECT = BEFORE.splitlines().index("SELECT item FROM carts") + 1


def now(after: str, line: int = SELECT, before: str = BEFORE) -> str | None:
    """The text of the line that a line became; None where it is gone."""
    number = moved_lines(lines_of(before), lines_of(after), [line])[line]
    return None if number is None else lines_of(after)[number - 1]


def test_a_line_moves_with_the_text_around_it() -> None:
    assert now(BEFORE) == now("-- carts\n\n" + BEFORE) == now(BEFORE + "-- end\n") == "SELECT item FROM carts"
    assert now(BEFORE.replace("\n", "\r\n")) == "SELECT item FROM carts"


def test_a_line_that_is_edited_is_still_that_line() -> None:
    assert now(BEFORE.replace("SELECT item", "SELECT item, owner")) == "SELECT item, owner FROM carts"
    edited = BEFORE.replace("SELECT item", "-- what is in it\nSELECT item AS thing").replace("LIMIT 10", "LIMIT 20")
    assert now(edited) == "SELECT item AS thing FROM carts"


def test_a_line_that_is_replaced_by_another_is_gone() -> None:
    assert now(BEFORE.replace("SELECT item FROM carts\n", "")) is None
    assert now(BEFORE.replace("SELECT item FROM carts", "UPDATE x SET y = 1")) is None
    assert now("") is None


def test_a_line_is_found_where_it_was_moved_to() -> None:
    moved = "SELECT item FROM carts\n" + BEFORE.replace("SELECT item FROM carts\n", "")
    assert moved_lines(lines_of(BEFORE), lines_of(moved), [SELECT]) == {SELECT: 1}


def test_of_repeated_lines_each_stays_with_its_neighbours() -> None:
    before = "a = 1\nLIMIT 10;\nb = 2\nLIMIT 10;\nc = 3\nLIMIT 10;"
    assert moved_lines(lines_of(before), lines_of("new\n" + before), [2, 4, 6]) == {2: 3, 4: 5, 6: 7}
    without_first = before.replace("a = 1\nLIMIT 10;\n", "")
    assert moved_lines(lines_of(before), lines_of(without_first), [4, 6]) == {4: 2, 6: 4}


def test_a_line_beyond_the_text_is_gone() -> None:
    assert moved_lines(["a"], ["a"], [0, 2]) == {0: None, 2: None}


TEXTS = st.lists(st.sampled_from(["", "a", "b", "SELECT x FROM y", "SELECT x, z FROM y", "LIMIT 1;"]), max_size=12)


@given(TEXTS, TEXTS)
def test_every_line_becomes_a_line_of_the_later_text_or_none(before: list[str], after: list[str]) -> None:
    moved = moved_lines(before, after, range(1, len(before) + 1))
    assert all(number is None or 1 <= number <= len(after) for number in moved.values())


@given(TEXTS, TEXTS, TEXTS)
def test_what_is_written_before_and_behind_moves_all_lines_alike(
    before: list[str], text: list[str], after: list[str]
) -> None:
    text = [f"{line} -- {number}" for number, line in enumerate(text)]
    moved = moved_lines(text, [*before, *text, *after], range(1, len(text) + 1))
    assert moved == {number: number + len(before) for number in range(1, len(text) + 1)}


@pytest.mark.parametrize("count", [1_000, 30_000])
def test_the_largest_texts_are_compared_in_seconds(count: int) -> None:
    chosen = random.Random(7)
    before = [f"SELECT c{chosen.randrange(9)} FROM t{number} WHERE a = [{number}]" for number in range(count)]
    after = [line.replace("SELECT", "SELECT DISTINCT").replace(" a ", " b ") for line in before]
    started = time.perf_counter()
    moved = moved_lines(before, after, range(1, count + 1))
    assert time.perf_counter() - started < 10
    assert len(moved) == count


SCAN = PlannedNode("0.0", "IndexScan", "subscriptions")


def test_a_node_is_found_at_its_place_or_as_the_only_one_of_its_kind() -> None:
    there, elsewhere = SCAN, PlannedNode("0.1.0", "IndexScan", "subscriptions")
    other = PlannedNode("0.0", "IndexScan", "thoughts")
    assert node_now([elsewhere, there], SCAN) == there
    assert node_now([other, elsewhere], SCAN) == elsewhere
    assert node_now([other], SCAN) is None
    assert node_now([elsewhere, PlannedNode("0.2", "IndexScan", "subscriptions")], SCAN) is None
