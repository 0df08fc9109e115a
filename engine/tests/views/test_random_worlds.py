"""Random tables, views and writes: after each part of a world every view is what DuckDB computes from the rows."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.versions.change import build as builds
from piql.versions.change import steps

from .life import Life
from .world import Row, World, ordered


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
            if db.store.row_writes is not None:  # a write of several rows may be made in part
                world.rows = {world.key_of(row): row for row in rows_of(db, world)}
        except piql.StoreUnavailable as halt:  # between two rows of one statement another version came into force
            if "the schema was changed meanwhile" not in str(halt):
                raise
            world.rows = {world.key_of(row): row for row in rows_of(db, world)}
        else:
            world.rows = write.rows_after


def rows_of(db: piql.Database, world: World) -> list[Row]:
    names = [column.name for column in world.columns]
    return [dict(zip(names, row, strict=True)) for row in db.some_rows("t", names, 500)]


def first_writes(db: piql.Database, world: World) -> None:
    write_some(db, world, world.chance.randrange(12))


def hold(db: piql.Database, world: World, with_views: bool) -> None:
    names = [column.name for column in world.columns]
    rows = ordered(db.some_rows("t", names, 500))
    assert rows == ordered(tuple(row[name] for name in names) for row in world.rows.values())
    if with_views:
        recomputed = world.recomputed(world.rows)
        for view in world.views:
            held = view.added_up(db.some_rows(view.name, view.names, 2_000))
            assert ordered(held) == recomputed[view.name], view.text


LIFE = Life(World, first_writes, write_some, hold, refused_by="each sum must fit", writes=12, renamed="noted")


@pytest.mark.parametrize("first", range(0, 16, 8))
def test_views_are_what_duckdb_computes(first: int, tmp_path: Path) -> None:
    LIFE.live_some(first, 8, tmp_path)


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one process only: it knows of each change at once."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(builds, "GRACE_SECONDS", 0.0)


def test_views_are_what_duckdb_computes_without_transactions(tmp_path: Path, no_grace: None) -> None:
    LIFE.live_some(100, 6, tmp_path, "stepwise")


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 1_000, 100))
def test_views_are_what_duckdb_computes_in_a_thousand_worlds_without_transactions(
    first: int, tmp_path: Path, no_grace: None
) -> None:
    LIFE.live_some(first, 100, tmp_path, "stepwise")


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 10_000, 100))
def test_views_are_what_duckdb_computes_in_ten_thousand_worlds(first: int, tmp_path: Path) -> None:
    LIFE.live_some(first, 100, tmp_path)
