"""What a save costs in the history of an application, and what reading the history costs. Processor time.

python backend/benchmarks/file_history.py [SAVES]

An application of 100 files of 1 KB; each save changes one of them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from piql_backend.file_history.repository import FileHistory

FILES = 100
TEXT = "-- what a query is for, and whom to ask about it\n" * 20


@contextmanager
def timed(what: str, count: int = 1) -> Iterator[None]:
    """Print the milliseconds that each of `count` repetitions took."""
    start = time.process_time()
    yield
    print(f"{what:44} {(time.process_time() - start) / count * 1000:8.2f} ms")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    texts = {f"queries/q{number:03}.piql": f"-- {number}\n{TEXT}" for number in range(FILES)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "application.git"
        history = FileHistory(path)
        history.record(texts, "first")
        with timed(f"a save, of {count:,}", count):
            for number in range(count):
                texts[f"queries/q{number % FILES:03}.piql"] += f"-- save {number}\n"
                history.record(texts, f"save {number}")
        with timed("nothing changed", 100):
            for _ in range(100):
                history.record(texts, "again")
        history.close()
        with timed("opened, and the 50 newest saves read"):
            newest = list(islice(FileHistory(path).newest_first(), 50))
        with timed(f"saves of one file, {count:,} looked at"):
            of_file = list(FileHistory(path).newest_first(path="queries/q007.piql"))
        with timed("texts of one save"):
            FileHistory(path).texts(count // 2)
        print(f"{len(newest)} newest, {len(of_file)} of the file")
        print(f"{sum(file.stat().st_size for file in path.rglob('*') if file.is_file()) / 1e6:.1f} MB on disk")


if __name__ == "__main__":
    main()
