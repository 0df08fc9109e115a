"""Prints the table of a measurement; `--keep` makes it a section of docs/measurements/cluster-figures.md.

Each program measures one variant twice, under another name. Differences as small as those between the two cannot be
told from the noise of the machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill

from kept_results import keep_section, load_average

PAGE = "cluster-figures.md"
SAME_P50, SAME_P99 = 1.1, 1.25  # ratios of one variant to itself up to which a row is valid
VOID = (
    f"*The same twice* is measured again against itself, p50 and p99; where that is not within {SAME_P50 - 1:.0%} and"
    f" {SAME_P99 - 1:.0%}, times of the row are void."
)


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    return statistics.median(values), statistics.quantiles(values, n=100)[98]


def same_twice(again: Sequence[float], first: Sequence[float]) -> str:
    """Return the ratios of p50 and p99 of the same work done twice, as text; with `(void)` where they are too large."""
    ratios = [a / b for a, b in zip(quantiles(again), quantiles(first), strict=True)]
    is_same = all(1 / most <= ratio <= most for ratio, most in zip(ratios, (SAME_P50, SAME_P99), strict=True))
    return f"{ratios[0]:.2f} / {ratios[1]:.2f}{'' if is_same else ' (void)'}"


def add_keep(options: argparse.ArgumentParser) -> None:
    """Add the option --keep."""
    options.add_argument("--keep", action="store_true", help=f"write the table into docs/measurements/{PAGE}")


@contextmanager
def table(
    title: str, words: str, columns: Sequence[str], nodes: int, is_kept: bool, chart: Path | None = None
) -> Iterator[Callable[..., None]]:
    """Yield a function that prints a row; columns whose titles begin with '#' hold numbers. A chart comes first."""
    lines: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    def row(*cells: object) -> None:
        say(f"| {' | '.join(map(str, cells))} |")

    before = load_average()
    row(*(column.lstrip("#") for column in columns))
    row(*("---:" if column.startswith("#") else "---" for column in columns))
    yield row
    ring = f"{nodes} node{'s' if nodes > 1 else ''} of Cassandra 5.0"
    where = (
        f"{ring} and the client on one machine of {os.cpu_count()} cores,"
        f" load average {before} at the start and {load_average()} at the end."
    )
    text = fill(f"{words} {where}", 120)
    print("\n" + text)
    if is_kept:
        picture = f"\n\n![{title}](../images/{chart.name})" if chart else ""
        keep_section(PAGE, title, f"{text}{picture}\n\n" + "\n".join(lines))
