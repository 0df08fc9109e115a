"""Commands that look at a store: what is at another address is said in one line, and nothing is made."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import piql
import pytest
from piql.commands.cli import main

Texts = pytest.CaptureFixture[str]
LOOKING = (
    ["deployments"],
    ["deployments", "--output", "json"],
    ["deployments", "pause"],
    ["deployments", "resume"],
    ["deployments", "cancel"],
    ["rollback"],
    ["run", "q"],
    ["run", "SELECT a FROM t WHERE a = 1"],
)
WRONG = {
    "missing.db": "there is no store at embedded:{path}: check the address, or deploy to it (`piql deploy FOLDER",
    "no/such/folder.db": "there is no store at embedded:{path}: check the address, or deploy to it",
    "empty.db": "there is no store at embedded:{path}: check the address, or deploy to it",
    "folder": "cannot open the embedded store {path}: it is no file: give the path of a file",
    "words.txt": "cannot open the embedded store {path}: it is damaged, or is not a store",
    "words.txt/a.db": "cannot open the embedded store {path}: Not a directory: give the path of a file",
    "theirs.db": "{path} is a database of another program and is not changed: give the path of a new file",
    "stepwise.db": "{path} is a store of another kind: open it as stepwise:{path}",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.db").touch()
    (tmp_path / "words.txt").write_text("plain words\n" * 100)
    with sqlite3.connect(tmp_path / "theirs.db") as raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    raw.close()
    with piql.connect(f"stepwise:{tmp_path / 'stepwise.db'}") as db:
        db.deploy(piql.compile("CREATE TABLE t (a INT PRIMARY KEY)"))
    return tmp_path


def everything_in(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_a_wrong_address_is_said_in_one_line_and_nothing_is_made(
    folder: Path, command: list[str], name: str, capsys: Texts
) -> None:
    before = everything_in(folder)
    assert main([*command, "--store", f"embedded:{folder / name}"]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"piql {command[0]}: ")
    assert WRONG[name].format(path=folder / name) in output.err
    assert output.err.count("\n") == 1
    assert everything_in(folder) == before


@pytest.mark.parametrize("address", ["", "a.db", "postgres:a", "embedded:?color=red", "cql:", "cql://127.0.0.1"])
@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_an_address_of_another_form_is_said_in_one_line(command: list[str], address: str, capsys: Texts) -> None:
    assert main([*command, "--store", address]) == 1
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)


@pytest.mark.parametrize("query", ["q", "SELECT a FROM t WHERE a = 1"])
def test_a_store_without_queries_says_what_to_do_first(tmp_path: Path, query: str, capsys: Texts) -> None:
    url = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(url) as db, db.store.transaction() as transaction:
        transaction.set_setting("loaded", "1")
    assert main(["run", query, "--store", url]) == 2
    errors = capsys.readouterr().err
    assert (
        errors == f"piql run: nothing is deployed in {url}: deploy to it (`piql deploy FOLDER --store {url}`) first\n"
    )
    assert main(["deployments", "--store", url]) == 0
    assert capsys.readouterr().out == "nothing is deployed\n"


def test_a_set_that_is_refused_makes_no_store(tmp_path: Path) -> None:
    (tmp_path / "set.piql").write_text("CREATE QUERY q AS SELECT a FROM nowhere")
    assert main(["deploy", str(tmp_path / "set.piql"), "--store", f"embedded:{tmp_path / 'a.db'}"]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["set.piql"]


def test_an_address_is_shown_without_its_login(capsys: Texts) -> None:
    assert main(["run", "q", "--store", "postgres://ada:secret@host/a"]) == 1
    assert "secret" not in capsys.readouterr().err


def test_an_editor_that_has_closed_its_ends_is_told_so(capsys: Texts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["lsp"]) == 2
    assert "standard input and output are closed" in capsys.readouterr().err
