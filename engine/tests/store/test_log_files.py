"""The log of an open store is measured while other threads write: one that grew is never taken for one that was cut."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from piql.store.embedded import log_files
from piql.store.embedded.store import EmbeddedStore


def note(store: EmbeddedStore, text: str) -> None:
    with store.transaction() as transaction:
        transaction.set_setting(text, "")


def test_a_log_that_another_thread_lengthens_while_it_is_measured_was_not_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EmbeddedStore(tmp_path / "a.db", "NORMAL")
    measure = log_files._Log.size
    notes_of_another_thread = ["while the log is measured"]

    with ThreadPoolExecutor(1) as another_thread:

        def measured_just_before_another_thread_writes(log: log_files._Log) -> int:
            size = measure(log)
            if notes_of_another_thread:
                another_thread.submit(note, store, notes_of_another_thread.pop()).result()
            return size

        note(store, "begun")
        another_thread.submit(note, store, "its connection is open").result()
        monkeypatch.setattr(log_files._Log, "size", measured_just_before_another_thread_writes)
        store._file.log_files.refuse_cut()
    assert not notes_of_another_thread
    note(store, "later")
    assert {"while the log is measured", "later"} <= store.settings().keys()
    store.close()
