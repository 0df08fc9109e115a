"""Worlds of views one after the other, of four kinds in turn, and what came of them together.

python -m views.campaign --first 3000000 --minutes 90 --out campaign.json      (in engine/tests)

The file says how many worlds and writes there were, and names each world that differed, by its kind and its seed.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import piql
from piql.versions.change import build as builds
from piql.versions.change import steps

from . import test_joined_worlds as joined
from . import test_random_worlds as single
from .life import Life

WRITES = 120  # in each world while its views are in force


class Watched:
    """A database that counts its writes, and compares each with its bound: it stops at the first that passes it."""

    def __init__(self, db: piql.Database, sums: Counter[str]) -> None:
        self._db = db
        self._sums = sums

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, query: str, parameters: Mapping[str, Any]) -> Any:
        self._sums["writes"] += 1
        try:
            page = self._db.execute(query, parameters)
        except piql.PiqlError as refusal:
            self._sums[f"refused: {type(refusal).__name__}"] += 1
            raise
        bound = self._db.deployment.compilation.queries[query].bound
        assert bound is not None
        assert page.operations <= bound.operations, f"{query}: {page.operations} of {bound.operations} requests"
        self._sums["writes at their bound"] += page.operations == bound.operations
        self._sums["requests"] += page.operations
        return page

    def load(self, table: str, rows: Any) -> Any:
        self._sums["loads"] += 1
        return self._db.load(table, rows)


def watched(life: Life[Any], sums: Counter[str]) -> Life[Any]:
    """Return the same life, with its writes counted and more of them."""

    def first(db: piql.Database, world: Any) -> None:
        life.first(Watched(db, sums), world)  # type: ignore[arg-type]

    def write_some(db: piql.Database, world: Any, count: int) -> None:
        life.write_some(Watched(db, sums), world, count)  # type: ignore[arg-type]

    return replace(life, first=first, write_some=write_some, writes=WRITES)


KINDS: Mapping[str, tuple[Life[Any], str]] = {
    "one table": (single.LIFE, "embedded"),
    "several tables": (joined.LIFE, "embedded"),
    "one table, by steps": (single.LIFE, "stepwise"),
    "several tables, by steps": (joined.BY_STEPS, "stepwise"),
}


def run_campaign(first: int, until: Callable[[], bool], tell: Callable[[dict[str, Any]], None]) -> None:
    """Live in world after world until it is time; `tell` is given the sums after every twentieth world."""
    sums = {kind: Counter[str]() for kind in KINDS}
    failures: list[dict[str, Any]] = []
    seed = first
    while not until():
        for kind, (life, store) in KINDS.items():
            started = time.process_time()
            with TemporaryDirectory() as folder:
                try:
                    watched(life, sums[kind]).live_some(seed, 1, Path(folder), store)
                except Exception:
                    failures.append({"kind": kind, "seed": seed, "error": traceback.format_exc()})
            sums[kind]["worlds"] += 1
            sums[kind]["milliseconds of processor time"] += round(1000 * (time.process_time() - started))
        seed += 1
        if (seed - first) % 5 == 0:
            tell({"first": first, "next": seed, "kinds": sums, "failures": failures})
    tell({"first": first, "next": seed, "kinds": sums, "failures": failures})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, required=True, help="the seed of the first world of each kind")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--out", type=Path, required=True)
    wanted = parser.parse_args()
    steps.GRACE_SECONDS = builds.GRACE_SECONDS = 0.0  # there is one process only: it knows of each change at once
    end = time.monotonic() + 60 * wanted.minutes
    run_campaign(
        wanted.first,
        lambda: time.monotonic() > end,
        lambda sums: wanted.out.write_text(json.dumps(sums, indent=1) + "\n"),
    )


if __name__ == "__main__":
    main()
