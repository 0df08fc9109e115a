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
