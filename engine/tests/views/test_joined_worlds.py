"""Random views of several tables, and random writes: after each part of a world they are what DuckDB computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.versions.change import build as builds
from piql.versions.change import steps

from .joined_world import Row, Table, World
from .life import Life
from .world import ordered

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
        except (*REFUSALS, piql.ConstraintViolation, piql.StoreUnavailable) as refusal:
            if isinstance(refusal, piql.ConstraintViolation) and "name this row" not in str(refusal):
                raise
            if isinstance(refusal, piql.StoreUnavailable) and "the schema was changed meanwhile" not in str(refusal):
                raise  # else another version came into force between two rows of one statement
            if db.store.row_writes is not None:  # a write of several rows may be made in part
                world.rows = {name: rows_of(db, table) for name, table in world.tables.items()}
            continue
        world.rows = write.rows_after


def rows_of(db: piql.Database, table: Table) -> Mapping[tuple[Any, ...], Row]:
    rows = [dict(zip(table.names, row, strict=True)) for row in db.some_rows(table.name, table.names, 500)]
    return {tuple(row[column] for column in table.key): row for row in rows}


def first_writes(db: piql.Database, world: World) -> None:
    for load in world.first_loads():
        db.load(load.table, load.loaded)
        world.rows = load.rows_after
    write_some(db, world, world.chance.randrange(30))


def hold(db: piql.Database, world: World, with_views: bool) -> None:
    for name, table in world.tables.items():
        rows = ordered(db.some_rows(name, table.names, 500))
        assert rows == ordered(tuple(row[column] for column in table.names) for row in world.rows[name].values()), name
    if with_views:
        recomputed = world.recomputed(world.rows)
        for view in world.views:
            assert ordered(db.some_rows(view.name, view.names, 500)) == recomputed[view.name], view.text


LIFE = Life(World, first_writes, write_some, hold, refused_by="name this row", writes=30, renamed="new_f")


BY_STEPS = replace(LIFE, world=partial(World, by_steps=True))


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one process only: it knows of each change at once."""
    monkeypatch.setattr(steps, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(builds, "GRACE_SECONDS", 0.0)


@pytest.mark.parametrize("first", range(0, 16, 8))
def test_joined_views_are_what_duckdb_computes(first: int, tmp_path: Path) -> None:
    LIFE.live_some(first, 8, tmp_path)


def test_joined_views_are_what_duckdb_computes_without_transactions(tmp_path: Path, no_grace: None) -> None:
    BY_STEPS.live_some(200, 5, tmp_path, "stepwise")


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 1_000, 100))
def test_joined_views_are_what_duckdb_computes_in_a_thousand_worlds_without_transactions(
    first: int, tmp_path: Path, no_grace: None
) -> None:
    BY_STEPS.live_some(first, 100, tmp_path, "stepwise")


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 10_000, 100))
def test_joined_views_are_what_duckdb_computes_in_ten_thousand_worlds(first: int, tmp_path: Path) -> None:
    LIFE.live_some(first, 100, tmp_path)
