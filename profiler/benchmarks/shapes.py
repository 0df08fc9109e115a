"""Measures whether an operator takes as long in a query as in a profile: queries and points are executed in turn.

    python profiler/benchmarks/shapes.py --store cql://127.0.0.1,127.0.0.2,127.0.0.3/shapes --minutes 2

It prints quantiles in ms for every operator of some queries of `table-1.json`, and for points of a profile:

    home, follows 10, 1. IndexScan                         p10 … p99
    profile: IndexScan of 10 × 200 B, 1. IndexScan         p10 … p99
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import piql
from in_turns import print_quantiles, take_turns
from piql.client.database import Observation
from piql_profiler.measure.grid import Grid, Point
from piql_profiler.measure.workload import Workload, store_for_profiling
from piql_profiler.validation.case import CaseSession
from table_1 import Lists, fill, sessions

_QUERIES = ("home", "productDetail", "orderDisplayLines", "buyRequest", "orderDisplayLastOrder")
_GRID = Grid.product("shapes", row_bytes=(40, 200), scan_rows=(1, 10), fk_child_rows=(1, 10))


def main() -> None:
    """Fill the store with the rows of the queries and of the points, execute both in turn, and print quantiles."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", required=True, metavar="URL")
    parser.add_argument("--minutes", type=float, default=2.0)
    options = parser.parse_args()
    lists = Lists.read().only(["table_1"])
    lists = replace(
        lists, parts={"table_1": tuple(case for case in lists.parts["table_1"] if case["query"] in _QUERIES)}
    )
    observations: list[Observation] = []
    with (
        piql.connect(options.store, observations.append) as database,
        store_for_profiling(options.store) as profiling_url,
        piql.connect(profiling_url, observations.append) as profiled,
    ):
        cases = sessions(database, observations, fill(database, lists), lists)
        workload = Workload(_GRID)
        workload.prepare(profiled)
        random = Random(lists.seed)

        def of_query(case: CaseSession) -> Callable[[], Mapping[str, float]]:
            def execute() -> Mapping[str, float]:
                case.execute()
                return operators()

            return execute

        def of_point(point: Point) -> Callable[[], Mapping[str, float]]:
            def execute() -> Mapping[str, float]:
                call = workload.call(point, random)
                observations.clear()
                profiled.execute(call.query, call.parameters)
                return operators()

            return execute

        def operators() -> Mapping[str, float]:
            return {
                f", {at}. {operator.operator}": operator.elapsed_ms
                for at, operator in enumerate(observations[0].operators, start=1)
            }

        parts = {case.name: of_query(case) for case in cases.values()}
        parts |= {f"profile: {point}": of_point(point) for point in _GRID.points}
        print_quantiles(take_turns(parts, options.minutes, random))


if __name__ == "__main__":
    main()
