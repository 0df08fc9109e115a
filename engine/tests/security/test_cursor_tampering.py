"""A cursor is for the store, the query and the version that made it, and for nobody who changed a bit of it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import re
from pathlib import Path

import piql
import pytest
from piql.runtime.execution.cursors import write_cursor
from piql.runtime.execution.seals import opened, sealed, signing_key

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
    db = piql.connect("embedded:?synchronous=NORMAL")
    db.deploy(piql.compile(SOURCE))
    db.load("t", ROWS)
    return db


def raw_of(cursor: str) -> bytes:
    encoded = cursor.removeprefix("p")
    return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))


def as_cursor(raw: bytes) -> str:
    return "p" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def first_cursor(db: piql.Database) -> str:
    cursor = db.execute("pages", {"g": 1}).cursor
    assert cursor is not None
    return cursor


def test_no_single_changed_bit_or_byte_is_accepted(db: piql.Database) -> None:
    cursor = first_cursor(db)
    raw = bytearray(raw_of(cursor))
    tried = 0
    for at in range(len(raw)):
        for change in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            raw[at] ^= change
            changed = as_cursor(raw)
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
    body = raw_of(cursor)[16:]
    forged = [
        as_cursor(bytes(16) + body),
        as_cursor(body),
        as_cursor(json.dumps(["pages", "x", 1, [None] * 9]).encode()),
        as_cursor(chance.randbytes(200)),
        cursor[1:],
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
    for cursor in forged:
        with pytest.raises(piql.InvalidCursor):
            db.execute("pages", {"g": 1}, cursor)  # type: ignore[arg-type]


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


def test_a_cursor_shows_neither_the_values_of_the_order_nor_the_query(db: piql.Database) -> None:
    cursors = [first_cursor(db)]
    while (cursor := db.execute("pages", {"g": 1}, cursors[-1]).cursor) is not None:
        cursors.append(cursor)
    held = ["pages", "true", "false", "null", *(str(row[name]) for row in ROWS for name in ("x", "u", "day"))]
    for cursor in cursors:
        raw = raw_of(cursor)
        assert not [word for word in held if len(word) > 3 and word.encode() in raw]
        assert not re.search(rb'[\[\]{}",:0-9 ]{8}', raw)


def test_cursors_of_one_query_have_no_bytes_in_common(db: piql.Database) -> None:
    """A stream that was used twice would show where two bodies are equal: they begin with the same query and mark."""
    first = raw_of(first_cursor(db))
    second = raw_of(db.execute("pages", {"g": 1}, first_cursor(db)).cursor or "")
    equal = sum(one == second_part for one, second_part in zip(first, second, strict=False))
    assert equal < len(first) // 8


def test_the_length_of_a_cursor_says_little_of_the_values(db: piql.Database) -> None:
    key = signing_key(db.store)
    lengths = {len(write_cursor(key, "q", "mark", 1, ("x" * length,))) for length in range(100)}
    assert len(lengths) <= 5


def test_what_is_sealed_comes_back_for_its_own_purpose_alone() -> None:
    chance = random.Random(3)
    for length in (*range(70), 500, 5000):
        key, body = chance.randbytes(32), chance.randbytes(length)
        text = sealed(key, body, b"cursor")
        assert opened(key, text, b"cursor") == body
        assert text[0].isalpha()  # an option of a command line would begin with "-"
        assert opened(key, text, b"session") is None
        assert opened(key, text, b"") is None
        assert opened(chance.randbytes(32), text, b"cursor") is None


def test_the_stream_is_the_one_that_is_written_down() -> None:
    """Both halves are made again here from the description alone."""
    key, body, purpose = bytes(range(32)), b"where a page ended", b"cursor"
    keys = [hmac.digest(key, use, "sha256") for use in (b"piql seals: tags", b"piql seals: streams")]
    tag = hmac.digest(keys[0], bytes([len(purpose)]) + purpose + body, "sha256")[:16]
    stream = hashlib.shake_256(keys[1] + bytes(136 - 32) + tag).digest(len(body))
    raw = tag + bytes(one ^ second_byte for one, second_byte in zip(body, stream, strict=True))
    assert raw_of(sealed(key, body, purpose)) == raw


def test_a_cursor_or_token_of_the_form_before_is_refused(db: piql.Database) -> None:
    """It was signed with the store's key itself, and could be read."""
    key = signing_key(db.store)
    body = json.dumps(["pages", "mark", 1, [None]]).encode()
    for purpose in (b"", b"session"):
        signed = hmac.digest(key, purpose + body, "sha256")[:16] + body
        bare = base64.urlsafe_b64encode(signed).rstrip(b"=").decode()
        for before in (bare, as_cursor(signed)):
            with pytest.raises(piql.InvalidCursor, match="damaged, or was made by another store"):
                db.execute("pages", {"g": 1}, before)
            with pytest.raises(piql.InvalidSession, match="damaged, or was made by another store"):
                db.session(before)
