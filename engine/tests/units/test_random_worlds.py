"""Random units: each comes to what DuckDB makes of its statements in one transaction, within its bound."""

from __future__ import annotations

import re
from typing import Any

import piql
import pytest
from promises import broken_promises

from .world import Values, World

TABLES = {"t": ("id", "g", "v", "code"), "pins": ("id", "n"), "totals": ("g", "n", "total")}
_STATEMENT = re.compile(r"statement (\d+) of \d+: ")


def execute_some(db: piql.Database, world: World, count: int) -> int:
    """Execute random units beside DuckDB; return how many were refused."""
    refused = 0
    for _ in range(count):
        name, parameters = world.execution()
        foretold = world.foretold(name, parameters)
        shown = (world.source, name, parameters, foretold)
        page, refused_by = executed(db, name, parameters)
        assert refused_by == foretold.refused_by, shown
        refused += page is None
        if page is not None:
            rows = sorted(page.rows, key=lambda row: row["id"])
            assert tuple(rows) == foretold.rows, shown
            bound = db.deployment.compilation.queries[name].bound
            assert bound is not None
            assert page.operations <= bound.operations
            assert page.round_trips <= bound.round_trips
        for table in TABLES:
            assert rows_in(db, table) == world.rows_of(table), shown
    return refused


def executed(db: piql.Database, name: str, parameters: Values) -> tuple[piql.Page | None, int | None]:
    """Execute a unit; return its page, or the number of the statement that refuses it."""
    try:
        return db.execute(name, parameters), None
    except piql.PiqlError as refusal:
        number = _STATEMENT.match(str(refusal))
        return None, int(number[1]) if number is not None else 0


def rows_in(db: piql.Database, table: str) -> list[tuple[Any, ...]]:
    """Return the rows that the store holds, in the order of all columns."""
    rows = db.some_rows(table, TABLES[table], 500)
    return sorted(rows, key=lambda row: [(value is not None, value or 0) for value in row])


def live(world: World, url: str, executions: int = 40) -> int:
    with piql.connect(url) as db:
        compilation = piql.compile(world.source)
        assert not compilation.has_errors, (world.source, compilation.diagnostics)
        db.deploy(compilation)
        refused = execute_some(db, world, executions)
        assert broken_promises(db) == []
        return refused


@pytest.mark.parametrize("first_seed", [0, 5])
def test_units_come_to_what_duckdb_makes_of_them_in_a_transaction(first_seed: int) -> None:
    refused = sum(live(World(seed), "embedded:") for seed in range(first_seed, first_seed + 5))
    assert 20 < refused < 180


@pytest.mark.long
@pytest.mark.parametrize("first_seed", range(1_000, 3_000, 100))
def test_thousands_of_units_do(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 100):
        live(World(seed), "embedded:")
