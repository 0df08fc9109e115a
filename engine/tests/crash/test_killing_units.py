"""Processes that execute units are killed: each unit is whole or not there, and each that was answered is there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import piql
import pytest
from processes.nursery import Killed, Nursery, nursery
from promises import broken_promises
from units.test_random_worlds import TABLES, rows_in
from units.world import World

from .test_killing_writers import afterwards
from .units import executed_world


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(executed_world().source, executed_world(by_steps=True).source) as family:
        yield family


def kill_units(nurse: Nursery, url: str, kills: int, first_seed: int, within: float = 0.01) -> Killed:
    """Kill one process after the other, all on one store, and compare what each leaves with what DuckDB foretells.

    A store without transactions is read before a sweep ends what was left, and again behind it.
    """
    by_steps = not url.startswith("embedded:")
    world, killed, chance = executed_world(by_steps=by_steps), Killed(), random.Random(first_seed)
    tables = ("t", "pins") if by_steps else tuple(TABLES)
    with piql.connect(url) as db:
        db.deploy(piql.compile(world.source))
    with afterwards(url) as connected:
        for seed in range(first_seed, first_seed + kills):
            job = {"job": "crash.units:execute", "url": url, "seeds": [seed], "by_steps": by_steps}
            (life,) = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(15))
            assert life.was_killed, life.other
            stream = world.executions(seed)
            for done in life.done:
                name, parameters = next(stream)
                foretold = world.foretold(name, parameters)
                assert (foretold.refused_by is None) == (done.outcome == "ok"), (seed, name, parameters, done, foretold)
            with connected() as db:
                is_later = any(rows_in(db, table) != world.rows_of(table) for table in tables)
                if is_later:  # the unit that nobody was told of is whole
                    world.foretold(*next(stream))
                hold(db, world, tables, seed)
                if by_steps:
                    db.sweep(older_than=-1)
                    hold(db, world, tables, seed)
                assert broken_promises(db) == [], seed
            killed.count(len(life.done), is_later)
    return killed


def hold(db: piql.Database, world: World, tables: Sequence[str], seed: int) -> None:
    for table in tables:
        assert rows_in(db, table) == world.rows_of(table), (seed, table)


def test_a_killed_process_leaves_each_unit_whole_or_not_at_all(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_units(nurse, f"embedded:{tmp_path / 'u.db'}", 12, 31_000)
    assert killed.acknowledged > 12


def test_so_does_one_on_a_store_without_transactions(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_units(nurse, f"stepwise:{tmp_path / 's.db'}?synchronous=NORMAL", 6, 33_000, within=0.05)
    assert killed.acknowledged > 6


@pytest.mark.long
def test_so_do_hundreds_without_transactions(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_units(nurse, f"stepwise:{tmp_path / 'n.db'}?synchronous=NORMAL", 500, 34_000, within=0.05)
    assert killed.acknowledged > 500


@pytest.mark.long
def test_so_do_hundreds(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_units(nurse, f"embedded:{tmp_path / 'h.db'}", 500, 32_000)
    assert killed.acknowledged > 500
