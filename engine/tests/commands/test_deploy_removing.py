"""`piql deploy --remove`: says what is removed before it is, and refuses names that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from piql.commands.deploy import deploy

TABLE = "CREATE TABLE orders (id INT PRIMARY KEY, buyer INT NOT NULL);\n"
VIEW = "CREATE VIEW totals AS SELECT buyer, COUNT(*) AS n FROM orders GROUP BY buyer;\n"
PUT = "CREATE QUERY put AS INSERT INTO orders (id, buyer) VALUES ([id], [buyer]);\n"


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"embedded:{tmp_path / 'a.db'}"


def put_in_force(folder: Path, store: str, text: str, *removed: str) -> int:
    file = folder / "set.piql"
    file.write_text(text)
    return deploy([str(file), "--store", store, *(word for name in removed for word in ("--remove", name))])


def test_a_view_that_left_the_files_stays_until_it_is_removed_by_name(
    tmp_path: Path, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put_in_force(tmp_path, store, TABLE + VIEW + PUT)
    capsys.readouterr()
    assert put_in_force(tmp_path, store, TABLE + PUT) == 0
    assert "keeps the view totals, deployed earlier: --remove totals removes it" in capsys.readouterr().out
    assert put_in_force(tmp_path, store, TABLE + PUT, "totals") == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("removes the view totals: writes to orders keep it up to date only for a rollback")
    assert last.startswith("deployed 1 query")
    assert put_in_force(tmp_path, store, TABLE + PUT, "totals") == 1
    assert "no query or view totals is deployed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "why"), [("orders", "is in the files"), ("totals", "is in the files"), ("other", "no query or view other")]
)
def test_a_name_that_cannot_be_removed_is_refused_and_nothing_deployed(
    name: str, why: str, tmp_path: Path, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put_in_force(tmp_path, store, TABLE + VIEW)
    capsys.readouterr()
    assert put_in_force(tmp_path, store, TABLE + VIEW + PUT, name) == 1
    output = capsys.readouterr()
    assert why in output.err
    assert output.out == ""
