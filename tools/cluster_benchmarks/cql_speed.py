"""What the engine takes on a cluster, against hand-written code on the same driver: `make bench-cql`.

Starts the project's Cassandra nodes where no cluster answers, and stops them afterwards. Every round runs all variants
in a new order; the hand-written code runs twice under two names, and where that differs the case is void.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill as fill_lines
from typing import Protocol

import piql
from by_hand import ByHand
from cluster.running import default_folder, make_cluster
from measuring import Ratio, Times, Variant, cheapest, measure, measure_together, measure_until, ratio
from sample import COUNT, KEYSPACE, NAMES, SUBSCRIPTIONS, fill, friends
from where import where

IN_FLIGHT = 8  # calls at a time in the case of throughput


class Hand(Protocol):
    """A hand-written program: for each case, the ways in which it may do it."""

    def gets(self) -> dict[str, Variant]: ...
    def slices(self) -> dict[str, Variant]: ...
    def fan_outs(self, count: int) -> dict[str, Variant]: ...
    def thoughtstreams(self) -> dict[str, Variant]: ...


@dataclass(frozen=True)
class Goals:
    """For each case the most processor time, as a share of that of the hand-written code; and the least throughput.

    None where a case has no goal.
    """

    get: float | None
    slice: float | None
    of_10: float | None
    of_100: float | None
    throughput: float


DEFAULT = Goals(1.05, 1.05, 0.55, 0.20, 1.5)
RUST = Goals(0.25, None, None, 0.10, 4.0)
RUST_AGAINST_ITSELF = Goals(None, None, None, None, 0.95)


@dataclass(frozen=True)
class Case:
    """One query, measured one after another or several in flight; `goal` is of the processor time or throughput."""

    title: str
    goal: float | None
    engine: Variant
    ways: dict[str, Variant]
    calls: int
    is_together: bool = False


@contextmanager
def hosts(nodes: int) -> Iterator[tuple[str, ...]]:
    """Return the addresses of a cluster: that of `make cluster`, or one of its own for as long as this takes."""
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


def cases(db: piql.Database, hand: Hand, goals: Goals) -> list[Case]:
    """Return the cases that have a goal; a goal for the processor's time is a ratio that must not be passed."""
    execute = db.execute

    def fan_out(count: int) -> Variant:
        return lambda user: execute("findUsers", {"usernames": friends(user, count)}).rows

    def get(user: str) -> list[dict[str, object]]:
        return execute("findUser", {"username": user}).rows

    def first_rows(user: str) -> list[dict[str, object]]:
        return execute("myThoughts", {"me": user, "count": COUNT}).rows

    def thoughtstream(user: str) -> list[dict[str, object]]:
        return execute("thoughtstream", {"me": user, "count": COUNT}).rows

    return [
        Case("get", goals.get, get, hand.gets(), 150),
        Case(f"slice of {COUNT}", goals.slice, first_rows, hand.slices(), 150),
        Case("fan-out of 10", goals.of_10, fan_out(10), hand.fan_outs(10), 60),
        Case("fan-out of 100", goals.of_100, fan_out(100), hand.fan_outs(100), 15),
        Case(f"thoughtstream {SUBSCRIPTIONS} × {COUNT}", None, thoughtstream, hand.thoughtstreams(), 50),
        Case(f"… {IN_FLIGHT} in flight", goals.throughput, thoughtstream, hand.thoughtstreams(), 400, is_together=True),
    ]


def sorted_rows(rows: list[dict[str, object]]) -> list[str]:
    """Return rows as texts in one order, to compare rows that come in any order."""
    return sorted(map(repr, rows))


def check(case: Case) -> None:
    """Raise where the engine and the hand-written code give different rows."""
    for user in NAMES[::41]:
        rows = sorted_rows(case.engine(user))
        for label, way in case.ways.items():
            if rows != sorted_rows(way(user)):
                raise AssertionError(f"{case.title}: {label} gives other rows for {user}")


def same_twice(times: dict[str, Times]) -> Ratio:
    """Return the ratio of the hand-written code to itself, which is 1 but for the noise of the machine."""
    return ratio(times["by hand again"].cpu, times["by hand"].cpu)


