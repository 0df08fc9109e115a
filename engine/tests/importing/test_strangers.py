"""Schemas of strangers: what the import writes compiles, is deployed and takes rows, and nothing is lost in silence."""

from __future__ import annotations

import random
import re
from pathlib import Path

import piql
import pytest
from piql.files.generated import load_generated
from piql.generating.wish import Wish
from piql.importing import ImportRefused, decoded, import_text
from piql.importing.dialects import DIALECTS, recognise

from .rows import rows_of

SCHEMAS = sorted((Path(__file__).parent / "schemas").iterdir())
# For each file its dialect, how many statements it has, and how many of its tables are taken.
COUNTS = {
    "auction.mysqldump.sql": ("mysql", 22, 4),
    "blog.phpmyadmin.sql": ("mysql", 16, 4),
    "forum.pg_dump.sql": ("postgres", 49, 4),
    "hotel.cql": ("cql", 10, 4),
    "music.sqlite_dump.sql": ("sqlite", 19, 6),
    "staff.oracle.sql": ("oracle", 26, 4),
    "suppliers.standard.sql": ("postgres", 25, 10),
    "tpcc.sqlite.sql": ("sqlite", 12, 9),
    "trade.tsql.sql": ("tsql", 23, 4),
    "videos.cql": ("cql", 15, 3),
}
of_each_schema = pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)


def text_of(path: Path) -> str:
    return decoded(path.read_bytes())


@of_each_schema
def test_what_the_import_writes_compiles_without_an_error(path: Path) -> None:
    compilation = piql.compile(import_text(text_of(path)).text)
    assert [finding.message for finding in compilation.diagnostics if finding.severity == "error"] == []


@of_each_schema
def test_an_imported_schema_is_deployed_and_takes_rows(path: Path) -> None:
    compilation = piql.compile(import_text(text_of(path)).text)
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in rows_of(compilation.tables, 3):
            db.load(table, rows)
            assert len(db.run(f'SELECT * FROM "{table.replace(chr(34), chr(34) * 2)}" LIMIT 10').rows) == 3


@of_each_schema
def test_an_imported_schema_takes_the_rows_of_the_generator(path: Path) -> None:
    compilation = piql.compile(import_text(text_of(path)).text)
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        made = {table.report.table: table.report.rows for table in load_generated(db, Wish(20))}
        assert made == dict.fromkeys(compilation.tables, 20)


@of_each_schema
def test_every_statement_is_counted_and_none_left_out_without_a_reason(path: Path) -> None:
    imported = import_text(text_of(path))
    dialect, statements, tables = COUNTS[path.name]
    assert (imported.dialect, sum(statement.count for statement in imported.statements), len(imported.tables)) == (
        dialect,
        statements,
        tables,
    )
    noted = {(note.line, note.reason) for note in imported.notes}
    for statement in imported.statements:
        assert (statement.outcome == "left out") == bool(statement.reason)
        assert statement.outcome != "left out" or (statement.line, statement.reason) in noted


@of_each_schema
def test_every_line_of_the_input_belongs_to_a_statement_or_is_blank_or_a_comment(path: Path) -> None:
    text = text_of(path)
    covered = {
        line for statement in import_text(text).statements for line in range(statement.line, statement.last_line + 1)
    }
    between = re.compile(r"\s*(?:$|--|//|#|/\*|GO\s*$|/\s*$|DELIMITER |\\\.)")
    lines = enumerate(text.splitlines(), start=1)
    assert [line for number, line in lines if number not in covered and not between.match(line)] == []


@of_each_schema
def test_every_column_of_the_input_is_in_a_table_or_in_a_note(path: Path) -> None:
    """Columns are found here by their lines alone: a name and a type, one on each line."""
    imported = import_text(text_of(path))
    said = imported.text + "".join(note.subject for note in imported.notes)
    column = re.compile(r"^\s*,?\s*[\[`\"]?(?P<name>\w+)[\]`\"]? +\[?(?:int|text|varchar|uuid|number|timestamp)", re.I)
    names = {match["name"] for line in text_of(path).splitlines() if (match := column.match(line))} - {"Insert"}
    assert [name for name in sorted(names) if name not in said] == []


@of_each_schema
def test_an_import_is_the_same_each_time(path: Path) -> None:
    assert import_text(text_of(path)) == import_text(text_of(path))


def line_of_refusal(text: str, dialect: str) -> int | None:
    """Import a text; return the line where it is refused, None where it is not."""
    try:
        import_text(text, dialect)
    except ImportRefused as refused:
        return refused.line
    return None


def errors_in(text: str, dialect: str) -> list[str]:
    """Return the errors in what an import writes; none where it refuses the text, which has to be with a line."""
    try:
        imported = import_text(text, dialect)
    except ImportRefused as refused:
        return [] if refused.line else [f"no line: {refused}"]
    return [
        f"{finding.code}: {finding.message}"
        for finding in piql.compile(imported.text).diagnostics
        if finding.severity == "error"
    ]


@of_each_schema
def test_a_file_that_is_cut_off_anywhere_is_refused_with_a_line_or_imported(path: Path) -> None:
    text = text_of(path)
    for end in range(1, len(text), max(1, len(text) // 40)):
        line = line_of_refusal(text[:end], "auto")
        assert line is None or 1 <= line <= text.count("\n", 0, end) + 1


@of_each_schema
def test_a_file_with_characters_changed_is_refused_or_what_is_written_compiles(path: Path) -> None:
    numbers = random.Random(path.name)
    for _ in range(6):
        damaged = list(text_of(path))
        for _ in range(4):
            at = numbers.randrange(len(damaged))
            damaged[at] = numbers.choice(["", ",", ";", "`", " ", "x", "\n", "[", "()", " PRIMARY KEY ", " NOT "])
        assert errors_in("".join(damaged), COUNTS[path.name][0]) == []


@of_each_schema
def test_every_dialect_reads_or_refuses_every_file(path: Path) -> None:
    assert [error for dialect in DIALECTS for error in errors_in(text_of(path), dialect)] == []


def test_the_dialect_is_recognised() -> None:
    assert {path.name: recognise(text_of(path)).name for path in SCHEMAS} == {
        name: dialect for name, (dialect, _, _) in COUNTS.items()
    }
