"""How fast a cluster is loaded, every constraint checked: SCADr's sample, then thoughts with an index beside them.

PYTHONPATH=.ci .venv/bin/python engine/benchmarks/on_cluster/loading.py [--nodes 3] [--rows 10000]
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import piql
from cql_speed import hosts

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "sample-apps" / "scadr"
BY_TEXT = "CREATE QUERY byText AS SELECT owner, posted FROM thoughts WHERE text = [1: text] LIMIT 5;\n"
START = datetime(2020, 1, 1, tzinfo=UTC)
Rows = list[dict[str, Any]]


def timed(title: str, db: piql.Database, tables: dict[str, Rows]) -> None:
    began, worked = perf_counter(), process_time()
    for table, rows in tables.items():
        db.load(table, rows)
    seconds, worked = perf_counter() - began, process_time() - worked
    count = sum(map(len, tables.values()))
    print(
        f"| {title} | {count:,} | {seconds:.1f} | {count / seconds:,.0f} | {worked / count * 1e6:.0f} |",
        flush=True,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--nodes", type=int, default=3)
    options.add_argument("--rows", type=int, default=10_000)
    given = options.parse_args()
    sys.path.insert(0, str(SAMPLE))
    import data  # the sample's own

    sample: dict[str, Rows] = data.generate(150, 20, 10)
    owners = [row["username"] for row in sample["users"]]
    texts = [row["text"] for row in sample["thoughts"]]
    source = {str(file): file.read_text() for file in SAMPLE.rglob("*.piql")}
    with hosts(given.nodes) as addresses:
        url = f"cql://{','.join(addresses)}/piql_loading?timeout=30&prefix=l{int(perf_counter() * 1000) % 10**9}_"
        with piql.connect(url) as db:
            print("| what | rows | seconds | rows a second | µs of the client's processor a row |")
            print("| --- | ---: | ---: | ---: | ---: |")
            db.deploy(piql.compile(source))
            timed("SCADr's sample, 150 users", db, sample)
            timed("the sample's thoughts once more", db, {"thoughts": sample["thoughts"]})
            db.deploy(piql.compile({**source, "by_text.piql": BY_TEXT}))
            each = given.rows // len(owners) + 1
            some = [
                {
                    "owner": owners[at // each],
                    "posted": START + timedelta(seconds=at),
                    "text": texts[at % len(texts)],
                }
                for at in range(given.rows)
            ]
            timed("thoughts, an index of some hundred texts", db, {"thoughts": some})
            later = [
                row | {"posted": START + timedelta(days=400, seconds=at), "text": f"the thought number {at}"}
                for at, row in enumerate(some)
            ]
            timed("thoughts, an index whose every entry is alone", db, {"thoughts": later})


if __name__ == "__main__":
    main()
