"""Writers take turns: the one at the front is next, and nobody who ends or stops there holds up the others."""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import PATIENCE
from piql.store.embedded import turns
from piql.store.embedded.store import EmbeddedStore
from processes.forked import said_by_child


@pytest.fixture(scope="module", autouse=True)
def nothing_of_other_tests_is_open() -> None:
    gc.collect()  # stores that they left without closing them; late in a run it takes two seconds


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def store(path: Path) -> Iterator[EmbeddedStore]:
    store = EmbeddedStore(path, "NORMAL")
    note(store, "begun")
    yield store
    store.close()


def note(store: EmbeddedStore, text: str) -> None:
    with store.transaction() as transaction:
        transaction.set_setting(text, "")


def queue_of(path: Path) -> Path:
    return path.with_name(path.name + turns.BESIDE)


def is_front_taken(path: Path) -> bool:
    with queue_of(path).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def queues_open_here() -> list[str]:
    names = []
    for number in os.listdir("/proc/self/fd"):
        try:
            names.append(os.readlink(f"/proc/self/fd/{number}"))
        except FileNotFoundError:  # the one that listed them
            continue
    return [name for name in names if name.endswith(turns.BESIDE)]


def test_a_writer_that_begins_again_at_once_passes_nobody_at_the_front(store: EmbeddedStore, path: Path) -> None:
    order: list[str] = []
    front_is_taken = threading.Event()

    def wait() -> None:
        with store.transaction():
            order.append("the one that waited")

    def look() -> None:
        while not is_front_taken(path):
            pass
        front_is_taken.set()

    threads = [threading.Thread(target=wait), threading.Thread(target=look)]
    with store.transaction():
        for thread in threads:
            thread.start()
        assert front_is_taken.wait(PATIENCE)
        order.append("the first")
    with store.transaction():
        order.append("the first again")
    for thread in threads:
        thread.join()
    assert order == ["the first", "the one that waited", "the first again"]
    assert not is_front_taken(path)


AT_THE_FRONT = """
import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("there", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_process_that_is_stopped_or_killed_at_the_front_holds_up_nobody(
    store: EmbeddedStore, path: Path, is_killed: bool
) -> None:
    other = subprocess.Popen([sys.executable, "-c", AT_THE_FRONT, str(queue_of(path))], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"there\n"
        if is_killed:
            other.kill()
            other.wait()
        assert is_front_taken(path) is not is_killed
        note(store, "written all the same")
        assert "written all the same" in store.settings()
    finally:
        other.kill()
        other.communicate()


def test_the_front_is_left_after_a_transaction_that_fails_to_begin(store: EmbeddedStore, path: Path) -> None:
    impatient = EmbeddedStore(path, "NORMAL", wait_ms=20)
    with store.transaction(), pytest.raises(Exception, match="being written by others"), impatient.transaction():
        pass
    assert not is_front_taken(path)
    note(impatient, "later")
    impatient.close()


def test_a_connection_closes_its_place_with_itself_and_before_a_fork(store: EmbeddedStore) -> None:
    assert len(queues_open_here()) == 1
    child = os.fork()
    if child == 0:
        os._exit(len(queues_open_here()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    note(store, "after the fork")
    store.close()
    assert queues_open_here() == []


def test_a_child_of_a_fork_within_a_transaction_keeps_no_place_of_its_parents(store: EmbeddedStore) -> None:
    def look() -> None:
        assert not queues_open_here()

    with store.transaction():
        assert said_by_child(look) == "done"


def test_the_file_of_the_queue_is_for_whoever_may_write_the_store_and_only_writers_make_it(path: Path) -> None:
    path.touch()
    path.chmod(0o640)
    mask = os.umask(0o077)
    try:
        store = EmbeddedStore(path, "NORMAL")
        store.is_empty()
        assert not queue_of(path).exists()
        note(store, "begun")
        assert queue_of(path).stat().st_mode & 0o777 == 0o640
        store.close()
    finally:
        os.umask(mask)


def test_a_store_whose_queue_cannot_be_made_is_written_without(path: Path) -> None:
    queue_of(path).mkdir()
    store = EmbeddedStore(path, "NORMAL")
    note(store, "begun")
    assert "begun" in store.settings()
    store.close()


def test_a_link_that_lies_in_the_queues_place_is_not_followed(path: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.touch(mode=0o600)
    queue_of(path).symlink_to(theirs)
    store = EmbeddedStore(path, "NORMAL")
    store.make()
    path.chmod(0o666)
    note(store, "begun")
    assert "begun" in store.settings()
    assert queues_open_here() == []
    store.close()
    assert theirs.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("failing", [fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN])
@pytest.mark.parametrize("reason", [errno.ENOLCK, errno.EACCES, errno.EIO])
def test_a_lock_that_begins_to_fail_keeps_nobody_from_writing(
    store: EmbeddedStore, path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, reason: int
) -> None:
    lock = fcntl.flock

    def lock_that_fails(file: int, operation: int) -> None:
        if operation == failing:
            raise OSError(reason, os.strerror(reason))
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", lock_that_fails)
    note(store, "once")
    note(store, "twice")
    monkeypatch.undo()
    assert {"once", "twice"} <= store.settings().keys()
    assert not is_front_taken(path)
    assert queues_open_here() == []
