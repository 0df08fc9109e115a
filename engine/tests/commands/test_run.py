"""`piql run`: the values of parameters as they are typed."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.commands.run import run

LIBRARY = """
CREATE TABLE titles (isbn VARCHAR(13) PRIMARY KEY, year INT, price DECIMAL(6, 2), part UUID, title VARCHAR(40));
CREATE QUERY addTitle AS INSERT INTO titles VALUES ([isbn], [year], [price], [part], [title]);
CREATE QUERY titleOf AS SELECT title, year, price FROM titles WHERE isbn = [isbn];
"""
PART = "12345678123456781234567812345678"


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'library.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(LIBRARY))
    return url


def ran(store: str, query: str, *parameters: str) -> int:
    return run([query, "--store", store, *(part for value in parameters for part in ("--param", value))])


def test_digits_are_a_text_where_the_parameter_is_one(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ("isbn=0131103628", "year=1988", "price=1.10", f"part={PART}", "title=true")
    assert ran(store, "addTitle", *typed) == 0, capsys.readouterr()
    assert ran(store, "titleOf", "isbn=0131103628") == 0
    assert ran(store, "SELECT title, year FROM titles WHERE isbn = [1: isbn]", "isbn=0131103628") == 0
    shown = capsys.readouterr().out
    assert shown.count("true ") == 2
    assert "1.10" in shown
    with piql.connect(store) as db:
        assert db.execute("titleOf", {"isbn": "0131103628"}).rows[0]["year"] == 1988


def test_numbers_as_keys_are_found_as_they_are_typed(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(store, "addTitle", "isbn=9780131103627", "year=null", "price=null", "part=null", 'title="1984"') == 0
    assert ran(store, "titleOf", "isbn=9780131103627") == 0
    assert "1984" in capsys.readouterr().out


def test_a_value_that_is_refused_as_both_is_named_as_it_was_typed(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(store, "addTitle", "isbn=1", "year=12.5", "price=1", "part=null", "title=x") == 1
    assert "[year] is 12.5" in capsys.readouterr().err
    with piql.connect(store) as db:
        assert db.execute("titleOf", {"isbn": "1"}).rows == []


@pytest.mark.parametrize(
    ("argument", "advice"),
    [("isbn=1", "isbn=1: write --param isbn=1"), ("--isbn=1", "unrecognized arguments: --isbn=1")],
)
def test_a_value_without_its_option_is_told_how_it_is_written(
    store: str, argument: str, advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(["titleOf", argument, "--store", store])
    assert advice in capsys.readouterr().err
