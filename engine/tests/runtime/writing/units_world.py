"""A small world with units on a store without transactions, checks of it, and what may come of two writers.

A statement of a script is a text, `DO unit {…}`, or `READ query {…}`, whose outcome is the rows.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import piql
from piql.client.database import Database
from piql.runtime.writing.stepped.intents import processes
from piql.runtime.writing.stepped.unit_record import units_under_way
from piql.store.embedded.store import EmbeddedStore
from piql.store.stepwise.store import StepwiseStore

from .interleaved import Script, merges
from .joined_sales import broken_promises, intents_left
from .world import opened, outcome

TEXT = """
CREATE TABLE plain (id INT PRIMARY KEY, v INT NULL);
CREATE TABLE acct (id INT PRIMARY KEY, owner VARCHAR(8) NULL, amount INT NOT NULL, CARDINALITY LIMIT 2 (owner));
CREATE TABLE slip (id INT PRIMARY KEY, acct INT NULL REFERENCES acct, sum INT NOT NULL, mark VARCHAR(8) NULL,
  UNIQUE (mark));
CREATE TABLE cart (id INT PRIMARY KEY, paid INT NULL);
CREATE TABLE line (cart INT REFERENCES cart, n INT, v INT NULL, PRIMARY KEY (cart, n), CARDINALITY LIMIT 3 (cart));
CREATE TABLE note (id INT PRIMARY KEY, cart INT NULL REFERENCES cart, v INT NULL, CARDINALITY LIMIT 9 (cart));
CREATE UNIT swap AS BEGIN
  LET a = (SELECT v FROM plain WHERE id = [x]);
  LET b = (SELECT v FROM plain WHERE id = [y]);
  UPDATE plain SET v = [b] WHERE id = [x];
  UPDATE plain SET v = [a] WHERE id = [y];
END;
CREATE UNIT both AS BEGIN
  UPDATE plain SET v = v + [n] WHERE id = [x];
  UPDATE plain SET v = v + [n] WHERE id = [y];
END;
CREATE UNIT copy AS BEGIN
  LET a = (SELECT v FROM plain WHERE id = [x]);
  UPDATE plain SET v = [a] WHERE id = [y];
END;
CREATE UNIT move AS BEGIN
  UPDATE acct SET amount = amount - [n] WHERE id = [x] AND amount >= [n];
  UPDATE acct SET amount = amount + [n] WHERE id = [y] AND owner IS NOT NULL;
END;
CREATE UNIT fresh AS BEGIN
  INSERT INTO acct (id, owner, amount) VALUES ([x], [owner], 0) IF NOT EXISTS;
  INSERT INTO plain (id, v) VALUES ([x], 1);
END;
CREATE UNIT pay AS BEGIN
  LET left = (SELECT amount FROM acct WHERE id = [x]);
  INSERT INTO slip (id, acct, sum, mark) VALUES ([slip], [x], [left], [mark]) IF NOT EXISTS;
  UPDATE acct SET amount = amount - 1 WHERE id = [x];
END;
CREATE UNIT drop AS BEGIN
  DELETE FROM slip WHERE id = [slip];
  UPDATE plain SET v = 0 WHERE id = [x];
END;
CREATE UNIT rename AS BEGIN
  UPDATE acct SET owner = [owner] WHERE id = [x] AND amount > 0;
  DELETE FROM plain WHERE id = [x];
END;
CREATE UNIT stock AS BEGIN
  UPDATE acct SET amount = amount + 1 WHERE id = 4;
  INSERT INTO plain (id, v) VALUES [rows] MAX 4 ON CONFLICT (id) DO UPDATE SET v = v + EXCLUDED.v;
END;
CREATE UNIT settle AS BEGIN
  LET total = (SELECT SUM(v) FROM line WHERE cart = [x]);
  UPDATE cart SET paid = [total] WHERE id = [x];
  DELETE FROM line WHERE cart = [x];
END;
CREATE UNIT tally AS BEGIN
  LET n = (SELECT COUNT(*) FROM note WHERE cart = [x]);
  UPDATE cart SET paid = [n] WHERE id = [y];
END;
CREATE UNIT add AS BEGIN
  LET n = (SELECT COUNT(*) FROM line WHERE cart = [x]);
  INSERT INTO line (cart, n, v) VALUES ([x], [n], [v]) IF NOT EXISTS;
END;
CREATE UNIT mark AS BEGIN
  UPDATE note SET v = v + [v] WHERE cart = [x];
  INSERT INTO plain (id, v) VALUES (9, [v]);
END;
CREATE UNIT fill AS BEGIN
  INSERT INTO line (cart, n, v) VALUES [rows] MAX 2;
