"""Somebody who writes and reads while the schema changes, in a thread or in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piql

from .shop import row


class Worker:
    """Writes rows of its own and reads them again, until told to stop; remembers what was acknowledged."""

    LEAST = 6  # rounds, however late it is told

    def __init__(self, db: piql.Database, number: int, rows: int) -> None:
        self._db = db
        self._rows = rows
        self._first = 100_000 * number
        self.model: dict[int, int | None] = {}  # the price of each row that it wrote; None when it removed it
        self.failures: list[str] = []
        self.rounds = 0

    def run(self, stop: Callable[[], bool]) -> None:
        while self.rounds < self.LEAST or not stop():
            try:
                self._round()
            except Exception as failure:  # whatever it is, it should not have been
                self.failures.append(repr(failure))
            self.rounds += 1

    def _round(self) -> None:
        db, key = self._db, self._first + self.rounds
        db.execute("add", row(key))
        self.model[key] = key
        db.execute("reprice", {"id": key, "price": -key})
        self.model[key] = -key
        if self.rounds % 3 == 0:
            db.execute("remove", {"id": key})
            self.model[key] = None
        rows = db.execute("item", {"id": key}).rows
        assert [row["price"] for row in rows] == ([] if self.model[key] is None else [-key])
        assert len(db.execute("list", {"kind": f"k{self.rounds % 7}"}).rows) == 5
        db.execute("reprice", {"id": self.rounds % self._rows, "price": self.rounds})  # rows that others write, too

    def account(self) -> dict[str, Any]:
        return {"model": self.model, "failures": self.failures, "rounds": self.rounds}


def work(job: dict[str, Any], number: int, tell: Callable[[str], None]) -> None:
    """Work until there is a file; leave the account beside it."""
    stop_file = Path(job["told"])
    with piql.connect(job["url"]) as db:
        worker = Worker(db, job["number"], job["rows"])
        stop_file.with_suffix(".ready").touch()
        worker.run(stop_file.exists)
        stop_file.with_suffix(f".{job['number']}").write_text(json.dumps(worker.account()))
