"""What watching adds to an execution: counts for Prometheus, and OpenTelemetry with an SDK and without one.

The same query runs on the same file, watched in each way and not at all, in rounds of a new order. With the SDK, spans
are recorded and dropped when they end, and histograms are kept: exporting them is the application's own choice.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import tempfile
from time import process_time_ns

import piql
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from piql.client.watched import WatchedDatabase
from piql.telemetry.instruments import Instruments
from piql.telemetry.spans import Spans

SOURCE = """
CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town VARCHAR(64));
CREATE QUERY findUser AS SELECT name, town FROM users WHERE name = [1: name];
"""
USERS = 1_000
GOAL_OFF_MICROSECONDS = 0.2  # between a database that nothing was asked of and itself: what a round differs by
GOAL_MICROSECONDS = 8.0  # counts for Prometheus, or OpenTelemetry without an SDK


def microseconds(db: piql.Database, names: list[str]) -> float:
    """Return the processor time of one execution, of so many."""
    gc.collect()
    started = process_time_ns()
    for name in names:
        db.execute("findUser", {"name": name})
    return (process_time_ns() - started) / 1000 / len(names)


def with_sdk(url: str) -> piql.Database:
    """Open a database whose executions are told to an SDK; nothing is exported."""
    database = piql.connect(url, report="", otel=True)
    assert isinstance(database, WatchedDatabase)
    tracer = TracerProvider().get_tracer("piql")
    meter = MeterProvider([InMemoryMetricReader()]).get_meter("piql")
    database.watch(Spans(tracer), Instruments(meter), None)
    return database


def main() -> int:
    """Print what each adds; return 1 when one costs more than its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--executions", type=int, default=10_000)
    options = parser.parse_args()
    chance = random.Random(18)
    with tempfile.TemporaryDirectory() as folder:
        url = f"embedded:{folder}/users.db"
        plain = piql.connect(url, report="", otel=False)
        plain.deploy(piql.compile(SOURCE))
        plain.load("users", ({"name": f"user{n}", "town": f"town{n % 24}"} for n in range(USERS)))
        variants = {
            "off": plain,
            "off again": piql.connect(url, report="", otel=False),
            "Prometheus": piql.connect(
                url, report="", otel=False, exporter=piql.PrometheusExporter({"findUser": 0.05})
            ),
            "OpenTelemetry without an SDK": piql.connect(url, report="", otel=True),
            "OpenTelemetry with its SDK": with_sdk(url),
        }
        times: dict[str, list[float]] = {variant: [] for variant in variants}
        for _ in range(options.rounds):
            names = [f"user{chance.randrange(USERS)}" for _ in range(options.executions)]
            for variant in chance.sample(sorted(variants), len(variants)):
                times[variant].append(microseconds(variants[variant], names))
        for database in variants.values():
            database.close()
    added = {
        variant: statistics.median(watched - off for watched, off in zip(measured, times["off"], strict=True))
        for variant, measured in times.items()
    }
    print(f"findUser takes {statistics.median(times['off']):.2f} µs; watched, it takes more:")
    for variant, more in added.items():
        print(f"  {variant:<30}{more:+7.2f} µs")
    is_slow = any(added[variant] > GOAL_MICROSECONDS for variant in ("Prometheus", "OpenTelemetry without an SDK"))
    return int(is_slow or abs(added["off again"]) > GOAL_OFF_MICROSECONDS)


if __name__ == "__main__":
    raise SystemExit(main())
