"""More than a thousand kills, for the long tests; the page that they write stays in docs/measurements."""

import shutil
from pathlib import Path

import pytest
from processes.nursery import Killed, Nursery

from .test_killing_deployments import kill_deployments, kill_loads, rooms
from .test_killing_writers import kill_one_of_four, kill_writers, kill_writers_together
from .workload import new_database

RESULT = Path(__file__).resolve().parents[3] / "docs" / "measurements" / "crashes.md"


@pytest.mark.long
def test_more_than_a_thousand_kills_lose_nothing(nurse: Nursery, url: str) -> None:
    path = Path(url.removeprefix("embedded:"))
    copies = [path.with_name(f"{number}.db") for number in range(2)]
    for copy in copies:
        shutil.copy(path, copy)
    killed_by_title = {
        "one writer": kill_writers(nurse, url, 500, 100_000),
        "three writers together": kill_writers_together(nurse, f"embedded:{copies[0]}", 300, 200_000),
        "one writer, `synchronous=NORMAL`": kill_writers(
            nurse, f"embedded:{copies[1]}?synchronous=NORMAL", 200, 300_000
        ),
        "one writer, no transactions (`stepwise:`)": kill_writers(
            nurse, new_database(f"stepwise:{path.with_name('s.db')}"), 300, 600_000
        ),
        "one of four, no transactions, the others go on": kill_one_of_four(
            nurse, new_database(f"stepwise:{path.with_name('f.db')}"), 400, 700_000
        ),
        "deployments that fill indexes": kill_deployments(nurse, rooms(path.with_name("d.db")), 150, 400_000),
        "loads, by batches of 200 rows": kill_loads(nurse, rooms(path.with_name("l.db")), 150, 500_000),
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(PAGE + "".join(_row(title, killed) for title, killed in killed_by_title.items()))


def _row(title: str, killed: Killed) -> str:
    return f"| {title} | {killed.kills:,} | {killed.acknowledged:,} | {killed.found_done:,} | 0 |\n"


PAGE = """\
# Crashes: processes killed while they write

Each process runs mixed writes (plain and conditional inserts, updates that move a row to another group, deletes,
loads) on the embedded store and is killed with SIGKILL at a random moment. Afterwards every record is compared with
what a model predicts from the acknowledged operations. Every index entry is compared with the records and every record
with the entries. Every limit, unique key and reference is counted. A difference fails the test that writes
this page, `engine/tests/crash/test_many_kills.py`.

On a store without transactions, which loads row by row, the writers do not load; there a sweep settles what was left
before the entries are compared; the answers of queries are compared with the records before the sweep, too.

*Found done*: an operation under way at the kill was complete, though it had not been acknowledged yet.

*One of four*: the other three go on to their end, so their answers are counted, too, and they meet what the killed one
left half done. What was under way at a kill may be there or not: a row that its own DELETE took is no lost row.

| killed | kills | acknowledged or refused | found done | lost, half done or in disorder |
| --- | ---: | ---: | ---: | ---: |
"""
