"""Random tables, views and writes: after each part of a world every view is what DuckDB computes from the rows."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest

from .life import Life
from .world import World, ordered


def write_some(db: piql.Database, world: World, count: int) -> None:
    """Make random writes; what is refused must be a sum that is too large, and changes nothing."""
    for _ in range(count):
        write = world.next_write()
        try:
            if write.query:
                page = db.execute(write.query, write.parameters)
                bound = db.deployment.compilation.queries[write.query].bound
                assert bound is not None
                assert page.operations <= bound.operations
                assert page.round_trips <= bound.round_trips
            else:
                db.load("t", write.written)
        except piql.ConstraintViolation:
            if not world.is_too_large([*world.rows.values(), *write.rows_after.values(), *write.written]):
                raise
        else:
            world.rows = write.rows_after


def first_writes(db: piql.Database, world: World) -> None:
    write_some(db, world, world.chance.randrange(12))


def hold(db: piql.Database, world: World, with_views: bool) -> None:
    names = [column.name for column in world.columns]
    rows = ordered(db.some_rows("t", names, 500))
    assert rows == ordered(tuple(row[name] for name in names) for row in world.rows.values())
    if with_views:
        recomputed = world.recomputed(world.rows)
        for view in world.views:
            assert ordered(db.some_rows(view.name, view.names, 500)) == recomputed[view.name], view.text


LIFE = Life(World, first_writes, write_some, hold, refused_by="each sum must fit", writes=12, renamed="noted")


@pytest.mark.parametrize("first", range(0, 24, 8))
def test_views_are_what_duckdb_computes(first: int, tmp_path: Path) -> None:
    LIFE.live_some(first, 8, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 10_000, 100))
def test_views_are_what_duckdb_computes_in_ten_thousand_worlds(first: int, tmp_path: Path) -> None:
    LIFE.live_some(first, 100, tmp_path)
