"""How many rows a second `load` takes with every constraint checked: SCADr's thoughts, each with its foreign key."""

from __future__ import annotations

import argparse
from datetime import timedelta
from time import perf_counter

import piql
from overhead import SOURCE, START, name


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--users", type=int, default=5_000)
    options.add_argument("--thoughts", type=int, default=20)
    chosen = options.parse_args()
    rows = [
        {"owner": name(n), "posted": START + timedelta(minutes=k), "text": f"Thought {k} of {name(n)}, " * 3}
        for n in range(chosen.users)
        for k in range(chosen.thoughts)
    ]
    for synchronous in ("FULL", "NORMAL"):
        with piql.connect(f"embedded:?synchronous={synchronous}") as db:
            db.deploy(piql.compile(SOURCE))
            db.load("users", [{"username": name(n)} for n in range(chosen.users)])
            started = perf_counter()
            db.load("thoughts", rows)
            seconds = perf_counter() - started
            print(f"load, synchronous={synchronous:<7} {len(rows) / seconds:>10,.0f} rows a second")


if __name__ == "__main__":
    main()
