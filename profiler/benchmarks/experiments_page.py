"""Writes `docs/measurements/experiments.md` from what `piql experiment --all --out FOLDER` has left.

python profiler/benchmarks/experiments_page.py FOLDER [FOLDER …]

The first folder has all experiments; those behind it the runs on stores, each with `--store`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from piql.store.schemes import scheme_of
from piql_profiler.experiments.experiment import Experiment
from piql_profiler.experiments.files import read_result
from piql_profiler.experiments.page import text
from piql_profiler.experiments.papers import EXPERIMENTS

PAGE = Path(__file__).parents[2] / "docs" / "measurements" / "experiments.md"
_MOST_ROWS = 40
HEAD = """# The papers' experiments

`make figures`, then `python profiler/benchmarks/experiments_page.py figures` writes this page. [What the verdicts
mean](../experiments.md#verdicts) is said there. Two cores, shared with many other programs: the p99s of
this machine tell more of these than of the store.
"""
STORES = """## On stores

With `--store`. `cql://` is one node of Cassandra 5 on this machine, `s3://` a local server of the protocol, over the
wire. Both ran beside other programs. No claim about a store's own times follows from them.
"""


def section(experiment: Experiment, result: dict[str, Any]) -> Iterator[str]:
    """Return the lines about one experiment."""
    day = datetime.fromtimestamp(result["ended_at"], UTC).date()
    yield f"## {experiment.title}: {result['verdict']}\n"
    yield f"`{experiment.name}`, {experiment.paper}; {day}, {result['seconds']:.0f} s. {result['how']}\n"
    yield "| the paper | here | verdict |\n| --- | --- | --- |"
    for claim in result["claims"]:
        yield f"| {claim['paper']} | {claim['ours']} | {claim['verdict']} |"
    if len(result["rows"]) <= _MOST_ROWS:
        yield f"\n| {' | '.join(result['columns'])} |\n|{' --- |' * len(result['columns'])}"
        for row in result["rows"]:
            yield f"| {' | '.join(text(row[column]) for column in result['columns'])} |"
    yield ""


def on_stores(folders: Sequence[Path]) -> Iterator[str]:
    """Return the lines about runs on stores: a row for each claim."""
    yield STORES
    yield "| store | experiment | s | the paper | here | verdict |\n| --- | --- | --- | --- | --- | --- |"
    for folder in folders:
        for experiment in EXPERIMENTS:
            result = read_result(folder / experiment.name)
            if result is None:
                continue
            for claim in result["claims"]:
                yield (
                    f"| `{scheme_of(result['store'])}://` | `{experiment.name}` | {result['seconds']:.0f} "
                    f"| {claim['paper']} | {claim['ours']} | {claim['verdict']} |"
                )
    yield ""


def main() -> None:
    """Write the page of all experiments that have a result."""
    folder, *stores = map(Path, sys.argv[1:])
    parts = [HEAD]
    for experiment in EXPERIMENTS:
        result = read_result(folder / experiment.name)
        if result is not None:
            parts += section(experiment, result)
    if stores:
        parts += on_stores(stores)
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
