"""The file of a store has several names: hard links are refused, as each name has its own log; symbolic links work."""

from __future__ import annotations

import os
from pathlib import Path

import piql
import pytest
from piql.errors import StoreUnavailable

SOURCE = "CREATE TABLE t (id INT PRIMARY KEY); CREATE QUERY put AS INSERT INTO t VALUES ([id]);"
REFUSAL = r"store\.db has 2 names \(hard links\).*: remove the other name, or copy the file instead of linking it"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with piql.connect(f"embedded:{path}") as db:
        db.deploy(piql.compile(SOURCE))
    return path


def test_a_file_with_two_names_is_opened_by_none_of_them(path: Path) -> None:
    other = path.with_name("other store.db")
    os.link(path, other)
    for name in (path, other):
        with pytest.raises(StoreUnavailable, match=REFUSAL) as refusal:
            piql.connect(f"embedded:{name}")
        assert str(name) in str(refusal.value)
    assert {file.name for file in path.parent.iterdir()} == {"store.db", "store.db-turn", "other store.db"}
    other.unlink()
    piql.connect(f"embedded:{path}").close()


def test_an_empty_file_with_two_names_is_made_no_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    os.link(path, tmp_path / "other.db")
    with pytest.raises(StoreUnavailable, match=REFUSAL):
        piql.connect(f"embedded:{path}")
    assert path.stat().st_size == 0


@pytest.mark.parametrize("is_used_before", [True, False])
def test_an_open_store_that_gets_a_second_name_is_written_once_that_is_gone(path: Path, is_used_before: bool) -> None:
    with piql.connect(f"embedded:{path}") as db:
        if is_used_before:
            db.execute("put", {"id": 1})
        os.link(path, path.with_name("other.db"))
        with pytest.raises(StoreUnavailable, match=REFUSAL):
            db.execute("put", {"id": 2})
        path.with_name("other.db").unlink()
        db.execute("put", {"id": 3})


def test_a_symbolic_link_leads_to_the_store(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    with piql.connect(f"embedded:{link}") as by_link, piql.connect(f"embedded:{path}") as by_name:
        by_link.execute("put", {"id": 1})
        by_name.execute("put", {"id": 2})
        by_link.execute("put", {"id": 3})
    assert not path.with_name("link.db-wal").exists()
