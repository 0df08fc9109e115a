"""`piql verify --sample`: a sample of groups or rows is compared as exactly as all of them, and holds no more."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import piql
import pytest
from piql.client.indexes_again import IndexesAgain, compare_indexes, tables_with_indexes
from piql.client.recounts import recount, repair, views_named
from piql.client.sample import Sample
from piql.commands.verify import verify
from piql.errors import NotDeployed, SnapshotUnavailable
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.transactional import TableWriter
from promises import broken_promises

SET = """
CREATE TABLE orders (
  id INT PRIMARY KEY, buyer VARCHAR(8) NOT NULL, price INT NULL, text VARCHAR(24) NULL, code INT NULL UNIQUE,
  CARDINALITY LIMIT 400 (buyer));
CREATE VIEW totals AS SELECT buyer, COUNT(*) AS n, COUNT(price) AS m, SUM(price) AS total FROM orders GROUP BY buyer;
CREATE QUERY best AS SELECT buyer, n FROM totals ORDER BY n DESC LIMIT 3;
CREATE QUERY dearest AS SELECT id, price FROM orders WHERE buyer = [buyer] ORDER BY price DESC LIMIT 3;
CREATE QUERY about AS SELECT id FROM orders WHERE text CONTAINS [word] LIMIT 5;
"""


@pytest.mark.parametrize("most", [1, 3, 10, 40, None])
def test_a_sample_counts_all_rows_of_its_keys_and_holds_no_others(most: int | None) -> None:
    chance = random.Random(most)
    for _ in range(50):
        rows = [(chance.choice("abcdefghijkl"), chance.choice((None, chance.randrange(3)))) for _ in range(120)]
        sample = Sample(most)
        groups: dict[tuple[Any, ...], int] = {}
        for start in range(0, len(rows), 7):
            for row in rows[start : start + 7]:
                groups[row] = groups.get(row, 0) + 1
            sample.prune(groups)
            assert most is None or len(groups) <= most
        numbers = Counter(rows)
        assert groups == {row: number for row, number in numbers.items() if sample.holds(row)}
        assert len(groups) == min(most or len(numbers), len(numbers))
        assert sample.is_whole == (most is None or most >= len(numbers))


def test_each_key_has_its_turn() -> None:
    seen: Counter[tuple[int]] = Counter()
    for _ in range(400):
        sample, keys = Sample(5), {(number,): None for number in range(50)}
        sample.prune(keys)
        seen.update(list(keys))
    assert len(seen) == 50
    assert max(seen.values()) < 40 + 40  # 40 of 400 are expected, and six times the deviation is 36


@pytest.fixture(params=["embedded", "stepwise"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"{request.param}:{tmp_path / 'a.db'}?synchronous=NORMAL"


@pytest.fixture
def db(url: str) -> Iterator[piql.Database]:
    with piql.connect(url) as db:
        db.deploy(piql.compile({"a": SET}))
        chance = random.Random(7)
        words = ("red", "green", "blue", "old", "new")
        rows = [
            {
                "id": number,
                "buyer": f"b{number % 12}",
                "price": chance.choice((None, number)),
                "text": " ".join(chance.sample(words, 2)) if number % 4 else None,
                "code": number if number % 5 else None,
            }
            for number in range(90)
        ]
        db.load("orders", rows)
        yield db


@pytest.mark.parametrize("step_rows", [4, 1000])
def test_a_sample_of_groups_is_right_where_the_view_is(db: piql.Database, step_rows: int) -> None:
    (view,) = views_named(db.deployment, [])
    for most in (1, 5, 12, 30):
        counted = recount(db, view, step_rows=step_rows, most=most)
        assert counted.is_right
        assert (counted.rows, counted.groups) == (90, min(most, 12))
        assert counted.is_sample == (most < 12)
        assert counted.busy == 0


def falsify_view(db: piql.Database) -> None:
    """Change one group, and add one that there is not."""
    rows: dict[str, tuple[Any, ...]] = {"b3": ("b3", 5, 1, 1), "x": ("x", 1, 0, None)}
    for name, row in rows.items():
        if db.store.row_writes is None:
            writer = TableWriter(db.deployment.tables["totals"], db.deployment, db.store)
            with db.store.transaction() as transaction:
                writer.apply(transaction, Meter(), writer.read(transaction, Meter(), (name,)), row)
        else:
            db._prepared.stepped("totals").write(
                (name,), lambda old, row=row: (*row, old[-1] if old is not None else None), Meter()
            )


def test_what_differs_is_found_in_time_with_the_numbers_that_duckdb_counts(db: piql.Database) -> None:
    (view,) = views_named(db.deployment, [])
    falsify_view(db)
    oracle = duckdb.connect()
    oracle.execute("CREATE TABLE orders (buyer TEXT, price INT)")
    oracle.executemany("INSERT INTO orders VALUES (?, ?)", db.some_rows("orders", ("buyer", "price"), 99))
    found: dict[str, Any] = {}
    for _ in range(60):
        for difference in recount(db, view, most=6).differences:
            found[difference.group["buyer"]] = difference.gives
        if len(found) == 2:
            break
    select = "SELECT COUNT(*), COUNT(price), CAST(SUM(price) AS BIGINT) FROM orders WHERE buyer = 'b3'"
    assert found["x"] is None
    assert tuple(found["b3"].values()) == oracle.execute(select).fetchone()
    while recount(db, view).differences:
        repair(db, view, most=6)
    assert recount(db, view).is_right
    assert broken_promises(db) == []


def falsify_entries(db: piql.Database) -> int:
    """Take an entry from each index of the table, change another, and add one without a row; return how many."""
    writer = TableWriter(db.deployment.tables["orders"], db.deployment, db.store)
    count = 0
    with db.store.transaction() as transaction:
        for entries in writer.indexes:
            first, second, missing = (
                entry
                for key in (11, 13, 14)
                for entry in entries.of(writer.read(transaction, Meter(), (key,)) or ())[:1]
            )
            transaction.delete(entries.prepared, [first[: entries.key_length]])
            stray = tuple(999 if value == 14 else value for value in missing)
            transaction.put(entries.prepared, [stray])
            count += 2
            emptied = (*second[: entries.key_length], *[None] * len(entries.index.covering))
            if emptied != second:
                transaction.put(entries.prepared, [emptied])
                count += 1
    return count


def named(compared: IndexesAgain) -> set[tuple[str, Any, bool]]:
    return {(stray.index, stray.group["id"], stray.is_lacking) for stray in compared.strays}


@pytest.mark.parametrize("url", ["embedded:"])
def test_the_indexes_of_a_table_are_compared_with_its_rows_and_mended(db: piql.Database) -> None:
    (table,) = tables_with_indexes(db.deployment)
    assert len(db.deployment.indexes_of(table)) >= 3  # of the limit, of the words, of UNIQUE
    for most in (None, 1, 20, 500):
        compared = compare_indexes(db, table, step_rows=7, most=most)
        assert compared.strays == ()
        assert compared.rows == min(most or 90, 90)
        assert compared.is_sample == (most in (1, 20))
    number = falsify_entries(db)
    whole = compare_indexes(db, table, step_rows=7)
    assert len(whole.strays) == number
    assert {stray.group["id"] for stray in whole.strays} <= {11, 13, 999}
    found: set[tuple[str, Any, bool]] = set()
    for _ in range(80):
        found |= named(compare_indexes(db, table, most=30))
        if found == named(whole):
            break
    assert found == named(whole)
    assert broken_promises(db) != []
    mended = compare_indexes(db, table, repair=True)
    assert (mended.mended, mended.strays) == (number, ())
    assert broken_promises(db) == []


def test_without_transactions_the_indexes_of_tables_are_refused(tmp_path: Path) -> None:
    with piql.connect(f"stepwise:{tmp_path / 's.db'}") as db:
        db.deploy(piql.compile({"a": SET}))
        (table,) = tables_with_indexes(db.deployment)
        with pytest.raises(SnapshotUnavailable, match="no state of one moment"):
            compare_indexes(db, table)


def test_the_command_says_what_it_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"embedded:{tmp_path / 'c.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile({"a": SET}))
        rows = [{"id": number, "buyer": f"b{number % 5}", "text": "red"} for number in range(20)]
        db.load("orders", rows)
    assert verify(["--store", url, "--sample", "2", "--indexes"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "totals: 20 rows of orders are read for a sample of 2 groups, and it holds them",
        "orders: 2 rows of a sample, and its 3 indexes hold them",
    ]
    assert verify(["--store", url, "orders"]) == 0
    assert capsys.readouterr().out == "orders: 20 rows, and its 3 indexes hold them\n"
    with piql.connect(url) as db:
        falsify_entries(db)
    assert verify(["--store", url, "orders"]) == 1
    assert "orders_by_buyer" in capsys.readouterr().out
    assert verify(["--store", url, "orders", "--repair"]) == 0
    assert "repaired" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        verify(["--store", url, "--sample", "0"])
    with piql.connect(url) as db, pytest.raises(NotDeployed, match="no view 'nothing'"):
        views_named(db.deployment, ["nothing"])
