"""SoCC 2010, section 5.4: the p99 of each consistency policy, its price, and what may be seen under it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import piql
from piql.client.database import Database
from piql.schema.read_policies import READ_POLICIES, ReadLevel
from piql.schema.write_policies import WRITE_POLICIES, WriteLevel
from piql.store.schemes import STEPWISE

from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Row, Series
from piql_profiler.experiments.replicas import COPIES, LAG_SECONDS, ReplicatedStore
from piql_profiler.experiments.stage import Stage
from piql_profiler.experiments.verdicts import Claim, at_least, exactly, p99, ratio_of, shown
from piql_profiler.measure.clock import VirtualClock

_SOURCE = """
CREATE TABLE counters (id INT PRIMARY KEY, value INT);
""" + "".join(
    [f"CREATE QUERY read_{level} WITH READ {level.upper()} AS SELECT value FROM counters WHERE id = [1: id];\n"
     for level in READ_POLICIES]
    + [f"CREATE QUERY write_{level} WITH WRITE {level.upper()} AS INSERT INTO counters (id, value)\n"
       "  VALUES ([1: id], [2: value]) ON CONFLICT (id) DO UPDATE SET value = [2: value];\n"
       for level in WRITE_POLICIES]
)  # fmt: skip
_CLIENTS, _ROW = 3, {"id": 1}
_WRITES = 0.2  # the share of calls that write
_PAUSE_SECONDS = 0.02  # between two calls, at most


@dataclass
class _History:
    """What clients saw of a number that only grows, what their calls took, and what they asked for."""

    read_ms: list[float] = field(default_factory=list)
    write_ms: list[float] = field(default_factory=list)
    read_requests: int = 0
    write_requests: int = 0
    read_copies: int = 0
    write_copies: int = 0
    stale: int = 0  # older than a write that was acknowledged before
    went_back: int = 0  # older than what the same client had read before
    missed_own: int = 0  # older than what the same client had written


_Histories = Mapping[tuple[WriteLevel, ReadLevel], _History]


def _run(stage: Stage) -> Outcome:
    calls = stage.number(5_000, 400)
    histories: _Histories = {
        (write, read): _history(stage, write, read, calls) for write in WRITE_POLICIES for read in READ_POLICIES
    }
    away = _with_a_copy_away(stage)
    return Outcome(
        how=f"A simulated store of {COPIES} copies, seed {stage.seed}, {calls:,} calls a row by {_CLIENTS} clients in "
        f"turns, {_WRITES:.0%} of them writes. {stage.law.said()} That is one request to one copy. A read asks as many "
        "copies as it waits for, and takes as long as the slowest; a write goes to all, and waits for two or three. A "
        f"copy that no write waits for has it up to {LAG_SECONDS * 1000:.0f} ms later. What the engine itself takes is "
        "not in it. *Copies* is how many answers a call waits for, over all of its requests: the price in work. The "
        "price in $ is that of the requests on your sheet (`piql check --prices`), and the same for each policy. "
        "*Stale* reads are older "
        "than a write that was acknowledged before them; at session each client has a session of its own.",
        columns=tuple(_row("quorum", "quorum", histories["quorum", "quorum"])),
        rows=tuple(_row(*key, history) for key, history in histories.items()),
        chart=Chart(
            "p99 by policy",
            "",
            "p99, ms",
            (
                Series("reads", tuple((read, _p99(histories["quorum", read].read_ms)) for read in READ_POLICIES)),
                Series("writes", tuple((write, _p99(histories[write, "quorum"].write_ms)) for write in WRITE_POLICIES)),
            ),
            "linear",
        ),
        claims=tuple(_claims(histories, away)),
    )


def _history(stage: Stage, write: WriteLevel, read: ReadLevel, calls: int) -> _History:
    """Let clients read and count a number up by turns, under two policies."""
    chance = random.Random(f"{stage.seed} {write} {read}")
    history = _History()
    newest = 0
    last_read, last_written = [0] * _CLIENTS, [0] * _CLIENTS
    with _copies(stage) as (db, store, clock):
        sessions = [db.session() for _ in range(_CLIENTS)] if read == "session" else None
        for _ in range(calls):
            clock.spend(chance.uniform(0.0, _PAUSE_SECONDS))
            client = chance.randrange(_CLIENTS)
            caller = db if sessions is None else sessions[client]
            began, asked = clock.now(), store.asked
            if chance.random() < _WRITES:
                page = caller.execute(f"write_{write}", {**_ROW, "value": newest + 1})
                newest += 1
                last_written[client] = newest
                history.write_ms.append((clock.now() - began) * 1000)
                history.write_requests += page.operations
                history.write_copies += store.asked - asked
                continue
            page = caller.execute(f"read_{read}", _ROW)
            value = page.rows[0]["value"]
            history.read_ms.append((clock.now() - began) * 1000)
            history.read_requests += page.operations
            history.read_copies += store.asked - asked
            history.stale += value < newest
            history.went_back += value < last_read[client]
            history.missed_own += value < last_written[client]
            last_read[client] = value
    return history


@contextmanager
def _copies(stage: Stage) -> Iterator[tuple[Database, ReplicatedStore, VirtualClock]]:
    """Open a store of three copies where the number is 0."""
    with TemporaryDirectory() as folder:
        path, clock = Path(folder) / "copies.db", VirtualClock()
        with piql.connect(f"{STEPWISE}:{path}") as db:
            db.deploy(piql.compile({"policies.piql": _SOURCE}))
            db.execute("write_quorum", {**_ROW, "value": 0})
        store = ReplicatedStore(path, stage.law, clock, stage.seed)
        with Database(store, clock=clock.now) as db:
            yield db, store, clock


def _with_a_copy_away(stage: Stage) -> dict[WriteLevel, str]:
    """Return what each write says while one copy is away."""
    said: dict[WriteLevel, str] = {}
    with _copies(stage) as (db, store, _):
        store.copies[1].is_away = True
        for level in WRITE_POLICIES:
            try:
                db.execute(f"write_{level}", {**_ROW, "value": 1_000_000})
                said[level] = "acknowledged"
            except piql.StoreUnavailable as refusal:
                said[level] = str(refusal)
    return said


def _row(write: WriteLevel, read: ReadLevel, history: _History) -> Row:
    reads, writes = len(history.read_ms), len(history.write_ms)
    return {
        "write": write.upper(),
        "read": read.upper(),
        "reads": reads,
        "read p50 ms": float(np.median(history.read_ms)),
        "read p99 ms": _p99(history.read_ms),
        "requests a read": history.read_requests / reads,
        "copies a read": history.read_copies / reads,
        "writes": writes,
        "write p50 ms": float(np.median(history.write_ms)),
        "write p99 ms": _p99(history.write_ms),
        "requests a write": history.write_requests / writes,
        "copies a write": history.write_copies / writes,
        "stale": history.stale,
        "went back": history.went_back,
        "missed own write": history.missed_own,
    }


def _claims(histories: _Histories, away: Mapping[WriteLevel, str]) -> Iterator[Claim]:
    single, majority = histories["quorum", "eventual"], histories["quorum", "quorum"]
    slower_reads = ratio_of(p99, majority.read_ms, single.read_ms)
    copies = majority.read_copies / len(majority.read_ms) / (single.read_copies / len(single.read_ms))
    yield Claim(
        "a read of one copy is acceptable where it may be stale: it is faster",
        f"a read of a majority takes {shown(slower_reads)} times as long at the p99, and waits for {copies:.2f} times "
        f"the copies; {single.stale} of {len(single.read_ms):,} reads of one copy were stale",
        at_least(slower_reads, 1.0),
    )
    yield Claim(
        "reads that must not be stale may ask a majority, whatever the write waited for",
        "; ".join(f"{write.upper()}: {histories[write, 'quorum'].stale} stale reads" for write in WRITE_POLICIES),
        exactly(not any(histories[write, "quorum"].stale for write in WRITE_POLICIES)),
    )
    yield Claim(
        "after a write to all copies a read of any one sees it",
        f"{histories['all', 'eventual'].stale} of {len(histories['all', 'eventual'].read_ms):,} reads were stale; "
        f"after a write to a majority {single.stale} of {len(single.read_ms):,}",
        exactly(histories["all", "eventual"].stale == 0 < single.stale),
    )
    sessions = [histories[write, "session"] for write in WRITE_POLICIES]
    yield Claim(
        "a session sees what it wrote, and never less than it has seen",
        f"{sum(history.missed_own for history in sessions)} reads missed an own write, "
        f"{sum(history.went_back for history in sessions)} went back, of {sum(len(at.read_ms) for at in sessions):,}",
        exactly(not any(history.missed_own or history.went_back for history in sessions)),
    )
    slower = ratio_of(p99, histories["all", "quorum"].write_ms, majority.write_ms)
    yield Claim(
        "a quorum write tolerates failures and slow copies; one to all does not",
        f"a write to all takes {shown(slower)} times as long at the p99; with a copy away QUORUM is "
        f"{away['quorum']}, and ALL says: {away['all']}",
        "agrees" if away["quorum"] == "acknowledged" != away["all"] and slower.low >= 1.0 else "disagrees",
    )
    yield Claim(
        "the same on three real nodes",
        "not measured: it needs a cluster of three",
        "undecidable",
    )


def _p99(times_ms: list[float]) -> float:
    return float(np.quantile(times_ms, 0.99))


EXPERIMENT = Experiment(
    name="socc-policies",
    paper="SoCC 2010, section 5.4",
    title="Consistency, query by query",
    about="The p99 of reads and writes under each policy, how many copies they wait for, and what was seen.",
    minutes=1,
    run=_run,
    not_on_stores="its three copies lag by a stated law, so that what may be seen can be counted",
)
