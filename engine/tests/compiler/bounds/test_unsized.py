"""A column without a length is told of once, where it is declared, whatever reads it and wherever that stands."""

from __future__ import annotations

import piql
from piql.compiler import Compiler
from piql.text.diagnostics.diagnostic import Diagnostic

from ..syntax.test_incremental import compiled_afresh, described

SCHEMA = "CREATE TABLE notes (id INT PRIMARY KEY, title VARCHAR(40), body TEXT, picture BLOB);\n"


def query(name: str, columns: str) -> str:
    return f"CREATE QUERY {name} AS SELECT {columns} FROM notes WHERE id = [id];\n"


def findings(compilation: piql.Compilation) -> list[Diagnostic]:
    return [finding for finding in compilation.diagnostics if finding.code == "unsized-column"]


def test_a_column_is_told_of_once_at_its_declaration_with_the_number_of_queries_and_the_first() -> None:
    text = SCHEMA + query("first", "body") + query("second", "title, body") + query("third", "picture, body")
    body, picture = findings(piql.compile(text))
    assert (body.span.text, body.query) == ("body TEXT", None)
    assert body.message == "body has no length, so the bytes of 3 queries count 64 KiB for each of its values"
    assert [(label.span.text, label.text) for label in body.labels] == [("first", "the first query of them")]
    assert picture.span.text == "picture BLOB"
    assert picture.message == "picture has no length, so the bytes of third count 64 KiB for each of its values"


def test_a_query_that_reads_a_column_twice_counts_once_and_no_query_has_a_finding_of_its_own() -> None:
    compilation = piql.compile(
        SCHEMA + "CREATE QUERY pair AS SELECT a.body, b.body other FROM notes a JOIN notes b ON b.id = a.id "
        "WHERE a.id = [id];"
    )
    (finding,) = findings(compilation)
    assert "bytes of pair count" in finding.message
    assert compilation.queries["pair"].unsized == (("notes", "body"),)
    assert compilation.queries["pair"].diagnostics == ()


def test_a_column_that_no_query_fetches_is_not_told_of() -> None:
    assert findings(piql.compile(SCHEMA + query("titles", "title"))) == []
    assert findings(piql.compile(SCHEMA)) == []


def test_columns_of_one_name_in_two_tables_are_two_findings() -> None:
    text = SCHEMA + SCHEMA.replace("notes", "letters") + query("note", "body")
    (of_notes,) = findings(piql.compile(text))
    assert of_notes.span.line == 1
    both = findings(piql.compile(text + query("letter", "body").replace("FROM notes", "FROM letters")))
    assert [finding.span.line for finding in both] == [1, 2]


def test_an_edit_of_any_file_changes_what_is_said_as_if_nothing_had_been_compiled_before() -> None:
    compiler = Compiler()
    files = {
        "a.piql": query("first", "body"),
        "b.piql": query("second", "body") + query("third", "title"),
        "schema.piql": SCHEMA,
    }
    edits = [
        ({}, "2 queries"),
        ({"b.piql": query("second", "body") + query("third", "body")}, "3 queries"),
        ({"a.piql": "\n\n" + query("first", "title")}, "2 queries"),
        ({"schema.piql": "-- a comment\n" + SCHEMA}, "2 queries"),
        ({"b.piql": query("third", "body")}, "third"),
        ({"a.piql": query("fourth", "body") + query("broken", "bdy")}, "2 queries"),
        ({"b.piql": ""}, "fourth"),
        ({"schema.piql": SCHEMA.replace("body TEXT", "body VARCHAR(9)")}, None),
        ({"schema.piql": SCHEMA.replace("title VARCHAR(40), body TEXT", "body TEXT, title INT")}, "fourth"),
    ]
    for edit, affected in edits:
        files |= edit
        compilation = compiler.compile(files)
        assert described(compilation) == described(compiled_afresh(files))
        of_body = [finding for finding in findings(compilation) if finding.span.text == "body TEXT"]
        assert [f"bytes of {affected} count" in finding.message for finding in of_body] == [True] * (
            affected is not None
        )
