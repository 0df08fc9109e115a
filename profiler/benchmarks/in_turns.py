"""Compares several ways to execute something: each is executed once in every turn, in an order shuffled anew.

Whatever slows the store down for a while slows all ways alike. So their quantiles can be compared on a busy machine.
`shapes.py`, `directions.py` and `widths.py` use it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import numpy as np
import piql
from piql.client.database import Observation

_WARM_UP = 30  # turns that are not counted
_SHARES = (0.1, 0.5, 0.9, 0.99)  # of the quantiles that are printed


def take_turns(
    parts: Mapping[str, Callable[[], Mapping[str, float]]], minutes: float, random: Random
) -> dict[str, list[float]]:
    """Execute each part once a turn; return the milliseconds of all turns after the warm-up.

    A part returns milliseconds by suffixes, such as `", 1. IndexScan"`, or `""` for one time alone. The result has them
    by the part's name and suffix.
    """
    times: dict[str, list[float]] = {}
    end, turns = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < end:
        for name in random.sample(list(parts), len(parts)):
            for suffix, milliseconds in parts[name]().items():
                times.setdefault(f"{name}{suffix}", []).append(milliseconds)
        turns += 1
        if turns == _WARM_UP:
            times.clear()
    return times


def print_quantiles(times: Mapping[str, Sequence[float]]) -> None:
    """Print a line for each name: quantiles in ms, and the number of executions."""
    width = max(map(len, times), default=0)
    for name, milliseconds in sorted(times.items()):
        quantiles = "  ".join(f"p{share * 100:g} {np.quantile(milliseconds, share):7.2f}" for share in _SHARES)
        print(f"{name:{width}}  {quantiles}  of {len(milliseconds)}")


@contextmanager
def filled(
    text: str, rows: Callable[[], Iterable[tuple[str, Sequence[Mapping[str, Any]]]]], description: str
) -> Iterator[tuple[piql.Database, list[Observation], float]]:
    """Read the store and the minutes from the command line, and deploy and load what a benchmark executes.

    Yields the database, the list that its observations are appended to (to be cleared before each execution), and the
    minutes. Rows are loaded only once into a store.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--store", required=True, metavar="URL")
    parser.add_argument("--minutes", type=float, default=3.0)
    options = parser.parse_args()
    observations: list[Observation] = []
    with piql.connect(options.store, observations.append) as database:
        database.deploy(piql.compile(text))
        if not database.some_rows("links", ["owner"], 1):
            for table, records in rows():
                database.load(table, records)
            database.store.flush()
        yield database, observations, options.minutes


def ms_of_last_operator(observation: Observation) -> float:
    """The time of an execution without the operators before its last one."""
    return observation.elapsed_ms - sum(operator.elapsed_ms for operator in observation.operators[:-1])


def links(names: Sequence[str], levels: Sequence[int], random: Random) -> list[Mapping[str, str]]:
    """Rows of (owner, target): ten owners of each level, `c010-3` with ten targets."""
    return [
        {"owner": f"c{level:03}-{owner}", "target": target}
        for level in levels
        for owner in range(10)
        for target in random.sample(names, level)
    ]
