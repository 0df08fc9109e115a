"""How fast `piql load` puts a file of a million rows into the embedded store, and what a kill leaves.

Each load is a process of its own: its seconds are those on the clock, its memory the most that was resident. `killed`
is a load that gets SIGKILL again and again and goes on with `--resume`; afterwards the table is compared with the file,
row by row. Pages are read as the grid of the workbench reads them.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from time import perf_counter, sleep

import piql
from overhead import EPOCH, START, name
from piql.client.table_rows import rows_page

SOURCE = """
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY);
CREATE TABLE thoughts (
  owner VARCHAR(32) REFERENCES users, posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
"""
PAGE_ROWS = 50
RUN = "import sys; from piql.commands.cli import main; sys.exit(main())"


def write_file(path: Path, users: int, rows: int, order: str) -> None:
    """Write thoughts in the order of their key, or of their time: then neighbours are far apart in the table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["owner", "posted", "text"])
        for number in range(rows):
            posted = START + timedelta(seconds=number)
            owner = name(number * 7919 % users if order == "time" else number * users // rows)
            text = f"Thought {number} of {owner}, well " * 2
            writer.writerow([owner, posted.isoformat(timespec="milliseconds"), text])


def new_store(path: Path, users: int) -> str:
    """Make a store whose users are there, and return its address."""
    with piql.connect(f"embedded:{path}") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("users", [{"username": name(number)} for number in range(users)])
    return f"embedded:{path}"


def started(file: Path, store: str, *more: str) -> subprocess.Popen[bytes]:
    """Start `piql load` of the file."""
    command = [sys.executable, "-c", RUN, "load", "thoughts", str(file), "--store", store, *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def ended(process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """Wait until a process has ended, and return the most memory that it had, in MB, and its seconds of processor."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / 1000, usage.ru_utime + usage.ru_stime


def loaded(file: Path, store: str, rows: int, *more: str) -> None:
    """Load, and print the rate and the memory."""
    began = perf_counter()
    process = started(file, store, *more)
    memory, worked = ended(process)
    seconds = perf_counter() - began
    assert process.returncode == 0
    rates = f"{rows / seconds:>12,.0f} rows/s on the clock{rows / worked:>12,.0f} by processor"
    print(f"{' '.join(more) or 'load':<12}{rates}{memory:>9.0f} MB", flush=True)


def killed(file: Path, store: str, rows: int, kills: int, seconds: float) -> None:
    """Kill a load `kills` times at random moments within `seconds`, go on, and compare the table with the file."""
    chance = random.Random(2026)
    most = 0.0
    for _ in range(kills):
        process = started(file, store, "--resume")
        sleep(chance.uniform(0.5, seconds))
        process.send_signal(signal.SIGKILL)
        most = max(most, ended(process)[0])
    process = started(file, store, "--resume")
    most = max(most, ended(process)[0])
    assert process.returncode == 0
    with file.open(encoding="utf-8", newline="") as lines:
        wanted = {(row["owner"], row["posted"]): row["text"] for row in csv.DictReader(lines)}
    there = doubles = 0
    connection = sqlite3.connect(store.removeprefix("embedded:"))
    for owner, posted, text in connection.execute('SELECT owner, posted, text FROM "table thoughts"'):
        moment = (EPOCH + timedelta(milliseconds=posted)).isoformat(timespec="milliseconds")
        doubles += wanted.pop((owner, moment), None) != text
        there += 1
    connection.close()
    outcome = f"{there:,} rows, {len(wanted)} lost, {doubles} double or changed"
    print(f"{'killed':<12}{kills:>12} times: {outcome}, {most:.0f} MB", flush=True)
    assert (there, len(wanted), doubles) == (rows, 0, 0)


def paged(store: str, pages: int) -> None:
    """Read pages of the table as the grid does: the first one by a fresh connection, then one behind the other."""
    with piql.connect(store) as db:
        times: list[float] = []
        after = None
        for _ in range(pages):
            began = perf_counter()
            page = rows_page(db, "thoughts", {}, after, PAGE_ROWS)
            times.append((perf_counter() - began) * 1000)
            after = page.after
            if after is None:
                break
    slowest = statistics.quantiles(times, n=100)[98]
    print(f"{'pages':<12}{len(times):>12} of {PAGE_ROWS} rows: first {times[0]:.1f} ms, p99 {slowest:.1f} ms")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--users", type=int, default=5_000)
    options.add_argument("--kills", type=int, default=10)
    options.add_argument("--pages", type=int, default=2_000)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for order in ("key", "time"):
            file = Path(folder) / f"{order}.csv"
            write_file(file, chosen.users, chosen.rows, order)
            size = file.stat().st_size / 1e6
            print(f"{chosen.rows:,} rows in the order of their {order}, {size:.0f} MB of CSV", flush=True)
            store = new_store(Path(folder) / f"{order}.db", chosen.users)
            loaded(file, store, chosen.rows)
            loaded(file, store, chosen.rows, "--dry-run")
        paged(store, chosen.pages)
        killed(file, new_store(Path(folder) / "killed.db", chosen.users), chosen.rows, chosen.kills, 5)


if __name__ == "__main__":
    main()
