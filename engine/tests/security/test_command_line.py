"""The command line hands on what it is given, and shows what is stored without letting a terminal obey it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import piql
import pytest
from piql.commands.cli import main

EACH = """
import json, sys
from piql.commands.cli import main
for call in json.loads(sys.argv[1]):
    try:
        code = main(call)
    except SystemExit as end:
        code = end.code
    assert code in (0, 1, 2), (call, code)
    print("ended with", code)
"""
SOURCE = """
CREATE TABLE t ("a""b" INT PRIMARY KEY, s TEXT NULL);
CREATE QUERY "get;" AS SELECT "a""b", s FROM t WHERE s = [s] ORDER BY "a""b" LIMIT 5;
CREATE QUERY put AS INSERT INTO t ("a""b", s) VALUES ([id], [s]);
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
    return url


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE t; --", "$(reboot)", "`x`", "é😀", "a=b", '{"a": 1}x', "--store", "\\n", "%s"]
)
def test_a_value_is_stored_as_it_was_given(url: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "put", "--store", url, "--param", "id=1", "--param", f"s={text}"]) == 0
    capsys.readouterr()
    assert main(["run", "get;", "--store", url, "--output", "json", "--param", f"s={text}"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{'a"b': 1, "s": text}]


def test_control_characters_are_spelled_out(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\x1b[2J\x07\r\x9b31m\u202eevil\0"
    with piql.connect(url) as db:
        db.load("t", [{'a"b': 1, "s": text}])
    assert main(["run", 'SELECT s FROM t WHERE "a""b" = 1', "--store", url]) == 0
    shown = capsys.readouterr().out
    assert not any(character in shown for character in text if not character.isprintable())
    assert "\\x1b[2J\\x07\\r\\x9b31m\\u202eevil\\x00" in shown


@pytest.mark.parametrize("name", ["get", "put; DROP", "'", "\0", "--", "get;x", "../x", "x" * 5000])
def test_a_query_that_is_not_there_is_refused_by_name(url: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--store", url, "--", name]) in (1, 2)
    assert "Traceback" not in capsys.readouterr().err


def test_arguments_that_are_no_utf8_end_in_a_message(url: str, tmp_path: Path) -> None:
    """Bytes that are no UTF-8 come in as halves of characters, which no terminal can show."""
    bad, store = "\udcff\udcfe", ["--store", url]
    (tmp_path / "bad.piql").write_bytes(b'CREATE TABLE "\xff" (a INT PRIMARY KEY);')
    calls = [
        ["run", f"get{bad}", *store],
        ["run", f"SELECT '{bad}' FROM t", *store],
        ["run", "get;", *store, "--param", f"s={bad}"],
        ["run", "get;", *store, "--param", f"{bad}=1"],
        ["run", "get;", *store, "--cursor", bad],
        ["run", "get;", "--store", f"embedded:{tmp_path}/{bad}"],
        ["run", "get;", "--store", bad],
        ["check", f"{tmp_path}/{bad}"],
        ["check", f"{tmp_path}/bad.piql"],
        ["deploy", f"{tmp_path}/bad.piql", *store],
        [bad],
    ]
    done = subprocess.run(
        [sys.executable, "-c", EACH, json.dumps(calls)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ended with") == len(calls)


def test_a_statement_is_walked_page_by_page(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with piql.connect(url) as db:
        db.load("t", [{'a"b': number, "s": "x"} for number in range(3)])
    statement = 'SELECT "a""b" AS id FROM t WHERE s = \'x\' ORDER BY s, "a""b" PAGINATE 2'
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
    assert main(["run", statement, "--store", url, "--output", "json"]) == 0
    page = json.loads(capsys.readouterr().out)
    assert page["rows"] == [{"id": 0}, {"id": 1}]
    assert main(["run", statement, "--store", url, "--output", "json", "--cursor", page["cursor"]]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"id": 2}]


def test_a_number_is_put_with_all_its_digits(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with piql.connect(url) as db:
        db.deploy(piql.compile("CREATE TABLE m (id INT PRIMARY KEY, price DECIMAL(38, 20));"))
    price = "123456789012345678.12345678901234567890"
    insert = "INSERT INTO m (id, price) VALUES ([id], [price])"
    assert main(["run", insert, "--store", url, "--param", "id=1", "--param", f"price={price}"]) == 0
    capsys.readouterr()
    assert main(["run", "SELECT price FROM m WHERE id = 1", "--store", url, "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"price": price}]


def test_brackets_thousands_deep_are_a_text(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    deep = "[" * 100_000
    assert main(["run", "put", "--store", url, "--param", "id=1", "--param", f"s={deep}"]) == 0
    with piql.connect(url) as db:
        assert db.execute("get;", {"s": deep}).rows == [{'a"b': 1, "s": deep}]


def test_a_parameter_given_twice_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["run", "get;", "--store", url, "--param", "s=a", "--param", "s=b"])
    assert end.value.code == 2
    assert "--param s is given twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", ["--help", "--version", "check --help", "plan .", "deployments --store embedded:a.db"]
)
def test_a_reader_that_has_read_enough_ends_a_command_without_a_word(tmp_path: Path, words: str) -> None:
    (tmp_path / "a.piql").write_text(SOURCE)
    with piql.connect(f"embedded:{tmp_path / 'a.db'}") as db:
        db.deploy(piql.compile(SOURCE))
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from piql.commands.cli import main; import sys; sys.exit(main(sys.argv[1:]))",
            *words.split(),
        ],
        cwd=tmp_path,
        stdout=writes,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writes)
    assert done.stderr == ""
    assert done.returncode in (0, 1)


def test_a_full_disk_behind_the_output_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "a.piql").write_text(SOURCE)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from piql.commands.cli import main; sys.exit(main(sys.argv[1:]))",
                "check",
                ".",
            ],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == "piql check: [Errno 28] No space left on device\n"


def test_a_text_in_another_encoding_is_refused_and_never_stored_as_marks(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a INT PRIMARY KEY, s TEXT);\nCREATE QUERY q AS UPDATE t SET s = 'caf\u00e9' WHERE a = 1;\n"
    path = tmp_path / "a.piql"
    path.write_bytes(text.encode("cp1252"))
    compilation = piql.compile(path)
    errors = [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]
    assert [error.code for error in errors] == ["unknown-character"]
    assert errors[0].help == ("save the file in UTF-8",)
    path.write_bytes(text.encode())
    assert not piql.compile(path).has_errors