def run(case: Case, rounds: int, most: int, share: float, say: Callable[[str], None]) -> bool:
    """Measure a case and print its row; return whether the measurement is valid and the goal is reached."""
    check(case)
    calls = max(3, int(case.calls * share))
    best = cheapest(case.ways, NAMES, max(3, calls // 3))
    hand = case.ways[best]
    variants: dict[str, Variant] = {"engine": case.engine, "by hand": hand, "by hand again": hand}

    def measured(rounds: int, seed: int) -> dict[str, Times]:
        if case.is_together:
            return measure_together(variants, NAMES, rounds, calls, IN_FLIGHT, seed)
        return measure(variants, NAMES, rounds, calls, seed)

    times = measure_until(lambda times_so_far: same_twice(times_so_far).is_one, measured, rounds, most)
    engine, by_hand = times["engine"], times["by hand"]
    cpu = ratio(engine.cpu, by_hand.cpu)
    same = same_twice(times)
    middle = ratio(engine.middle, by_hand.middle)
    if case.is_together:
        speed = ratio(by_hand.middle, engine.middle)
        is_reached = case.goal is None or speed.low >= case.goal
        clock, tail, goal = f"throughput {speed}", "", f"≥ {case.goal:g}"
    else:
        is_reached = case.goal is None or (cpu.high <= case.goal and (case.goal < 1 or middle.high <= case.goal))
        tail = f"{engine.slowest / by_hand.slowest:.2f}"
        clock, goal = f"{middle}", "" if case.goal is None else f"≤ {case.goal:g}"
    verdict = "void" if not same.is_one else "" if case.goal is None else "yes" if is_reached else "no"
    say(
        f"| {case.title} | {best} | {statistics.median(engine.cpu):.0f} | {statistics.median(by_hand.cpu):.0f}"
        f" | {cpu} | {clock} | {tail} | {goal} | {verdict} | {same} |"
    )
    return verdict in ("", "yes")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=41, help="of each case, at least")
    parser.add_argument("--most", type=int, default=656, help="rounds of a case until the same twice is the same")
    parser.add_argument("--nodes", type=int, default=1, help="nodes to start where no cluster answers")
    parser.add_argument("--share", type=float, default=1.0, help="the calls of a round, as a share of the default")
    parser.add_argument("--only", help="cases whose title contains this")
    parser.add_argument("--lane", default="", help="lanes whose title contains this")
    parser.add_argument("--fan-out", default="grouped", help="grouped or parallel, as in the address")
    parser.add_argument("--profile", action="store_true", help="say of all cases where their time goes")
    parser.add_argument("--write", type=Path, help="write the tables into this file, too")
    options = parser.parse_args()
    lines: list[str] = []

    def say(line: str = "") -> None:
        print(line, flush=True)
        lines.append(line)

    with hosts(options.nodes) as addresses:
        say("# Speed on a cluster")
        say()
        say(fill_lines(f"`make bench-cql`: {_conditions(len(addresses), options.rounds, options.most)}", 120))
        url = f"cql://{','.join(addresses)}/{KEYSPACE}?fan_out={options.fan_out}"
        with piql.connect(url) as db:
            fill(db)
        with closing(ByHand(addresses, KEYSPACE)) as hand:
            reached = lane("scylla-driver, the default", url, hand, DEFAULT, options, say)
            if find_spec("scylla") is None:
                say("\nThe Rust driver was not measured: it is not installed.")
            else:
                from by_hand_rust import ByHandRust

                rust = f"{url}&driver=rust"
                reached &= lane("driver=rust, against scylla-driver by hand", rust, hand, RUST, options, say)
                with closing(ByHandRust(addresses, KEYSPACE)) as by_rust:
                    title = "driver=rust, against itself by hand"
                    reached &= lane(title, rust, by_rust, RUST_AGAINST_ITSELF, options, say)
    if options.write:
        options.write.write_text("\n".join(lines) + "\n")
    return 0 if reached else 1


def lane(title: str, url: str, hand: Hand, goals: Goals, options: argparse.Namespace, say: Callable[..., None]) -> bool:
    """Measure all cases on one driver against one hand-written program."""
    if options.lane not in title:
        return True
    say(f"\n## {title}\n")
    say(
        "| case | by hand is | engine, µs | by hand, µs | ratio | p50 ratio | p99 | goal | reached"
        " | the same twice | rounds |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |"
    )
    with piql.connect(url) as db:
        chosen = [case for case in cases(db, hand, goals) if options.only is None or options.only in case.title]
        reached = [run(case, options.rounds, options.most, options.share, say) for case in chosen]
        rust = getattr(db.store, "connection", None) if "driver=rust" in url else None
        for judged, is_reached in zip(chosen, reached, strict=True):
            if options.profile or not is_reached:
                parts = " ".join(where(judged.engine, random.Random(4).choices(NAMES, k=10 * judged.calls), rust))
                say("\n" + fill_lines(f"Where the time of {judged.title} goes: {parts}", 120))
    return all(reached)


def _conditions(nodes: int, rounds: int, most: int) -> str:
    model = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    return (
        f"{nodes} node{'s' if nodes > 1 else ''} of Cassandra 5.0 on the client's machine, {os.cpu_count()} cores"
        f" ({model.partition(': ')[2]}), load average {os.getloadavg()[0]:.1f} at the start;"
        f" Python {platform.python_version()}, scylla-driver {version('scylla-driver')}. Microseconds are of processor"
        f" time a call, medians of {rounds} shuffled rounds. More rounds are made, up to {most}, until the hand-written"
        " code, measured twice, agrees with itself within 3 %. A ratio is the median of the ratios of all rounds, with"
        " its 95 % confidence interval. A goal is reached if the whole interval is within it. A row is void if the two"
        " measurements of the hand-written code did not come to agree."
    )


if __name__ == "__main__":
    sys.exit(main())
