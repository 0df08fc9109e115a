"""On a store with transactions all rows of a read are of one state, whatever happens between its statements.

Another writer moves a row before each statement of the read. A read of several states shows it twice, or never.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import piql
import pytest
from piql.client.database import Strategy
from piql.store.embedded.store import EmbeddedStore

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
ROWS = range(1, 13)
STAY = 6
SOURCE = """
CREATE TABLE parents (id INT PRIMARY KEY, name VARCHAR(10));
CREATE TABLE items (id INT PRIMARY KEY, g INT NOT NULL, rank INT NOT NULL, note VARCHAR(20),
  parent INT NOT NULL REFERENCES parents MAX 100, CARDINALITY LIMIT 100 (g));
CREATE QUERY inList AS SELECT id, g FROM items WHERE g IN (1, 2);
CREATE QUERY either AS SELECT id, g FROM items WHERE g = 1 OR g = 2;
CREATE QUERY union2 AS SELECT id, g FROM items WHERE g = 1 UNION ALL SELECT id, g FROM items WHERE g = 2;
CREATE QUERY children AS SELECT i.id, p.id AS g FROM parents p JOIN items i ON i.parent = p.id WHERE p.id IN (1, 2);
CREATE QUERY counted AS SELECT COUNT(*) AS items FROM items WHERE g IN (1, 2);
CREATE QUERY noted AS SELECT id, g, rank, note FROM items WHERE g IN (1, 2);
CREATE QUERY paged AS SELECT id, rank AS g FROM items WHERE rank > 0 ORDER BY rank, id PAGINATE 6;
CREATE QUERY move AS UPDATE items SET g = [g], rank = [g], parent = [g] WHERE id = [id];
"""


class Mover:
    """Moves all rows but the first ones to the other group, each time that a connection begins to read."""

    def __init__(self, path: Path) -> None:
        self._db = piql.connect(f"embedded:{path}?synchronous=NORMAL")
        self.group = 1
        self.moves = 0

    def seen(self, sql: str) -> None:
        if sql.startswith("SELECT") and "items" in sql:
            self.group = 3 - self.group
            self.moves += 1
            for row in ROWS[STAY:]:
                self._db.execute("move", {"id": row, "g": self.group})

    def close(self) -> None:
        self._db.close()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as database:
        database.deploy(piql.compile(SOURCE))
        database.load("parents", [{"id": number, "name": "p"} for number in (1, 2)])
        database.load("items", [{"id": row, "g": 1, "rank": 1, "note": "n", "parent": 1} for row in ROWS])
        yield database


@pytest.fixture
def mover(db: piql.Database, tmp_path: Path) -> Iterator[Mover]:
    row_mover = Mover(tmp_path / "a.db")
    store = db.store
    assert isinstance(store, EmbeddedStore)
    store.connection().set_trace_callback(row_mover.seen)
    yield row_mover
    store.connection().set_trace_callback(None)
    row_mover.close()


def torn(rows: list[dict[str, Any]], expected: range = ROWS) -> list[str]:
    """Say what is wrong with rows that should be of one moment: then all movable ones are in one group."""
    faults = []
    if sorted(row["id"] for row in rows) != list(expected):
        faults.append(f"rows {sorted(row['id'] for row in rows)}")
    if len({row["g"] for row in rows if row["id"] > STAY}) > 1:
        faults.append("rows of several moments")
    faults += [f"row {row['id']} of several moments" for row in rows if row.get("rank", row["g"]) != row["g"]]
    return faults


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", ["inList", "either", "union2", "children", "noted"])
def test_rows_that_move_meanwhile_are_seen_once(db: piql.Database, mover: Mover, name: str, strategy: Strategy) -> None:
    for _ in range(3):
        moves = mover.moves
        assert torn(db.execute(name, strategy=strategy, snapshot=True).rows) == []
        assert mover.moves > moves


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_that_move_meanwhile_are_counted_once(db: piql.Database, mover: Mover, strategy: Strategy) -> None:
    for _ in range(3):
        assert db.execute("counted", strategy=strategy).rows == [{"items": len(ROWS)}]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_page_that_goes_on_by_several_statements_is_of_one_moment(
    db: piql.Database, mover: Mover, strategy: Strategy
) -> None:
    """Its one request is several ranges: the rest of a rank, then the ranks behind it."""
    while mover.group == 1:  # the first page ends behind the rows that stay, the others are of the next rank
        cursor = db.execute("paged", strategy=strategy).cursor
    for _ in range(4):
        moves = mover.moves
        page = db.execute("paged", cursor=cursor, strategy=strategy)
        assert page.operations == 1
        assert mover.moves > moves
        assert torn(page.rows, ROWS[STAY:]) == []


def test_a_snapshot_is_refused_where_there_is_none(tmp_path: Path) -> None:
    with piql.connect(f"stepwise:{tmp_path / 'b.db'}") as db:
        db.deploy(piql.compile(SOURCE))
        asks = (
            lambda: db.execute("inList", snapshot=True),
            lambda: db.run("SELECT id FROM items WHERE g = 1", snapshot=True),
            lambda: db.session().execute("inList", snapshot=True),
            lambda: db.session().run("SELECT id FROM items WHERE g = 1", snapshot=True),
        )
        for ask in asks:
            with pytest.raises(piql.SnapshotUnavailable, match="has no transactions"):
                ask()
        assert db.execute("inList").rows == []


async def test_a_snapshot_may_be_awaited(tmp_path: Path) -> None:
    async with piql.aconnect(f"embedded:{tmp_path / 'b.db'}") as db:
        await db.deploy(piql.compile(SOURCE))
        assert (await db.execute("inList", snapshot=True)).rows == []
        assert (await db.run("SELECT id FROM items WHERE g = 1", snapshot=True)).rows == []
        assert (await db.session().execute("inList", snapshot=True)).rows == []
        assert (await db.session().run("SELECT id FROM items WHERE g = 1", snapshot=True)).rows == []
