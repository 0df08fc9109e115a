"""Random views of several tables, and random writes: after each part of a world they are what DuckDB computes."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.versions.change.build import BackfillRate
from piql.versions.deploy import begin_deploy
from promises import broken_promises

from .joined_world import World
from .world import ordered

SLOW = BackfillRate(step_rows=2, first_rows=0, busy_share=1.0)
REFUSALS = (piql.CardinalityViolation, piql.ForeignKeyViolation, piql.ConditionFailed, piql.DuplicateKey)


def write_some(db: piql.Database, world: World, count: int) -> None:
    """Make random writes within their bounds; what is refused changes nothing."""
    for _ in range(count):
        write = world.next_write()
        try:
            if write.query:
                page = db.execute(write.query, write.parameters)
                bound = db.deployment.compilation.queries[write.query].bound
                assert bound is not None
                assert page.operations <= bound.operations, write
                assert page.round_trips <= bound.round_trips, write
            else:
                db.load(write.table, write.loaded)
        except REFUSALS:
            continue
        except piql.ConstraintViolation as refusal:
            if "name this row" not in str(refusal):
                raise
            continue
        world.rows = write.rows_after


def hold(db: piql.Database, world: World, *, with_views: bool) -> None:
    for name, table in world.tables.items():
        rows = ordered(db.some_rows(name, table.names, 500))
        assert rows == ordered(tuple(row[column] for column in table.names) for row in world.rows[name].values()), name
    if with_views:
        recomputed = world.recomputed(world.rows)
        for view in world.views:
            assert ordered(db.some_rows(view.name, view.names, 500)) == recomputed[view.name], view.text
    assert broken_promises(db) == []


def build_slowly(db: piql.Database, world: World, text: str) -> bool:
    """Deploy a text in small steps, with writes between them; return whether it is in force."""
    build = begin_deploy(db.store, piql.compile(text), pace=SLOW)
    while build.step():
        write_some(db, world, world.chance.randrange(3))
    progress = build.progress
    assert progress.phase == "in force" or "name this row" in str(progress.reason), progress
    return progress.phase == "in force"


def live(world: World, url: str) -> None:
    """The life of one world: tables, views over what is there, a rollback, and the views again."""
    with piql.connect(url) as db:
        text = world.source + world.views_source
        db.deploy(piql.compile(world.source))
        for load in world.first_loads():
            db.load(load.table, load.loaded)
            world.rows = load.rows_after
        write_some(db, world, world.chance.randrange(30))
        hold(db, world, with_views=False)
        if not build_slowly(db, world, text):
            return
        hold(db, world, with_views=True)
        write_some(db, world, 30)
        hold(db, world, with_views=True)
        if world.chance.random() < 0.3:
            db.rollback()
            write_some(db, world, 8)
            if world.chance.random() < 0.5:  # nobody keeps the views of the version before the one before
                db.deploy(piql.compile(world.source.replace("QUERY new_f", "QUERY newest_f")))
                write_some(db, world, 4)
            hold(db, world, with_views=False)
            hold(db, world, with_views=build_slowly(db, world, text))


def live_some(first: int, number: int, folder: Path) -> None:
    for seed in range(first, first + number):
        live(World(seed), f"embedded:{folder / f'{seed}.db'}?synchronous=NORMAL")
        for file in folder.glob(f"{seed}.db*"):
            file.unlink()


@pytest.mark.parametrize("first", range(0, 24, 8))
def test_joined_views_are_what_duckdb_computes(first: int, tmp_path: Path) -> None:
    live_some(first, 8, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 10_000, 100))
def test_joined_views_are_what_duckdb_computes_in_ten_thousand_worlds(first: int, tmp_path: Path) -> None:
    live_some(first, 100, tmp_path)
