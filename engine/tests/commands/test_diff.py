"""`piql diff`: what it says of two states of a set, and its exit code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from piql.commands import cli

TABLES = "CREATE TABLE notes (owner INT, at INT, text TEXT, PRIMARY KEY (owner, at), CARDINALITY LIMIT {} (owner));\n"
ONE = "CREATE QUERY one AS SELECT text FROM notes WHERE owner = [1: me] AND at = [2: at];\n"
ALL = "CREATE QUERY mine AS SELECT text FROM notes WHERE owner = [1: me];\n"
WORD = "CREATE QUERY said AS SELECT at FROM notes WHERE text = [1: text]{};\n"

Said = pytest.CaptureFixture[str]


def written(folder: Path, name: str, *texts: str) -> str:
    path = folder / name
    path.write_text("".join(texts))
    return str(path)


def test_a_query_that_returns_more_than_before_is_a_regression(tmp_path: Path, capsys: Said) -> None:
    before = written(tmp_path, "before.piql", TABLES.format(10), ONE, ALL)
    after = written(tmp_path, "after.piql", TABLES.format(50), ONE, ALL)
    assert cli.main(["diff", before, after]) == 1
    output = capsys.readouterr().out
    assert "mine   dearer  1           1      10 → 50" in output
    assert "one" not in output
    assert output.endswith("1 regression, 1 query as before\n")
    assert cli.main(["diff", after, before]) == 0
    assert "mine   cheaper" in capsys.readouterr().out


def test_a_query_that_lost_its_bound_is_a_regression_and_one_that_gained_it_is_none(
    tmp_path: Path, capsys: Said
) -> None:
    bounded = written(tmp_path, "bounded.piql", TABLES.format(10), WORD.format(" LIMIT 5"))
    unbounded = written(tmp_path, "unbounded.piql", TABLES.format(10), WORD.format(""))
    assert cli.main(["diff", bounded, unbounded]) == 1
    assert "refused" in capsys.readouterr().out
    assert cli.main(["diff", unbounded, bounded]) == 0
    assert "accepted" in capsys.readouterr().out
    assert cli.main(["diff", unbounded, unbounded]) == 0


def test_new_and_removed_queries_and_their_indexes_are_named(tmp_path: Path, capsys: Said) -> None:
    few = written(tmp_path, "few.piql", TABLES.format(10), ONE)
    more = written(tmp_path, "more.piql", TABLES.format(10), ONE, WORD.format(" LIMIT 5"))
    assert cli.main(["diff", few, more]) == 0
    output = capsys.readouterr().out
    assert "said   added" in output
    assert "indexes added: notes_by_text" in output
    assert cli.main(["diff", more, few]) == 0
    output = capsys.readouterr().out
    assert "said   removed" in output
    assert "indexes removed: notes_by_text" in output


def test_markdown_is_a_table_for_a_pull_request(tmp_path: Path, capsys: Said) -> None:
    before = written(tmp_path, "before.piql", TABLES.format(10), ALL)
    after = written(tmp_path, "after.piql", TABLES.format(50), ALL)
    assert cli.main(["diff", before, after, "--output", "markdown"]) == 1
    head, rule, row = capsys.readouterr().out.splitlines()[:3]
    assert head == "| query | change | operations | trips | rows | formula |"
    assert rule.count("---") == row.count("|") - 1 == 6
    assert "| 10 → 50 |" in row


def test_json_has_both_bounds_of_every_query(tmp_path: Path, capsys: Said) -> None:
    before = written(tmp_path, "before.piql", TABLES.format(10), ONE, ALL)
    after = written(tmp_path, "after.piql", TABLES.format(50), ONE, ALL)
    cli.main(["diff", before, after, "--output", "json"])
    unchanged, changed = json.loads(capsys.readouterr().out)["queries"]
    assert (unchanged["change"], unchanged["is_regression"], unchanged["before"]) == ("same", False, unchanged["after"])
    assert (changed["before"]["rows"], changed["after"]["rows"], changed["is_regression"]) == (10, 50, True)


def test_a_change_of_policy_is_named_though_no_bound_changes(tmp_path: Path, capsys: Said) -> None:
    before = written(tmp_path, "before.piql", TABLES.format(10), ONE, ALL.replace(" AS", " WITH READ QUORUM AS"))
    after = written(tmp_path, "after.piql", TABLES.format(10), ONE.replace(" AS", " WITH READ EVENTUAL AS"), ALL)
    for output in ("table", "markdown"):
        assert cli.main(["diff", before, after, "--output", output]) == 0
        printed = capsys.readouterr().out
        assert "policies: one none → reads eventual, mine reads quorum → none\n" in printed
        assert printed.endswith("0 regressions, 0 queries as before\n")
    cli.main(["diff", before, after, "--output", "json"])
    policies = [query["policy"] for query in json.loads(capsys.readouterr().out)["queries"]]
    assert policies == [
        {"before": "none", "after": "reads eventual"},
        {"before": "reads quorum", "after": "none"},
    ]
    assert cli.main(["diff", before, before]) == 0
    assert "policies" not in capsys.readouterr().out


def test_a_folder_is_compared_with_what_git_keeps_of_it(tmp_path: Path, capsys: Said) -> None:
    folder = tmp_path / "sets" / "notes"
    folder.mkdir(parents=True)
    written(folder, "all.piql", TABLES.format(10), ALL)
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for command in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "The first state")):
        subprocess.run(("git", "-C", str(tmp_path), *command), check=True)
    written(folder, "all.piql", TABLES.format(50), ALL)
    assert cli.main(["diff", "HEAD", str(folder)]) == 1
    assert "10 → 50" in capsys.readouterr().out
    assert cli.main(["diff", "HEAD", str(folder / "all.piql")]) == 1


def test_what_is_neither_a_path_nor_a_revision_is_a_usage_error(tmp_path: Path, capsys: Said) -> None:
    after = written(tmp_path, "after.piql", TABLES.format(50), ALL)
    with pytest.raises(SystemExit) as left:
        cli.main(["diff", "nothing", after])
    assert left.value.code == 2
    assert "nothing: neither a file or folder nor a revision that git knows" in capsys.readouterr().err
