"""Runs the oracle over many worlds: `python -m engine.tests.oracle --cases 10000 --write FILE`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .campaign import report, run_campaign
from .world import random_world
from .worlds_of_views import world_of_views


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m engine.tests.oracle", description=__doc__)
    options.add_argument("--cases", type=int, default=1000, help="queries to try")
    options.add_argument("--seed", type=int, default=0, help="the first world's seed")
    options.add_argument("--worlds", type=int, help="worlds to try, instead of a number of cases")
    options.add_argument("--views", action="store_true", help="worlds with views")
    options.add_argument("--failures", type=int, default=5, help="kinds of failures to shrink and print")
    options.add_argument("--write", type=Path, help="write the result to this file")
    chosen = options.parse_args()
    world_of = world_of_views if chosen.views else random_world
    campaign = run_campaign(chosen.seed, chosen.cases, chosen.worlds, world_of=world_of)
    for program in campaign.repros(chosen.failures):
        print(program)
        print("-" * 100)
    text = report(campaign)
    print(text)
    if chosen.write is not None:
        chosen.write.write_text(text)
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
