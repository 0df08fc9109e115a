"""`-- allow(code): why` makes a warning a hint with its reason; what allows nothing is told."""

from __future__ import annotations

import piql
import pytest
from piql import Diagnostic

SCHEMA = "CREATE TABLE users (id INT PRIMARY KEY, town VARCHAR(20), CARDINALITY LIMIT 5000 (town));\n"
EXPENSIVE = "CREATE QUERY {name} AS SELECT id FROM users WHERE town IN [towns] MAX 10;\n"
CHEAP = "CREATE QUERY one AS SELECT town FROM users WHERE id = [id];\n"


def findings(text: str) -> list[Diagnostic]:
    return list(piql.compile(SCHEMA + text).diagnostics)


@pytest.mark.parametrize(
    "text",
    [
        "-- allow(expensive-query): the report of the night\n" + EXPENSIVE.format(name="q"),
        "CREATE QUERY q AS -- allow(expensive-query): the report of the night\n" + EXPENSIVE.partition(" AS ")[2],
        "// ALLOW( Expensive-Query ) the report of the night\n" + EXPENSIVE.format(name="q"),
    ],
)
def test_a_warning_that_the_text_allows_is_a_hint_with_the_reason(text: str) -> None:
    (finding,) = findings(text)
    assert (finding.code, finding.severity, finding.allowed) == (
        "expensive-query",
        "info",
        "the report of the night",
    )


def test_it_holds_for_its_own_statement_only() -> None:
    text = "-- allow(expensive-query): nightly\n" + EXPENSIVE.format(name="a") + EXPENSIVE.format(name="b")
    assert [(finding.query, finding.severity) for finding in findings(text)] == [("a", "info"), ("b", "warning")]


def test_the_query_says_the_same_as_the_whole_set() -> None:
    compilation = piql.compile(SCHEMA + "-- allow(expensive-query): nightly\n" + EXPENSIVE.format(name="q"))
    assert compilation.queries["q"].diagnostics == compilation.diagnostics


def test_one_comment_allows_several_findings_and_may_have_a_space() -> None:
    index = "CREATE INDEX by_word ON users (TOKEN(town));\n"
    text = "-- allow (expensive-query, hot-partition): nightly\n" + EXPENSIVE.format(name="q")
    assert [(finding.code, finding.severity) for finding in findings(text)] == [
        ("unused-allow", "warning"),
        ("expensive-query", "info"),
    ]
    assert [finding.severity for finding in findings("-- allow (unused-index): support\n" + index + CHEAP)] == ["info"]


def test_prose_about_what_is_allowed_is_no_such_comment() -> None:
    assert findings("-- allow users to leave: a town\n" + CHEAP) == []
    assert findings("-- allow (few) users to leave\n" + CHEAP) == []


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("-- allow(expensive-query): nightly", "`expensive-query` is not found here, so nothing is allowed"),
        ("-- allow(expensive-quer): nightly", "no finding is called `expensive-quer`"),
        (
            "-- allow( ): nightly",
            "no finding is named here: write `-- allow(expensive-query): the report of the night`",
        ),
        ("-- allow(expensive-query, ,): nightly", "`expensive-query` is not found here, so nothing is allowed"),
        ("-- allow(unbounded-scan): nightly", "`unbounded-scan` is an error, and no error can be allowed"),
    ],
)
def test_a_comment_that_allows_nothing_is_told_and_can_be_left_out(comment: str, message: str) -> None:
    text = comment + "\n" + CHEAP
    (finding,) = findings(text)
    assert (finding.code, finding.message, finding.span.text) == ("unused-allow", message, comment)
    ((edit,),) = [fix.edits for fix in finding.fixes]
    whole = SCHEMA + text
    assert piql.compile(whole[: edit.start] + edit.text + whole[edit.end :]).diagnostics == ()


def test_without_a_reason_nothing_is_allowed() -> None:
    codes = {
        finding.code: finding.severity
        for finding in findings("-- allow(expensive-query)\n" + EXPENSIVE.format(name="q"))
    }
    assert codes == {"unused-allow": "warning", "expensive-query": "warning"}


def test_no_error_is_ever_allowed() -> None:
    text = "-- allow(unknown-column): later\nCREATE QUERY q AS SELECT nonsense FROM users WHERE id = [id];\n"
    assert piql.compile(SCHEMA + text).has_errors


def test_nothing_is_said_of_a_comment_while_its_query_has_errors() -> None:
    text = "-- allow(expensive-query): nightly\nCREATE QUERY q AS SELECT nonsense FROM users WHERE id = [id];\n"
    assert [finding.code for finding in findings(text)] == ["unknown-column"]


def test_what_an_edit_leaves_is_what_a_fresh_compilation_says() -> None:
    compiler = piql.compiler.Compiler()
    before = SCHEMA + "-- allow(expensive-query): nightly\n" + EXPENSIVE.format(name="q") + CHEAP
    compiler.compile(before)
    for after in (before.replace("nightly", "daily"), before.replace("5000", "50"), before.replace("[id]", "[key]")):
        edited, fresh = compiler.compile(after), piql.compiler.Compiler().compile(after)
        assert edited.diagnostics == fresh.diagnostics


def test_advice_on_an_index_can_be_allowed() -> None:
    index = (
        "-- allow(unused-index): for the statements of the support team\nCREATE INDEX by_word ON users (TOKEN(town));\n"
    )
    (finding,) = findings(index + CHEAP)
    assert (finding.code, finding.severity) == ("unused-index", "info")
