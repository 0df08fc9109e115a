"""The saves of an application: none lost, none twice, read by git itself."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from piql_backend.file_history.repository import FileChange, FileHistory, HistoryDamaged, Save

SCHEMA = "CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL);\n"
QUERY = "CREATE QUERY user AS SELECT name FROM users WHERE id = [id];\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "histories" / "scadr.git"


def _count(history: FileHistory) -> int:
    return next((save.number for save in history.newest_first()), 0)


def test_an_application_that_was_never_saved_has_no_history_and_no_folder(folder: Path) -> None:
    history = FileHistory(folder)
    assert (list(history.newest_first()), history.texts(1), history.save(1)) == ([], None, None)
    assert not folder.exists()


def test_each_save_is_there_with_its_texts_and_what_changed(folder: Path) -> None:
    history = FileHistory(folder)
    states = [
        {"schema.piql": SCHEMA},
        {"schema.piql": SCHEMA, "queries/user.piql": QUERY},
        {"schema.piql": SCHEMA + "-- ä\r\n", "queries/user.piql": QUERY},
        {"schema.piql": SCHEMA + "-- ä\r\n", "queries/who.piql": QUERY},
        {"schema.piql": SCHEMA + "-- ä\r\n"},
    ]
    assert [history.record(state, f"state {number}") for number, state in enumerate(states, 1)] == [1, 2, 3, 4, 5]
    assert [history.texts(number) for number in range(1, 6)] == states
    assert [save.changes for save in history.newest_first()] == [
        (FileChange("queries/who.piql", "removed"),),
        (FileChange("queries/who.piql", "renamed", "queries/user.piql"),),
        (FileChange("schema.piql", "changed"),),
        (FileChange("queries/user.piql", "added"),),
        (FileChange("schema.piql", "added"),),
    ]
    newest = history.save(5)
    assert newest is not None
    assert newest.message == "state 5"


def test_what_is_as_it_was_is_no_save(folder: Path) -> None:
    history = FileHistory(folder)
    assert history.record({"schema.piql": SCHEMA}, "first") == 1
    assert history.record({"schema.piql": SCHEMA}, "again") is None
    assert _count(history) == 1


def test_a_file_is_followed_through_its_renames(folder: Path) -> None:
    history = FileHistory(folder)
    for number, state in enumerate(
        [{"a.piql": QUERY}, {"b.piql": QUERY}, {"b.piql": QUERY, "schema.piql": SCHEMA}, {"c.piql": QUERY}], 1
    ):
        history.record(state, f"state {number}")
    assert [save.number for save in history.newest_first(path="c.piql")] == [4, 2, 1]
    assert [save.number for save in history.newest_first(before=4)] == [3, 2, 1]
    assert list(history.newest_first(path="never.piql")) == []


def test_a_deployment_names_its_save_and_texts_that_are_none_hang_beside(folder: Path) -> None:
    history = FileHistory(folder)
    history.record({"schema.piql": SCHEMA}, "first")
    history.mark({"schema.piql": SCHEMA}, "development/1")
    draft = {"schema.piql": SCHEMA, "queries/user.piql": QUERY}
    history.mark(draft, "development/2")
    history.mark({}, "development/2")
    assert [save.marks for save in history.newest_first()] == [("development/1",)]
    shown = subprocess.run(
        ["git", "-C", str(folder), "show", "development/2:queries/user.piql"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == QUERY
    assert _count(history) == 1


def test_another_start_and_another_process_see_the_same_and_go_on(folder: Path) -> None:
    first, second = FileHistory(folder), FileHistory(folder)
    first.record({"schema.piql": SCHEMA}, "one")
    assert second.texts(1) == {"schema.piql": SCHEMA}
    second.record({"schema.piql": SCHEMA + "\n"}, "two")
    assert first.record({"schema.piql": SCHEMA + "\n\n"}, "three") == 3
    assert [save.message for save in second.newest_first()] == ["three", "two", "one"]
    second.close()
    assert _count(second) == 3


def test_threads_that_save_at_once_lose_nothing(folder: Path) -> None:
    histories = [FileHistory(folder), FileHistory(folder)]
    histories[0].record({"f.piql": ""}, "first")

    def save_ten(history: FileHistory, name: str) -> None:
        for at in range(10):
            history.record({"f.piql": f"-- {name} {at}"}, f"{name} {at}")

    threads = [threading.Thread(target=save_ten, args=(histories[at % 2], f"thread {at}")) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [_count(history) for history in histories] == [41, 41]
    assert len({save.message for save in histories[1].newest_first()}) == 41


def test_what_a_killed_process_left_behind_stops_no_save(folder: Path) -> None:
    (folder.with_suffix(".new") / "refs").mkdir(parents=True)  # killed while it was made
    FileHistory(folder).record({"f.piql": "-- 1"}, "first")
    (folder / "refs" / "heads" / "main.lock").write_bytes(b"")  # killed while it moved main
    (folder / "refs" / "tags" / "development").mkdir()
    (folder / "refs" / "tags" / "development" / "1.lock").write_bytes(b"")
    history = FileHistory(folder)
    history.record({"f.piql": "-- 2"}, "second")
    history.mark({"f.piql": "-- 2"}, "development/1")
    assert [(save.message, save.marks) for save in history.newest_first()] == [
        ("second", ("development/1",)),
        ("first", ()),
    ]


def test_git_reads_it_and_finds_no_fault(folder: Path, tmp_path: Path) -> None:
    history = FileHistory(folder)
    history.record({"schema.piql": SCHEMA}, "first")
    history.record({"schema.piql": SCHEMA, "queries/user.piql": QUERY}, "second: ünïcode\n\nbody")
    history.mark({"schema.piql": SCHEMA}, "development/1")
    subprocess.run(["git", "-C", str(folder), "fsck", "--strict"], check=True, capture_output=True)
    subprocess.run(["git", "clone", "-q", str(folder), str(tmp_path / "clone")], check=True)
    assert (tmp_path / "clone" / "queries" / "user.piql").read_text() == QUERY
    log = subprocess.run(["git", "-C", str(folder), "log", "--format=%an|%s"], capture_output=True, text=True)
    assert log.stdout.splitlines() == ["PIQL Workbench|second: ünïcode", "PIQL Workbench|first"]


def test_many_saves_are_packed_and_stay_readable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piql_backend.file_history.repository._LOOSE_OBJECTS", 20)
    monkeypatch.setattr("piql_backend.file_history.repository._SAVES_BETWEEN_COUNTS", 5)
    history = FileHistory(folder)
    for number in range(1, 18):
        history.record({"f.piql": f"-- {number}"}, str(number))
    assert list((folder / "objects" / "pack").glob("*.pack"))
    assert [history.texts(number) for number in (1, 11, 17)] == [{"f.piql": f"-- {at}"} for at in (1, 11, 17)]
    assert _count(FileHistory(folder)) == 17


DAMAGE: dict[str, bytes | None] = {"emptied": b"", "overwritten": b"\xff" * 30, "removed": None}


@pytest.mark.parametrize("damage", ["cut off", *DAMAGE])
def test_a_damaged_file_of_it_is_told_and_what_is_whole_is_kept(folder: Path, tmp_path: Path, damage: str) -> None:
    history = FileHistory(folder)
    for number in range(3):
        history.record({"schema.piql": f"{SCHEMA}-- {number}\n", "q.piql": QUERY * number}, f"state {number}")
    history.mark({"schema.piql": SCHEMA}, "development/1")
    history.close()
    whole = _everything(FileHistory(folder))
    told = 0
    for path in sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file()):
        copy = tmp_path / f"{path.as_posix().replace('/', '-')}.git"
        shutil.copytree(folder, copy)
        (copy / path).chmod(0o600)
        content = (copy / path).read_bytes()
        if damage == "removed":
            (copy / path).unlink()
        else:
            (copy / path).write_bytes(content[: len(content) // 2] if damage == "cut off" else DAMAGE[damage] or b"")
        history = FileHistory(copy)
        said = ""
        try:
            assert _everything(history) == whole or "refs/tags" in str(path)  # a tag that is gone is not missed
        except HistoryDamaged as damaged:
            said = str(damaged)
        if said:
            told += 1
            assert "'" not in said
            _mends(history, [save for save, _ in whole], path.as_posix())
            subprocess.run(["git", "-C", str(copy), "fsck", "--strict"], check=True, capture_output=True)
        assert history.record({"f.piql": "-- later"}, "later") is not None
        assert _everything(history)[0][1] == {"f.piql": "-- later"}
    assert told > 5


def _mends(history: FileHistory, whole: list[Save], path: str) -> None:
    mended = history.mend()
    assert mended is not None
    saves = [save for save, _ in _everything(history)]
    told = [save for save in saves if save.message.startswith("At least")]
    assert [save.message for save in saves[len(told) :]] == [
        save.message for save in whole if save.message in {kept.message for kept in saves}
    ]
    assert (len(saves) - len(told), len(told)) == (mended.kept, 1 if mended.lost else 0)
    assert mended.kept + mended.lost == len(whole)
    if "objects" not in path and "main" not in path:
        assert mended.lost == 0


def test_what_a_missing_save_cuts_in_two_is_kept_in_its_order(folder: Path) -> None:
    history = FileHistory(folder)
    for number in range(1, 6):
        history.record({"f.piql": f"-- {number}"}, f"state {number}")
    history.mark({"f.piql": "-- draft"}, "development/7")
    history.close()
    (third,) = (line.split()[0] for line in _log(folder) if line.endswith("state 3"))
    (folder / "objects" / third[:2] / third[2:]).unlink()
    history = FileHistory(folder)
    with pytest.raises(HistoryDamaged, match="missing"):
        _everything(history)
    mended = history.mend()
    assert mended is not None
    assert (mended.kept, mended.lost, mended.lost_marks) == (4, 1, ())
    assert [save.message for save in history.newest_first()] == [
        f"At least 1 save is lost: the history was damaged, and is now {mended.aside}",
        *("state 5", "state 4", "state 2", "state 1"),
    ]
    assert (folder.parent / mended.aside / "objects").is_dir()
    shown = subprocess.run(["git", "-C", str(folder), "show", "development/7:f.piql"], capture_output=True, check=True)
    assert shown.stdout == b"-- draft"
    assert history.mend() is None


@pytest.mark.parametrize("renames", range(4))
def test_a_process_that_is_killed_while_it_mends_loses_nothing_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    history = FileHistory(folder)
    history.record({"f.piql": "-- 1"}, "first")
    history.record({"f.piql": "-- 2"}, "second")
    history.close()
    (folder / "HEAD").write_bytes(b"")
    with monkeypatch.context() as patched:
        rename, left = Path.rename, iter(range(renames))

        def counted(file: Path, target: Path) -> Path:
            if next(left, None) is None:
                raise ProcessLookupError
            return rename(file, target)

        patched.setattr(Path, "rename", counted)
        with contextlib.suppress(ProcessLookupError):
            FileHistory(folder).mend()
    history = FileHistory(folder)
    with contextlib.suppress(HistoryDamaged):
        history.record({"f.piql": "-- 3"}, "third")
    if renames < 2:
        assert history.mend() is not None
        history.record({"f.piql": "-- 3"}, "third")
    assert [save.message for save in history.newest_first()] == ["third", "second", "first"]


def _log(folder: Path) -> list[str]:
    log = ["git", "-C", str(folder), "log", "--format=%H %s", "main"]
    return subprocess.run(log, capture_output=True, text=True, check=True).stdout.splitlines()


def _everything(history: FileHistory) -> list[tuple[Save, dict[str, str] | None]]:
    try:
        return [(save, history.texts(save.number)) for save in history.newest_first()]
    finally:
        history.close()
