"""The indexes of random sets: none too few, none too many, and the same whatever the order of the queries."""

from __future__ import annotations

import random

import piql
import pytest
from piql.compiler.physical.indexes.secondary_index import serves_constraint

COLUMNS = ("a", "b", "c", "d")
SCHEMA = """CREATE TABLE n (id INT PRIMARY KEY);
CREATE TABLE t (
  g INT, id INT, a INT REFERENCES n, b INT, c INT, d INT, note VARCHAR(20),
  PRIMARY KEY (g, id), CARDINALITY LIMIT 50 (b, c)
);
"""


def random_queries(seed: int) -> list[str]:
    rng = random.Random(seed)
    queries = []
    for number in range(rng.randint(2, 7)):
        fixed = rng.sample(COLUMNS, rng.randint(1, 3))
        test = " AND ".join(f"{name} = [{name}]" for name in fixed)
        free = [name for name in COLUMNS if name not in fixed]
        if rng.random() < 0.3:
            test += f" AND {free[0]} > [least]"
            order = rng.choice(("", f" ORDER BY {free[0]} DESC"))
        else:
            order = rng.choice(("", "", f" ORDER BY {free[0]}", " ORDER BY note DESC"))
        queries.append(f"CREATE QUERY q{number} AS SELECT id, note FROM t WHERE {test}{order} LIMIT 10;\n")
    return queries


@pytest.mark.parametrize("seed", range(40))
def test_a_set_costs_its_queries_nothing_and_needs_each_index(seed: int) -> None:
    queries = random_queries(seed)
    together = piql.compile(SCHEMA + "".join(queries))
    alone = [piql.compile(SCHEMA + query) for query in queries]
    for number, one in enumerate(alone):
        name = f"q{number}"
        before, after = one.queries[name].bound, together.queries[name].bound
        assert before is not None
        assert after is not None
        assert (after.operations, after.round_trips, after.rows) == (before.operations, before.round_trips, before.rows)
    assert len(together.indexes) <= len({index for one in alone for index in one.indexes})
    read = {index.name for query in together.queries.values() for index in query.indexes}
    assert all(index.name in read or serves_constraint(index) for index in together.indexes.values())


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_the_queries_does_not_matter(seed: int) -> None:
    queries = random_queries(seed)
    one = piql.compile(SCHEMA + "".join(queries))
    random.Random(seed).shuffle(queries)
    shuffled = piql.compile(SCHEMA + "".join(queries))
    assert one.indexes == shuffled.indexes
    assert {name: query.plan for name, query in one.queries.items()} == {
        name: query.plan for name, query in shuffled.queries.items()
    }


def test_a_limit_of_a_whole_table_has_no_column_that_could_hold_words() -> None:
    without_key = """
        CREATE TABLE posts (
            day DATE, note VARCHAR(40), CARDINALITY LIMIT 1, CARDINALITY LIMIT 6 (TOKEN(note)),
            CARDINALITY LIMIT 1 (day, title)
        );"""
    assert "missing-primary-key" in {diagnostic.code for diagnostic in piql.compile(without_key).diagnostics}
