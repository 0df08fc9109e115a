"""A subquery's value that nothing limits is refused for what grows in it, wherever it is, with a fix that works."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR(9));
CREATE TABLE bill (id INT PRIMARY KEY, person INT NOT NULL REFERENCES person, total INT NOT NULL);
"""
COUNT = "(SELECT COUNT(*) FROM bill b WHERE b.person = {})"
SUM = "(SELECT SUM(b.total) AS s FROM bill b WHERE b.person = {} AND b.total > 1)"
QUERIES = {
    "of the row with one key": f"SELECT p.name, {COUNT.format('p.id')} AS n FROM person p WHERE p.id = [id]",
    "two of one row": f"SELECT {SUM.format('p.id')} AS s, {COUNT.format('p.id')} AS n FROM person p WHERE p.id = [id]",
    "of no row": f"SELECT p.name, {SUM.format('[id]')} AS s FROM person p WHERE p.id = [id]",
    "of several rows": f"SELECT p.name, {SUM.format('p.id')} AS s FROM person p WHERE p.id IN (1, 2)",
    "in a test": f"SELECT p.name FROM person p WHERE p.id = [id] AND {COUNT.format('[other]')} > 3",
    "in an order": f"SELECT p.name FROM person p WHERE p.id = [id] ORDER BY {COUNT.format('p.id')}",
    "in an order of several": f"SELECT p.name FROM person p WHERE p.id IN (1, 2) ORDER BY {COUNT.format('[id]')}, p.id",
    "of a group": f"SELECT p.name, {COUNT.format('[id]')} AS n FROM person p WHERE p.id = [id] GROUP BY p.name",
}


@pytest.mark.parametrize("where", QUERIES)
def test_the_rows_that_grow_are_named_and_their_limit_bounds_the_query(where: str) -> None:
    query = f"CREATE QUERY q AS {QUERIES[where]};"
    errors = [finding for finding in piql.compile(SCHEMA + query).diagnostics if finding.severity == "error"]
    assert {error.code for error in errors} == {"unbounded-aggregate"}
    assert all("bill of one person" in error.message for error in errors)
    assert all("CARDINALITY LIMIT 100 (person) to bill" in error.fixes[0].title for error in errors)
    limited = SCHEMA.replace("total INT NOT NULL", "total INT NOT NULL, CARDINALITY LIMIT 100 (person)")
    assert piql.compile(limited + query).queries["q"].is_bounded
