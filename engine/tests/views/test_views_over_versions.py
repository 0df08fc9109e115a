"""How a view is filled, kept over a rollback, emptied, changed and left by the versions that follow each other."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import piql
import pytest
from piql.versions.deploy import begin_deploy
from promises import broken_promises

from .orders import BEST, SLOW, TABLE, VIEW, WRITES, db, tasks_of

__all__ = ["db"]


def test_after_a_rollback_the_view_is_kept_and_comes_back_without_being_filled(db: piql.Database) -> None:
    whole = piql.compile({"a": TABLE + VIEW + BEST + WRITES})
    db.deploy(whole)
    db.rollback()
    with pytest.raises(piql.NotDeployed):
        db.execute("best", {})
    assert [view.table.name for view in db.deployment.other_views] == ["totals"]
    db.execute("give", {"id": 9, "buyer": "c"})
    assert broken_promises(db) == []
    build = begin_deploy(db.store, whole, pace=SLOW)
    assert "view" not in [task["kind"] for task in json.loads(db.store.settings()["change"])["tasks"]]
    build.run()
    assert db.execute("best", {}).rows[-1] == {"buyer": "c", "total": 9}
    assert broken_promises(db) == []


def test_a_view_that_is_being_filled_counts_each_row_once(db: piql.Database) -> None:
    build = begin_deploy(db.store, piql.compile({"a": TABLE + VIEW + BEST + WRITES}), pace=SLOW)
    for number in (0, 9, 4, 5, 100, -1):  # behind the walk and before it
        db.execute("put", {"id": number, "buyer": "c", "amount": 1000})
        db.execute("remove", {"id": 9 - number})
        build.step()
    build.run()
    assert broken_promises(db) == []
    assert db.execute("best", {}).rows[0]["buyer"] == "c"


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_write_that_a_coming_view_cannot_hold_is_made_and_the_view_refused(is_loaded: bool, tmp_path: Path) -> None:
    table = TABLE.replace("amount INT", "amount BIGINT")
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": table + WRITES}))
        db.load("orders", [{"id": number, "buyer": "a", "amount": 2**61} for number in range(3)])
        build = begin_deploy(db.store, piql.compile({"a": table + VIEW + WRITES}), pace=SLOW)
        while build.step() and not any(task.kind == "view" and task.is_done for task in tasks_of(db)):
            pass
        assert build.progress.phase == "filling"
        row = {"id": 0, "buyer": "a", "amount": 2**62}
        if is_loaded:
            db.load("orders", [row])
        else:
            db.execute("put", row)
        with pytest.raises(piql.CompilationRefused, match=r"each sum must fit its column, but .*outside the range"):
            build.run()
        assert sorted(db.some_rows("orders", ["id", "amount"], 9)) == [(0, 2**62), (1, 2**61), (2, 2**61)]
        db.execute("remove", {"id": 0})
        db.deploy(piql.compile({"a": table + VIEW + WRITES}))
        assert broken_promises(db) == []


@pytest.mark.parametrize(("before", "after"), [("price", "price NOT NULL"), ("price NOT NULL", "price")])
def test_a_summed_column_may_become_nullable_and_back(before: str, after: str, tmp_path: Path) -> None:
    def text(column: str) -> str:
        name, _, suffix = column.partition(" ")
        return (
            f"CREATE TABLE line (id INT PRIMARY KEY, k INT NOT NULL, {name} DECIMAL(8, 2) {suffix});"
            "CREATE VIEW v AS SELECT k, COUNT(*) AS n, COUNT(price) AS m, SUM(price) AS s FROM line GROUP BY k;"
        )

    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": text(before)}))
        db.load("line", [{"id": 1, "k": 1, "price": 2}])
        db.deploy(piql.compile({"a": text(after)}))
        nulls = [] if "NOT NULL" in after else [{"id": 2, "k": 2}]
        db.load("line", [{"id": 3, "k": 1, "price": 3}, *nulls])
        assert broken_promises(db) == []


def test_a_cancelled_view_is_emptied_before_it_is_filled_again(db: piql.Database) -> None:
    whole = piql.compile({"a": TABLE + VIEW + BEST + WRITES})
    build = begin_deploy(db.store, whole, pace=SLOW)
    for _ in range(5):
        build.step()
    build.cancel()
    db.execute("remove", {"id": 0})
    db.deploy(whole)
    assert broken_promises(db) == []


@pytest.mark.parametrize("is_in_section", [False, True])
def test_after_a_rollback_a_write_that_the_view_cannot_hold_is_made_and_the_view_left(
    is_in_section: bool, tmp_path: Path
) -> None:
    table = TABLE.replace("amount INT", "amount BIGINT").replace("\n", " CARDINALITY LIMIT 9 (buyer),\n", 1)
    every = "CREATE QUERY raise AS UPDATE orders SET amount = [amount] WHERE buyer = [buyer];"
    whole = piql.compile({"a": table + VIEW + BEST + WRITES + every})
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": table + WRITES + every}))
        db.deploy(whole)
        db.load("orders", [{"id": number, "buyer": "a", "amount": 2**61} for number in range(3)])
        db.rollback()
        if is_in_section:
            db.execute("raise", {"buyer": "a", "amount": 2**62})
        else:
            db.execute("put", {"id": 3, "buyer": "a", "amount": 2**62})
        assert not db.deployment.other_views
        assert broken_promises(db) == []
        with pytest.raises(piql.CompilationRefused, match="each sum must fit its column"):
            db.deploy(whole)
        db.execute("raise", {"buyer": "a", "amount": 1})
        db.deploy(whole)
        assert db.execute("best", {}).rows[0]["total"] == (3 if is_in_section else 4)
        assert broken_promises(db) == []


def test_a_change_that_relies_on_the_view_of_the_version_before_is_refused_when_a_write_does_not_fit_it(
    tmp_path: Path,
) -> None:
    table = TABLE.replace("amount INT", "amount BIGINT")
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": table + WRITES}))
        db.deploy(piql.compile({"a": table + VIEW + WRITES}))
        db.load("orders", [{"id": number, "buyer": "a", "amount": 2**61} for number in range(3)])
        db.rollback()
        build = begin_deploy(db.store, piql.compile({"a": table + VIEW + BEST + WRITES}), pace=SLOW)
        db.execute("put", {"id": 3, "buyer": "a", "amount": 2**62})
        with pytest.raises(piql.CompilationRefused, match="each sum must fit its column"):
            build.run()
        assert len(db.some_rows("orders", ["id"], 9)) == 4
        assert broken_promises(db) == []


def test_a_view_is_removed_by_its_name_and_its_rows_go_once_no_rollback_returns_to_it(db: piql.Database) -> None:
    db.deploy(piql.compile({"a": TABLE + VIEW + BEST + WRITES}))
    without = piql.compile({"a": TABLE + WRITES})
    with pytest.raises(piql.CompilationRefused, match="best would break"):
        db.deploy(without, forget=["totals"])
    db.deploy(without, forget=["totals", "best"])
    assert "totals" not in db.deployment.tables
    assert broken_promises(db) == []
    totals = db.deployment.kept["totals"]
    db.deploy(piql.compile({"a": TABLE + WRITES + "CREATE QUERY one AS SELECT id FROM orders WHERE id = [id];"}))
    assert db.store.estimate_rows(totals) == 2
    db.deploy(piql.compile({"a": TABLE + WRITES + "CREATE QUERY two AS SELECT id FROM orders WHERE id = [id];"}))
    assert db.store.estimate_rows(totals) == 0
    db.deploy(piql.compile({"a": TABLE + VIEW + BEST + WRITES}))
    assert db.execute("best", {}).rows[0] == {"buyer": "b", "total": 25}
    assert broken_promises(db) == []


def test_a_summed_column_may_get_more_digits_behind_the_point(tmp_path: Path) -> None:
    def text(type_name: str) -> str:
        return (
            f"CREATE TABLE line (id INT PRIMARY KEY, k INT NOT NULL, price {type_name} NOT NULL);"
            "CREATE VIEW v AS SELECT k, COUNT(*) AS n, SUM(price) AS s FROM line GROUP BY k;"
        )

    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": text("DECIMAL(36, 2)")}))
        db.load("line", [{"id": 1, "k": 1, "price": Decimal("2.25")}])
        db.deploy(piql.compile({"a": text("DECIMAL(38, 4)")}))
        db.load("line", [{"id": 2, "k": 1, "price": Decimal("0.0001")}])
        assert db.some_rows("v", ["n", "s"], 9) == [(2, Decimal("2.2501"))]
        assert broken_promises(db) == []


def test_a_sum_that_more_digits_behind_the_point_leave_no_room_for_refuses_the_version(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE line (id INT PRIMARY KEY, k INT NOT NULL, price DECIMAL(34, 2) NOT NULL);"
        "CREATE VIEW v AS SELECT k, COUNT(*) AS n, SUM(price) AS s FROM line GROUP BY k;"
    )
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": text}))
        db.load("line", [{"id": number, "k": 1, "price": 6 * Decimal(10) ** 31} for number in range(200)])
        with pytest.raises(piql.CompilationRefused, match=r"v\.s must be DECIMAL\(38, 6\)"):
            db.deploy(piql.compile({"a": text.replace("34, 2", "38, 6")}))
        assert broken_promises(db) == []
