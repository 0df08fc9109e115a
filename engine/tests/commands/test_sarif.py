"""`piql check --output sarif`: each finding at its place, with its fixes, as SARIF 2.1.0 wants it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.commands.check import check

SCHEMA = "CREATE TABLE follows (owner VARCHAR(32), target VARCHAR(32), PRIMARY KEY (owner, target));\n"
QUERIES = """/* 😀 */ CREATE QUERY followed AS SELECT target FROM follows WHERE owner = [me];
-- allow(never-true): an example of nothing
CREATE QUERY nothing AS SELECT target FROM follows WHERE owner = 'ada' AND owner = 'bob';
CREATE QUERY note AS SELECT body FROM notes WHERE id = [id];
"""
NOTES = "CREATE TABLE notes (id INT PRIMARY KEY, body TEXT);\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    queries = tmp_path / "our queries"
    queries.mkdir()
    (tmp_path / "schema.piql").write_text(SCHEMA + NOTES)
    (queries / "all.piql").write_text(QUERIES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_of(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert check([*arguments, "--output", "sarif"]) == code
    log = json.loads(capsys.readouterr().out)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    return run  # type: ignore[no-any-return]


def test_a_finding_stands_at_its_place_with_its_fixes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(["."], 1, capsys)
    (result,) = (result for result in run["results"] if result["level"] == "error")
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "our%20queries/all.piql"}
    region = location["physicalLocation"]["region"]
    start, end = ((region[f"{side}Line"], region[f"{side}Column"]) for side in ("start", "end"))
    line = QUERIES.splitlines()[0].encode("utf-16-le")
    assert start[0] == end[0] == 1
    assert line[2 * start[1] - 2 : 2 * end[1] - 2].decode("utf-16-le") in QUERIES
    assert "follows" in result["message"]["text"]
    fix = result["fixes"][0]
    assert "CARDINALITY LIMIT" in fix["description"]["text"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "schema.piql"}


def test_a_fix_applied_as_the_log_says_compiles(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(["."], 1, capsys)
    (fix, *_) = next(result["fixes"] for result in run["results"] if result["level"] == "error")
    lines = (SCHEMA + NOTES).splitlines(keepends=True)
    (replacement,) = fix["artifactChanges"][0]["replacements"]
    region = replacement["deletedRegion"]
    assert region["startLine"] == region["endLine"]
    line = lines[region["startLine"] - 1]
    before, after = line[: region["startColumn"] - 1], line[region["endColumn"] - 1 :]
    lines[region["startLine"] - 1] = before + replacement["insertedContent"]["text"] + after
    (folder / "schema.piql").write_text("".join(lines))
    assert not piql.compile(folder).has_errors


def test_what_a_comment_allows_is_suppressed_with_its_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(["."], 1, capsys)
    (allowed,) = (result for result in run["results"] if result["ruleId"] == "never-true")
    assert allowed["level"] == "note"
    assert allowed["suppressions"] == [{"kind": "inSource", "justification": "an example of nothing"}]
    assert all("suppressions" not in result for result in run["results"] if result is not allowed)


def test_a_path_from_the_root_is_an_address_of_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (result, *_) = run_of([str(folder)], 1, capsys)["results"]
    address = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert address == (folder / "our queries" / "all.piql").as_uri()


def test_standard_input_has_a_name(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"CREATE QUERY q AS SELECT 1 FROM none;")))
    (result, *_) = run_of(["-"], 1, capsys)["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "stdin"}


@pytest.mark.parametrize("option", ["--fix", "--diff", "--price=amazon"])
def test_what_does_not_fit_is_refused(folder: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        check([".", "--output", "sarif", option])
    assert "leave out --fix, --diff and --price" in capsys.readouterr().err
    assert (folder / "schema.piql").read_text() == SCHEMA + NOTES
