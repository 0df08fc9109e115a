"""Walks through worlds, and says what a declaration makes dearer: `python -m engine.tests.oracle.metamorphic`.

    --seed 50000000 --worlds 10000 --drawn 1 --queries 3 --write FILE

What is dearer is written when it is found; after each hundred worlds, and at the end, how many were compared.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TextIO

from .declaring import Declared, declared_in

STEP = 100  # worlds between two lines


def walk(seeds: range, drawn: int | None, most_queries: int | None, file: TextIO) -> Declared:
    """Plan queries of worlds without `drawn` declarations of each, or without any of them; write what is dearer."""
    tally = Declared()
    started = time.process_time()
    for walked, seed in enumerate(seeds, 1):
        declared = declared_in(seed, drawn=drawn, most_queries=most_queries)
        tally.add(declared)
        for dearer in declared.dearer:
            print(f"{dearer.seed} {dearer.query} {dearer.declared}: {dearer.detail}\n", file=file)
        if walked % STEP == 0 or walked == len(seeds):
            seconds = time.process_time() - started
            counts = f"{tally.held} comparisons, {tally.cheaper} cheaper, {len(tally.dearer)} dearer"
            print(f"{walked} worlds from {seeds[0]}: {counts}, {seconds:.0f} s of a processor", file=file, flush=True)
    return tally


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m engine.tests.oracle.metamorphic", description=__doc__)
    options.add_argument("--seed", type=int, default=50_000_000, help="the first world's seed")
    options.add_argument("--worlds", type=int, default=10_000)
    options.add_argument("--drawn", type=int, default=1, help="declarations that are drawn of each world; 0: all")
    options.add_argument("--queries", type=int, default=0, help="queries that are drawn for each of these; 0: all")
    options.add_argument("--write", type=Path, help="write to this file, not to the screen")
    chosen = options.parse_args()
    seeds = range(chosen.seed, chosen.seed + chosen.worlds)
    with chosen.write.open("w") if chosen.write is not None else sys.stdout as file:
        tally = walk(seeds, chosen.drawn or None, chosen.queries or None, file)
    return 1 if tally.dearer else 0


if __name__ == "__main__":
    sys.exit(main())
