"""WITH RECURSIVE: what it takes, what is refused in which words and at which span, and the fix of a missing depth."""

from __future__ import annotations

import piql
import pytest
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source

SCHEMA = """
CREATE TABLE comments (
  id INT PRIMARY KEY, parent INT NULL REFERENCES comments MAX 10, author VARCHAR(20), score DECIMAL(5, 2)
);
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
"""
ANCHOR = "SELECT id, parent FROM comments WHERE id = [root]"
STEP = "SELECT c.id, c.parent FROM comments c JOIN thread t ON c.parent = t.id"


def recursive(
    anchor: str = ANCHOR,
    step: str = STEP,
    *,
    depth: str = "MAX 3 LEVELS",
    columns: str = "",
    between: str = "UNION ALL",
) -> str:
    query = f"WITH RECURSIVE thread {columns} AS ({anchor} {between} {step}) {depth} SELECT id FROM thread"
    return f"{SCHEMA}CREATE QUERY q AS {query};"


def findings(source: str) -> list[tuple[str, str, str]]:
    """Return code, message and text at the span of each finding of the query."""
    compiled = piql.compile(source)
    return [(finding.code, finding.message, finding.span.text) for finding in compiled.diagnostics]


def only_finding(source: str) -> tuple[str, str, str]:
    (finding,) = findings(source)
    return finding


def test_a_recursive_query_with_a_depth_is_accepted() -> None:
    compiled = piql.compile(recursive())
    assert compiled.diagnostics == ()
    assert compiled.queries["q"].is_bounded


def test_without_a_depth_it_is_refused_with_a_fix_that_adds_one() -> None:
    source = recursive(depth="")
    (finding,) = piql.compile(source).diagnostics
    assert finding.code == "recursive-query"
    assert finding.message == "nothing says how many levels thread has: how often it repeats depends on the data"
    assert finding.span.text == "thread"
    (fix,) = finding.fixes
    (edit,) = fix.edits
    assert fix.title == "Read at most 5 levels"
    assert fix.consequence == "rows of further levels are left out"
    assert piql.compile(source[: edit.start] + edit.text + source[edit.end :]).queries["q"].is_bounded


@pytest.mark.parametrize("levels", ["0", "65", "1000000"])
def test_the_depth_is_a_number_from_1_to_64(levels: str) -> None:
    code, _, text = findings(recursive(depth=f"MAX {levels} LEVELS"))[0]
    assert (code, text) == ("bad-number", levels)


@pytest.mark.parametrize(
    ("anchor", "step", "message", "text"),
    [
        (ANCHOR, f"{STEP} ORDER BY c.id", "thread cannot be ordered or limited as a whole", "ORDER BY c.id"),
        (ANCHOR, f"{STEP} LIMIT 3", "thread cannot be ordered or limited as a whole", "LIMIT 3"),
        (
            ANCHOR,
            f"{STEP} GROUP BY c.id, c.parent",
            "GROUP BY cannot stand in the query that repeats",
            "GROUP BY c.id, c.parent",
        ),
        (
            ANCHOR,
            STEP.replace("SELECT", "SELECT DISTINCT"),
            "DISTINCT cannot stand in the query that repeats",
            "DISTINCT",
        ),
        (
            ANCHOR,
            STEP.replace("c.id, c.parent", "MAX(c.id) AS id, MIN(c.parent) AS parent"),
            "an aggregate cannot stand in the query that repeats",
            "MAX(c.id) AS id, MIN(c.parent) AS parent",
        ),
        (
            ANCHOR,
            f"{STEP} JOIN thread u ON u.id = c.id",
            "thread is read a second time in the query that repeats",
            "thread u",
        ),
        (
            ANCHOR,
            f"{STEP} WHERE EXISTS (SELECT 1 AS one FROM thread u WHERE u.id = c.id)",
            "thread is read in a subquery of itself",
            "thread u",
        ),
        (
            ANCHOR,
            "SELECT c.id, c.parent FROM comments c WHERE c.parent IN (SELECT id FROM thread)",
            "thread is read in a subquery of itself",
            "thread",
        ),
        (
            ANCHOR,
            "SELECT c.id, c.parent FROM comments c JOIN (SELECT id FROM thread) d ON c.parent = d.id",
            "thread is read in a subquery of itself",
            "thread",
        ),
        (
            ANCHOR,
            "SELECT c.id, c.parent FROM comments c LEFT JOIN thread t ON c.parent = t.id",
            "thread stands on the side of a LEFT JOIN that may be NULL",
            "thread t",
        ),
        ("SELECT id, parent FROM thread", STEP, "thread is read in the query of its first rows", "thread"),
    ],
)
def test_what_looks_at_a_level_as_a_whole_is_refused_where_it_stands(
    anchor: str, step: str, message: str, text: str
) -> None:
    assert only_finding(recursive(anchor, step)) == ("recursive-query", message, text)


