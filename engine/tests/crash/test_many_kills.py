"""More than a thousand kills, for the long tests; each way to be killed keeps its row in docs/measurements."""

from collections.abc import Callable
from pathlib import Path

import pytest
from kept_results import keep_row
from processes.nursery import Killed, Nursery

from .test_killing_deployments import kill_deployments, kill_loads, rooms
from .test_killing_writers import kill_one_of_four, kill_writers, kill_writers_together
from .workload import PATIENT, new_database

WAYS: dict[str, Callable[[Nursery, Path], Killed]] = {
    "one writer": lambda nurse, path: kill_writers(nurse, new_database(f"embedded:{path}"), 500, 100_000),
    "three writers together": lambda nurse, path: kill_writers_together(
        nurse, f"{new_database(f'embedded:{path}')}{PATIENT}", 300, 200_000
    ),
    "one writer, `synchronous=NORMAL`": lambda nurse, path: kill_writers(
        nurse, f"{new_database(f'embedded:{path}')}?synchronous=NORMAL", 200, 300_000
    ),
    "one writer, no transactions (`stepwise:`)": lambda nurse, path: kill_writers(
        nurse, new_database(f"stepwise:{path}"), 300, 600_000
    ),
    "one of four, no transactions, the others go on": lambda nurse, path: kill_one_of_four(
        nurse, f"{new_database(f'stepwise:{path}')}{PATIENT}", 400, 700_000
    ),
    "deployments that fill indexes": lambda nurse, path: kill_deployments(nurse, rooms(path), 150, 400_000),
    "loads, by batches of 200 rows": lambda nurse, path: kill_loads(nurse, rooms(path), 150, 500_000),
}


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_more_than_a_thousand_kills_lose_nothing(nurse: Nursery, tmp_path: Path, way: str) -> None:
    killed = WAYS[way](nurse, tmp_path / "a.db")
    keep_row(
        "crashes.md", "Killed", [way, *(f"{n:,}" for n in (killed.kills, killed.acknowledged, killed.found_done)), "0"]
    )
