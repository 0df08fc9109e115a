"""`piql check --fix`: what it writes, what it leaves alone, and what it says."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import piql
import pytest
from piql.commands.check import check
from piql.editor.service.fix_all import fix_all

SCHEMA = "CREATE TABLE follows (owner VARCHAR(32), target VARCHAR(32), PRIMARY KEY (owner, target));\n"
QUERIES = """-- who follows whom
CREATE QUERY followed AS SELECT target FROM follows WHERE owner = [me];
CREATE QUERY also AS SELECT target FROM follows WHERE owner = [you];
CREATE QUERY misspelt AS SELECT targte FROM follows WHERE owner = [me] AND target = [you];
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schema.piql").write_text(SCHEMA)
    (tmp_path / "queries.piql").write_text(QUERIES)
    return tmp_path


def test_each_error_is_fixed_once_and_the_consequence_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check([str(folder), "--fix"]) == 0
    said = capsys.readouterr().out
    assert "Add CARDINALITY LIMIT 100 (owner) to follows\n    writes beyond 100 rows with the same owner" in said
    assert "2 fixes made\n" in said
    assert "3 queries, 0 errors" in said
    assert (folder / "schema.piql").read_text().count("CARDINALITY LIMIT") == 1
    assert "SELECT target FROM follows WHERE owner = [me] AND" in (folder / "queries.piql").read_text()
    assert not piql.compile(folder).has_errors
    assert sorted(path.name for path in folder.iterdir()) == ["queries.piql", "schema.piql"]
    assert check(["--fix", str(folder)]) == 0
    assert "0 fixes made\n" in capsys.readouterr().out


def test_only_findings_with_the_code_are_fixed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check([str(folder), "--fix=unknown-column"]) == 1
    assert (folder / "schema.piql").read_text() == SCHEMA
    assert (folder / "queries.piql").read_text() == QUERIES.replace("targte", "target")
    with pytest.raises(SystemExit):
        check([str(folder), "--fix=unknown-colum"])
    assert "did you mean unknown-column?" in capsys.readouterr().err


def test_a_diff_writes_nothing_and_can_be_applied(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "queries.piql").write_text(QUERIES.rstrip("\n"))
    assert check([str(folder), "--diff"]) == 1
    printed = capsys.readouterr()
    assert "would fix unknown-column at queries.piql:4" in printed.err
    assert (folder / "schema.piql").read_text() == SCHEMA
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    patch = printed.out.replace(f"{folder}/", "")
    subprocess.run(["git", "apply", "-p0", "-"], input=patch, text=True, cwd=folder, check=True)
    assert not piql.compile(folder).has_errors


def test_the_mark_at_the_beginning_and_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "all.piql"
    path.write_bytes(b"\xef\xbb\xbf" + (SCHEMA + QUERIES).replace("\n", "\r\n").encode())
    path.chmod(0o640)
    assert check([str(path), "--fix"]) == 0
    written = path.read_bytes()
    assert written.startswith(b"\xef\xbb\xbfCREATE TABLE")
    assert written.count(b"\n") == written.count(b"\r\n")
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_is_not_utf_8_is_not_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = QUERIES.encode() + b"-- caf\xe9\n"
    (folder / "queries.piql").write_bytes(held)
    with pytest.raises(SystemExit):
        check([str(folder), "--fix"])
    assert "not a text in UTF-8; nothing was written" in capsys.readouterr().err
    assert (folder / "queries.piql").read_bytes() == held
    assert (folder / "schema.piql").read_text() == SCHEMA


def test_standard_input_comes_out_fixed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = (SCHEMA + QUERIES).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert check(["-", "--fix"]) == 0
    printed = capsys.readouterr()
    assert not piql.compile(printed.out).has_errors
    assert "2 fixes made" in printed.err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert check(["-", "--fix", "--output", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["text"] == printed.out
    assert [(step["code"], step["made"]) for step in value["fixes"]] == [
        ("unknown-column", True),
        ("unbounded-scan", True),
    ]
    assert value["diagnostics"] == []


def test_a_fix_that_makes_another_query_worse_is_not_made_and_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    insert = "CREATE QUERY follow AS INSERT INTO follows (owner, target) VALUES ([me], [you]);\n"
    cost = piql.compile(SCHEMA + insert).queries["follow"].bound
    assert cost is not None
    (folder / "schema.piql").write_text(f"SET expensive_requests = {cost.operations};\n{SCHEMA}")
    (folder / "writes.piql").write_text(insert)
    assert check([str(folder), "--fix"]) == 1
    said = capsys.readouterr().out
    assert "not fixed unbounded-scan at queries.piql:2: Add CARDINALITY LIMIT 100 (owner)" in said
    assert "    writes.piql:1 would have a new warning[expensive-write]" in said
    assert "1 fix made, 2 not made\n" in said
    assert "CARDINALITY" not in (folder / "schema.piql").read_text()


def test_a_fixed_point_stays_as_it_is() -> None:
    once = fix_all({"schema.piql": SCHEMA, "queries.piql": QUERIES})
    twice = fix_all(once.texts)
    assert twice.texts == once.texts
    assert twice.steps == ()


def test_a_line_that_is_added_to_a_table_ends_as_the_others_do(tmp_path: Path) -> None:
    path = tmp_path / "all.piql"
    table = "CREATE TABLE posts (\n  author INT,\n  at INT,\n  PRIMARY KEY (author, at)\n); -- all\n"
    query = "CREATE QUERY of_author AS SELECT at FROM posts WHERE author = [me];\n"
    path.write_bytes((table + query).replace("\n", "\r\n").encode())
    assert check(["--fix", str(path)]) == 0
    limited = table.replace("at)\n)", "at),\n  CARDINALITY LIMIT 100 (author)\n)")
    assert path.read_bytes().decode() == (limited + query).replace("\n", "\r\n")


def test_what_a_query_answers_changes_only_when_its_code_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "all.piql"
    path.write_text(SCHEMA + "CREATE QUERY newest AS SELECT owner, target FROM follows ORDER BY owner, target;\n")
    text = path.read_text()
    assert check(["--fix", str(path)]) == 1
    said = capsys.readouterr().out
    assert "it changes what the query answers or writes; --fix=unbounded-scan makes it" in said
    assert path.read_text() == text
    assert check(["--fix=unbounded-scan", str(path)]) == 0
    assert piql.compile(path).queries["newest"].is_bounded


def test_a_code_without_its_equals_sign_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--fix", "unbounded-scan"], ["--fix", "unbounded-scan", str(folder)]):
        with pytest.raises(SystemExit):
            check(arguments)
        assert "a code stands behind an equals sign: --fix=unbounded-scan" in capsys.readouterr().err
