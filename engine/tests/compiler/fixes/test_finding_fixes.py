"""Fixes that come with a finding of the front end: what is offered works when it is applied alone."""

from __future__ import annotations

import time

import piql
import pytest
from piql.compiler.fixes.finding_fixes import compose
from piql.text.diagnostics.diagnostic import Edit, Fix
from piql.text.edits import apply_edits

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT, name VARCHAR(20));\n"


def applied(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def offered(query: str) -> dict[str, list[str]]:
    """Return the titles by code, after checking that every fix leaves the query bounded and without an error."""
    text = f"{SCHEMA}CREATE QUERY q AS {query};"
    titles_by_code: dict[str, list[str]] = {}
    for finding in piql.compile(text).diagnostics:
        titles_by_code.setdefault(finding.code, []).extend(fix.title for fix in finding.fixes)
        for fix in finding.fixes:
            mended = piql.compile(applied(text, fix))
            assert not mended.has_errors, fix
            assert mended.queries["q"].is_bounded, fix
    return titles_by_code


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT idd FROM t WHERE id = 1", {"unknown-column": ["Change to id"]}),
        ("SELECT id FORM t LIMIT 5", {"syntax-error": ["Change to FROM"]}),
        ("SELECT id FROM t LIMIT [n]", {"missing-max": ["Add MAX 50"]}),
        ("SELECT id FROM t LIMIT 5 OFFSET 10", {"offset": ["Use PAGINATE 5"]}),
    ],
)
def test_a_fix_that_works_is_offered(query: str, expected: dict[str, list[str]]) -> None:
    titles_by_code = offered(query)
    assert {code: titles for code, titles in titles_by_code.items() if titles} == expected


def test_two_mistakes_are_mended_together() -> None:
    titles = offered("SELECT idd FROM t WHERE nmae = 'x' LIMIT 5")["unknown-column"]
    assert set(titles) == {"Change to id and change to name"}


def test_a_fix_that_leaves_the_query_unbounded_is_joined_with_what_bounds_it() -> None:
    titles = offered("SELECT id FROM t WHERE name LIKE '%red%'")["pattern-match"]
    assert "Search for the word red and add LIMIT 100" in titles


@pytest.mark.parametrize(
    "query", ["SELECT zz, idd FROM t WHERE id = 1", "SELECT id FROM t WHERE name LIKE '%a_b%' LIMIT 5"]
)
def test_a_fix_that_does_not_work_is_not_offered(query: str) -> None:
    assert not any(offered(query).values())


def test_a_page_instead_of_offset_is_joined_with_what_bounds_it() -> None:
    titles = offered("SELECT id FROM t WHERE a <> 1 LIMIT 5 OFFSET 10")["offset"]
    assert "Use PAGINATE 5" not in titles
    assert "Use PAGINATE 5 and add id = [id]" in titles


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT id, ROW_NUMBER() OVER (ORDER BY a) AS n FROM t LIMIT 5", "SELECT id FROM t ORDER BY a LIMIT 5"),
        ("SELECT RANK() OVER (ORDER BY a) AS n, id FROM t LIMIT 5", "SELECT id FROM t ORDER BY a LIMIT 5"),
        ("SELECT id, RANK() OVER (PARTITION BY a ORDER BY id) AS n FROM t LIMIT 5", "SELECT id FROM t LIMIT 5"),
        ("SELECT id, a, MAX(a) OVER w AS n FROM t ORDER BY id LIMIT 5", "SELECT id, a FROM t ORDER BY id LIMIT 5"),
    ],
)
def test_a_window_function_is_left_out_and_its_order_kept(query: str, expected: str) -> None:
    text = f"{SCHEMA}CREATE QUERY q AS {query};"
    (finding,) = [diagnostic for diagnostic in piql.compile(text).diagnostics if diagnostic.severity == "error"]
    assert [applied(text, fix) for fix in finding.fixes] == [f"{SCHEMA}CREATE QUERY q AS {expected};"]


def test_a_window_function_alone_has_no_fix() -> None:
    assert offered("SELECT ROW_NUMBER() OVER (ORDER BY a) AS n FROM t LIMIT 5") == {"window-function": []}


def test_edits_after_edits_are_moved_to_the_original_text() -> None:
    first = (Edit("a", 2, 4, "longer"), Edit("a", 10, 10, "!"))
    assert compose(first, (Edit("a", 0, 1, "x"), Edit("a", 9, 9, "y"), Edit("a", 20, 21, "z"))) == (
        Edit("a", 0, 1, "x"),
        Edit("a", 2, 4, "longer"),
        Edit("a", 5, 5, "y"),
        Edit("a", 10, 10, "!"),
        Edit("a", 15, 16, "z"),
    )


def test_edits_inside_of_what_an_edit_has_put_there_cannot_be_moved() -> None:
    assert compose((Edit("a", 2, 4, "longer"),), (Edit("a", 5, 5, "x"),)) is None


def test_entities_are_mended_in_their_own_dialect() -> None:
    text = (
        "ENTITY User { string name PRIMARY(name) }\n"
        "ENTITY Thought {\n  int day,\n  FOREIGN KEY owner REF User\n  PRIMARY(owner, day)\n}\n"
        "QUERY q FETCH Thought OF User BY owner WHERE User = [this]"
    )
    (finding,) = [diagnostic for diagnostic in piql.compile(text).diagnostics if diagnostic.severity == "error"]
    for fix in finding.fixes:
        mended = piql.compile(applied(text, fix))
        assert not mended.has_errors, applied(text, fix)
        assert mended.queries["q"].is_bounded
    assert any("CARDINALITY LIMIT" in fix.title for fix in finding.fixes)


def test_many_mistakes_cost_no_trials_within_trials() -> None:
    names = "idd, nmae, aa, naem, ida, amne, di, nam"
    queries = "\n".join(f"CREATE QUERY q{number} AS SELECT {names} FORM t LIMIT [n];" for number in range(30))
    started = time.process_time()
    piql.compile(SCHEMA + queries + "\nCREATE QUERY last AS SELECT idd, nmae, aa, naem FROM t LIMIT [n];")
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ((Edit("a", 10, 10, " AND b"),), "SELECT cde AND b GROUP BY c LIMIT 5"),
        ((Edit("a", 21, 21, " ORDER BY c"),), "SELECT cde GROUP BY c ORDER BY c LIMIT 5"),
    ],
)
def test_two_texts_at_one_place_stand_in_the_order_in_which_they_were_put_in(
    second: tuple[Edit, ...], expected: str
) -> None:
    first = (Edit("a", 7, 8, "cd"), Edit("a", 9, 9, " GROUP BY c"))
    texts = {"a": "SELECT ae LIMIT 5"}
    after = apply_edits(texts, first)
    assert after == {"a": "SELECT cde GROUP BY c LIMIT 5"}
    assert apply_edits(after, second) == {"a": expected}
    composed = compose(first, second)
    assert composed is not None
    assert apply_edits(texts, composed) == {"a": expected}
    assert len({(edit.file, edit.start, edit.end) for edit in composed}) == len(composed)
