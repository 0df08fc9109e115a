"""A small world with every kind of constraint and index, on a store without transactions, and checks of it.

`begin` opens a copy of the filled store, `opened` connects a client process to it, `seen` is the result of every read,
and `check_consistent` compares entries, slots and constraints with the records.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import piql
from piql.client.database import Database, Strategy
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.runtime.writing.stepped.intents import intents_of, processes
from piql.runtime.writing.stepped.notation import text_of
from piql.runtime.writing.stepped.stamps import Stamps
from piql.schema.catalog import Table
from piql.store.base import Batch, ReadShape, Store
from piql.store.embedded.store import EmbeddedStore
from piql.store.rows import STATE, Row, State
from piql.store.stepwise.store import StepwiseStore

TEXT = """
CREATE TABLE users (u VARCHAR(8) PRIMARY KEY, mail VARCHAR(8) NULL, town VARCHAR(8) NULL, age INT NULL, UNIQUE (mail));
CREATE TABLE subs (
  o VARCHAR(8) REFERENCES users, t VARCHAR(8) REFERENCES users, PRIMARY KEY (o, t), CARDINALITY LIMIT 2 (o)
);
CREATE TABLE letters (id INT PRIMARY KEY, mail VARCHAR(8) NOT NULL, FOREIGN KEY (mail) REFERENCES users (mail));
CREATE TABLE members (
  id INT PRIMARY KEY, team VARCHAR(8) NULL, note VARCHAR(12) NULL,
  CARDINALITY LIMIT 2 (team), CARDINALITY LIMIT 3 (TOKEN(note))
);
CREATE TABLE visits (id INT PRIMARY KEY, page VARCHAR(8) NULL, seconds INT NULL, host VARCHAR(8) NULL);
CREATE VIEW by_page AS
SELECT page, COUNT(*) AS visits, COUNT(seconds) AS timed, SUM(seconds) AS seconds, AVG(seconds) AS usual
FROM visits WHERE page IS NOT NULL GROUP BY page;
CREATE QUERY top AS SELECT page, visits FROM by_page ORDER BY visits DESC LIMIT 3;
CREATE QUERY visit AS SELECT id, page, seconds, host FROM visits WHERE id = [id];
CREATE QUERY by_town AS SELECT u, mail, age FROM users WHERE town = [town] ORDER BY u LIMIT 3;
CREATE QUERY by_mail AS SELECT u, town, age FROM users WHERE mail = [mail];
CREATE QUERY followers AS SELECT o FROM subs WHERE t = [t] ORDER BY o LIMIT 5;
CREATE QUERY following AS SELECT s.t, u.town FROM subs s JOIN users u ON u.u = s.t WHERE s.o = [o];
CREATE QUERY by_team AS SELECT id, note FROM members WHERE team = [team] ORDER BY id;
CREATE QUERY by_word AS SELECT id, team FROM members WHERE note LIKE [word] ORDER BY id;
CREATE QUERY user AS SELECT u, mail, town, age FROM users WHERE u = [u];
CREATE QUERY member AS SELECT id, team, note FROM members WHERE id = [id];
CREATE QUERY letter AS SELECT id, mail FROM letters WHERE id = [id];
"""
ROWS: dict[str, list[dict[str, Any]]] = {
    "users": [
        {"u": "ada", "mail": "a@x", "town": "Oslo", "age": 1},
        {"u": "bob", "mail": "b@x", "town": "Oslo", "age": 2},
        {"u": "eve", "mail": None, "town": "Rome", "age": 3},
        {"u": "zoe", "mail": "z@x", "town": "Oslo", "age": 4},
    ],
    "subs": [{"o": "ada", "t": "bob"}, {"o": "bob", "t": "ada"}, {"o": "bob", "t": "eve"}],
    "letters": [{"id": 1, "mail": "a@x"}],
    "visits": [
        {"id": 1, "page": "home", "seconds": 5, "host": None},
        {"id": 2, "page": "home", "seconds": None, "host": None},
        {"id": 3, "page": "news", "seconds": 7, "host": None},
        {"id": 4, "page": None, "seconds": 9, "host": None},
    ],
    "members": [
        {"id": 1, "team": "red", "note": "new here"},
        {"id": 2, "team": "red", "note": "here too"},
        {"id": 3, "team": "blue", "note": None},
    ],
}
READS: list[tuple[str, dict[str, Any]]] = [
    *(("by_town", {"town": town}) for town in ("Oslo", "Rome", "Bonn")),
    *(("by_mail", {"mail": mail}) for mail in ("a@x", "b@x", "z@x", "n@x")),
    *(("followers", {"t": t}) for t in ("ada", "bob", "eve", "zoe")),
    *(("following", {"o": o}) for o in ("ada", "bob", "eve", "zoe")),
    *(("by_team", {"team": team}) for team in ("red", "blue", "grey")),
    *(("by_word", {"word": word}) for word in ("new", "here", "too", "out")),
    *(("user", {"u": u}) for u in ("ada", "bob", "eve", "zoe", "new")),
    *(("member", {"id": number}) for number in range(1, 6)),
    *(("letter", {"id": number}) for number in (1, 2)),
    *(("visit", {"id": number}) for number in range(1, 7)),
]
Seen = dict[str, list[dict[str, Any]]]
_NUMBERS = count()
_FOLDERS: list[TemporaryDirectory[str]] = []  # they go with the process


@cache
def compiled() -> piql.Compilation:
    return piql.compile(TEXT)


@cache
def _filled(kind: type[EmbeddedStore]) -> Path:
    """Return a file of the world as it begins."""
    _FOLDERS.append(TemporaryDirectory(prefix="piql-world-", ignore_cleanup_errors=True))
    path = Path(_FOLDERS[-1].name) / "begin.db"
    with Database(kind(path, "NORMAL")) as db:
        db.deploy(compiled())
        for table, rows in ROWS.items():
            db.load(table, rows)
    return path


def begin(kind: type[EmbeddedStore] = StepwiseStore) -> EmbeddedStore:
    """Open the world as it begins, a copy of its own."""
    path = _filled(kind)
    copy = path.with_name(f"{next(_NUMBERS)}.db")
    shutil.copy(path, copy)
    return kind(copy, "NORMAL")


def opened(store: Store, **options: Any) -> Database:
    """Return a database as a server of its own that waits for nobody."""
    options.setdefault("wait_policy", WaitPolicy(patience=0.0, sleep=lambda seconds: None))
    return Database(store, stamps=Stamps(), **options)


def seen(db: Database, check: Callable[[piql.Page], None] = lambda page: None) -> Seen:
    """Return what every read of the world gives; all strategies agree."""
    rows_by_query: Seen = {}
    for name, parameters in READS:
        pages = [db.execute(name, parameters, strategy=strategy) for strategy in ("parallel", "simple", "lazy")]
        for page in pages:
            check(page)
            bound = compiled().queries[name].bound
            assert bound is not None
            assert page.operations <= bound.operations
            assert page.repair_operations <= bound.operations
            assert page.rows == pages[0].rows, f"{name} {parameters}: the strategies differ"
        rows_by_query[f"{name} {parameters}"] = pages[0].rows
    return rows_by_query


def seen_by(db: Database, strategy: Strategy) -> Seen:
    """Return what every read of the world gives by one strategy, those left out that have too much to settle."""
    rows_by_query: Seen = {}
    for name, parameters in READS:
        with suppress(piql.RepairPending):
            rows_by_query[f"{name} {parameters}"] = db.execute(name, parameters, strategy=strategy).rows
    return rows_by_query


def outcome(db: Database, statement: str) -> str:
    """Run a statement and say what came of it."""
    try:
        page = db.run(statement)
    except piql.PiqlError as refusal:
        return type(refusal).__name__
    bound = db._statement(statement)[0].bound
    assert page.operations <= bound
    assert page.repair_operations <= bound
    return "done" if page.rows_affected else "no row"


def _all(store: Store, table: Table, shape: ReadShape) -> list[Row]:
    return store.read_many([Batch(store.prepare(shape), [(10_000,)])])[0][0]


def _recounted(db: Database) -> list[Row]:
    """Return the rows that `by_page` must have."""
    groups: dict[str, list[int | None]] = {}
    for page, seconds in db.some_rows("visits", ["page", "seconds"], 100):
        if page is not None:
            groups.setdefault(page, []).append(seconds)
    rows: list[Row] = []
    for page, values in groups.items():
        timed = [value for value in values if value is not None]
        total = sum(timed) if timed else None
        rows.append((page, len(values), len(timed), total, total / len(timed) if total is not None else None))
    return rows


def check_consistent(db: Database, may_have_places_left: bool = False) -> None:
    """Hold entries, places and constraints against the records; nothing may be left in progress.

    A place that arrived after its write had been settled may be left: it is found when its group is full.
    """
    store, row_writes = db.store, db.store.row_writes
    assert row_writes is not None
    for name in processes(row_writes):
        assert list(intents_of(row_writes, name)) == [], "an intent is left"
    deployment = db.deployment
    for table in deployment.tables.values():
        stepped = db._prepared.stepped(table.name)
        columns = tuple(column.name for column in table.columns)
        rows = _all(store, table, ReadShape(table, table.primary_index(), (*columns, STATE), 0, sees_coming=True))
        assert all(row[-1] == State.VISIBLE for row in rows), f"{table.name}: {rows}"
        records = [row[:-1] for row in rows]
        if table.view is not None:
            assert sorted(records) == sorted(_recounted(db)), f"{table.name}: {sorted(records)}"
        for entries in stepped.writer.indexes:
            keys = tuple(column.name for column in entries.index.columns)
            shape = ReadShape(table, entries.index, (*keys, *entries.index.covering, STATE), 0)
            entries_kept = _all(store, table, shape)
            expected = [(*entry, State.VISIBLE) for record in records for entry in entries.of(record)]
            assert Counter(entries_kept) == Counter(expected), (
                f"{entries.index.name}: {entries_kept}, expected {expected}"
            )
        for slots in stepped.slots:
            groups = Counter(group for record in records for group in slots.groups(record))
            assert all(number <= slots.limit for number in groups.values()), f"{slots.name}: {groups}"
            taken = {}
            for group in (*groups, *(("red",), ("blue",), ("grey",), ("ada",), ("n@x",), ("a@x",), ("out",))):
                cells = row_writes.cells(slots.cell_group(group), 100)
                taken[group] = sorted(cell.value.partition(" ")[2] for cell in cells)
            for group, owners in taken.items():
                inside = [record for record in records if group in slots.groups(record)]
                keys = sorted(text_of(stepped.records.key_of(record)) for record in inside)
                assert keys == owners or (may_have_places_left and set(keys) <= set(owners)), (
                    f"{slots.name} {group}: {owners}, but {inside}"
                )
        for reference in stepped.writer.references:
            for record in records:
                with store.transaction() as transaction:
                    value = reference.value(record)
                    assert value is None or reference.exists(transaction, value), (
                        f"{table.name}: {record} names nothing"
                    )