END;
CREATE QUERY v AS SELECT v FROM plain WHERE id = [x];
CREATE QUERY plains AS SELECT id, v FROM plain WHERE id = [1: x] OR id = [2: y];
CREATE QUERY of_owner AS SELECT id, amount FROM acct WHERE owner = [owner] ORDER BY id;
CREATE QUERY of_acct AS SELECT id, sum FROM slip WHERE acct = [acct] ORDER BY id LIMIT 5;
CREATE QUERY paid AS SELECT paid FROM cart WHERE id = [x];
CREATE QUERY lines AS SELECT n, v FROM line WHERE cart = [x];
CREATE QUERY notes AS SELECT id, v FROM note WHERE cart = [x] ORDER BY id;
CREATE QUERY by_mark AS SELECT id, acct FROM slip WHERE mark = [mark];
"""
ROWS: dict[str, list[dict[str, Any]]] = {
    "plain": [{"id": 1, "v": 10}, {"id": 2, "v": 20}, {"id": 3, "v": 30}],
    "acct": [
        {"id": 1, "owner": "ada", "amount": 5},
        {"id": 2, "owner": "ada", "amount": 1},
        {"id": 3, "owner": "bob", "amount": 2},
        {"id": 4, "owner": None, "amount": 0},
    ],
    "slip": [{"id": 1, "acct": 1, "sum": 1, "mark": "m"}, {"id": 2, "acct": 3, "sum": 2, "mark": None}],
    "cart": [{"id": number, "paid": None} for number in (1, 2, 3)],
    "line": [{"cart": 1, "n": 0, "v": 5}, {"cart": 1, "n": 1, "v": 7}],
    "note": [{"id": 1, "cart": 1, "v": 1}, {"id": 2, "cart": 1, "v": 2}, {"id": 3, "cart": 2, "v": 3}],
}
_NUMBERS = count()
_FOLDERS: list[TemporaryDirectory[str]] = []  # they go with the process


@cache
def _filled(kind: type[EmbeddedStore]) -> Path:
    _FOLDERS.append(TemporaryDirectory(prefix="piql-units-", ignore_cleanup_errors=True))
    path = Path(_FOLDERS[-1].name) / "begin.db"
    with Database(kind(path, "NORMAL")) as db:
        db.deploy(piql.compile(TEXT))
        for table, rows in ROWS.items():
            db.load(table, rows)
    return path


def begin_units(kind: type[EmbeddedStore] = StepwiseStore) -> EmbeddedStore:
    """Open the world as it begins, a copy of its own."""
    path = _filled(kind)
    copy = path.with_name(f"{next(_NUMBERS)}.db")
    shutil.copy(path, copy)
    return kind(copy, "NORMAL")


def do(db: Database, text: str) -> str:
    """Run a statement of a script and say what came of it."""
    word, _, rest = text.partition(" ")
    if word not in ("DO", "READ"):
        return outcome(db, text)
    name, _, parameters = rest.partition(" ")
    try:
        page = db.execute(name, json.loads(parameters))
    except piql.PiqlError as refusal:
        return type(refusal).__name__
    query = db.deployment.compilation.queries[name]
    assert query.bound is not None
    assert page.operations <= query.bound.operations, f"{text}: {page.operations} of {query.bound.operations}"
    if word == "READ":
        assert page.repair_operations <= 3 * (query.bound.operations + query.bound.rows_fetched)
        return repr(page.rows)
    return "done"


def contents(db: Database) -> str:
    """Return the rows of all tables, and what queries give by indexes."""
    rows = {name: sorted(db.some_rows(name, list(rows[0]), 99), key=repr) for name, rows in ROWS.items()}
    reads = [
        *(db.execute("of_owner", {"owner": owner}).rows for owner in ("ada", "bob", "eve")),
        *(db.execute("of_acct", {"acct": number}).rows for number in range(1, 6)),
        *(db.execute("by_mark", {"mark": mark}).rows for mark in ("m", "n")),
        *(db.execute(name, {"x": number}).rows for name in ("lines", "notes") for number in (1, 2, 3)),
    ]
    return repr((rows, reads))


def check_units(db: Database) -> None:
    """Hold entries, places and references against the records; nothing may be left in progress."""
    assert intents_left(db) == []
    row_writes = db.store.row_writes
    if row_writes is not None:
        assert [unit for process in processes(row_writes) for unit in units_under_way(row_writes, process)] == []
    assert broken_promises(db) == []


@cache
def serially(*statements: str) -> tuple[tuple[str, ...], str]:
    """Return what comes of statements one after the other, each in one transaction, and the rows then."""
    db = opened(begin_units(EmbeddedStore))
    results = tuple(do(db, statement) for statement in statements)
    rows = contents(db)
    db.close()
    return results, rows


def may_come_of(scripts: Sequence[Script]) -> list[tuple[list[tuple[str, ...]], str]]:
    """Return what may come of the statements of two writers, in any order of the statements."""
    ends = []
    for order in merges(*scripts):
        results, rows = serially(*(text for _, text in order))
        outcomes = [
            tuple(result for (number, _), result in zip(order, results, strict=True) if number == writer)
            for writer in range(len(scripts))
        ]
        ends.append((outcomes, rows))
    return ends
