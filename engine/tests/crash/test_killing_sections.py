"""Processes that write several rows by one statement are killed: all of them are written or none, or the first few."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import piql
import pytest
from processes.nursery import Killed, Life, Nursery, nursery
from promises import broken_promises, records_of

from .sections import SOURCE, Shop, Write, shop_in, steps, writes


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(SOURCE) as family:
        yield family


def kill_writers_of_sections(nurse: Nursery, url: str, kills: int, first_seed: int, within: float = 0.01) -> Killed:
    """Kill one writer after the other, all on one store, and compare what each leaves with what the model foretells."""
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
        is_atomic = db.store.row_writes is None
    chance, shop, killed = random.Random(first_seed), Shop(), Killed()
    for seed in range(first_seed, first_seed + kills):
        job = {"job": "crash.sections:execute", "url": url, "seeds": [seed]}
        (life,) = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(15))
        assert life.was_killed, life.other
        states = _states_after(shop, life, writes(seed), is_atomic)
        with piql.connect(url) as db:
            read = _read(db)
            db.sweep(older_than=0)
            broken = broken_promises(db)
            assert broken == [], (seed, broken)
            kept_rows = (records_of(db.store, db.deployment.tables[name]) for name in ("line", "pins"))
            shop = shop_in(db, *kept_rows)
            assert shop in states, (seed, shop, states)
            assert read == shop == _read(db), (seed, read, shop)
        killed.count(len(life.done), shop != states[0])
    return killed


def _states_after(shop: Shop, life: Life, stream: Iterator[Write], is_atomic: bool) -> list[Shop]:
    """Return the states that may be found: after all that was answered, and within the next write."""
    for number, done in enumerate(life.done):
        write = next(stream)
        own_steps = steps(shop, write)
        assert done.outcome in (own_steps.refusals or {"ok"}), (number, write, done.outcome, own_steps.refusals)
        if not (is_atomic and own_steps.refusals):
            shop = own_steps.states[-1]
    last = steps(shop, next(stream))
    if not is_atomic:
        return last.states
    return [shop] if last.refusals else [shop, last.states[-1]]


def _read(db: piql.Database) -> Shop:
    """Return what queries give, whichever index they go through."""
    in_cart, tagged = (db.execute(name).rows for name in ("inCart", "tagged"))
    assert [row for row in in_cart if row["tag"] is not None] == sorted(tagged, key=lambda row: list(row.values())[:2])
    return shop_in(db, in_cart, db.execute("pinned").rows)


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_a_killed_writer_of_sections_leaves_what_one_that_stops_between_rows_may_leave(
    nurse: Nursery, tmp_path: Path, scheme: str
) -> None:
    killed = kill_writers_of_sections(nurse, f"{scheme}:{tmp_path / 's.db'}", 12, 21_000)
    assert killed.acknowledged > 12


@pytest.mark.cluster
@pytest.mark.long
def test_nor_does_one_on_a_cluster(nurse: Nursery, cluster_url: Callable[[], str]) -> None:
    killed = kill_writers_of_sections(nurse, cluster_url(), 25, 23_000, within=0.3)
    assert killed.acknowledged > 25


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_nor_do_hundreds(nurse: Nursery, tmp_path: Path, scheme: str) -> None:
    killed = kill_writers_of_sections(nurse, f"{scheme}:{tmp_path / 'l.db'}", 400, 22_000)
    assert killed.acknowledged > 400
