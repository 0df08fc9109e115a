"""ARRAY_AGG gives the values of a group as the text of a JSON array, in ascending order, without NULLs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import piql
import pytest

SOURCE = """
CREATE TABLE m (
  g INT, id INT, a BIGINT, t VARCHAR(9), d DECIMAL(8, 2), x DOUBLE, b BOOLEAN, at TIMESTAMP, day DATE, u UUID, z BLOB,
  PRIMARY KEY (g, id), CARDINALITY LIMIT 20 (g)
);
CREATE TABLE owner (g INT PRIMARY KEY);
CREATE QUERY arrays AS
SELECT ARRAY_AGG(a) AS a, JSON_AGG(t) AS t, ARRAY_AGG(d) AS d, ARRAY_AGG(x) AS x, ARRAY_AGG(DISTINCT b) AS b,
  ARRAY_AGG(at) AS at, ARRAY_AGG(day) AS day, ARRAY_AGG(u) AS u, ARRAY_AGG(id) FILTER (WHERE a > 2) AS some
FROM m WHERE g = [g];
CREATE QUERY ofEach AS
SELECT o.g, (SELECT ARRAY_AGG(m.t) FROM m WHERE m.g = o.g) AS ts FROM owner o WHERE o.g IN [gs] MAX 5 ORDER BY o.g;
CREATE QUERY grouped AS SELECT b, ARRAY_AGG(id) AS ids FROM m WHERE g = [g] GROUP BY b HAVING COUNT(*) > 0;
"""
UUIDS = ("00000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000000")


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(piql.compile(SOURCE))
        names = ("g", "id", "a", "t", "d", "x", "b", "at", "day", "u")
        rows = [
            (1, 1, 10, 'quote"é\n', "2.50", 0.1, True, "2024-02-01T12:00:00.5Z", "2024-02-01", UUIDS[1]),
            (1, 2, 2, "a", "-1", 1e300, False, "2023-02-01T00:00:00Z", "2023-12-31", UUIDS[0]),
            (1, 3, 3, None, None, None, True, None, None, None),
        ]
        database.load("m", [dict(zip(names, row, strict=True)) for row in rows])
        database.load("owner", [{"g": 1}, {"g": 2}])
        yield database


def test_values_of_all_types_are_json_in_ascending_order(db: piql.Database) -> None:
    (row,) = db.execute("arrays", {"g": 1}).rows
    assert {name: json.loads(text) for name, text in row.items()} == {
        "a": [2, 3, 10],
        "t": ["a", 'quote"é\n'],
        "d": [-1, 2.5],
        "x": [0.1, 1e300],
        "b": [False, True],
        "at": ["2023-02-01 00:00:00", "2024-02-01 12:00:00.5"],
        "day": ["2023-12-31", "2024-02-01"],
        "u": list(UUIDS),
        "some": [1, 3],
    }
    assert (row["d"], row["b"]) == ("[-1.00,2.50]", "[false,true]")


def test_a_group_without_values_gives_null(db: piql.Database) -> None:
    assert set(db.execute("arrays", {"g": 9}).rows[0].values()) == {None}
    assert db.execute("ofEach", {"gs": [2, 1]}).rows == [
        {"g": 1, "ts": '["a","quote\\"é\\n"]'},
        {"g": 2, "ts": None},
    ]


def test_groups_have_arrays_of_their_own(db: piql.Database) -> None:
    rows = db.execute("grouped", {"g": 1}).rows
    assert sorted((row["b"], row["ids"]) for row in rows) == [(False, "[2]"), (True, "[1,3]")]


def test_a_blob_has_no_json() -> None:
    compilation = piql.compile(f"{SOURCE} CREATE QUERY q AS SELECT ARRAY_AGG(z) AS z FROM m WHERE g = 1;")
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == [
        "ARRAY_AGG makes a JSON text, and z is a BLOB"
    ]
