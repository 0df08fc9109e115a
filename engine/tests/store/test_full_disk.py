"""A full disk: a write is refused with a message, and what was stored stays."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.errors import StoreFull
from piql.store.embedded.store import EmbeddedStore

NOTES = "CREATE TABLE notes (id INT PRIMARY KEY, text VARCHAR(4000));"
NOTE = "CREATE QUERY note AS SELECT text FROM notes WHERE id = [1: id];"


def test_what_a_full_disk_has_no_room_for_is_refused_as_such(tmp_path: Path) -> None:
    with piql.connect(f"embedded:{tmp_path / 'store'}") as db:
        assert isinstance(db.store, EmbeddedStore)
        db.deploy(piql.compile(NOTES + NOTE))
        db.load("notes", [{"id": 1, "text": "there"}])
        pages = db.store.connection().execute("PRAGMA page_count").fetchone()[0]
        db.store.connection().execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreFull, match="is full: nothing was written"):
            db.load("notes", [{"id": at, "text": "x" * 4000} for at in range(2, 50)])
        assert db.execute("note", {"id": 1}).rows == [{"text": "there"}]
        assert db.execute("note", {"id": 2}).rows == []


def test_of_a_write_by_steps_that_had_no_room_nothing_is_said_that_is_not_so(tmp_path: Path) -> None:
    """Its record may be written before there is no room for the rest: a reader or a sweep completes it then."""
    texts = "CREATE TABLE notes (id INT PRIMARY KEY, text VARCHAR(4000), at INT, CARDINALITY LIMIT 1000 (at));"
    put = "CREATE QUERY put AS INSERT INTO notes (id, text, at) VALUES ([id], [text], 1);"
    with piql.connect(f"stepwise:{tmp_path / 'store'}") as db:
        assert isinstance(db.store, EmbeddedStore)
        db.deploy(piql.compile(texts + put + NOTE))
        acknowledged, refused, unknown = set[int](), set[int](), set[int]()
        for room in range(1, 30):
            pages = db.store.connection().execute("PRAGMA page_count").fetchone()[0]
            db.store.connection().execute(f"PRAGMA max_page_count = {pages + room // 10}")
            try:
                if room % 2:
                    db.execute("put", {"id": room, "text": "x" * 1500})
                else:
                    db.load("notes", [{"id": room, "text": "x" * 1500, "at": 1}])
                acknowledged.add(room)
            except StoreFull as failure:
                (refused if "nothing was written" in str(failure) else unknown).add(room)
        db.store.connection().execute("PRAGMA max_page_count = 1000000")
        db.sweep(older_than=0)
        there = {at for at in range(30) if db.execute("note", {"id": at}).rows}
    assert acknowledged <= there
    assert not refused & there
    assert unknown
