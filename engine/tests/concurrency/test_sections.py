"""Processes change the same sections at once: no row is counted twice or lost, no limit passed, no entry dangles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from processes.nursery import Nursery, nursery
from promises import broken_promises, records_of

from .conftest import CLUSTER
from .sections import SOURCE

PROCESSES = 6


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(SOURCE) as family:
        yield family


@pytest.fixture(params=["embedded", "stepwise", CLUSTER])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_file = request.param != "cluster"
    address = (
        f"{request.param}:{tmp_path / 's.db'}?wait_ms=120000&synchronous=NORMAL"
        if is_file
        else request.getfixturevalue("cluster_url")()
    )
    with piql.connect(address) as db:
        db.deploy(piql.compile(SOURCE))
    return address


def use(nurse: Nursery, url: str, seed: int, turns: int) -> Counter[str]:
    """Let processes write to the sections at random, and compare the sums of their answers with what is there."""
    job = {"job": "concurrency.sections:use", "url": url, "processes": PROCESSES, "seed": seed, "turns": turns}
    lives = nurse.run(job)
    assert [life.status for life in lives] == [0] * PROCESSES, [life.other[-1:] for life in lives]
    sums: Counter[str] = Counter()
    for kind, *numbers in (line.split() for life in lives for line in life.other):
        sums[kind] += int(numbers[0])
        sums["removed counts"] += int(numbers[-1]) if kind == "removed" else 0
    with piql.connect(url) as db:
        assert broken_promises(db) == []
        rows = list(records_of(db.store, db.deployment.tables["line"]))
        assert sums["added"] - sums["removed"] == len(rows), (seed, sums)
        assert sums["counted"] - sums["removed counts"] == sum(row["counted"] for row in rows), (seed, sums)
        for cart in {row["cart"] for row in rows}:
            db.execute("clear", {"cart": cart})
    return sums


def test_each_row_is_counted_and_removed_as_often_as_is_said(nurse: Nursery, url: str) -> None:
    sums = use(nurse, url, 1, 30)
    assert min(sums[kind] for kind in ("added", "counted", "removed")) > 9


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_nor_in_many_rounds(nurse: Nursery, tmp_path: Path, scheme: str) -> None:
    address = f"{scheme}:{tmp_path / 'l.db'}?wait_ms=120000&synchronous=NORMAL"
    with piql.connect(address) as db:
        db.deploy(piql.compile(SOURCE))
    for seed in range(100, 140):
        use(nurse, address, seed, 60)
