"""Queries of other SQL become CREATE QUERY: their parameters get names, and what PIQL cannot say becomes a comment."""

from __future__ import annotations

import re
from pathlib import Path

import piql
import pytest
from piql.commands.importing import import_
from piql.importing import Imported, import_text

SCHEMA = """CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, town VARCHAR(10), n INT);
CREATE TABLE "order" (id INT PRIMARY KEY, buyer INT REFERENCES users, total DECIMAL(10, 2));"""
BODY = re.compile(r"^CREATE QUERY \S+ AS\n(.*?);$", re.MULTILINE | re.DOTALL)
WRITTEN = {
    "SELECT name FROM users WHERE id = ?": "SELECT name FROM users WHERE id = [id]",
    "SELECT name FROM users WHERE id = $1 AND n = $1": "SELECT name FROM users WHERE id = [id] AND n = [id]",
    "SELECT name FROM users WHERE id = %s AND n > %s": "SELECT name FROM users WHERE id = [id] AND n > [n]",
    "SELECT name FROM users WHERE id = %(user)s": "SELECT name FROM users WHERE id = [user]",
    "SELECT name FROM users WHERE id = #{user.id}": "SELECT name FROM users WHERE id = [user_id]",
    "SELECT name FROM users WHERE id = :user": "SELECT name FROM users WHERE id = [user]",
    "SELECT name FROM users WHERE id = ? AND id = ?": "SELECT name FROM users WHERE id = [id] AND id = [id2]",
    "SELECT name FROM users WHERE id IN (:ids)": "SELECT name FROM users WHERE id IN [ids] MAX 100",
    "SELECT name FROM users WHERE id IN (?)": "SELECT name FROM users WHERE id IN [ids] MAX 100",
    "SELECT name FROM users WHERE id IN (?, ?)": "SELECT name FROM users WHERE id IN ([id], [id2])",
    "SELECT name FROM users WHERE id = ANY($1)": "SELECT name FROM users WHERE id IN [ids] MAX 100",
    "SELECT id FROM users ORDER BY name LIMIT ?": "SELECT id FROM users ORDER BY name LIMIT [count] MAX 100",
    "SELECT n FROM users WHERE id = ? AND n BETWEEN ? AND ?": (
        "SELECT n FROM users WHERE id = [id] AND n BETWEEN [n] AND [n_to]"
    ),
    "INSERT INTO users (id, name) VALUES (?, ?)": "INSERT INTO users (id, name) VALUES ([id], [name])",
    "INSERT INTO users (id, name) VALUES (?, ?), (?, ?)": (
        "INSERT INTO users (id, name) VALUES ([id], [name]), ([id2], [name2])"
    ),
    "INSERT INTO users (id, name) VALUES (nextval('users_id_seq'), ?)": (
        "INSERT INTO users (id, name) VALUES ([id], [name])"
    ),
    "INSERT INTO users (id, name) VALUES (users_seq.NEXTVAL, ?)": "INSERT INTO users (id, name) VALUES ([id], [name])",
    "INSERT INTO users (id, name) VALUES (NEXT VALUE FOR s, ?)": "INSERT INTO users (id, name) VALUES ([id], [name])",
    "SELECT n FROM users WHERE id = 1 AND LOWER(name) = LOWER(?)": (
        "SELECT n FROM users WHERE id = 1 AND LOWER(name) = LOWER([name])"
    ),
    "UPDATE public.users SET town = ? WHERE id = ?": "UPDATE users SET town = [town] WHERE id = [id]",
    'SELECT total FROM public."order" WHERE id = 1': 'SELECT total FROM "order" WHERE id = 1',
    "SELECT ':x?' || name AS a FROM users WHERE id = 1": "SELECT ':x?' || name AS a FROM users WHERE id = 1",
}


def imported(queries: str, dialect: str = "postgres") -> Imported:
    return import_text(SCHEMA, dialect, "schema.sql", {"queries.sql": queries})


