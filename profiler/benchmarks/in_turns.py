"""Ways to execute something, each once in every turn, in an order shuffled anew: what disturbs a store for a while
disturbs all alike, so that their quantiles may be compared on a busy machine, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from random import Random

import numpy as np

_WARM_UP = 30  # turns
_SHARES = (0.1, 0.5, 0.9, 0.99)


def take_turns(
    parts: Mapping[str, Callable[[], Mapping[str, float]]], minutes: float, random: Random
) -> dict[str, list[float]]:
    """Execute each part once a turn; gives the milliseconds of all turns after the first ones, by name and by what the
    part says of itself.
    """
    found: dict[str, list[float]] = {}
    end, turns = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < end:
        for name in random.sample(list(parts), len(parts)):
            for what, milliseconds in parts[name]().items():
                found.setdefault(f"{name}{what}", []).append(milliseconds)
        turns += 1
        if turns == _WARM_UP:
            found.clear()
    return found


def print_quantiles(found: Mapping[str, Sequence[float]]) -> None:
    """Print a line for each name: quantiles in ms, and of how many executions."""
    width = max(map(len, found), default=0)
    for name, milliseconds in sorted(found.items()):
        shown = "  ".join(f"p{share * 100:g} {np.quantile(milliseconds, share):7.2f}" for share in _SHARES)
        print(f"{name:{width}}  {shown}  of {len(milliseconds)}")


def links(names: Sequence[str], levels: Sequence[int], random: Random) -> list[Mapping[str, str]]:
    """Give rows of (owner, target): ten owners of each level, `c010-3` with ten targets."""
    return [
        {"owner": f"c{level:03}-{owner}", "target": target}
        for level in levels
        for owner in range(10)
        for target in random.sample(names, level)
    ]
