"""Tables and indexes are read from their end where every read that stops early begins there."""

import piql
import pytest
from piql.compiler.physical.indexes.reading_direction import read_from_their_end

SCHEMA = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE thoughts (owner VARCHAR(20), posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
CREATE TABLE follows (
    owner VARCHAR(20), target VARCHAR(20), PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner));
"""
NEWEST = "CREATE QUERY newest AS SELECT posted FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC LIMIT 10;"
OLDEST = "CREATE QUERY oldest AS SELECT posted FROM thoughts WHERE owner = [1: me] ORDER BY posted LIMIT 10;"
STREAM = """CREATE QUERY stream AS SELECT t.text FROM follows f JOIN thoughts t ON t.owner = f.target
WHERE f.owner = [1: me] ORDER BY t.posted DESC LIMIT 10;"""
ALL_BACKWARDS = "CREATE QUERY followed AS SELECT target FROM follows WHERE owner = [1: me] ORDER BY target DESC;"
OF_A_TOWN = "CREATE QUERY of_a_town AS SELECT name FROM users WHERE town = [1: town] ORDER BY name DESC LIMIT 5;"


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        ([NEWEST], {"thoughts"}),
        ([STREAM], {"thoughts"}),
        ([OLDEST], set()),
        ([NEWEST, OLDEST], set()),
        ([STREAM, OLDEST], set()),
        ([ALL_BACKWARDS], set()),
        ([OF_A_TOWN, NEWEST], {"thoughts", "users_by_town"}),
        ([], set()),
    ],
)
def test_what_is_read_from_its_end_alone_is_found(queries: list[str], expected: set[str]) -> None:
    compilation = piql.compile(SCHEMA + "\n".join(queries))
    indexes = read_from_their_end(query.plan for query in compilation.queries.values())
    assert {index.name for index in indexes} == expected


def test_what_is_found_are_the_indexes_and_tables_of_the_set() -> None:
    compilation = piql.compile(SCHEMA + OF_A_TOWN + NEWEST)
    indexes = read_from_their_end(query.plan for query in compilation.queries.values())
    assert indexes == {compilation.tables["thoughts"].primary_index(), *compilation.indexes.values()}
