"""How long SCADr takes to compile: the whole application, and each of its queries as a statement by itself."""

from __future__ import annotations

import argparse
import gc
import statistics
from pathlib import Path
from time import process_time_ns

import piql
from piql.compilation import compile_statement

SCADR = Path(__file__).resolve().parents[2] / "sample-apps" / "scadr"


def statement(text: str) -> str:
    """Gives the statement of a `CREATE QUERY … AS` by itself."""
    return text.partition(" AS\n")[2].strip().rstrip(";")


def measure(work: object, rounds: int) -> tuple[float, float]:
    """Gives the median and the 99th percentile in milliseconds of processor time."""
    assert callable(work)
    for _ in range(10):
        work()
    times = []
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        started = process_time_ns()
        work()
        times.append((process_time_ns() - started) / 1e6)
        gc.enable()
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=200)
    chosen = options.parse_args()
    files = {str(path.relative_to(SCADR)): path.read_text() for path in sorted(SCADR.rglob("*.piql"))}
    compilation = piql.compile(files)
    print(f"{'compile':<22}{'median':>10}{'p99':>10}   (ms of processor time)")
    median, slow = measure(lambda: piql.compile(files), chosen.rounds)
    print(f"{f'all {len(compilation.queries)} queries':<22}{median:>10.2f}{slow:>10.2f}")
    for name, query in compilation.queries.items():
        text = statement(query.text)
        median, slow = measure(lambda text=text: compile_statement(text, compilation), chosen.rounds)  # type: ignore[misc]
        print(f"{name:<22}{median:>10.2f}{slow:>10.2f}")


if __name__ == "__main__":
    main()
