"""`piql load` and `piql dump`: what they say, and with which code they end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import piql
import pytest
from piql.commands import cli
from piql.files.loading import FileLoad, Loaded

SCHEMA = "CREATE TABLE users (name TEXT PRIMARY KEY, town VARCHAR(4)); CREATE QUERY u AS SELECT * FROM users LIMIT 9;"


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'app.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SCHEMA))
    return url


def run(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def test_rows_go_in_and_come_out(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "users.csv", tmp_path / "out.jsonl"
    path.write_text("nick,town,age\nada,Oslo,9\nbob,,8\n")
    assert run("load", "users", path, "--store", url, "--map", "nick=name", "--dry-run") == 0
    assert run("load", "users", path, "--store", url, "--map", "nick=name") == 0
    assert run("dump", "users", "--store", url, "--out", out) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "users: 2 rows checked, nothing written: 2 new, 0 replace a row with the same key, 0 unchanged",
        "users: 2 rows loaded",
        f"{out}: 2 rows of users",
    ]
    assert said.err.splitlines() == ["left out, for users has no such column: age"] * 2
    assert out.read_text() == '{"name": "ada", "town": "Oslo"}\n{"name": "bob", "town": null}\n'


def test_faults_are_said_by_line_and_column(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "users.csv"
    path.write_text("name,town\nada,Oslo\nbob,Bergen\n,Oslo\n")
    assert run("load", "users", path, "--store", url) == 1
    assert capsys.readouterr().err.splitlines() == [
        "line 3, column town: 'Bergen' has 6 characters, VARCHAR(4) holds 4",
        "line 4, column name: NULL cannot be part of the primary key (name)",
        "no row is loaded",
        "correct the lines, then load again",
    ]
    assert run("load", "users", path, "--store", url, "--dry-run", "--most-problems", 1) == 1
    assert capsys.readouterr().err.splitlines() == [
        "line 3, column town: 'Bergen' has 6 characters, VARCHAR(4) holds 4",
        "there may be more: these are the first",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody", "users.csv"), "no table 'nobody' is deployed"),
        (("users", "users.txt"), "its format is not known"),
        (("users", "users.parquet"), "it cannot be read as Parquet"),
        (("users", "missing.csv"), "missing.csv"),
        (("users", "empty.csv"), "its first line must name the columns, but is empty"),
    ],
)
def test_what_cannot_be_loaded_is_refused_in_words(
    url: str, tmp_path: Path, arguments: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("users.csv", "users.txt", "users.parquet"):
        (tmp_path / name).write_text("name,town\nada,Oslo\n")
    (tmp_path / "empty.csv").touch()
    table, name = arguments
    assert run("load", table, tmp_path / name, "--store", url) in (1, 2)
    assert message in capsys.readouterr().err


def test_a_file_that_is_there_stays(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.csv"
    out.write_text("mine")
    assert run("dump", "users", "--store", url, "--out", out) == 1
    assert out.read_text() == "mine"
    assert list(tmp_path.glob(".out*")) == []
    assert "exists already" in capsys.readouterr().err


def test_without_duckdb_one_line_says_what_to_install(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "users.csv").write_text("name\nada\n")
    assert run("load", "users", tmp_path / "users.csv", "--store", url) == 1
    assert capsys.readouterr().err == "piql load: CSV and Parquet need DuckDB: pip install 'piql[files]'\n"
    (tmp_path / "users.jsonl").write_text('{"name": "ada"}\n')
    assert run("load", "users", tmp_path / "users.jsonl", "--store", url) == 0


def test_an_interrupt_ends_behind_a_batch_and_resume_goes_on(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "users.csv"
    path.write_text("name\n" + "".join(f"u{number}\n" for number in range(12_000)))
    load = FileLoad.load

    def interrupted(self: FileLoad, tell: object, stop: object, *, is_resumed: bool = False) -> Loaded:
        """Send the signal of Ctrl+C when the first batch is in."""
        return load(self, lambda rows, line: os.kill(os.getpid(), signal.SIGINT), stop, is_resumed=is_resumed)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(FileLoad, "load", interrupted)
        assert run("load", "users", path, "--store", url) == 130
    assert capsys.readouterr().err.splitlines()[-1] == (
        "5000 rows loaded, up to line 5001; `--resume` continues after it"
    )
    assert run("load", "users", path, "--store", url, "--resume") == 0
    assert capsys.readouterr().out == "users: 12000 rows loaded, 5,000 of them before\n"


def test_a_killed_load_is_resumed_without_loss_or_doubles(url: str, tmp_path: Path) -> None:
    path, out = tmp_path / "users.csv", tmp_path / "out.csv"
    path.write_text("name\n" + "".join(f"u{number:05d}\n" for number in range(30_000)))
    program = (
        "import os, signal\n"
        "from piql.commands.load import load\n"
        "from piql.runtime.writing import resumed_load\n"
        "keep, batches = resumed_load.ResumedLoad.keep, []\n"
        "def kept(self, transaction, batch):\n"
        "    keep(self, transaction, batch)\n"
        "    batches.append(batch)\n"
        "    if len(batches) == 3: os.kill(os.getpid(), signal.SIGKILL)\n"
        "resumed_load.ResumedLoad.keep = kept\n"
        f"load(['users', {str(path)!r}, '--store', {url!r}])\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    assert run("load", "users", path, "--store", url, "--resume") == 0
    assert run("dump", "users", "--store", url, "--out", out) == 0
    names = [line.split(",")[0].strip('"') for line in out.read_text().splitlines()[1:]]
    assert names == [f"u{number:05d}" for number in range(30_000)]
