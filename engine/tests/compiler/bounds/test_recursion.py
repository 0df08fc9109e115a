"""The bound of a recursive query: the sum over its levels, each with the rows that the level before it may have."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE comments (
  id INT PRIMARY KEY, parent INT NULL REFERENCES comments MAX {children}, post INT, author VARCHAR(20),
  CARDINALITY LIMIT 1000 (post)
);
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE free (id INT PRIMARY KEY, parent INT);
"""


def bound_of(step: str, levels: int, children: int = 10, anchor: str = "comments WHERE id = [root]") -> piql.Bound:
    query = f"WITH RECURSIVE thread AS (SELECT id, parent FROM {anchor} UNION ALL SELECT c.id, c.parent FROM {step})"
    source = f"{SCHEMA.format(children=children)}CREATE QUERY q AS {query} MAX {levels} LEVELS SELECT id FROM thread;"
    compiled = piql.compile(source)
    assert [finding for finding in compiled.diagnostics if finding.severity == "error"] == []
    bound = compiled.queries["q"].bound
    assert bound is not None
    return bound


DOWN = "comments c JOIN thread t ON c.parent = t.id"
UP = "comments c JOIN thread t ON c.id = t.parent"


def test_each_level_has_the_rows_of_the_one_before_times_what_one_finds() -> None:
    bound = bound_of(DOWN, 3)
    assert (bound.operations, bound.rows, bound.round_trips) == (1 + 1 + 10 + 100, 1 + 10 + 100 + 1000, 4)
    assert bound.formula == "2 + comments.parent + comments.parent·comments.parent"


@pytest.mark.parametrize("levels", [1, 5, 64])
def test_along_a_key_the_bound_is_linear_in_the_levels(levels: int) -> None:
    bound = bound_of(UP, levels)
    assert (bound.operations, bound.rows, bound.round_trips) == (1 + levels, 1 + levels, 1 + levels)


def test_the_levels_lead_to_their_number_in_the_text() -> None:
    term = next(term for term in bound_of(UP, 7).terms if term.symbol == "7")
    assert term.reason == "at most 7 levels of thread are read after the first rows"
    assert term.number_span is not None
    assert term.number_span.text == "7"


def test_a_limit_of_one_is_linear_as_well() -> None:
    assert bound_of(DOWN, 64, children=1).operations == 65


def test_the_rows_of_deep_levels_have_a_name_in_the_formula() -> None:
    bound = bound_of(DOWN, 6)
    assert bound.operations == 1 + sum(10**level for level in range(6))
    assert bound.formula.endswith("level 4 + level 4·comments.parent")
    assert next(term for term in bound.terms if term.symbol == "level 4").value == 10_000


def test_requests_of_each_level_are_told_apart() -> None:
    by_level = {operator.operator: operator.by_level for operator in bound_of(DOWN, 3).by_operator}
    assert by_level["SortedIndexJoin"] == (1, 10, 100)
    assert by_level["IndexScan"] == ()


def test_a_further_table_of_the_step_counts_on_each_level() -> None:
    bound = bound_of(f"{DOWN} JOIN users u ON u.name = c.author", 2)
    assert bound.operations == 1 + (1 + 10) + (10 + 100)
    assert bound.round_trips == 1 + 2 * 2


def test_what_is_cheaper_for_many_rows_is_read_once_a_level() -> None:
    bound = bound_of(f"{DOWN} WHERE c.post = [post]", 5, children=100)
    assert bound.operations == 1 + 5


def test_a_step_without_a_limit_is_refused_with_the_limit_as_a_fix() -> None:
    anchor = "SELECT id, parent FROM free WHERE id = [root]"
    step = "SELECT c.id, c.parent FROM free c JOIN thread t ON c.parent = t.id"
    query = f"WITH RECURSIVE thread AS ({anchor} UNION ALL {step}) MAX 3 LEVELS SELECT id FROM thread"
    compiled = piql.compile(f"{SCHEMA.format(children=10)}CREATE QUERY q AS {query};")
    (finding,) = compiled.diagnostics
    assert finding.code == "unbounded-join"
    assert finding.span.text == "c.parent = t.id"
    (segment,) = compiled.queries["q"].unbounded
    assert segment.table == "free"
    assert any(
        "CARDINALITY LIMIT" in edit.text and "(parent)" in edit.text for fix in finding.fixes for edit in fix.edits
    )


def test_numbers_beyond_reason_are_refused_with_the_levels_that_can_be_counted() -> None:
    source = SCHEMA.format(children=1000) + (
        "CREATE QUERY q AS WITH RECURSIVE thread AS (SELECT id, parent FROM comments WHERE id = [root] UNION ALL "
        f"SELECT c.id, c.parent FROM {DOWN}) MAX 64 LEVELS SELECT id FROM thread LIMIT 10;"
    )
    (finding,) = piql.compile(source).diagnostics
    assert (finding.code, finding.span.text) == ("too-many", "64")
    ((edit,),) = (fix.edits for fix in finding.fixes)
    fixed = piql.compile(source[: edit.start] + edit.text + source[edit.end :])
    assert fixed.queries["q"].is_bounded
    assert not piql.compile(source.replace("MAX 64", f"MAX {int(edit.text) + 1}")).queries["q"].is_bounded
