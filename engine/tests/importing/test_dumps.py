"""Dumps: rows are skipped, what is cut off or no SQL is refused with its line, and each change has its line."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.commands.importing import import_
from piql.importing import ImportRefused, decoded, import_text
from piql.importing.dialects import DIALECTS, POSTGRES
from piql.importing.schema import Note
from piql.importing.statements import statements_of

TABLE = "CREATE TABLE t (id INT PRIMARY KEY);\n"
REFUSED = {
    "CREATE TABLE t (\n  id INT,\n": ("the bracket ( that begins here is never closed", 1),
    "CREATE TABLE t (id INT);\nINSERT INTO t VALUES (1),\n(2": ("the file ends inside this INSERT", 2),
    "CREATE TABLE t (id INT);\nINSERT INTO t VALUES ('a": ("the quote ' that begins here is never closed", 2),
    "-- x\nCREATE TABLE t (id INT DEFAULT 'a);\n": ("the quote ' that begins here is never closed", 2),
    "CREATE TABLE t (id INT); /* x\n": ("the comment that begins here is never closed", 1),
    "CREATE TABLE t (id bigint);\nCOPY t (id) FROM stdin;\n1\n2\n": ("the rows of this COPY have no end", 2),
    "Dear reader,\nthis is a letter": ("this is not SQL", 1),
    "-- nothing but a comment": ("there is no statement in this text", 1),
}


def notes_of(text: str, dialect: str = "auto") -> list[tuple[int, str, str]]:
    return [(note.line, note.outcome, note.subject) for note in import_text(text, dialect).notes]


@pytest.mark.parametrize(("text", "refusal"), REFUSED.items())
def test_what_is_cut_off_or_no_sql_is_refused_with_its_line(text: str, refusal: tuple[str, int]) -> None:
    with pytest.raises(ImportRefused) as caught:
        import_text(text)
    assert (caught.value.reason.startswith(refusal[0]), caught.value.line) == (True, refusal[1])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PGDMP\x01\x0e", "pg_restore"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"CREATE\n\xff\xfe\xfd", "not UTF-8 text"),
        (b"SQLite format 3\x00\x10", "zero byte"),
    ],
)
def test_what_is_no_text_is_refused_with_what_it_is(data: bytes, reason: str) -> None:
    with pytest.raises(ImportRefused, match=reason):
        decoded(data)


def test_a_script_in_utf_16_is_read() -> None:
    assert import_text(
        decoded("CREATE TABLE [größe]([id] [int] NOT NULL PRIMARY KEY)\r\nGO\r\n".encode("utf-16"))
    ).tables == ("größe",)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_rows_are_skipped_without_being_cut_into_tokens(dialect: str) -> None:
    rows = ",\n".join(f"({number}, 'it''s; a row')" for number in range(2000))
    text = TABLE + f"INSERT INTO t VALUES {rows};\n" * 3 + "CREATE TABLE u (id INT PRIMARY KEY);"
    statements = list(statements_of(text, DIALECTS[dialect]))
    assert [len(statement.tokens) for statement in statements] == [9, 3, 3, 3, 9]
    assert import_text(text, dialect).tables == ("t", "u")


def test_copied_rows_are_skipped_to_their_end() -> None:
    text = (
        TABLE
        + "COPY t (id) FROM stdin;\n"
        + "CREATE TABLE x (';\n" * 5000
        + "\\.\nCREATE TABLE u (id INT PRIMARY KEY);"
    )
    assert [statement.line for statement in statements_of(text, POSTGRES)] == [1, 2, 5004]
    assert import_text(text, "postgres").tables == ("t", "u")


def test_each_change_and_each_omission_has_the_line_where_it_stands() -> None:
    text = """CREATE TABLE a (
  id SMALLINT PRIMARY KEY,
  kind TEXT DEFAULT 'x'
    CHECK (kind ~ '^[a-z]'),
  tags TEXT[]
);
CREATE VIEW v AS SELECT id FROM a;
CREATE INDEX i ON a (lower(kind));
SELECT 1;
"""
    assert notes_of(text, "postgres") == [
        (2, "changed", "a.id"),
        (4, "left out", "CHECK of a.kind"),
        (5, "left out", "a.tags"),
        (7, "left out", "CREATE VIEW v AS SELECT id FROM a"),
        (8, "left out", "CREATE INDEX i ON a (lower(kind))"),
        (9, "left out", "SELECT 1"),
    ]


def test_what_the_input_says_twice_or_cannot_mean_is_noted() -> None:
    text = """CREATE TABLE a (id INT PRIMARY KEY, b INT UNIQUE, c INT REFERENCES a (b), UNIQUE (id), UNIQUE (b),
  Id TEXT);
