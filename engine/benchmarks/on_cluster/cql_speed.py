"""What the engine takes on a cluster, against hand-written code on the same driver: `make bench-cql`.

Starts the project's Cassandra nodes where no cluster answers, and stops them afterwards. Every round runs all variants
in a new order; the hand-written code runs twice under two names, and where that differs the case is void.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import piql
from by_hand import ByHand
from cluster.running import default_folder, make_cluster
from measuring import Times, Variant, cheapest, measure, measure_together, ratio
from sample import COUNT, KEYSPACE, NAMES, fill, friends

IN_FLIGHT = 8


@dataclass(frozen=True)
class Case:
    """One query, measured one after another or several in flight; `goal` is of the processor time or throughput."""

    title: str
    goal: float
    engine: Variant
    ways: dict[str, Variant]
    calls: int
    is_together: bool = False


@contextmanager
def hosts(nodes: int) -> Iterator[tuple[str, ...]]:
    """Give the addresses of a cluster: that of `make cluster`, or one of its own for as long as this takes."""
    cluster = make_cluster(default_folder(), nodes, is_quick=False, keeps_data=True)
    if all(node.answers() for node in cluster.nodes):
        yield cluster.addresses
        return
    print(f"starting {nodes} node{'s' if nodes > 1 else ''} of Cassandra …", file=sys.stderr, flush=True)
    cluster.start()
    try:
        cluster.wait()
        yield cluster.addresses
    finally:
        cluster.stop()


def cases(db: piql.Database, hand: ByHand) -> list[Case]:
    execute = db.execute

    def fan_out(count: int) -> Variant:
        return lambda user: execute("findUsers", {"usernames": friends(user, count)}).rows

    def thoughtstream(user: str) -> list[dict[str, object]]:
        return execute("thoughtstream", {"me": user, "count": COUNT}).rows

    return [
        Case("get", 1.05, lambda user: execute("findUser", {"username": user}).rows, hand.gets(), 150),
        Case(
            f"slice of {COUNT}",
            1.05,
            lambda user: execute("myThoughts", {"me": user, "count": COUNT}).rows,
            hand.slices(),
            150,
        ),
        Case("fan-out of 10", 0.55, fan_out(10), hand.fan_outs(10), 60),
        Case("fan-out of 100", 0.20, fan_out(100), hand.fan_outs(100), 12),
        Case("thoughtstream 10 × 10", 1.00, thoughtstream, hand.thoughtstreams(), 50),
        Case(f"… {IN_FLIGHT} in flight", 1.50, thoughtstream, hand.thoughtstreams(), 400, is_together=True),
    ]


def sorted_rows(rows: list[dict[str, object]]) -> list[str]:
    return sorted(map(repr, rows))


def check(case: Case) -> None:
    """Raise where the engine and the hand-written code give different rows."""
    for user in NAMES[::41]:
        found = sorted_rows(case.engine(user))
        for label, way in case.ways.items():
            if found != sorted_rows(way(user)):
                raise AssertionError(f"{case.title}: {label} gives other rows for {user}")


def run(case: Case, rounds: int, share: float, say: Callable[[str], None]) -> bool:
    """Measure a case and print its row; say whether the measurement holds and the goal is reached."""
    check(case)
    calls = max(3, int(case.calls * share))
    best = cheapest(case.ways, NAMES, max(3, calls // 3))
    hand = case.ways[best]
    variants: dict[str, Variant] = {"engine": case.engine, "by hand": hand, "by hand again": hand}
    times: dict[str, Times] = (
        measure_together(variants, NAMES, rounds, calls, IN_FLIGHT)
        if case.is_together
        else measure(variants, NAMES, rounds, calls)
    )
    engine, by_hand = times["engine"], times["by hand"]
    cpu = ratio(engine.cpu, by_hand.cpu)
    same = ratio(times["by hand again"].cpu, by_hand.cpu)
    if case.is_together:
        speed = ratio(by_hand.middle, engine.middle)
        is_reached = speed.low >= case.goal
        clock, tail, goal = f"throughput {speed}", "", f"≥ {case.goal:g}"
    else:
        middle = ratio(engine.middle, by_hand.middle)
        is_reached = cpu.high <= case.goal and (case.goal < 1 or middle.high <= case.goal)
        clock, tail, goal = f"{middle}", f"{engine.slowest / by_hand.slowest:.2f}", f"≤ {case.goal:g}"
    verdict = "void" if not same.is_one else "yes" if is_reached else "no"
    say(
        f"| {case.title} | {best} | {statistics.median(engine.cpu):.0f} | {statistics.median(by_hand.cpu):.0f}"
        f" | {cpu} | {clock} | {tail} | {goal} | {verdict} | {same} |"
    )
    return verdict == "yes"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=31)
    options.add_argument("--nodes", type=int, default=1, help="nodes to start where no cluster answers")
    options.add_argument("--share", type=float, default=1.0, help="the calls of a round, as a share of the default")
    options.add_argument("--only", help="cases whose title contains this")
    options.add_argument("--write", type=Path, help="write the table into this file, too")
    options.add_argument("--profile", action="store_true", help="show where the engine's time goes")
    given = options.parse_args()
    lines: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    random.seed(5)
    with hosts(given.nodes) as addresses:
        url = f"cql://{','.join(addresses)}/{KEYSPACE}"
        with piql.connect(url) as db:
            fill(db)
            hand = ByHand(addresses, KEYSPACE)
            try:
                say(
                    f"{len(addresses)} node{'s' if len(addresses) > 1 else ''}, Python {platform.python_version()},"
                    f" scylla-driver {version('scylla-driver')}, {given.rounds} rounds; µs of processor time a call\n"
                )
                say("| case | by hand is | engine | by hand | ratio | p50 ratio | p99 | goal | reached | same twice |")
                say("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |")
                chosen = [each for each in cases(db, hand) if given.only is None or given.only in each.title]
                reached = [run(each, given.rounds, given.share, say) for each in chosen]
            finally:
                hand.close()
    if given.write:
        given.write.write_text("\n".join(lines) + "\n")
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
