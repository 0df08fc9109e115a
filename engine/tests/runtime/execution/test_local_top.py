"""The first rows in an order, found without sorting the others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import piql
import pytest
from piql.compiler.physical.format import format_plan
from piql.compiler.physical.operators import LocalTop
from piql.compiler.physical.write_plan import WritePlan

ORDERS = ("score", "score DESC", "score DESC, name", "name, score DESC", "score + 1 DESC, name DESC")
ROWS = 200
TEST = "owner = [owner] AND id + 1000 <> owner"  # true of all rows; as no index applies it, none stops at the first
SOURCE = f"""
CREATE TABLE notes (
  owner INT, id INT, score INT NULL, name VARCHAR(8), PRIMARY KEY (owner, id), CARDINALITY LIMIT {ROWS} (owner)
);
CREATE QUERY ending AS SELECT id FROM notes WHERE {TEST} ORDER BY score LIMIT 0;
CREATE QUERY many AS SELECT id FROM notes WHERE {TEST} ORDER BY score LIMIT 7;
CREATE QUERY paged AS SELECT id FROM notes WHERE {TEST} ORDER BY score PAGINATE 2;
CREATE QUERY keyed AS SELECT id FROM notes WHERE owner = [owner] ORDER BY id LIMIT 2;
""" + "\n".join(
    f"CREATE QUERY top{number} AS SELECT id FROM notes WHERE {TEST} ORDER BY {order} LIMIT [n] MAX 6;\n"
    f"CREATE QUERY all{number} AS SELECT id FROM notes WHERE {TEST} ORDER BY {order};"
    for number, order in enumerate(ORDERS)
)


@pytest.fixture(scope="module")
def compiled() -> piql.Compilation:
    return piql.compile(SOURCE)


@pytest.fixture(scope="module")
def db(compiled: piql.Compilation) -> Iterator[piql.Database]:
    """Four owners: with few different scores, with many, with hardly any, and with none."""
    chance = random.Random(7)
    with piql.connect("embedded:") as database:
        database.deploy(compiled)
        scores: list[Any] = [lambda: chance.choice((None, 1, 2)), lambda: chance.randrange(9**9)]
        scores += [lambda: 5 if chance.random() < 0.02 else None, lambda: None]
        for owner, score in enumerate(scores):
            names = (f"n{chance.randrange(20)}" for _ in range(ROWS))
            database.load(
                "notes",
                [{"owner": owner, "id": number, "score": score(), "name": name} for number, name in enumerate(names)],
            )
        yield database


@pytest.mark.parametrize("owner", range(4))
@pytest.mark.parametrize("number", range(len(ORDERS)), ids=ORDERS)
def test_the_first_rows_are_those_of_all_rows_sorted(db: piql.Database, number: int, owner: int) -> None:
    everything = db.execute(f"all{number}", {"owner": owner}).rows
    for count in (0, 1, 2, 6):
        assert db.execute(f"top{number}", {"owner": owner, "n": count}).rows == everything[:count]


def plan_of(compiled: piql.Compilation, name: str) -> str:
    plan = compiled.queries[name].plan
    assert plan is not None
    assert not isinstance(plan, WritePlan)
    return format_plan(plan)


def test_it_stands_where_many_times_as_many_rows_may_come_as_are_kept(compiled: piql.Compilation) -> None:
    assert LocalTop.MANY_TIMES * 6 <= ROWS < LocalTop.MANY_TIMES * 7
    assert "LocalTop 6 [n] by notes.score, notes.id" in plan_of(compiled, "top0")
    for name in ("ending", "many", "paged", "keyed", "all0"):
        assert "LocalTop" not in plan_of(compiled, name)


def test_a_bound_counts_no_more_rows_than_it_keeps(compiled: piql.Compilation) -> None:
    bound = compiled.queries["top0"].bound
    assert bound is not None
    assert (bound.operations, bound.rows, bound.rows_formula, bound.rows_fetched) == (1, 6, "n", ROWS)
