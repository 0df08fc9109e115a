"""A disk without room: what was to be written is refused in words, and what is there stays."""

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
