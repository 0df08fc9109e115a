"""A file is loaded as it is written, or its faults are named by line and column and nothing of the batch is in."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import duckdb
import piql
import pytest
from piql.client.table_pages import table_pages
from piql.errors import InvalidParameter
from piql.files import seen_keys
from piql.files.formats import format_of
from piql.files.loading import FileLoad, LoadRefused
from piql.files.mapping import map_columns
from piql.files.problems import FileRefused, Problem
from piql.files.source import open_source

from .conftest import Loader

USERS = 'username,hometown,email\neve,"",eve@example.org\nfay,,fay@example.org\ngil,"Ål, ""x""\nby",\n'


def rows_of(db: piql.Database, table: str) -> list[tuple[object, ...]]:
    return [row for page in table_pages(db, table, 2) for row in page]


def places(refusal: FileRefused) -> list[tuple[int | None, str | None]]:
    return [(problem.line, problem.column) for problem in refusal.problems]


def test_an_empty_text_is_not_null(db: piql.Database, loader: Loader) -> None:
    assert loader("users", "users.csv", USERS).load().rows == 3
    assert rows_of(db, "users")[2:] == [
        ("eve", "", "eve@example.org"),
        ("fay", None, "fay@example.org"),
        ("gil", 'Ål, "x"\nby', None),
    ]


def test_the_same_file_again_changes_nothing(db: piql.Database, loader: Loader) -> None:
    loader("users", "users.csv", USERS).load()
    before = rows_of(db, "users")
    report = loader("users", "users.csv", USERS).dry_run()
    assert (report.new, report.changed, report.unchanged, report.problems) == (0, 0, 3, ())
    assert loader("users", "users.csv", USERS).load().rows == 3
    assert rows_of(db, "users") == before


def test_a_dry_run_writes_nothing_and_says_what_a_load_would_do(db: piql.Database, loader: Loader) -> None:
    text = "username,hometown,email\nada,Oslo,ada@example.org\nbob,,\neve,,\n"
    before = rows_of(db, "users")
    report = loader("users", "users.csv", text).dry_run()
    assert (report.rows, report.new, report.changed, report.unchanged) == (3, 1, 1, 1)
    assert rows_of(db, "users") == before


def test_values_are_refused_by_line_and_column_all_at_once(db: piql.Database, loader: Loader) -> None:
    text = (
        "owner,posted,words,stars,seal\n"
        'ada,2026-01-01,"two\nlines",1,AAE=\n'
        "\n"
        "ada,yesterday,,many,?\n"
        "ada,2026-01-02,,99999999999,\n"
    )
    load = loader("thoughts", "thoughts.csv", text, {"words": "text"})
    report = load.dry_run()
    expected = [(5, "posted"), (5, "stars"), (5, "seal"), (6, "stars")]
    assert [(problem.line, problem.column) for problem in report.problems] == expected
    assert [problem.value for problem in report.problems] == ["yesterday", "many", "?", "99999999999"]
    with pytest.raises(LoadRefused) as refused:
        load.load()
    assert places(refused.value) == expected
    assert rows_of(db, "thoughts") == []


def test_a_word_after_the_batch_that_is_refused_is_named_too(db: piql.Database, loader: Loader) -> None:
    numbers = [str(number) for number in range(10)]
    numbers[3] = numbers[8] = "x"
    text = "id,name\n" + "".join(f"{number},n\n" for number in numbers)
    with pytest.raises(LoadRefused) as refused:
        loader("parts", "parts.csv", text, batch_rows=2).load()
    assert places(refused.value) == [(5, "id"), (10, "id")]
    assert (refused.value.loaded.rows, refused.value.loaded.line) == (2, 3)
    assert len(rows_of(db, "parts")) == 2


def test_constraints_name_their_lines(db: piql.Database, loader: Loader) -> None:
    lines = [f"ada,2026-01-0{day}" for day in range(1, 7)] + [
        "zoe,2026-01-01",
        "bob,2026-01-01",
        "bob,2026-01-01T00:00Z",
    ]
    report = loader("thoughts", "thoughts.csv", "owner,posted\n" + "\n".join(lines)).dry_run()
    assert [(problem.line, problem.column) for problem in report.problems] == [
        (7, "owner"),
        (8, "owner"),
        (10, "owner"),
    ]
    assert "at most 5 rows share one owner" in report.problems[0].message
    assert "'zoe' names no row of users" in report.problems[1].message
    assert "the primary key of line 9" in report.problems[2].message


def test_a_key_is_refused_twice_wherever_in_the_file_it_stands(db: piql.Database, loader: Loader) -> None:
    """By its value, not by its text; also where the first of the two lines was loaded before."""
    text = "id,name\n" + "".join(f"{number},part\n" for number in range(1, 8)) + "+2,again\n9,last\n"
    expected = [(9, "id", "it has the primary key of line 3: one of the two would be lost")]

    def told(problems: Sequence[Problem]) -> list[tuple[int | None, str | None, str]]:
        return [(problem.line, problem.column, problem.message) for problem in problems]

    load = loader("parts", "parts.csv", text, batch_rows=3)
    assert told(load.dry_run().problems) == expected
    with pytest.raises(LoadRefused) as refused:
        load.load()
    assert told(refused.value.problems) == expected
    assert refused.value.loaded.rows == 6
    with pytest.raises(LoadRefused) as refused:
        loader("parts", "parts.csv", text, batch_rows=3).load(is_resumed=True)
    assert told(refused.value.problems) == expected
    mended = text.replace("+2,again", "8,again")
    assert loader("parts", "parts.csv", mended, batch_rows=3).load(is_resumed=True).rows == 9


def test_keys_are_still_known_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_keys, "_MOST_RECENT", 10)
    keys = seen_keys.SeenKeys()
    assert all(keys.add((number, "a")) for number in range(35))
    assert not any(keys.add((number, "a")) for number in range(35))


def test_a_unique_value_is_refused_in_the_file_and_in_the_store(db: piql.Database, loader: Loader) -> None:
    text = "username,email\neve,ada@example.org\nfay,f@example.org\ngil,f@example.org\n"
    load = loader("users", "users.csv", text)
    expected = [(2, "email"), (4, "email")]
    assert [(problem.line, problem.column) for problem in load.dry_run().problems] == expected
    with pytest.raises(LoadRefused) as refused:
        load.load()
    assert {(2, "email"), (4, "email")} >= set(places(refused.value)) != set()


def test_rows_of_one_file_may_name_each_other(db: piql.Database, loader: Loader) -> None:
    load = loader("parts", "parts.csv", "id,whole,name\n1,1,a\n2,1,b\n3,2,c\n")
    assert load.dry_run().problems == ()
    assert load.load().is_complete
    report = loader("parts", "more.csv", "id,whole,name\n4,9,d\n").dry_run()
    assert [(problem.line, problem.column) for problem in report.problems] == [(2, "whole")]


@pytest.mark.parametrize("batch_rows", [1, 2, 3, 100])
def test_what_a_dry_run_accepts_is_loaded_and_what_it_refuses_is_not(
    db: piql.Database, loader: Loader, batch_rows: int
) -> None:
    """The row that is one too many is the same in both, wherever the batches end."""
    text = "owner,posted\n" + "".join(f"ada,2026-01-0{day}\n" for day in range(1, 8))
    load = loader("thoughts", "thoughts.csv", text, batch_rows=batch_rows)
    problems = load.dry_run().problems
    assert [problem.line for problem in problems] == [7, 8]
    with pytest.raises(LoadRefused) as refused:
        load.load()
    assert refused.value.problems[0].line == 7
    assert refused.value.loaded.rows == 5 // batch_rows * batch_rows


def test_a_stopped_load_is_continued_where_it_stopped(db: piql.Database, loader: Loader) -> None:
    text = "id,name\n" + "".join(f"{number},n\n" for number in range(10))
    asked = count()
    load = loader("parts", "parts.csv", text, batch_rows=3)
    stopped = load.load(stop=lambda: next(asked) == 2)
    assert (stopped.rows, stopped.line, stopped.is_complete) == (6, 7, False)
    assert len(rows_of(db, "parts")) == 6
    told: list[tuple[int, int]] = []
    resumed = loader("parts", "parts.csv", text, batch_rows=3).load(
        lambda rows, line: told.append((rows, line)), is_resumed=True
    )
    assert (resumed.rows, resumed.skipped, resumed.is_complete) == (10, 6, True)
    assert told == [(9, 10), (10, 11)]
    assert len(rows_of(db, "parts")) == 10


def test_a_mended_file_goes_on_behind_what_is_in(db: piql.Database, loader: Loader) -> None:
    good = "id,name\n" + "".join(f"{number},n\n" for number in range(6))
    with pytest.raises(LoadRefused):
        loader("parts", "parts.csv", good.replace("4,n", "4,"), batch_rows=2).load()
    assert loader("parts", "parts.csv", good, batch_rows=2).load(is_resumed=True).skipped == 4


def test_another_file_is_not_taken_for_the_one_that_was_stopped(db: piql.Database, loader: Loader) -> None:
    text = "id,name\n" + "".join(f"{number},n\n" for number in range(6))
    asked = count()
    loader("parts", "parts.csv", text, batch_rows=2).load(stop=lambda: next(asked) == 1)
    with pytest.raises(InvalidParameter, match="do not begin with those that are in"):
        loader("parts", "parts.csv", text.replace("1,n", "1,m"), batch_rows=2).load(is_resumed=True)


def test_a_file_that_is_no_csv_puts_no_row_in(db: piql.Database, loader: Loader) -> None:
    text = b'id,name\n1,a\n2\n3,b,c\n4,\xff\n5,"a"b\n6,f\n'
    with pytest.raises(FileRefused, match="not well-formed") as refused:
        loader("parts", "parts.csv", text)
    assert [problem.line for problem in refused.value.problems] == [3, 4, 5, 6]


def test_json_lines_that_are_none_are_named(db: piql.Database, loader: Loader) -> None:
    text = '{"id": 1, "name": "a"}\n[1]\n\n{"id": 2, "id": 3}\n{"id": NaN}\n{"id"\n'
    with pytest.raises(FileRefused, match="not well-formed") as refused:
        loader("parts", "parts.jsonl", text)
    assert [problem.line for problem in refused.value.problems] == [2, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"username": "eve"}]\n', "it is not a JSON object"),
        ('{"username": "\\ud800"}\n', "a text in it holds half a character"),
        ('{"username": "eve", "\\udc00": 1}\n', "a text in it holds half a character"),
    ],
)
def test_of_json_lines_of_which_none_can_be_read_each_is_named(
    db: piql.Database, loader: Loader, text: str, said: str
) -> None:
    with pytest.raises(FileRefused, match="no line of it can be read") as refused:
        loader("users", "users.jsonl", text)
    assert [(problem.line, problem.message) for problem in refused.value.problems] == [(1, said)]


def test_a_character_that_json_writes_as_two_halves_is_loaded(db: piql.Database, loader: Loader) -> None:
    loader("users", "users.jsonl", '{"username": "\\ud83d\\ude00"}\n').load()
    assert rows_of(db, "users")[-1][0] == "😀"


def test_csv_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text("username,hometown\neve,Oslo\n", encoding="utf-16")
    with pytest.raises(FileRefused, match="not UTF-8"):
        open_source(tmp_path / "users.csv", "csv")


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMPTZ"])
def test_an_infinite_moment_in_parquet_is_no_value(tmp_path: Path, kind: str) -> None:
    """DuckDB gives Python the last day that it has, or NULL, instead."""
    texts = "(1, '2026-01-31'), (2, 'infinity'), (3, '-infinity')"
    rows = f"SELECT id, CAST(text AS {kind}) AS at FROM (VALUES {texts}) AS texts(id, text)"
    duckdb.execute(f"COPY ({rows}) TO '{tmp_path}/moments.parquet' (FORMAT parquet)")
    with piql.connect(f"embedded:{tmp_path}/moments.db") as db:
        column = "DATE" if kind == "DATE" else "TIMESTAMP"
        db.deploy(piql.compile(f"CREATE TABLE moments (id INT PRIMARY KEY, at {column});"))
        source = open_source(tmp_path / "moments.parquet", "parquet")
        mapping = map_columns(db.deployment.table("moments"), source.columns)
        report = FileLoad(db, source, mapping, "moments").dry_run()
    assert report.new == 1
    assert [(problem.line, problem.value) for problem in report.problems] == [(2, "infinity"), (3, "-infinity")]


def test_json_lines_keep_all_digits_and_refuse_nested_values(db: piql.Database, loader: Loader) -> None:
    load = loader("parts", "parts.jsonl", '{"id": 1, "name": {"a": 1.50}}\n{"id": 2.5, "name": "b"}\n{"id": 3}\n')
    problems = load.dry_run().problems
    assert [(problem.line, problem.column) for problem in problems] == [(1, "name"), (2, "id"), (3, "name")]


def test_columns_are_mapped_by_name(db: piql.Database, loader: Loader) -> None:
    text = "nick;town;mail\neve;Oslo;e@example.org\n"
    loader("users", "users.csv", text, {"nick": "username", "town": "hometown", "mail": ""}).load()
    assert rows_of(db, "users")[-1] == ("eve", "Oslo", None)


@pytest.mark.parametrize(
    ("header", "renamed", "message"),
    [
        ("id,id,name", {}, "two columns of the file have the name 'id'"),
        ("id,name", {"nom": "name"}, "the file has no column 'nom'; it has id, name"),
        ("id,name", {"name": "nom"}, "parts has no column 'nom'; it has id, whole, name"),
        ("id,a,b", {"a": "name", "b": "name"}, "a and b both go into name"),
        ("id,whole", {}, "no column of the file goes into parts.name, which cannot be NULL"),
        ("name", {}, "no column of the file goes into parts.id, which cannot be NULL"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(
    db: piql.Database, loader: Loader, header: str, renamed: dict[str, str], message: str
) -> None:
    with pytest.raises(FileRefused) as refused:
        loader("parts", "parts.csv", header + "\n", renamed)
    assert message in [problem.message for problem in refused.value.problems]


def test_lines_end_as_on_windows_and_a_mark_of_bytes_begins_the_file(db: piql.Database, loader: Loader) -> None:
    text = b'\xef\xbb\xbfid,name\r\n1,"a\r\nb"\r\n\r\nx,c\r\n'
    assert [problem.line for problem in loader("parts", "parts.csv", text).dry_run().problems] == [5]


@pytest.mark.parametrize("address", ["embedded:", pytest.param("stepwise:", marks=pytest.mark.long)])
@pytest.mark.parametrize(("order", "ends"), [("rising", [5000, 6000]), ("falling", [5000, 6000]), ("none", [6000])])
def test_in_transactions_a_file_in_no_order_has_larger_batches(
    order: str, ends: list[int], address: str, compilation: piql.Compilation, tmp_path: Path
) -> None:
    numbers = {"rising": range(6000), "falling": range(6000, 0, -1), "none": [n * 2503 % 6007 for n in range(6000)]}
    path = tmp_path / "parts.csv"
    path.write_text("id,name\n" + "".join(f"{number},n\n" for number in numbers[order]))
    with piql.connect(address) as db:
        db.deploy(compilation)
        source = open_source(path, format_of(path))
        load = FileLoad(db, source, map_columns(db.deployment.table("parts"), source.columns), "parts")
        told: dict[int, int] = {}
        load.load(told.__setitem__)
        assert list(told) == (ends if address == "embedded:" else [5000, 6000])
        assert [row[0] for row in rows_of(db, "parts")] == sorted(numbers[order])
