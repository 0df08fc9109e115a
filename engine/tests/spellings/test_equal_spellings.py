"""However a query is said, its rows are the same, and so is its bound; no strategy makes more requests than that."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import duckdb
import piql
import pytest

from .spelling import LIMIT, QUESTIONS, SCHEMA, STARTS, USERS, Start, query_of, ways

STRATEGIES = ("parallel", "simple", "lazy")
SAID = 4  # ways in which each pair is said

Rows = Mapping[str, Sequence[Mapping[str, object]]]

# Every group is at its limit, but for that of one user who has nothing, and one who is not there.
ROWS: Rows = {
    "users": [{"name": name, "town": "x", "boss": boss} for name, boss in zip(USERS, [*USERS[1:], None], strict=True)],
    "follows": [{"owner": "u0", "target": name} for name in USERS[1:-1]]
    + [{"owner": "u1", "target": name} for name in USERS[2:]],
    "photos": [
        {"owner": name, "id": number, "album": (number * 2) % 5 if number else None}
        for name in USERS
        for number in range(LIMIT)
        if name != "u3"
    ],
    "badges": [
        {"owner": name, "id": number, "photo": (number + at) % 3 if number else None}
        for at, name in enumerate(USERS)
        for number in range(LIMIT)
        if name != "u2"
    ],
    "profiles": [
        {"owner": name, "bio": "b" if at % 3 else None, "level": at if at % 2 else None}
        for at, name in enumerate(USERS[:-1])
    ],
}
COLUMNS = {
    "users": "name VARCHAR, town VARCHAR, boss VARCHAR",
    "follows": "owner VARCHAR, target VARCHAR",
    "photos": "owner VARCHAR, id INT, album INT",
    "badges": "owner VARCHAR, id BIGINT, photo INT",
    "profiles": "owner VARCHAR, bio VARCHAR, level INT",
}


@pytest.fixture(scope="module")
def reference() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for table, columns in COLUMNS.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
            places = ", ".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", [[*row.values()] for row in ROWS[table]])
        yield connection


def hold(groups: Sequence[Sequence[str]], reference: duckdb.DuckDBPyConnection) -> None:
    """Hold the queries of each group to one bound, and their rows to those of another database."""
    named = {f"q{at}": query for at, query in enumerate(query for group in groups for query in group)}
    compilation = piql.compile(SCHEMA + "".join(f"CREATE QUERY {name} AS {query};\n" for name, query in named.items()))
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == []
    names = {query: name for name, query in named.items()}
    for group in groups:
        bounds = {query: compilation.queries[names[query]].bound for query in group}
        numbers = {query: (bound.operations, bound.rows) for query, bound in bounds.items() if bound is not None}
        assert len(set(numbers.values())) == 1, "\n".join(f"{number}: {query}" for query, number in numbers.items())
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in ROWS.items():
            db.load(table, rows)
        for name, query in named.items():
            right = Counter(reference.execute(query).fetchall())
            bound = compilation.queries[name].bound
            assert bound is not None
            for strategy in STRATEGIES:
                page = db.execute(name, strategy=strategy)
                assert Counter(tuple(row.values()) for row in page.rows) == right, f"{strategy}: {query}"
                assert page.operations <= bound.operations, f"{strategy}: {query}"
                assert len(page.rows) <= bound.rows, query


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_a_question_has_one_bound_however_it_is_asked(start: Start, reference: duckdb.DuckDBPyConnection) -> None:
    hold([[query_of(start, [way]) for way in ways(start, question, "x")] for question in QUESTIONS], reference)


@pytest.mark.parametrize("pairs", [4, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_two_questions_have_one_bound_however_they_are_asked(
    start: Start, pairs: int, reference: duckdb.DuckDBPyConnection
) -> None:
    rng = random.Random(start.tables)
    groups: list[list[str]] = []
    for _ in range(pairs):
        one, other = rng.sample(sorted(QUESTIONS), 2)
        asked = [(first, second) for first in ways(start, one, "x") for second in ways(start, other, "y")]
        queries = {query_of(start, pair): None for pair in rng.sample(asked, min(SAID, len(asked)))}
        groups.append(list(queries))
    hold(groups, reference)
