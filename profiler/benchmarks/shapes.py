"""Tells whether an operator is in a query what it is in a profile: both executed in turn, one execution at a time.

    python profiler/benchmarks/shapes.py --store cql://127.0.0.1,127.0.0.2,127.0.0.3/shapes --minutes 2

What disturbs a store for a while disturbs both alike, so that their quantiles may be compared on a busy machine, too.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import piql
from piql.database import Observation
from piql_profiler.grid import Grid
from piql_profiler.validation.case import CaseSession
from piql_profiler.workload import Workload, store_for_profiling
from table_1 import Lists, fill, sessions

_QUERIES = ("home", "productDetail", "orderDisplayLines", "buyRequest", "orderDisplayLastOrder")
_GRID = Grid.product("shapes", row_bytes=(40, 200), scan_rows=(1, 10), fk_child_rows=(1, 10))
_WARM_UP = 30  # turns
_SHARES = (0.1, 0.5, 0.9, 0.99)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", required=True, metavar="URL")
    parser.add_argument("--minutes", type=float, default=2.0)
    given = parser.parse_args()
    lists = Lists.read().only(["table_1"])
    lists = replace(
        lists, parts={"table_1": tuple(each for each in lists.parts["table_1"] if each["query"] in _QUERIES)}
    )
    seen: list[Observation] = []
    with (
        piql.connect(given.store, seen.append) as database,
        store_for_profiling(given.store) as own,
        piql.connect(own, seen.append) as profiled,
    ):
        cases = sessions(database, seen, fill(database, lists), lists)
        workload = Workload(_GRID)
        workload.prepare(profiled)
        random = Random(lists.seed)
        found: dict[tuple[str, str], list[float]] = {}
        end, turns = time.monotonic() + 60 * given.minutes, 0
        while time.monotonic() < end:
            parts: list[object] = [*_GRID.points, *cases.values()]
            for part in random.sample(parts, len(parts)):
                if isinstance(part, CaseSession):
                    part.execute()
                    name = part.name
                else:
                    call = workload.call(part, random)  # type: ignore[arg-type]
                    seen.clear()
                    profiled.execute(call.query, call.parameters)
                    name = f"profile: {part}"
                for at, each in enumerate(seen[0].operators):
                    found.setdefault((name, f"{at + 1}. {each.operator}"), []).append(each.elapsed_ms)
            turns += 1
            if turns == _WARM_UP:
                found.clear()
    for (name, operator), milliseconds in sorted(found.items()):
        print(f"{name:44} {operator:18} {_shown(milliseconds)}  of {len(milliseconds)}")


def _shown(milliseconds: Sequence[float]) -> str:
    return "  ".join(f"p{share * 100:g} {np.quantile(milliseconds, share):7.2f}" for share in _SHARES)


if __name__ == "__main__":
    main()
