"""Whether Best Sellers grows with the shop: the read of its view over 10³ to 10⁶ orders.

The tables and the view are those of the sample application. Each number of orders is a database of its own with the
same books. All are asked in turn for the same subject, so that whatever else the machine does meets all alike. A p99 is
given with the interval in which it lies at 95 %, from the order statistics (binomial).
"""

from __future__ import annotations

import argparse
import gc
import random
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from math import sqrt
from pathlib import Path
from time import perf_counter, perf_counter_ns, thread_time_ns
from typing import Any

import piql

SAMPLES = Path(__file__).parents[2] / "sample-apps"
START = datetime(2026, 1, 1, tzinfo=UTC)
BOOKS, AUTHORS, SUBJECTS = 10_000, 2_500, 24
MOST_LINES = 5


def application() -> str:
    """Return the tables of TPC-W, the view of what sold, and its query."""
    return "\n".join((SAMPLES / name).read_text() for name in ("tpcw/schema.piql", "tpcw-views/bestSellers.piql"))


def lines_of(orders: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield one to five lines of each order, as many of each number."""
    for order in range(orders):
        for line, book in enumerate(chance.sample(range(BOOKS), chance.randint(1, MOST_LINES))):
            yield {"ol_o_id": f"o{order:07}", "ol_id": line, "ol_i_id": f"i{book:05}", "ol_qty": chance.randint(1, 9)}


def fill(db: piql.Database, orders: int) -> None:
    """Deploy the application, and load books and orders with their lines."""
    chance = random.Random(2013)
    db.deploy(piql.compile(application()))
    db.load("author", ({"a_id": f"a{n:04}", "a_fname": f"first{n}", "a_lname": f"last{n}"} for n in range(AUTHORS)))
    db.load(
        "item",
        (
            {
                "i_id": f"i{n:05}",
                "i_title": f"title {n}",
                "i_a_id": f"a{n % AUTHORS:04}",
                "i_subject": f"subject{n % SUBJECTS:02}",
            }
            for n in range(BOOKS)
        ),
    )
    db.load("country", [{"co_id": 1}])
    db.load("address", [{"addr_id": "home", "addr_co_id": 1}])
    db.load("customer", [{"c_uname": "reader", "c_addr_id": "home"}])
    bought = {"o_c_uname": "reader", "o_bill_addr_id": "home", "o_ship_addr_id": "home"}
    db.load(
        "orders", ({"o_id": f"o{n:07}", "o_date_time": START + timedelta(seconds=n)} | bought for n in range(orders))
    )
    db.load("order_line", lines_of(orders, chance))


def p99(times: Iterable[int]) -> tuple[float, float, float]:
    """Return the 99th percentile in µs of times in ns, and the ends of its interval at 95 %."""
    ordered = sorted(times)
    count = len(ordered)
    spread = 1.96 * sqrt(count * 0.99 * 0.01)
    places = (0.99 * count, 0.99 * count - spread, 0.99 * count + spread)
    middle, low, high = (ordered[min(count - 1, round(place))] / 1000 for place in places)
    return middle, low, high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--reads", type=int, default=5_000, help="of each number of orders")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        databases = {}
        for orders in options.orders:
            db = stack.enter_context(piql.connect(f"embedded:{Path(folder) / str(orders)}"))
            began = perf_counter()
            fill(db, orders)
            databases[orders] = db
            print(f"{orders:,} orders loaded with their view in {perf_counter() - began:.0f} s", flush=True)
        clock: dict[int, list[int]] = {orders: [] for orders in databases}
        processor: dict[int, list[int]] = {orders: [] for orders in databases}
        requests = dict.fromkeys(databases, 0)
        chance = random.Random(7)
        gc.collect()
        for _ in range(options.reads):
            subject = f"subject{chance.randrange(SUBJECTS):02}"
            for orders, db in chance.sample(list(databases.items()), len(databases)):
                began, worked = perf_counter_ns(), thread_time_ns()
                result = db.execute("bestSellers", {"subject": subject})
                processor[orders].append(thread_time_ns() - worked)
                clock[orders].append(perf_counter_ns() - began)
                assert len(result.rows) == 50, (orders, len(result.rows))
                requests[orders] = max(requests[orders], result.operations)
        first = next(iter(databases))
        for title, times in (("clock", clock), ("processor", processor)):
            base = p99(times[first])
            for orders in databases:
                middle, low, high = p99(times[orders])
                print(
                    f"{title}: {orders:,} orders, at most {requests[orders]} requests,"
                    f" p50 {sorted(times[orders])[len(times[orders]) // 2] / 1000:.0f} µs,"
                    f" p99 {middle:.0f} µs ({low:.0f} to {high:.0f}), p99 {middle / base[0]:.2f} of the first"
                )


if __name__ == "__main__":
    main()
