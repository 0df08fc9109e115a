"""Compares predictions with what queries take on a cluster; writes its section of docs/measurements/predictions.md.

    python profiler/benchmarks/on_cluster.py --store cql://127.0.0.1,127.0.0.2,127.0.0.3/predictions --out runs/table-1

Deploys the sample applications with the rows that `table-1.json` asks for. Then operators and queries are measured,
mixed at random, for a minute to warm up and for `--minutes`: whatever slows the cluster down for a while slows both
alike. The folder `--out` is also a profile, and its report.html shows the table with charts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import piql
from piql.client.database import Observation
from piql_profiler.measure.grid import GRIDS
from piql_profiler.runs.run_files import RunSettings
from piql_profiler.validation.report import as_json, as_page, as_table
from piql_profiler.validation.validate import validate_cases
from predictions_page import CLUSTER, CLUSTER_WRITES, cluster_section, write_section
from table_1 import Lists, fill, sessions

_ROUND_SECONDS = 30.0
_WARM_UP = 2  # rounds


def main() -> None:
    """Fill the store, measure, and print the section."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", required=True, metavar="URL")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new folder")
    parser.add_argument("--minutes", type=float, default=8.0, help="of measuring (8)")
    parser.add_argument("--parts", default="table_1", help="table_1, unseen, figure_6, writes; with commas")
    parser.add_argument("--grid", choices=tuple(GRIDS), help="the list's, unless there are writes among the parts")
    parser.add_argument("--load", type=float, default=0.5, help="how busy the client is kept (0.5)")
    parser.add_argument("--precision", type=float, default=0.05, help="of a p99 that is known well enough (0.05)")
    parser.add_argument("--write", action="store_true", help="into docs/measurements/predictions.md")
    options = parser.parse_args()
    lists = Lists.read().only(options.parts.split(","))
    began = time.monotonic()
    observations: list[Observation] = []
    with piql.connect(options.store, observations.append) as database:
        compilation = fill(database, lists)
        say(f"rows are there after {time.monotonic() - began:.0f} s")
        cases = sessions(database, observations, compilation, lists)
        grid = GRIDS[options.grid or _grid_for(lists)]
        rounds = max(1, round(60 * options.minutes / _ROUND_SECONDS))
        settings = RunSettings(
            options.store, grid, _ROUND_SECONDS, rounds, 1, lists.seed, "local", options.load, options.precision
        )
        validation = validate_cases(settings, options.out, list(cases.values()), say, _WARM_UP)
        topology = database.store.topology()
    (options.out / "validation.json").write_text(json.dumps(as_json(validation), indent=2) + "\n", encoding="utf-8")
    (options.out / "report.html").write_text(as_page(validation), encoding="utf-8")
    say(as_table(validation))
    nodes = "An embedded store" if topology is None else _nodes([f"{node.version}" for node in topology.nodes])
    replication = "" if topology is None else f", replication {topology.replication}, reads {topology.consistency}"
    text = cluster_section(
        lists, validation, f"{nodes}{replication}; {_machine()}; {time.monotonic() - began:.0f} s in all"
    )
    print(text)
    if options.write:
        write_section(CLUSTER_WRITES if tuple(lists.parts) == ("writes",) else CLUSTER, text)


def _grid_for(lists: Lists) -> str:
    """The name of the smallest grid that has the operators of all parts."""
    if "writes" not in lists.parts:
        return str(lists.profile["grid"])
    return "writes" if len(lists.parts) == 1 else "default"


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


def _nodes(versions: Sequence[str]) -> str:
    return f"{len(versions)} nodes of version {', '.join(sorted(set(versions)))}"


def _machine() -> str:
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return f"{os.cpu_count()} cores ({platform.machine()}), load averages at the end {load}"


if __name__ == "__main__":
    main()
