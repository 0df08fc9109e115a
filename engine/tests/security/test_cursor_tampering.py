"""A cursor is for the store, the query and the version that made it, and for nobody who changed a bit of it."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path

import piql
import pytest

SOURCE = """
CREATE TABLE t (g INT, name TEXT, at TIMESTAMP NULL, u UUID, x DECIMAL(6,2), b BLOB, day DATE, flag BOOLEAN,
  PRIMARY KEY (g, u));
CREATE QUERY pages AS SELECT u FROM t WHERE g = [g] ORDER BY at DESC, x, day, flag, name PAGINATE 2;
CREATE QUERY other AS SELECT u FROM t WHERE g = [g] ORDER BY at DESC, x, day, flag, name PAGINATE 2;
CREATE QUERY one AS SELECT name FROM t WHERE g = [g] AND u = [u];
"""
ROWS = [
    {
        "g": 1,
        "name": f"n{number}",
        "at": f"2026-01-0{number + 1}T00:00:00Z" if number % 2 else None,
        "u": f"12345678-1234-5678-1234-56781234567{number}",
        "x": f"{number}.5",
        "b": b"x",
        "day": f"2026-01-0{number + 1}",
        "flag": number % 3 == 0,
    }
    for number in range(6)
]


@pytest.fixture(scope="module")
def db() -> piql.Database:
    made = piql.connect("embedded:?synchronous=NORMAL")
    made.deploy(piql.compile(SOURCE))
    made.load("t", ROWS)
    return made


def first_cursor(db: piql.Database) -> str:
    cursor = db.execute("pages", {"g": 1}).cursor
    assert cursor is not None
    return cursor


def test_no_single_changed_bit_or_byte_is_accepted(db: piql.Database) -> None:
    cursor = first_cursor(db)
    raw = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    tried = 0
    for at in range(len(raw)):
        for change in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            raw[at] ^= change
            changed = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
            with pytest.raises(piql.InvalidCursor):
                db.execute("pages", {"g": 1}, changed)
            raw[at] ^= change
            tried += 1
    for at in range(len(cursor) + 1):
        for changed in (
            cursor[:at],
            cursor[:at] + "A" + cursor[at:],
            cursor[:at] + cursor[at + 1 :],
            cursor[:at] + "=",
        ):
            if changed != cursor:
                with pytest.raises(piql.InvalidCursor):
                    db.execute("pages", {"g": 1}, changed)
                tried += 1
    assert tried > 1500
    assert len(db.execute("pages", {"g": 1}, cursor).rows) == 2


def test_nothing_that_is_no_cursor_is_accepted(db: piql.Database) -> None:
    cursor = first_cursor(db)
    chance = random.Random(1)
    body = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))[16:]
    forged = [
        base64.urlsafe_b64encode(bytes(16) + body).decode(),
        base64.urlsafe_b64encode(body).decode(),
        base64.urlsafe_b64encode(json.dumps(["pages", "x", 1, [None] * 9]).encode()).decode(),
        base64.urlsafe_b64encode(chance.randbytes(200)).decode(),
        cursor.encode(),
        bytearray(cursor.encode()),
        0,
        True,
        [cursor],
        {"cursor": cursor},
        "x" * 10_000_000,
        "\0" + cursor,
        cursor + "\n",
        " " + cursor,
        cursor.upper(),
        "\ud800",
        "é" * 50,
        db.session().token,
    ]
    for each in forged:
        with pytest.raises(piql.InvalidCursor):
            db.execute("pages", {"g": 1}, each)  # type: ignore[arg-type]


def test_a_cursor_is_of_no_use_elsewhere(db: piql.Database, tmp_path: Path) -> None:
    cursor = first_cursor(db)
    for name, parameters in (("other", {"g": 1}), ("one", {"g": 1, "u": ROWS[0]["u"]})):
        with pytest.raises(piql.InvalidCursor):
            db.execute(name, parameters, cursor)
    with piql.connect(f"embedded:{tmp_path / 'a.db'}") as elsewhere:
        elsewhere.deploy(piql.compile(SOURCE))
        elsewhere.load("t", ROWS)
        with pytest.raises(piql.InvalidCursor, match="another store"):
            elsewhere.execute("pages", {"g": 1}, cursor)


def test_a_cursor_survives_a_restart_and_another_process_and_then_is_stale_where_the_query_changed(
    tmp_path: Path,
) -> None:
    url = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(url) as one:
        one.deploy(piql.compile(SOURCE))
        one.load("t", ROWS)
        cursor = first_cursor(one)
        expected = one.execute("pages", {"g": 1}, cursor).rows
    with piql.connect(url) as restarted, piql.connect(url) as beside:
        assert restarted.execute("pages", {"g": 1}, cursor).rows == expected
        assert beside.execute("pages", {"g": 1}, cursor).rows == expected
        restarted.deploy(piql.compile(SOURCE.replace("x, day, flag, name PAGINATE 2", "day, x, flag, name PAGINATE 2")))
        for db in (restarted, beside):
            db.deployment  # noqa: B018 looks at what others deployed
            with pytest.raises(piql.StaleCursor, match="has been replaced since deployment 1"):
                db.execute("pages", {"g": 1}, cursor)
