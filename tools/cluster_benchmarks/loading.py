"""How fast a cluster is loaded, every constraint checked: SCADr's sample, then thoughts with an index beside them.

PYTHONPATH=tools .venv/bin/python tools/cluster_benchmarks/loading.py [--nodes 3] [--rows 10000] [--keep]

The processor time of client and nodes for a row does not depend on what else the machine does. From it follows how many
rows a second the cores allow at most. The last row of the table writes thoughts without constraints.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import piql
from cluster.running import default_folder, found_cluster
from counting import KINDS, counted
from cql_speed import hosts
from keeping import add_keep, table
from scale import write

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample-apps" / "scadr"
BY_TEXT = "CREATE QUERY byText AS SELECT owner, posted FROM thoughts WHERE text = [1: text] LIMIT 5;\n"
START = datetime(2020, 1, 1, tzinfo=UTC)
Rows = list[dict[str, Any]]
Load = Callable[[str, Rows], object]


def worked_by_nodes() -> float:
    """Return the seconds of processor time of the nodes of this machine's cluster."""
    ticks = 0
    for node in found_cluster(default_folder()).nodes:
        fields = Path(f"/proc/{node.pid()}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def timed(
    title: str, row: Callable[..., None], db: piql.Database, tables: dict[str, Rows], load: Load | None = None
) -> None:
    """Load rows, by `db.load` or by `load`, and print a row of the table: times, processor time, requests a row."""
    load = load or db.load
    began, worked, nodes = perf_counter(), process_time(), worked_by_nodes()
    with counted(db.store.connection) as requests:  # type: ignore[attr-defined]
        for name, rows in tables.items():
            load(name, rows)
    count = sum(map(len, tables.values()))
    seconds = perf_counter() - began
    seconds_here, seconds_of_nodes = process_time() - worked, worked_by_nodes() - nodes
    per_row = (f"{seconds / count * 1e6:,.0f}" for seconds in (seconds_here, seconds_of_nodes))
    most = (os.cpu_count() or 1) * count / (seconds_here + seconds_of_nodes)
    sent = (f"{requests[kind] / count:.2f}" for kind in KINDS)
    row(title, f"{count:,}", f"{seconds:.1f}", f"{count / seconds:,.0f}", *per_row, f"{most:,.0f}", *sent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--rows", type=int, default=10_000)
    add_keep(parser)
    options = parser.parse_args()
    sys.path.insert(0, str(SAMPLE))
    import data  # the sample's own

    sample: dict[str, Rows] = data.generate(150, 20, 10)
    owners = [row["username"] for row in sample["users"]]
    texts = [row["text"] for row in sample["thoughts"]]
    source = {str(file): file.read_text() for file in SAMPLE.rglob("*.piql")}
    with hosts(options.nodes) as addresses:
        url = f"cql://{','.join(addresses)}/piql_loading?timeout=30&prefix=l{int(perf_counter() * 1000) % 10**9}_"
        with piql.connect(url) as db:
            db.deploy(piql.compile(source))
            words = (
                "`loading.py`: `db.load` by one client, every constraint checked (keys, references, limits). Processor"
                f" time is that of all threads; *at most* is what {os.cpu_count()} cores allow that do nothing else."
            )
            columns = (
                "what",
                "#rows",
                "#seconds",
                "#rows a second",
                "#µs of the client a row",
                "#of the nodes",
                "#at most, rows a second",
            )
            with table(
                "Loading", words, (*columns, *(f"#{kind} a row" for kind in KINDS)), options.nodes, options.keep
            ) as row:
                timed("SCADr's sample, 150 users", row, db, sample)
                timed("the sample's thoughts once more", row, db, {"thoughts": sample["thoughts"]})
                db.deploy(piql.compile({**source, "by_text.piql": BY_TEXT}))
                rows = thoughts(options.rows, owners, texts)
                timed("thoughts, an index of some hundred texts", row, db, {"thoughts": rows})
                alone = [
                    row | {"posted": START + timedelta(days=400, seconds=at), "text": f"the thought number {at}"}
                    for at, row in enumerate(rows)
                ]
                timed("thoughts, an index whose every entry is alone", row, db, {"thoughts": alone})
                plain = [row | {"posted": START + timedelta(days=800, seconds=at)} for at, row in enumerate(rows)]
                timed("the same, past the constraints", row, db, {"thoughts": plain}, partial(write, db))


def thoughts(count: int, owners: list[str], texts: list[str]) -> Rows:
    """Return thoughts of all owners, one after another, whose texts repeat."""
    per_owner = count // len(owners) + 1
    return [
        {"owner": owners[at // per_owner], "posted": START + timedelta(seconds=at), "text": texts[at % len(texts)]}
        for at in range(count)
    ]


if __name__ == "__main__":
    main()
