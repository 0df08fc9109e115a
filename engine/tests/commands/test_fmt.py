"""`piql fmt` writes files as the formatter does, and leaves alone what it cannot read."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.commands.fmt import fmt

UGLY = "create table t(a int primary key); -- all\n"
NEAT = "CREATE TABLE t (\n  a INT PRIMARY KEY\n); -- all\n"


def test_a_file_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "schema.piql"
    path.write_text(UGLY)
    assert fmt(["--check", str(tmp_path)]) == 1
    assert path.read_text() == UGLY
    assert fmt([str(tmp_path)]) == 0
    assert path.read_text() == NEAT
    capsys.readouterr()
    assert fmt(["--check", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 file, 0 would change\n"


def test_line_ends_and_the_mark_at_the_beginning_stay(tmp_path: Path) -> None:
    path = tmp_path / "schema.piql"
    path.write_bytes(b"\xef\xbb\xbf" + UGLY.replace("\n", "\r\n").encode())
    assert fmt([str(path)]) == 0
    assert path.read_bytes() == b"\xef\xbb\xbf" + NEAT.replace("\n", "\r\n").encode()
    assert fmt(["--check", str(path)]) == 0


@pytest.mark.parametrize(("held", "said"), [(b"CREATE TABEL t;", "1 syntax error"), (b"CREATE \xff", "not a text")])
@pytest.mark.parametrize("options", [[], ["--check"], ["--dialect", "sql"]])
def test_what_cannot_be_read_is_left_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], held: bytes, said: str, options: list[str]
) -> None:
    (tmp_path / "broken.piql").write_bytes(held)
    (tmp_path / "good.piql").write_text(NEAT)
    assert fmt([*options, str(tmp_path)]) == 1
    assert f"broken.piql: left as it is, {said}" in capsys.readouterr().out
    assert (tmp_path / "broken.piql").read_bytes() == held
    assert (tmp_path / "good.piql").read_text() == NEAT


def test_a_folder_may_be_called_like_a_file(tmp_path: Path) -> None:
    (tmp_path / "old.piql").mkdir()
    (tmp_path / "old.piql" / "schema.piql").write_text(NEAT)
    assert fmt(["--check", str(tmp_path)]) == 0
    assert list(piql.compile(tmp_path).tables) == ["t"]
