"""What reporting adds to an execution: processor time of the whole process, with its thread, folding and shipping.

The same query runs on the same file, with reporting and without, in rounds of a new order. Shipments are made, written
to the spool and taken at once: the time of the network is the thread's own.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import tempfile
from pathlib import Path
from time import process_time_ns

import piql
from piql.client.reported import ReportedDatabase
from piql.reporting.address import ReportAddress
from piql.reporting.reporter import Reporter
from piql.reporting.sending import Answer
from piql.store.open import open_store

SOURCE = """
CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town VARCHAR(64));
CREATE QUERY findUser AS SELECT name, town FROM users WHERE name = [1: name];
"""
USERS = 1_000
GOAL_MICROSECONDS = 1.0


def taken(address: ReportAddress, shipment: bytes, timeout_seconds: float) -> Answer:
    """Take a shipment at once."""
    return Answer("taken")


def microseconds(db: piql.Database, names: list[str]) -> float:
    """Return the processor time of one execution, of so many."""
    gc.collect()
    started = process_time_ns()
    for name in names:
        db.execute("findUser", {"name": name})
    if isinstance(db, ReportedDatabase):
        db.reporter.fold()
        db.reporter.ship()
    return (process_time_ns() - started) / 1000 / len(names)


def main() -> int:
    """Print the ratio; return 1 when an execution costs more than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--executions", type=int, default=20_000)
    options = parser.parse_args()
    chance = random.Random(18)
    with tempfile.TemporaryDirectory() as folder:
        url = f"embedded:{folder}/users.db"
        with piql.connect(url, report="") as plain:
            plain.deploy(piql.compile(SOURCE))
            plain.load("users", ({"name": f"user{n}", "town": f"town{n % 24}"} for n in range(USERS)))
            address = ReportAddress("http", "127.0.0.1", 1, "/reports", Path(folder, "spool"))
            reporter = Reporter(address, taken)
            with ReportedDatabase(open_store(url), None, "parallel", None, None, reporter=reporter) as reported:
                times: dict[str, list[float]] = {"plain": [], "plain again": [], "reported": []}
                variants = {"plain": plain, "plain again": plain, "reported": reported}
                for _ in range(options.rounds):
                    names = [f"user{chance.randrange(USERS)}" for _ in range(options.executions)]
                    for variant in chance.sample(sorted(variants), len(variants)):
                        times[variant].append(microseconds(variants[variant], names))
    medians = {variant: statistics.median(measured) for variant, measured in times.items()}
    added = medians["reported"] - medians["plain"]
    noise = abs(medians["plain again"] - medians["plain"])
    print(
        f"findUser {medians['plain']:.2f} µs, reported {medians['reported']:.2f} µs: ratio "
        f"{medians['reported'] / medians['plain']:.3f}, {added:.2f} µs an execution "
        f"(goal {GOAL_MICROSECONDS:g}; the same twice differs by {noise:.2f})"
    )
    return int(added > GOAL_MICROSECONDS)


if __name__ == "__main__":
    raise SystemExit(main())