CREATE TABLE A (id INT PRIMARY KEY);
ALTER TABLE a ADD FOREIGN KEY (c) REFERENCES a (b);
ALTER TABLE a ADD FOREIGN KEY (b, c) REFERENCES a;
ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES nowhere (id);
ALTER TABLE nowhere ADD PRIMARY KEY (id);
"""
    assert [(note.line, note.reason) for note in import_text(text).notes] == [
        (1, "the primary key already says this"),
        (1, "line 1 already says this"),
        (2, "there is a column id already"),
        (3, "there is already a table A"),
        (4, "line 1 already says this"),
        (5, "it has 2 columns, and the key of a has 1"),
        (6, "the table nowhere is not imported"),
        (7, "there is no earlier table nowhere"),
    ]


def test_both_spellings_of_a_changed_column_type_are_read() -> None:
    table = "CREATE TABLE a (id INT PRIMARY KEY, b INT NOT NULL);"
    for spelling in ("TYPE", "SET DATA TYPE"):
        imported = import_text(f"{table}\nALTER TABLE a ALTER COLUMN b {spelling} VARCHAR(9);", "postgres")
        assert "  b  VARCHAR(9) NOT NULL\n" in imported.text
        assert imported.notes == ()


def test_every_integer_of_sqlite_keeps_its_64_bits() -> None:
    text = "CREATE TABLE a (id INTEGER PRIMARY KEY, at INT, b SMALLINT, c TINYINT(1), d INT8, e MEDIUMINT UNSIGNED);"
    columns = piql.compile(import_text(text, "sqlite").text).tables["a"].columns
    assert {column.type.kind.name for column in columns} == {"BIGINT"}


ORACLE = """CREATE TABLE T (A NUMBER(4), B VARCHAR2(3), C CLOB, D NUMBER(10), E DATE, F VARCHAR2(3));
ALTER TABLE T ADD (CONSTRAINT PK PRIMARY KEY (A), G NUMBER(3));
ALTER TABLE T MODIFY D NOT NULL;
ALTER TABLE T MODIFY (E DEFAULT SYSDATE NOT NULL ENABLE, F CONSTRAINT has_f NOT NULL, A NUMBER(12));
ALTER TABLE T MODIFY D NULL;
ALTER TABLE T MODIFY (B DEFAULT 'x');
ALTER TABLE T DROP (C, G);
"""


def test_a_column_that_is_modified_without_a_type_keeps_it_and_lists_stand_in_brackets() -> None:
    imported = import_text(ORACLE, "oracle")
    columns = imported.text.partition("CREATE TABLE T (\n")[2].partition("\n);")[0]
    assert [" ".join(line.split()).rstrip(",") for line in columns.splitlines()] == [
        "A BIGINT PRIMARY KEY",
        "B VARCHAR(3) DEFAULT 'x'",
        "D BIGINT",
        "E TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
        "F VARCHAR(3) NOT NULL",
    ]
    assert [note for note in imported.notes if note.outcome == "left out"] == []


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("cql", "CREATE TABLE a (id int, other int, name text STATIC, PRIMARY KEY (id, other));"),
        (
            "postgres",
            "CREATE TABLE a (id int, other int, name text, PRIMARY KEY (id, other));\nALTER TABLE a DROP name;",
        ),
    ],
)
def test_a_table_of_keys_is_taken_where_no_column_of_its_rows_is_lost(dialect: str, text: str) -> None:
    assert import_text(text, dialect).tables == ("a",)


def test_a_foreign_table_is_named_where_a_statement_refers_to_it() -> None:
    text = "CREATE FOREIGN TABLE far (id INT);\nCREATE TABLE a (id INT PRIMARY KEY);\nCREATE INDEX i ON far (id);"
    reasons = {note.line: note.reason for note in import_text(text, "postgres").notes}
    assert reasons[3] == "the table far is left out, see line 1"


def test_a_dump_without_its_last_line_is_noted() -> None:
    whole = "-- PostgreSQL database dump\n" + TABLE
    assert Note(
        3, "left out", "the end of the file", "the line with which a dump ends is missing: it may be cut off"
    ) in (import_text(whole).notes)
    assert import_text(whole + "-- PostgreSQL database dump complete\n").notes == ()


def test_a_table_that_is_dropped_again_is_not_imported() -> None:
    assert import_text(TABLE + "DROP TABLE t;\nCREATE TABLE u (id INT PRIMARY KEY);").tables == ("u",)


def test_the_command_writes_a_file_and_lists_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema, out = tmp_path / "schema.sql", tmp_path / "schema.piql"
    schema.write_text(TABLE + "CREATE VIEW v AS SELECT id FROM t;\n")
    assert import_([str(schema), "--out", str(out)]) == 0
    assert "CREATE TABLE t (\n  id INT PRIMARY KEY\n);\n" in out.read_text()
    printed = capsys.readouterr()
    assert printed.err.startswith("schema.sql:2: left out: CREATE VIEW v AS SELECT id FROM t: views are not translated")
    assert import_([str(schema), "--out", str(out)]) == 1


def test_the_command_says_the_line_of_a_refused_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = tmp_path / "schema.sql"
    schema.write_text("CREATE TABLE t (id INT);\nCREATE TABLE u (\n")
    assert import_([str(schema)]) == 1
    assert capsys.readouterr().err.startswith(f"{schema}:2: the bracket (")
    assert import_([str(tmp_path / "missing.sql")]) == 1
    assert "No such file" in capsys.readouterr().err
