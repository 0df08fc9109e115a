"""Compares predictions with the exact p99s of a simulated store; writes a section of the measurements' page.

    python profiler/benchmarks/known_truth.py --write    the fixed list, into docs/measurements/predictions.md
    python profiler/benchmarks/known_truth.py --list F   another list, to work on a model

Operators and queries are executed by the engine on the embedded store, mixed at random within each interval, under
open-loop load. The time of a call is drawn from the law of `service_times.py` and passes on a virtual clock.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random

import piql
from piql.client.database import Database, Observation
from piql.store.open import open_store
from piql_profiler.measure.benchmark import Session
from piql_profiler.measure.clock import VirtualClock
from piql_profiler.measure.grid import GRIDS, Point
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.measure.workload import Workload
from piql_profiler.predictor.models import MODELS, build_model
from piql_profiler.predictor.predict import predict_work
from piql_profiler.validation.case import Case, CaseSession
from piql_profiler.validation.known_truth.exact import Exact, exact
from piql_profiler.validation.known_truth.service_times import Call
from piql_profiler.validation.known_truth.store import KnownTruthStore
from piql_profiler.validation.scores import Row
from predictions_page import KNOWN_TRUTH, known_truth_section, write_section
from table_1 import FILE, Lists, fill, sessions

_ENDLESS = 1e9  # seconds: only the number of executions ends a measurement
_CASE_EXECUTIONS = 2000
_TRIALS = 10  # executions that have to make the same calls


def main() -> None:
    """Measure and predict the list, and print the section."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", type=Path, default=FILE)
    parser.add_argument("--write", action="store_true", help="into docs/measurements/predictions.md")
    parser.add_argument("--keep", type=Path, help="a file that keeps what was measured, to predict from it again")
    options = parser.parse_args()
    lists = Lists.read(options.list).only(["table_1", "unseen", "figure_6"])
    began = time.process_time()
    if options.keep and options.keep.exists():
        cells, cases, calls, seconds = pickle.loads(options.keep.read_bytes())
    else:
        cells, cases, calls = measure(lists)
        seconds = time.process_time() - began
        if options.keep:
            options.keep.write_bytes(pickle.dumps((cells, cases, calls, seconds)))
    truths = {name: exact(lists.times, calls[name], seed=lists.seed) for name in cases}
    measurements = Measurements.of(cells, _ENDLESS, checks=GRIDS[lists.profile["grid"]].checks).pooled()
    text = known_truth_section(lists, rows_of(measurements, cases, truths), cases, measurements, seconds)
    print(text)
    if options.write:
        write_section(KNOWN_TRUTH, text)


def measure(lists: Lists) -> tuple[list[Measurement], dict[str, Case], dict[str, tuple[Call, ...]]]:
    """Execute operators and queries, mixed; return the points' measurements, the cases, and the calls of each query."""
    clock = VirtualClock()
    store = KnownTruthStore(open_store("embedded:?synchronous=NORMAL"), lists.times, clock, lists.seed)
    observations: list[Observation] = []
    profile = lists.profile
    grid = GRIDS[profile["grid"]]
    with Database(store, observations.append, clock=clock.now) as database:
        workload = Workload(grid)
        workload.prepare(database)
        compilation = fill(database, lists)
        points = Session(database, observations, workload, clock)
        queries = sessions(database, observations, compilation, lists, clock)
        calls = {name: calls_of(query, store) for name, query in queries.items()}
        random = Random(lists.seed)
        intervals, most = profile["intervals"], profile["most_executions"] // profile["intervals"]
        cells: list[Measurement] = []
        for interval in range(intervals):
            parts: list[Point | CaseSession] = [*grid.measured, *queries.values()]
            for part in random.sample(parts, len(parts)):
                seed = random.randrange(2**31)
                if isinstance(part, CaseSession):
                    part.offer(_ENDLESS, profile["load"], seed, at_most=_CASE_EXECUTIONS // intervals)
                else:
                    cells.append(
                        points.measure(
                            part,
                            _ENDLESS,
                            interval=interval,
                            seed=seed,
                            load=profile["load"],
                            precision=profile["precision"] * intervals**0.5,
                            at_most=most,
                        )
                    )
        return cells, {name: query.case() for name, query in queries.items()}, calls


def calls_of(query: CaseSession, store: KnownTruthStore) -> tuple[Call, ...]:
    """The calls that an execution of a query makes; PiqlError where they differ, as no quantile is exact then."""
    calls = set()
    for _ in range(_TRIALS):
        store.calls.clear()
        query.execute()
        calls.add(tuple(store.calls))
    if len(calls) != 1:
        raise piql.PiqlError(f"executions of {query.name} differ in what they ask for: {calls}")
    return calls.pop()


def rows_of(measurements: Measurements, cases: Mapping[str, Case], truths: Mapping[str, Exact]) -> dict[str, Row]:
    """Predict each case at its cardinalities under every model."""
    models = {name: build_model(measurements, name) for name in MODELS}
    rows = {}
    for name, case in cases.items():
        predictions = {key: predict_work(case.work, model) for key, model in models.items()}
        conservative_ms = predictions["surface"].conservative_ms
        rows[name] = Row(
            name,
            len(case.work.operators),
            truths[name].p99,
            truths[name].histogram,
            {key: prediction.p99_ms * 1000 for key, prediction in predictions.items()},
            None if conservative_ms is None else conservative_ms * 1000,
            {key: prediction.p50_ms * 1000 for key, prediction in predictions.items()},
        )
    return rows


if __name__ == "__main__":
    main()
