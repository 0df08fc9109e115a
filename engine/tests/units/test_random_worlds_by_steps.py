"""Random units of rows by keys and of held groups, on a store without transactions: each comes to what DuckDB makes.

Where several statements would refuse, a condition or a foreign key of a later one may be told instead of a limit.
"""

from __future__ import annotations

import piql
import pytest
from piql.versions.change.composition import reason_against_unit
from promises import broken_promises

from .test_random_worlds import executed, rows_in
from .world import World


def live(seed: int, executions: int = 30) -> tuple[int, int]:
    """Execute the units of a seed that are let in; return how many executions there were, and how many were refused."""
    world = World(seed, by_steps=True)
    compilation = piql.compile(world.source)
    assert not compilation.has_errors, (world.source, compilation.diagnostics)
    for name in list(world.units):
        if reason_against_unit(compilation.queries[name], compilation.tables) is not None:
            del world.units[name]
    if not world.units:
        return 0, 0
    refused = 0
    with piql.connect("stepwise:") as db:
        db.deploy(piql.compile(world.source))
        for _ in range(executions):
            name, parameters = world.execution()
            foretold = world.foretold(name, parameters)
            shown = (world.source, name, parameters, foretold)
            page, refused_by = executed(db, name, parameters)
            assert (refused_by is None) == (foretold.refused_by is None), (refused_by, shown)
            assert refused_by is None or refused_by >= (foretold.refused_by or 0) > 0, (refused_by, shown)
            refused += page is None
            if page is not None:
                assert tuple(sorted(page.rows, key=lambda row: row["id"])) == foretold.rows, shown
                bound = db.deployment.compilation.queries[name].bound
                assert bound is not None
                assert page.operations <= bound.operations
                assert page.round_trips <= bound.round_trips
            for table in ("t", "pins"):
                assert rows_in(db, table) == world.rows_of(table), shown
        assert broken_promises(db) == []
    return executions, refused


def test_units_by_steps_come_to_what_duckdb_makes_of_them() -> None:
    count, refused = (sum(counts) for counts in zip(*(live(seed) for seed in range(5)), strict=True))
    assert count > refused > 0


@pytest.mark.long
@pytest.mark.parametrize("first_seed", range(1_000, 2_000, 100))
def test_thousands_of_units_by_steps_do(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 100):
        live(seed)
