"""Processes that write rows which views join are killed: each write is whole in every view, and counted once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from processes.nursery import Killed, Nursery, nursery
from promises import broken_promises
from views.joined_world import World
from views.test_joined_worlds import hold, rows_of
from views.world import ordered

from .joined import writes, written_world
from .test_killing_writers import afterwards


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    world = written_world()
    with nursery(world.source + world.views_source) as family:
        yield family


def is_there(db: piql.Database, world: World) -> bool:
    return all(
        ordered(db.some_rows(name, table.names, 500))
        == ordered(tuple(row[column] for column in table.names) for row in world.rows[name].values())
        for name, table in world.tables.items()
    )


def kill_writers(nurse: Nursery, url: str, kills: int, first_seed: int, within: float = 0.01) -> Killed:
    """Kill one process after the other, all on one store, and compare what each leaves with what DuckDB computes."""
    world, killed, chance = written_world(), Killed(), random.Random(first_seed)
    with piql.connect(url) as db:
        db.deploy(piql.compile(world.source + world.views_source))
        for load in world.first_loads():
            db.load(load.table, load.loaded)
            world.rows = load.rows_after
    for seed in range(first_seed, first_seed + kills):
        job = {"job": "crash.joined:execute", "url": url, "seeds": [seed]}
        (life,) = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(25))
        assert life.was_killed, life.other
        stream = writes(world, seed)
        for done in life.done:
            write = next(stream)
            if done.outcome == "ok":
                world.rows = write.rows_after
        with piql.connect(url) as db:
            is_later = not is_there(db, world)
            if is_later:  # the write that nobody was told of is whole
                world.rows = next(stream).rows_after
            hold(db, world, with_views=True)
            assert broken_promises(db) == []
        killed.count(len(life.done), is_later)
    return killed


def test_a_killed_process_leaves_joined_views_right(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_writers(nurse, f"embedded:{tmp_path / 'j.db'}", 12, 41_000)
    assert killed.acknowledged > 12


def kill_writers_by_steps(url: str, kills: int, first_seed: int, within: float = 0.05) -> int:
    """Kill two processes at a time that write the same rows, and compare the views with what DuckDB computes.

    Return how many writes were acknowledged. Of a write that was not, a part of its rows may be written.
    """
    world, chance, acknowledged = written_world(by_steps=True), random.Random(first_seed), 0
    text = world.source + world.views_source
    with nursery(text) as nurse:
        with piql.connect(url) as db:
            db.deploy(piql.compile(text))
            for load in world.first_loads():
                db.load(load.table, load.loaded)
        with afterwards(url) as connected:
            for seed in range(first_seed, first_seed + 2 * kills, 2):
                seeds = [seed, seed + 1]
                job = {"job": "crash.joined:execute", "url": url, "seeds": seeds, "processes": 2, "by_steps": True}
                lives = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(25))
                acknowledged += sum(done.outcome == "ok" for life in lives for done in life.done)
                with connected() as db:
                    db.sweep(older_than=-1)
                    world.rows = {name: rows_of(db, table) for name, table in world.tables.items()}
                    hold(db, world, with_views=True)
                    assert broken_promises(db) == []
    return acknowledged


def test_killed_processes_leave_joined_views_right_without_transactions(tmp_path: Path) -> None:
    assert kill_writers_by_steps(f"stepwise:{tmp_path / 'j.db'}?synchronous=NORMAL", 5, 43_000) > 5


@pytest.mark.long
def test_so_do_hundreds_without_transactions(tmp_path: Path) -> None:
    assert kill_writers_by_steps(f"stepwise:{tmp_path / 'h.db'}?synchronous=NORMAL", 200, 44_000) > 200


@pytest.mark.long
def test_so_do_hundreds(nurse: Nursery, tmp_path: Path) -> None:
    killed = kill_writers(nurse, f"embedded:{tmp_path / 'h.db'}", 500, 42_000)
    assert killed.acknowledged > 500