@pytest.mark.parametrize(("query", "written"), WRITTEN.items())
def test_parameters_get_the_names_of_their_columns(query: str, written: str) -> None:
    text = imported(query).text
    assert BODY.findall(text) == [written]
    assert [finding.message for finding in piql.compile(text).diagnostics if finding.severity == "error"] == []


@pytest.mark.parametrize(
    ("query", "dialect"),
    [
        ("SELECT TOP 5 name FROM users ORDER BY name", "tsql"),
        ("SELECT [name] FROM [dbo].[users] ORDER BY [name] OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY", "postgres"),
    ],
)
def test_the_first_rows_are_limited_in_the_words_of_piql(query: str, dialect: str) -> None:
    text = imported(query, dialect).text
    is_read = dialect != "postgres"  # brackets are no names there
    assert bool(re.search(r"^LIMIT 5;$", text, re.MULTILINE)) == is_read


def test_the_first_rows_of_the_standard_stay_as_they_are_written() -> None:
    text = imported("SELECT name FROM users ORDER BY name FETCH FIRST 5 ROWS ONLY", "oracle").text
    assert text.endswith("SELECT name FROM users ORDER BY name FETCH FIRST 5 ROWS ONLY;\n")
    assert not piql.compile(text).has_errors


@pytest.mark.parametrize(
    ("query", "dialect", "written"),
    [
        (
            "INSERT INTO `order` (id, total) VALUES (?, ?) ON DUPLICATE KEY UPDATE total = total + VALUES(total)",
            "mysql",
            'INSERT INTO "order" (id, total) VALUES ([id], [total])'
            " ON CONFLICT(id) DO UPDATE SET total = total + EXCLUDED.total",
        ),
        (
            "INSERT IGNORE INTO users (id, name) VALUES (?, ?)",
            "mysql",
            "INSERT INTO users (id, name) VALUES ([id], [name]) ON CONFLICT DO NOTHING",
        ),
        (
            "INSERT OR IGNORE INTO users (id, name) VALUES (?, ?)",
            "sqlite",
            "INSERT INTO users (id, name) VALUES ([id], [name]) ON CONFLICT DO NOTHING",
        ),
        (
            "INSERT OR REPLACE INTO users (id, name) VALUES (?, ?)",
            "sqlite",
            "INSERT INTO users (id, name) VALUES ([id], [name])",
        ),
        (
            "INSERT INTO users (id, name) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET n = users.n + 1 RETURNING n",
            "postgres",
            "INSERT INTO users (id, name) VALUES ([id], [name]) ON CONFLICT (name) DO UPDATE SET n = users.n + 1"
            " RETURNING n",
        ),
    ],
)
def test_upserts_are_written_in_the_words_of_piql(query: str, dialect: str, written: str) -> None:
    text = imported(query, dialect).text
    bodies = [" ".join(body.split()).replace("( ", "(").replace(" )", ")") for body in BODY.findall(text)]
    assert bodies == [written]
    assert [finding.message for finding in piql.compile(text).diagnostics if finding.severity == "error"] == []


def test_on_duplicate_key_of_a_table_with_several_keys_is_left_out_with_the_way_out() -> None:
    query = "INSERT INTO users (id, name, n) VALUES (?, ?, 1) ON DUPLICATE KEY UPDATE n = n + 1"
    (note,) = [note for note in imported(query, "mysql").notes if note.subject == "insertUsers"]
    assert "ON CONFLICT (key)" in note.reason


def test_what_piql_has_no_words_for_is_a_comment_with_the_reason_and_its_place() -> None:
    read = imported("SELECT name FROM users WHERE id = 1;\n\nSELECT ROW_NUMBER() OVER (ORDER BY id) AS r FROM users;")
    assert read.queries == ("selectUsers",)
    assert re.search(r"^-- queries.sql:3: left out: .*window functions", read.text, re.MULTILINE)
    assert "-- SELECT ROW_NUMBER() OVER (ORDER BY id) AS r FROM users;" in read.text
    assert [(note.file, note.line, note.outcome) for note in read.notes] == [("queries.sql", 3, "left out")]


