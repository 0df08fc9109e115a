"""What an observer is told of a write: the requests of the record itself, and those of each kind of check."""

from collections.abc import Iterator

import piql
import pytest
from piql.client.database import Observation

SET = """
CREATE TABLE users (name VARCHAR(16) PRIMARY KEY, email VARCHAR(40), UNIQUE (email));
CREATE TABLE follows (
  owner VARCHAR(16) REFERENCES users, target VARCHAR(16) REFERENCES users,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner)
);
CREATE QUERY enrol AS INSERT INTO users (name, email) VALUES ([name], [email]);
CREATE QUERY leave AS DELETE FROM users WHERE name = [name];
CREATE QUERY follow AS INSERT INTO follows (owner, target) VALUES ([owner], [target]);
CREATE QUERY unfollow AS DELETE FROM follows WHERE owner = [owner] AND target = [target];
"""
PAIR = {"owner": "ada", "target": "bob"}
Seen = tuple[piql.Database, list[Observation]]


@pytest.fixture(params=["embedded:", "stepwise:"])
def observed(request: pytest.FixtureRequest) -> Iterator[Seen]:
    seen: list[Observation] = []
    with piql.connect(request.param, seen.append) as database:
        database.deploy(piql.compile(SET))
        database.load("users", [{"name": "ada", "email": "a"}, {"name": "bob", "email": "b"}])
        yield database, seen


def parts(observed: Seen, name: str, parameters: dict[str, object]) -> dict[str, int]:
    """Return the requests of each part of a write."""
    database, seen = observed
    seen.clear()
    database.execute(name, parameters)
    (observation,) = seen
    assert sum(operator.operations for operator in observation.operators) == observation.operations
    assert sum(operator.elapsed_ms for operator in observation.operators) == pytest.approx(observation.elapsed_ms)
    assert all(operator.elapsed_ms > 0.0 for operator in observation.operators)
    return {operator.operator: operator.operations for operator in observation.operators}


def test_what_a_write_checks_is_told_from_what_it_puts(observed: Seen) -> None:
    is_stepped = observed[0].store.row_writes is not None
    enrol = parts(observed, "enrol", {"name": "eve", "email": "e"})
    assert enrol == {"Insert": 6 if is_stepped else 3, "LimitCheck": 1}
    follow = parts(observed, "follow", PAIR)
    assert follow == {
        "Insert": 6 if is_stepped else 3,
        "LimitCheck": 2 if is_stepped else 1,
        "ReferenceCheck": 3 if is_stepped else 2,
    }


def test_a_delete_gives_back_places_and_looks_for_rows_that_name_it(observed: Seen) -> None:
    is_stepped = observed[0].store.row_writes is not None
    parts(observed, "follow", PAIR)
    unfollow = parts(observed, "unfollow", PAIR)
    assert unfollow == ({"Delete": 6, "LimitCheck": 2} if is_stepped else {"Delete": 3})
    leave = parts(observed, "leave", {"name": "bob"})
    assert leave["ReferenceCheck"] == (3 if is_stepped else 2)


def test_without_an_observer_nothing_is_timed(observed: Seen) -> None:
    database, seen = observed
    database.observer = None
    database.execute("follow", PAIR)
    assert seen == []
