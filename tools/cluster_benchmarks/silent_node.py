"""Calls a second before and after one of three nodes falls silent: killed, stopped, and nothing done, in turns.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/silent_node.py [--turns 2] [--seconds 10] [--keep]

Six clients, half of them at thoughtstream, half at postThought. Of each turn: the calls that ended in each second
before and after the fault, and the ratio of the seconds from the fourth on to those before. The turn without a fault
says how far the ratio moves by itself on the machine at hand.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import piql
from cluster.nodes import Node
from cluster.running import Cluster, running_cluster
from kept_results import keep_section, load_average
from sample import COUNT, KEYSPACE, NAMES, SOURCE, fill

CLIENTS = 6
WARM_SECONDS, BEFORE_SECONDS = 5, 10  # without a fault: not counted, and counted
POSTED = datetime(2030, 1, 1, tzinfo=UTC)  # behind all thoughts of the sample
GRACE_SECONDS = 3  # after a fault, which the ratio leaves out
WANTED = 0.7  # calls after a fault, as a share of those before
PAGE, SECTION = "cluster.md", "A silent node under thoughtstream and postThought"
POST = "CREATE QUERY postThought AS INSERT INTO thoughts (owner, posted, text) VALUES ([1: me], [2: at], [3: text]);"
FAULTS: dict[str, Callable[[Node], None]] = {"none": lambda _: None, "kill": Node.kill, "stop": Node.pause}


@dataclass(slots=True)
class Calls:
    """When calls ended, by the clock of this process, and what failed; all clients add to it."""

    ended: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)  # by message
    posted: list[tuple[str, datetime]] = field(default_factory=list)  # owner and time of each acknowledged thought

    def by_second(self, since: float, seconds: int) -> list[int]:
        """Return how many calls ended in each of the seconds after a moment."""
        per_second = Counter(int(at - since) for at in self.ended if 0 <= at - since < seconds)
        return [per_second[second] for second in range(seconds)]


def work(db: piql.Database, number: int, numbers: count[int], calls: Calls, is_over: threading.Event) -> None:
    """Call thoughtstream or, as a client of an even number, postThought until `is_over` is set."""
    chance = random.Random(number)
    while not is_over.is_set():
        me = chance.choice(NAMES)
        try:
            if number % 2:
                db.execute("thoughtstream", {"me": me, "count": COUNT})
            else:
                at = POSTED + timedelta(milliseconds=next(numbers))
                db.execute("postThought", {"me": me, "at": at, "text": "something worth remembering"})
                calls.posted.append((me, at))
        except piql.PiqlError as failure:
            calls.errors[f"{type(failure).__name__}: {failure}"] += 1
        calls.ended.append(time.monotonic())


def turn(cluster: Cluster, db: piql.Database, fault: str, seconds: int, numbers: count[int]) -> tuple[str, float]:
    """Run the clients through one fault, then repair the cluster; return a row of the table, and the ratio."""
    calls, is_over = Calls(), threading.Event()
    clients = [threading.Thread(target=work, args=(db, client, numbers, calls, is_over)) for client in range(CLIENTS)]
    victim = cluster.nodes[1]
    load = load_average()
    for client in clients:
        client.start()
    try:
        time.sleep(WARM_SECONDS)
        began = time.monotonic()
        time.sleep(BEFORE_SECONDS)
        FAULTS[fault](victim)
        at = time.monotonic()
        time.sleep(seconds)
    finally:
        is_over.set()
        victim.resume()
        for client in clients:
            client.join()
    if not victim.is_running():
        victim.start()
    cluster.wait()
    before, after = calls.by_second(began, BEFORE_SECONDS), calls.by_second(at, seconds)
    usual, then = sum(before) / len(before), sum(after[GRACE_SECONDS:]) / (seconds - GRACE_SECONDS)
    ratio = then / usual if usual else 0.0
    lost = sum(not is_there(db, *posted) for posted in calls.posted)
    cells = [
        fault,
        load,
        " ".join(map(str, before)),
        " ".join(map(str, after)),
        f"{ratio:.2f}",
        calls.errors.total(),
        f"{lost} of {len(calls.posted):,}",
    ]
    for error, times in calls.errors.most_common(3):
        print(f"{times} × {error}")
    return f"| {' | '.join(map(str, cells))} |", ratio


def is_there(db: piql.Database, owner: str, posted: datetime) -> bool:
    """Return whether a thought can be read."""
    return bool(db.execute("thought", {"me": owner, "at": posted}).rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=10, help="how long a fault lasts")
    parser.add_argument("--driver", default="scylla", choices=("scylla", "rust"))
    parser.add_argument("--keep", action="store_true", help=f"write the table into docs/measurements/{PAGE}")
    options = parser.parse_args()
    if options.seconds <= GRACE_SECONDS:
        parser.error(f"--seconds is more than {GRACE_SECONDS}")
    query = "CREATE QUERY thought AS SELECT posted FROM thoughts WHERE owner = [1: me] AND posted = [2: at];"
    numbers = count()
    ratios: dict[str, list[float]] = {fault: [] for fault in FAULTS}
    lines: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    with TemporaryDirectory() as folder, running_cluster(Path(folder), is_quick=False) as cluster:
        url = cluster.url(KEYSPACE, f"consistency=QUORUM&driver={options.driver}")
        with piql.connect(url) as db:
            fill(db)
            db.deploy(piql.compile(f"{SOURCE}\n{POST}\n{query}"))
            say("| fault | load | calls in each second before | and after | ratio | failed | acknowledged and lost |")
            say("| --- | ---: | --- | --- | ---: | ---: | ---: |")
            for _ in range(options.turns):
                for fault in FAULTS:
                    line, ratio = turn(cluster, db, fault, options.seconds, numbers)
                    say(line)
                    ratios[fault].append(ratio)
    control = min(ratios["none"])
    verdicts = [f"{fault} {min(ratios[fault]):.2f}" for fault in FAULTS]
    text = (
        f"`silent_node.py`, driver={options.driver}: the lowest ratio of {options.turns} turns is"
        f" {', '.join(verdicts)}; {WANTED} is wanted from {GRACE_SECONDS} s after a fault on."
    )
    if control < WANTED:
        text += " The machine was too busy to tell: calls fell as far without a fault."
    print(f"\n{text}")
    if options.keep:
        keep_section(PAGE, SECTION, f"{text}\n\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
