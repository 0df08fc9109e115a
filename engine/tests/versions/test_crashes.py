"""A process that deploys is killed at every single thing it does: the version before stays whole, any other goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import piql
import pytest
from patience import PATIENCE
from piql.store.embedded.store import EmbeddedStore
from piql.versions.change.build import BackfillRate
from piql.versions.deploy import begin_deploy, deploy
from promises import broken_promises, unused_indexes

from .dying import DyingStore, dies
from .shop import ADD, BY_KIND, BY_WORD, GET, PRICE, REMOVE, filled, row

ROWS = 120
SLOW = BackfillRate(step_rows=30, first_rows=0, busy_share=1.0)
SECOND = (
    "CREATE TABLE items (id INT PRIMARY KEY, kind VARCHAR(20) NOT NULL, price INT UNIQUE, title VARCHAR(60), "
    "colour VARCHAR(10) NULL, CARDINALITY LIMIT 30 (kind));\n"
    "CREATE TABLE kinds (name VARCHAR(20) PRIMARY KEY);\n"
    "CREATE VIEW kindPrices AS SELECT kind, COALESCE(colour, 'plain') AS colour, COUNT(*) AS n, "
    "COUNT(price) AS priced, SUM(price) AS total, AVG(price) AS mean FROM items "
    "WHERE id >= 20 AND (price < 5000 OR kind = 'new') GROUP BY kind, COALESCE(colour, 'plain');\n"
    "CREATE QUERY dearest AS SELECT colour, mean FROM kindPrices WHERE kind = [kind] ORDER BY mean DESC LIMIT 3;\n"
    + GET
    + ADD
    + PRICE
    + REMOVE
    + BY_KIND
    + BY_WORD
)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    with filled(f"embedded:{tmp_path / 'kept.db'}?synchronous=NORMAL&wait_ms=120000", ROWS):
        return tmp_path / "kept.db"


def hold(db: piql.Database, at: int) -> None:
    """Whatever version is in force works, and its indexes are right."""
    assert broken_promises(db) == []
    assert db.execute("item", {"id": 5}).rows == [{"id": 5, "kind": "k5", "price": 5}]
    db.execute("add", {**row(1000 + at), "kind": "new"})
    db.execute("reprice", {"id": 100, "price": 5000 + at})
    db.execute("remove", {"id": 50})


def hold_second(db: piql.Database) -> None:
    assert db.deployment.version == 2
    assert broken_promises(db) == []
    assert unused_indexes(db) == []
    assert [row["id"] for row in db.execute("byKind", {"kind": "k2"}).rows][:2] == [100, 114]
    assert db.execute("byWord", {"word": "50"}).rows == []
    with pytest.raises(piql.DuplicateKey):
        db.execute("reprice", {"id": 6, "price": 5})


def kill_at(kept: Path, at: int, pace: BackfillRate) -> bool:
    """Kill a deployment at its call number `at`, hold what is left, and go on; False when it has fewer calls."""
    path = kept.with_name(f"{at}.db")
    shutil.copy(kept, path)

    def work() -> None:
        store = DyingStore(EmbeddedStore(path, "NORMAL"), at)
        begin_deploy(store, piql.compile(SECOND), pace=pace, is_background=pace is SLOW).run()

    was_killed = dies(work)
    with piql.connect(f"embedded:{path}?synchronous=NORMAL&wait_ms=120000") as db:
        hold(db, at)
        build = db.build
        if build is not None and at % 3 == 0:
            build.cancel()
            assert broken_promises(db) == []
            assert db.deployment.others == ()
        elif build is not None and at % 3 == 1:
            build.resume()
            build.wait(PATIENCE)
        if db.deployment.version == 1:
            deploy(db.store, piql.compile(SECOND), pace=pace)
        hold_second(db)
    path.unlink()
    return was_killed


def kill_everywhere(kept: Path, pace: BackfillRate, step: int = 1) -> int:
    """Kill a deployment at each call, or at each of so many; return how many it has, or almost."""
    at = 0
    while kill_at(kept, at, pace):
        at += step
    return at


def test_a_build_killed_at_many_of_its_calls_is_resumed_or_cancelled(kept: Path) -> None:
    assert kill_everywhere(kept, SLOW, step=13) > 60  # no multiple of three, so that each is cancelled, resumed or left


@pytest.mark.long
def test_so_it_is_at_any_of_them(kept: Path) -> None:
    assert kill_everywhere(kept, SLOW) > 60


def test_a_deployment_in_one_transaction_killed_at_many_of_its_calls_is_there_or_not(kept: Path) -> None:
    assert kill_everywhere(kept, BackfillRate(first_rows=10_000), step=4) > 15


@pytest.mark.long
def test_a_deployment_in_one_transaction_killed_at_any_of_its_calls_is_there_or_not(kept: Path) -> None:
    assert kill_everywhere(kept, BackfillRate(first_rows=10_000)) > 15
