"""How many rows a second `load` takes with every constraint checked: SCADr's thoughts, each with its foreign key.

Each batch is timed, from one call of `progress` to the next. *By hand* is `executemany` of the same rows into the same
tables, in transactions of the same size, with the foreign keys looked up and nothing else checked. Both run with the
embedded store's two levels of `synchronous`, with and without an index.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
from datetime import timedelta
from itertools import islice, pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import piql
from overhead import EPOCH, SOURCE, START, name
from piql.runtime.writing.bulk import BATCH

# A query whose index each thought is put into.
BY_TEXT = "CREATE QUERY byText AS SELECT owner, posted FROM thoughts WHERE text = [1: text] LIMIT 5;\n"
Rows = list[dict[str, Any]]


def by_engine(path: Path, source: str, users: Rows, rows: Rows, synchronous: str) -> tuple[float, float, list[float]]:
    """Load with the engine; return the seconds on the clock, those of the processor, and those of each batch."""
    with piql.connect(f"embedded:{path}?synchronous={synchronous}") as db:
        db.deploy(piql.compile(source))
        db.load("users", users)
        moments = [perf_counter()]
        worked = process_time()
        db.load("thoughts", rows, lambda _: moments.append(perf_counter()))
        worked = process_time() - worked
    return moments[-1] - moments[0], worked, [b - a for a, b in pairwise(moments)]


def by_hand(path: Path, rows: Rows, indexes: list[str], synchronous: str) -> float:
    """Empty the tables of the same file and load them with sqlite3; return the seconds of processor time."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};")
    connection.execute('DELETE FROM "table thoughts"')
    for index in indexes:
        connection.execute(f'DELETE FROM "{index}"')
    millisecond = timedelta(milliseconds=1)
    worked = process_time()
    source = iter(rows)
    while batch := list(islice(source, BATCH)):
        records = [(row["owner"], (row["posted"] - EPOCH) // millisecond, row["text"]) for row in batch]
        connection.execute("BEGIN IMMEDIATE")
        for owner in {row[0] for row in records}:
            assert connection.execute('SELECT 1 FROM "table users" WHERE username = ?', (owner,)).fetchone()
        connection.executemany(
            'INSERT OR REPLACE INTO "table thoughts" (owner, posted, text) VALUES (?, ?, ?)', records
        )
        for index in indexes:
            entries = [(text is not None, text or 0, owner, posted) for owner, posted, text in records]
            connection.executemany(f'INSERT OR REPLACE INTO "{index}" VALUES (?, ?, ?, ?)', sorted(entries))
        connection.execute("COMMIT")
    worked = process_time() - worked
    connection.close()
    return worked


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--users", type=int, default=5_000)
    options.add_argument("--thoughts", type=int, default=20)
    chosen = options.parse_args()
    users: Rows = [{"username": name(n)} for n in range(chosen.users)]
    rows = [
        {"owner": name(n), "posted": START + timedelta(minutes=k), "text": f"Thought {k} of {name(n)}, " * 3}
        for n in range(chosen.users)
        for k in range(chosen.thoughts)
    ]
    print(f"{len(rows):,} rows a load, batches of {BATCH:,}; rows a second")
    heads = f"{'load':>9}{'by processor':>14}{'by hand':>9}{'ratio':>7}{'p99 of a batch':>18}"
    print(f"{'indexes':<9}{'synchronous':<13}{heads}")
    for source, count in ((SOURCE, 0), (SOURCE + BY_TEXT, 1)):
        for synchronous in ("FULL", "NORMAL"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "bench.db"
                seconds, worked, batches = by_engine(path, source, users, rows, synchronous)
                slow = statistics.quantiles(batches, n=100)[98] * 1000
                indexes = sqlite3.connect(path).execute(
                    "SELECT name FROM sqlite_schema WHERE name LIKE 'index thoughts%'"
                )
                hand = by_hand(path, rows, [name for (name,) in indexes], synchronous)
                print(
                    f"{count:<9}{synchronous:<13}{len(rows) / seconds:>9,.0f}{len(rows) / worked:>14,.0f}"
                    f"{len(rows) / hand:>9,.0f}{worked / hand:>7.2f}{slow:>15.1f} ms"
                )


if __name__ == "__main__":
    main()
