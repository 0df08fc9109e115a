"""The DuckDB file is closed while others read it, as when an application is deleted: nobody's request is a fault."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from piql_backend.database.connection import Database
from piql_backend.web.errors import ApiError

READERS = 4


@pytest.mark.parametrize("turn", range(10))
def test_a_file_is_closed_beside_threads_that_read_it(tmp_path: Path, turn: int) -> None:
    database = Database(tmp_path / "workbench.duckdb")
    refusals: list[Exception] = []
    have_begun = threading.Barrier(READERS + 1)

    def read() -> None:
        have_begun.wait()
        try:
            while True:
                with database.read() as cursor:
                    cursor.execute("SELECT 1").fetchall()
        except Exception as refusal:
            refusals.append(refusal)

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    have_begun.wait()
    database.close()
    for reader in readers:
        reader.join()
    assert [getattr(refusal, "code", refusal) for refusal in refusals] == ["environment-closed"] * READERS
    with pytest.raises(ApiError, match="closed meanwhile"), database.write():
        pass


def test_a_read_in_the_middle_of_its_statement_is_ended_by_the_closing(tmp_path: Path) -> None:
    database = Database(tmp_path / "workbench.duckdb")
    has_begun = threading.Event()
    refusals: list[ApiError] = []

    def read() -> None:
        try:
            with database.read() as cursor:
                has_begun.set()
                cursor.execute("SELECT sum(range % 7) FROM range(1_000_000_000_000)").fetchall()  # for hours
        except ApiError as refusal:
            refusals.append(refusal)

    reader = threading.Thread(target=read)
    reader.start()
    has_begun.wait()
    database.close()
    reader.join()
    assert [refusal.code for refusal in refusals] == ["environment-closed"]


def test_a_read_that_does_nothing_at_the_moment_is_waited_for(tmp_path: Path) -> None:
    database = Database(tmp_path / "workbench.duckdb")
    has_begun, may_end = threading.Event(), threading.Event()
    ended: list[str] = []

    def read() -> None:
        with database.read():
            has_begun.set()
            may_end.wait()
            ended.append("read")

    def close() -> None:
        database.close()
        ended.append("closing")

    reader, closer = threading.Thread(target=read), threading.Thread(target=close)
    reader.start()
    has_begun.wait()
    closer.start()
    may_end.set()
    reader.join()
    closer.join()
    assert ended == ["read", "closing"]