def test_a_query_that_reads_itself_needs_rows_to_begin_with() -> None:
    source = f"{SCHEMA}CREATE QUERY q AS WITH RECURSIVE thread AS ({STEP}) MAX 3 LEVELS SELECT id FROM thread;"
    message = "thread reads itself, but has no rows to begin with"
    assert only_finding(source) == ("recursive-query", message, "thread t")


def test_the_repeated_query_gives_the_columns_of_the_first() -> None:
    code, message, text = only_finding(recursive(step=STEP.replace("c.id, c.parent", "c.id")))
    assert (code, text) == ("union-columns", "c.id")
    assert message == "this query gives 1 columns, the query of the first rows of thread gives 2"


def test_the_names_of_the_columns_are_as_many_as_the_columns() -> None:
    code, message, text = only_finding(recursive(columns="(id, parent, depth)"))
    assert (code, text) == ("union-columns", "id, parent, depth")
    assert message == "thread has names for 3 columns, and its query gives 2"


def test_the_names_of_the_columns_are_different() -> None:
    assert only_finding(recursive(columns="(id, ID)")) == (
        "duplicate-output",
        "two columns of thread are called ID",
        "ID",
    )


def test_types_that_have_none_in_common_are_refused() -> None:
    code, message, text = only_finding(recursive(step=STEP.replace("c.parent FROM", "c.author FROM")))
    assert (code, text) == ("type-mismatch", "c.id, c.author")
    assert message == "parent is INT in the query of the first rows of thread and VARCHAR(20) here"


@pytest.mark.parametrize(
    ("first", "repeated", "type"),
    [
        ("0", "t.n + 1", "BIGINT"),
        ("id", "c.id", "INT"),
        ("NULL", "c.id", "INT"),
        ("id", "t.n + c.score", "DECIMAL"),
        ("1", "t.n / 2", "DOUBLE"),
        ("author", "t.n || c.author", "TEXT"),
    ],
)
def test_a_column_has_the_type_that_holds_the_values_of_all_levels(first: str, repeated: str, type: str) -> None:
    source = recursive(
        f"SELECT id, {first} FROM comments WHERE id = [root]",
        f"SELECT c.id, {repeated} FROM comments c JOIN thread t ON c.parent = t.id",
        columns="(id, n)",
    ).replace("SELECT id FROM thread", "SELECT n FROM thread")
    compiled = piql.compile(source)
    assert [finding for finding in compiled.diagnostics if finding.severity == "error"] == []
    plan = compiled.queries["q"].plan
    assert plan is not None
    assert str(plan.fields[0].type) == type  # type: ignore[attr-defined]


def test_several_queries_may_begin_a_recursion() -> None:
    further = "SELECT id, parent FROM comments WHERE id = [another]"
    assert piql.compile(recursive(f"{ANCHOR} UNION ALL {further}")).diagnostics == ()


def test_a_name_of_with_hides_a_table_and_is_found_in_any_case() -> None:
    query = recursive().replace("thread", "users").replace("FROM users;", "FROM USERS;")
    assert piql.compile(query).diagnostics == ()


def test_two_queries_of_one_with_have_different_names() -> None:
    entry = f"thread AS ({ANCHOR} UNION ALL {STEP}) MAX 3 LEVELS"
    source = f"{SCHEMA}CREATE QUERY q AS WITH RECURSIVE {entry}, {entry} SELECT id FROM thread;"
    assert findings(source)[0][:2] == ("duplicate-alias", "thread appears twice in WITH")


def test_a_second_with_behind_the_first_is_refused() -> None:
    with_clause = f"WITH RECURSIVE thread AS ({ANCHOR} UNION ALL {STEP}) MAX 3 LEVELS"
    source = f"{SCHEMA}CREATE QUERY q AS {with_clause} ({with_clause} SELECT id FROM thread);"
    assert only_finding(source)[:2] == ("syntax-error", "a query has one WITH, and this is the second")


def test_pages_of_rows_that_may_be_equal_are_refused() -> None:
    source = recursive().replace("SELECT id FROM thread", "SELECT id FROM thread ORDER BY id PAGINATE 5")
    assert only_finding(source)[0] == "indistinct-page"
    assert piql.compile(source.replace("UNION ALL", "UNION")).diagnostics == ()


def test_what_is_formatted_says_the_same() -> None:
    source = Source(recursive(columns="(id, parent)"))
    text = print_file(parse(source))
    assert print_file(parse(Source(text))) == text
    assert parse(Source(text)).statements == parse(source).statements
    assert ") MAX 3 LEVELS\nSELECT id\nFROM thread;" in text


def test_an_edit_of_the_depth_leaves_nothing_stale() -> None:
    compiler = piql.compiler.compiler.Compiler()
    before = compiler.compile({"q.piql": recursive()})
    after = compiler.compile({"q.piql": recursive(depth="MAX 4 LEVELS")})
    afresh = piql.compile({"q.piql": recursive(depth="MAX 4 LEVELS")})
    assert before.queries["q"].bound != after.queries["q"].bound
    assert after.queries["q"].bound == afresh.queries["q"].bound
