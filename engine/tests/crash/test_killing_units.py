"""Processes that execute units are killed: each unit is whole or not there, and each that was answered is there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from processes.nursery import Killed, Nursery, nursery
from promises import broken_promises
from units.test_random_worlds import TABLES, rows_in
from units.world import World

from .units import WORLD


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(World(WORLD).source) as family:
        yield family


def kill_units(nurse: Nursery, url: str, kills: int, first_seed: int, within: float = 0.01) -> Killed:
    """Kill one process after the other, all on one store, and compare what each leaves with what DuckDB foretells."""
    world, killed, chance = World(WORLD), Killed(), random.Random(first_seed)
    with piql.connect(url) as db:
        db.deploy(piql.compile(world.source))
    for seed in range(first_seed, first_seed + kills):
        job = {"job": "crash.units:execute", "url": url, "seeds": [seed]}
        (life,) = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(15))
        assert life.was_killed, life.other
        stream = world.executions(seed)
        for done in life.done:
            name, parameters = next(stream)
            foretold = world.foretold(name, parameters)
            assert (foretold.refused_by is None) == (done.outcome == "ok"), (seed, name, parameters, done, foretold)
        with piql.connect(url) as db:
            is_later = any(rows_in(db, table) != world.rows_of(table) for table in TABLES)
            if is_later:  # the unit that nobody was told of is whole
                name, parameters = next(stream)
                world.foretold(name, parameters)
                for table in TABLES:
                    assert rows_in(db, table) == world.rows_of(table), (seed, name, parameters)
            assert broken_promises(db) == [], seed
        killed.count(len(life.done), is_later)
    return killed


def test_a_killed_process_leaves_each_unit_whole_or_not_at_all(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_units(nurse, f"embedded:{tmp_path / 'u.db'}", 12, 31_000)
    assert killed.acknowledged > 12


@pytest.mark.long
def test_so_do_hundreds(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_units(nurse, f"embedded:{tmp_path / 'h.db'}", 500, 32_000)
    assert killed.acknowledged > 500
