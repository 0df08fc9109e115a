"""`piql generate`: what it writes and says, and what it refuses."""

from pathlib import Path

import piql
import pytest
from piql.commands import cli
from piql.files.generated import dry_run, load_generated
from piql.files.source import open_source
from piql.generating.wish import Wish

SCHEMA = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE posts (author VARCHAR(20) REFERENCES users, posted TIMESTAMP, seal BLOB, price DECIMAL(8, 2),
  PRIMARY KEY (author, posted), CARDINALITY LIMIT 30 (author));
"""


@pytest.fixture(params=["embedded", "stepwise"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    url = f"{request.param}:{tmp_path / 'app.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SCHEMA))
    return url


def run(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def counts(url: str) -> list[int]:
    with piql.connect(url) as db:
        return [len(db.some_rows(name, ["posted" if name == "posts" else "name"], 9999)) for name in ("users", "posts")]


def test_rows_go_into_the_store_and_are_said_by_table(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("generate", "--store", url, "--rows", 50, "--rows", "posts=80", "--dry-run") == 0
    assert counts(url) == [0, 0]
    dry = capsys.readouterr().out
    assert dry.splitlines()[-1] == "nothing is written"
    assert run("generate", "--store", url, "--rows", 50, "--rows", "posts=80") == 0
    assert counts(url) == [50, 80]
    lines = capsys.readouterr().out.splitlines()
    assert lines == dry.splitlines()[:-1]
    assert lines[0].split() == ["table", "rows", "size", "fullest", "group", "of", "each", "limit"]
    assert "30 of 30 (author)" in lines[3]


def test_a_store_that_holds_rows_is_refused_unless_rows_are_added(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("generate", "--store", url, "--rows", 40) == 0
    assert run("generate", "--store", url, "--rows", 40) == 1
    assert "users, posts hold rows already" in capsys.readouterr().err
    assert counts(url) == [40, 40]
    assert run("generate", "--store", url, "--rows", 40, "--add") == 0
    assert counts(url) == [80, 80]


def test_rows_that_do_not_fit_those_that_are_there_are_left_out() -> None:
    schema = "CREATE TABLE switches (is_on BOOLEAN PRIMARY KEY, note TEXT);"
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(schema))
        db.load("switches", [{"is_on": True, "note": "mine"}])
        load_generated(db, Wish(2), is_adding=True)
        assert (True, "mine") in db.some_rows("switches", ["is_on", "note"], 9)
        lone = "CREATE TABLE marks (town VARCHAR(1) PRIMARY KEY, kind INT, CARDINALITY LIMIT 1 (kind));"
        db.deploy(piql.compile(lone))
        db.load("marks", [{"town": "x", "kind": 1}])
        made = next(made for made in load_generated(db, Wish(30), is_adding=True) if made.report.table == "marks")
        assert made.left_out > 0  # kind 1 is full, and perhaps town x is taken
        rows = db.some_rows("marks", ["town", "kind"], 99)
        assert ("x", 1) in rows
        assert len(rows) == 1 + made.report.rows


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
def test_files_hold_the_rows_and_are_loaded_as_they_are(url: str, tmp_path: Path, file_format: str) -> None:
    folder = tmp_path / "rows"
    schema = tmp_path / "schema.piql"
    schema.write_text(SCHEMA)
    generate = ("generate", "--schema", schema, "--rows", 40, "--to", folder, "--format", file_format)
    assert run(*generate) == 0
    assert sorted(path.name for path in folder.iterdir()) == [f"posts.{file_format}", f"users.{file_format}"]
    assert len(list(open_source(folder / f"posts.{file_format}", file_format).rows())) == 40  # type: ignore[arg-type]
    for table in ("users", "posts"):
        assert run("load", table, folder / f"{table}.{file_format}", "--store", url) == 0
    assert counts(url) == [40, 40]
    assert run(*generate) == 1  # the files are there


def test_generation_stops_between_rows() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(SCHEMA))
        told: list[tuple[str, int, int]] = []
        wish = Wish(9000)
        loads = load_generated(db, wish, tell=lambda *state: told.append(state), stop=lambda: bool(told))
        assert [(load.report.table, load.report.rows) for load in loads] == [("users", 5000)]
        assert told == [("users", 5000, 9000)]
        assert dry_run(db.deployment.tables, wish, stop=lambda: True)[0].report.rows == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rows", "many"), "write a number, or TABLE=NUMBER"),
        (("--rows", "-5"), "write a number"),
        (("--full", "0"), "give how many parents"),
        (("--nulls", "2"), "from 0 to 1"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    arguments: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("generate", "--schema", ".", "--dry-run", *arguments)
    assert message in capsys.readouterr().err


def test_a_schema_without_a_store_needs_a_place_for_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("generate", "--schema", tmp_path)
    assert "--to FOLDER or --dry-run" in capsys.readouterr().err
    (tmp_path / "a.piql").write_text(SCHEMA)
    assert run("generate", "--schema", tmp_path, "--dry-run", "--rows", "nobody=3") == 1
    assert "there is no table 'nobody'" in capsys.readouterr().err
