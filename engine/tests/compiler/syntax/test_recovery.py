"""A broken statement never hides the others."""

from __future__ import annotations

import piql
import pytest
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse
from piql.text.source import Source

GOOD = "CREATE QUERY good AS SELECT a FROM t;\n"


def names(text: str) -> list[tuple[str, bool]]:
    return [
        (statement.name.text, statement.is_broken)
        for statement in parse(Source(text)).statements
        if isinstance(statement, ast.CreateQuery | ast.CreateTable | ast.CreateEntity)
    ]


@pytest.mark.parametrize(
    "broken",
    [
        "CREATE QUERY bad AS SELECT FROM t;",
        "CREATE QUERY bad AS SELECT a FROM t WHERE;",
        "CREATE QUERY bad AS SELECT a FROM t WHERE a = (1",
        "CREATE QUERY bad AS",
        "CREATE QUERY bad",
        "CREATE QUERY bad AS SELECT a FROM t WHERE a = 'x",
        "CREATE QUERY bad AS SELECT a FROM t WHERE a = $;",
        "CREATE QUERY bad AS DROP TABLE t;",
        "CREATE QUERY bad AS SELECT a FROM t LIMIT many",
        "CREATE TABLE bad (a INT, b, c TEXT);",
        "CREATE TABLE bad (a INT, b INT",
        "ENTITY bad { int a, string, bool c PRIMARY(a) }",
        "ENTITY bad { int a, PRIMARY a }",
        "QUERY bad FETCH",
        "QUERY bad FETCH Person OF Pet WHERE Person = [this]",
        "QUERY bad FETCH Person WHERE Person = [this",
    ],
)
def test_the_statements_around_a_broken_one_are_read(broken: str) -> None:
    text = f"{GOOD}{broken}\n{GOOD.replace('good', 'fine')}"
    assert names(text) == [("good", False), ("bad", True), ("fine", False)]
    assert len(parse(Source(text)).diagnostics) == 1


@pytest.mark.parametrize("stray", ["garbage here;", "SELCT a FROM t;", ")", "CREATE VIEW v;", "DROP TABLE t;", "1"])
def test_something_else_between_statements_is_one_finding(stray: str) -> None:
    text = f"{GOOD}{stray}\n{GOOD.replace('good', 'fine')}"
    assert names(text) == [("good", False), ("fine", False)]
    assert len(parse(Source(text)).diagnostics) == 1


def test_a_finding_names_the_query_it_belongs_to() -> None:
    parsed = parse(Source(GOOD + "CREATE QUERY bad AS SELECT a b c FROM t;\nCREATE QUERY worse AS SELECT $ FROM t;"))
    assert {diagnostic.query for diagnostic in parsed.diagnostics} == {"bad", "worse"}


def test_a_broken_column_leaves_the_others() -> None:
    (table,) = parse(Source("CREATE TABLE t (a INT, b WRONG (x), c TEXT, PRIMARY KEY a, CHECK (a > 1));")).statements
    assert isinstance(table, ast.CreateTable)
    assert [element.span.text for element in table.elements] == ["a INT", "c TEXT", "CHECK (a > 1)"]


def test_a_comma_behind_the_last_element_of_a_table_is_forgiven() -> None:
    parsed = parse(Source("CREATE TABLE t (\n  a INT PRIMARY KEY,\n\n);"))
    assert not parsed.diagnostics


def test_a_missing_semicolon_is_said_once_and_both_statements_are_whole() -> None:
    text = "CREATE TABLE t (a INT PRIMARY KEY)\n" + GOOD
    parsed = parse(Source(text))
    assert names(text) == [("t", False), ("good", False)]
    (finding,) = parsed.diagnostics
    (edit,) = finding.fixes[0].edits
    assert text[: edit.start] + edit.text + text[edit.end :] == text.replace(")\n", ");\n", 1)


@pytest.mark.parametrize(
    ("word", "kind"), [("SELECT", "select"), ("INSERT", "insert"), ("UPDATE", "update"), ("DELETE", "delete")]
)
def test_a_broken_query_keeps_its_kind(word: str, kind: str) -> None:
    (query,) = parse(Source(f"CREATE QUERY q AS {word} ;")).statements
    assert isinstance(query, ast.CreateQuery)
    assert (query.kind, query.is_broken, query.body) == (kind, True, None)


@pytest.mark.parametrize(
    ("statement", "clause"),
    [
        ("CREATE TABLE t (id INT PRIMARY KEY)", " WITH CLUSTERING ORDER BY (id DESC)"),
        ("CREATE QUERY q AS SELECT id FROM u WHERE id = 1", " ALLOW FILTERING"),
    ],
)
def test_leaving_out_a_clause_leaves_the_next_statement_where_no_semicolon_stands_between(
    statement: str, clause: str
) -> None:
    following = "\nCREATE QUERY r AS SELECT id FROM u WHERE id = 2;\nCREATE TABLE u (id INT PRIMARY KEY);"
    text = statement + clause + following
    edits = [edit for diagnostic in parse(Source(text)).diagnostics for fix in diagnostic.fixes for edit in fix.edits]
    assert [text[edit.start : edit.end] for edit in edits] == [clause]


@pytest.mark.parametrize("behind", ["FOR UPDATE", "ALLOW FILTERING", "OFFSET 3", "FETCH FIRST 2 ROWS ONLY", "nonsense"])
def test_a_query_with_an_error_behind_its_end_has_no_bound(behind: str) -> None:
    compilation = piql.compile(
        f"CREATE TABLE t (id INT PRIMARY KEY);\nCREATE QUERY q AS SELECT id FROM t LIMIT 5 {behind};"
    )
    assert not compilation.queries["q"].is_bounded
    assert {diagnostic.query for diagnostic in compilation.diagnostics} == {"q"}
