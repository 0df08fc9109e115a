"""Whatever the text: the front end answers, raises nothing, and every span lies inside the text."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from piql.compiler.binding.binder import bind, bind_statement
from piql.compiler.binding.conversion import as_sql
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.editor.service.completion import complete
from piql.editor.service.navigation import references
from piql.editor.service.outline import folds, outline
from piql.editor.service.semantic_tokens import semantic_tokens
from piql.editor.service.signature import signature
from piql.text.diagnostics.render import render
from piql.text.source import Source

from .samples import ALL

PIECES = sorted(
    set(re.findall(r"\w+|'[^']*'|\S", ALL))
    | {"WITH", "RECURSIVE", "OVER", "OFFSET", "CASE", "'", '"', "/*", "--", "😀"}
)
QUICK = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(text: str) -> None:
    source = Source(text, "text.piql")
    parsed = parse(source)
    program = bind((parsed,))
    for diagnostic in program.diagnostics:
        spans = [diagnostic.span, *(label.span for label in diagnostic.labels)]
        for span in spans:
            assert 0 <= span.start < span.end <= len(text), diagnostic
        for edit in (edit for fix in diagnostic.fixes for edit in fix.edits):
            assert 0 <= edit.start <= edit.end <= len(text), diagnostic
        assert diagnostic.message
        assert render(diagnostic)
    for statement in parsed.statements:
        for node in statement.walk():
            if isinstance(node, ast.AstNode):
                assert 0 <= node.span.start <= node.span.end <= len(text), node
        if isinstance(statement, ast.Select | ast.UnionQuery | ast.Fetch | ast.Insert | ast.Update | ast.Delete):
            bind_statement(statement, program.catalog)
    print_file(parsed)
    as_sql([parsed])


@QUICK
@given(st.text(max_size=200))
def test_any_characters(text: str) -> None:
    check(text)


@QUICK
@given(st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join))
def test_any_words_of_the_language(text: str) -> None:
    check(text)


@QUICK
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
def test_any_words_after_the_beginning_of_a_query(text: str) -> None:
    check("CREATE TABLE users (username VARCHAR(32) PRIMARY KEY);\nCREATE QUERY q AS SELECT " + text)


@QUICK
@given(st.integers(0, len(ALL)), st.integers(0, 12), st.text(max_size=6) | st.sampled_from(PIECES))
def test_any_change_of_a_sample(start: int, length: int, put: str) -> None:
    check(ALL[:start] + put + ALL[start + length :])


@QUICK
@given(st.integers(0, len(ALL)))
def test_any_beginning_of_a_sample(end: int) -> None:
    check(ALL[:end])


@QUICK
@given(st.integers(0, len(ALL)), st.integers(0, 8))
def test_the_language_service_answers_anywhere(at: int, left_out: int) -> None:
    text = ALL[:at] + ALL[at + left_out :]
    texts = {"text.piql": text}
    for item in complete(texts, "text.piql", at):
        assert item.label
        assert item.insert_text
    for reference in references(texts, "text.piql", at):
        assert 0 <= reference.span.start < reference.span.end <= len(text)
    signature(texts, "text.piql", at)
    ends = 0
    for token in semantic_tokens(texts, "text.piql"):
        assert ends <= token.start < token.end <= len(text)
        ends = token.end
    outline(text)
    folds(text)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE QUERY q AS SELECT a FROM t WHERE " + "(" * 200 + "a = 1" + ")" * 200 + ";",
        "CREATE QUERY q AS SELECT a FROM t WHERE " + "NOT " * 5000 + "a;",
        "CREATE QUERY q AS SELECT " + "-" * 1 + "- ".join("1" * 3) + "+ 1" * 5000 + " FROM t;",
        "CREATE QUERY q AS SELECT " + "(1 + " * 300 + "1" + ")" * 300 + " FROM t;",
        "CREATE QUERY q AS SELECT a FROM t WHERE a = " + "- " * 3000 + "1;",
        "CREATE QUERY q AS SELECT a FROM " + "(SELECT a FROM " * 300 + "t" + ") x" * 300 + ";",
        "CREATE QUERY q AS SELECT a FROM t" + " JOIN t ON a = a" * 3000 + ";",
        "CREATE QUERY q AS SELECT a FROM t" + " UNION SELECT a FROM t UNION ALL SELECT a FROM t" * 3000 + ";",
        "CREATE QUERY q AS SELECT a FROM t WHERE " + "a IN (SELECT a FROM t WHERE " * 300 + "a" + ")" * 300 + ";",
        "CREATE QUERY q AS SELECT " + "LOWER(" * 500 + "'a'" + ")" * 500 + " FROM t;",
        "CREATE QUERY q AS SELECT a FROM t WHERE " + "a <> 1 AND " * 3000 + "a = 1;",
    ],
)
def test_deep_nesting_and_very_long_rows_are_findings(text: str) -> None:
    check(text)
    assert {"nesting-too-deep", "too-many"} & {diagnostic.code for diagnostic in parse(Source(text)).diagnostics}


def test_long_lists_are_no_nesting() -> None:
    table = "CREATE TABLE t (a INT PRIMARY KEY);\n"
    values = ", ".join(map(str, range(5000)))
    parts = " OR ".join(f"a = {number}" for number in range(5000))
    text = f"{table}CREATE QUERY q AS SELECT a FROM t WHERE a IN ({values}) AND ({parts});"
    check(text)
    assert not bind((parse(Source(text)),)).diagnostics


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ALL * (1_000_000 // len(ALL)), id="samples"),
        pytest.param("(" * 1_000_000, id="parentheses"),
        pytest.param("a " * 500_000, id="words"),
        pytest.param("x; " * 333_000, id="broken statements"),
        pytest.param("'" * 1_000_000, id="quotes"),
        pytest.param("$" * 1_000_000, id="one stray character"),
        pytest.param("$ " * 500_000, id="stray characters"),
        pytest.param("/*" * 500_000, id="comments"),
        pytest.param('"\n' * 500_000, id="unclosed names"),
        pytest.param("CREATE TABLE t (" + "a INT, " * 140_000 + ");", id="columns"),
        pytest.param("CREATE TABLE t (" + "a a a, " * 140_000 + ");", id="broken columns"),
        pytest.param("CREATE QUERY q AS " * 55_000, id="queries without a body"),
    ],
)
def test_a_large_text_costs_in_proportion_to_a_tenth_of_it(text: str) -> None:
    text = text[:150_000]

    def seconds(part: str) -> float:
        before = time.process_time()
        bind((parse(Source(part)),))
        return time.process_time() - before

    # Ten times the text may cost thirty times as much, never a hundred times: a busy machine may slow one attempt down.
    assert any(seconds(text) < 0.3 + 30 * seconds(text[: len(text) // 10]) for _ in range(3))
