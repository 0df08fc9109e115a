"""Files of other programs are refused and stay as they are; missing files are created by the first write."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from pathlib import Path

import piql
import pytest
from piql.errors import CompilationRefused, NotAStore, StoreUnavailable
from piql.store.embedded.ownership import SETTINGS
from piql.store.open import open_store

SOURCE = """
CREATE TABLE t (a INT PRIMARY KEY);
CREATE QUERY q AS SELECT a FROM t WHERE a = [a];
"""
KINDS = ("embedded", "stepwise")
THEIRS = (
    "CREATE TABLE bookmarks (url TEXT)",
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT)",
    "CREATE TABLE cells (grp TEXT, key TEXT, value TEXT)",
    "CREATE VIEW one AS SELECT 1",
)


def contents(folder: Path) -> dict[str, str]:
    """Return a hash of every file; the shared memory of a log is for whoever has the file open."""
    return {
        path.name: "" if path.name.endswith("-shm") else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file()
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("statement", THEIRS)
def test_a_file_of_another_program_is_refused_without_a_byte_changed(
    tmp_path: Path, statement: str, journal: str, kind: str
) -> None:
    path = tmp_path / "theirs, 100%20#.db"
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute(f"PRAGMA journal_mode = {journal}")
    raw.execute(statement)
    open_by_others = contents(tmp_path)
    with pytest.raises(NotAStore, match="another program"):
        piql.connect(f"{kind}:{path}")
    assert contents(tmp_path) == open_by_others
    raw.close()
    closed = contents(tmp_path)
    assert closed.keys() == {path.name}
    with pytest.raises(NotAStore, match="give the path of a new file"):
        piql.connect(f"{kind}:{path}")
    assert contents(tmp_path) == closed


def test_a_log_that_another_program_left_is_left_again(tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("CREATE TABLE bookmarks (url TEXT)")
    killed = tmp_path / "killed"
    killed.mkdir()
    for path in tmp_path.glob("a.db*"):
        shutil.copy(path, killed)
    raw.close()
    before = contents(killed)
    assert before.keys() == {"a.db", "a.db-wal", "a.db-shm"}
    with pytest.raises(NotAStore):
        piql.connect(f"embedded:{killed / 'a.db'}")
    assert contents(killed) == before


def test_a_store_that_lives_in_its_log_alone_is_found(tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()
    with piql.connect(f"embedded:{tmp_path / 'a.db'}") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("t", [{"a": 1}])
        for ending in ("", "-wal"):
            shutil.copy(tmp_path / f"a.db{ending}", killed)
    with piql.connect(f"embedded:{killed / 'a.db'}") as db:
        assert db.execute("q", {"a": 1}).rows == [{"a": 1}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_there", [True, False])
def test_looking_at_a_new_store_makes_nothing(tmp_path: Path, kind: str, is_there: bool) -> None:
    path = tmp_path / "deep" / "a.db"
    if is_there:
        path.parent.mkdir()
        path.touch()
    before = sorted(tmp_path.rglob("*"))
    with piql.connect(f"{kind}:{path}") as db:
        assert db.deployment.version == 0
        assert db.store.is_empty()
        assert db.build is None
        db.sweep()
        with pytest.raises(piql.errors.NotDeployed):
            db.execute("q", {"a": 1})
        with pytest.raises(CompilationRefused):
            db.run("SELECT a FROM t WHERE a = 1")
        with pytest.raises(CompilationRefused):
            db.rollback()
        with pytest.raises(CompilationRefused):
            db.deploy(piql.compile("CREATE QUERY broken AS SELECT"))
    assert sorted(tmp_path.rglob("*")) == before
    assert not is_there or not path.stat().st_size


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_deployment_makes_the_file_and_everybody_sees_it(tmp_path: Path, kind: str) -> None:
    url = f"{kind}:{tmp_path / 'deep' / 'a.db'}"
    with piql.connect(url) as early, piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("t", [{"a": 1}])
        assert early.deployment.version == 1
        assert early.execute("q", {"a": 1}).rows == [{"a": 1}]
    assert {path.name for path in (tmp_path / "deep").iterdir()} == {"a.db", "a.db-turn"}


def test_reading_a_store_leaves_it_as_it_is(tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
    before = contents(tmp_path)
    with piql.connect(url) as db:
        assert db.execute("q", {"a": 1}).rows == []
        assert db.session().execute("q", {"a": 1}).rows == []
    assert contents(tmp_path) == before


@pytest.mark.parametrize(("kind", "wrong"), [KINDS, KINDS[::-1]])
def test_a_store_of_another_kind_is_refused_by_the_address_it_has(tmp_path: Path, kind: str, wrong: str) -> None:
    path = tmp_path / "a.db"
    with piql.connect(f"{kind}:{path}") as db:
        db.deploy(piql.compile(SOURCE))
    before = contents(tmp_path)
    with pytest.raises(NotAStore, match=f"open it as {kind}:{path}"):
        piql.connect(f"{wrong}:{path}")
    assert contents(tmp_path) == before


def test_a_database_that_another_program_fills_meanwhile_is_refused_at_the_first_write(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = open_store(f"embedded:{path}")
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    raw.close()
    before = contents(tmp_path)
    with pytest.raises(NotAStore), store.transaction():
        pass
    assert contents(tmp_path) == before


def test_a_file_that_was_removed_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    url = f"embedded:{path}"
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
    store = open_store(url)
    path.unlink()
    with pytest.raises(StoreUnavailable, match="no file that can be opened"):
        store.settings()
    assert not path.exists()


@pytest.mark.parametrize("name", ["folder", "text", "text/a.db", "\0"])
def test_what_is_no_database_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("plain words\n" * 100)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreUnavailable) as refused:
        piql.connect(f"embedded:{tmp_path / name}")
    assert "\n" not in str(refused.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_stores_of_earlier_versions_are_known_by_the_text_of_their_table(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as raw:
        raw.execute(SETTINGS.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
    raw.close()
    assert open_store(f"embedded:{tmp_path / 'a.db'}").is_empty()