def test_a_query_that_is_refused_for_its_cost_stays_a_query() -> None:
    read = imported("SELECT id FROM users WHERE town = ?")
    (finding,) = [finding for finding in piql.compile(read.text).diagnostics if finding.severity == "error"]
    assert (finding.code, read.queries) == ("unbounded-scan", ("selectUsers",))


def test_a_recursive_query_stays_a_query_whose_depth_the_compiler_asks_for() -> None:
    text = imported(
        'WITH RECURSIVE bought AS (SELECT id, buyer FROM public."order" WHERE id = $1 '
        'UNION ALL SELECT o.id, o.buyer FROM public."order" o JOIN bought b ON o.id = b.buyer) SELECT id FROM bought'
    ).text
    (finding,) = [finding for finding in piql.compile(text).diagnostics if finding.severity == "error"]
    assert finding.code == "recursive-query"
    (edit,) = finding.fixes[0].edits
    fixed = piql.compile(text[: edit.start] + edit.text + text[edit.end :])
    assert all(query.is_bounded for query in fixed.queries.values())


def test_a_comment_names_a_query_and_names_differ() -> None:
    text = "-- name: get-user :one\n" + "SELECT id FROM users WHERE id = 1;\n" * 3
    assert imported(text).queries == ("get_user", "selectUsers", "selectUsers2")


def test_every_statement_of_a_file_of_queries_is_counted() -> None:
    read = imported(
        "SET x = 1;\nSELECT id FROM users WHERE id = 1;\nSELECT nothing FROM users;\nCREATE TABLE z (a INT);"
    )
    assert [(statement.line, statement.outcome) for statement in read.statements[2:]] == [
        (2, "taken"),
        (3, "left out"),
        (1, "left out"),
        (4, "left out"),
    ]


def test_the_command_takes_files_of_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema, queries = tmp_path / "schema.sql", tmp_path / "queries.sql"
    schema.write_text(SCHEMA)
    queries.write_text("SELECT id FROM users WHERE id = ?;\n")
    assert import_([str(schema), str(queries)]) == 0
    assert "CREATE QUERY selectUsers AS\nSELECT id FROM users WHERE id = [id];\n" in capsys.readouterr().out
    queries.write_text("SELECT id FROM users WHERE id = 'x")
    assert import_([str(schema), str(queries)]) == 1
    assert capsys.readouterr().err == f"{queries}:1: the quote ' that begins here is never closed\n"


@pytest.mark.parametrize(("value", "written"), [("'t'", "TRUE"), ("'f'", "FALSE"), ("1", "TRUE"), ("0", "FALSE")])
def test_truth_values_of_other_databases_are_written_as_those_of_piql(value: str, written: str) -> None:
    schema = "CREATE TABLE notes (id INT PRIMARY KEY, seen BOOLEAN NOT NULL, name TEXT);"
    queries = f"UPDATE notes SET seen = {value}, name = 't' WHERE id = $1;"
    found = import_text(schema, "postgres", "schema.sql", {"queries.sql": queries})
    assert BODY.findall(found.text) == [f"UPDATE notes SET seen = {written}, name = 't' WHERE id = [id]"]
    assert "truth values are written as TRUE and FALSE" in found.text


def test_an_operator_of_at_signs_is_no_parameter() -> None:
    found = imported("SELECT id FROM users WHERE name @@ to_tsquery($1)")
    assert "name @@ to_tsquery([p])" in found.text or "name @@ to_tsquery([name])" in found.text
    assert "-- CREATE QUERY" in found.text


def test_calls_by_which_a_dump_sets_the_session_and_its_sequences_are_no_queries() -> None:
    calls = (
        "SELECT pg_catalog.set_config('search_path', '', false);\nSELECT pg_catalog.setval('users_id_seq', 7, true);"
    )
    text = import_text(f"{SCHEMA}\n{calls}", "postgres", "schema.sql", {}).text
    assert "it is about the session, not about the data" in text
    assert "PIQL has no sequences" in text
    assert "it is a query" not in text
