"""A small deployed set, whose executions are watched."""

from __future__ import annotations

import piql

SOURCE = """
CREATE TABLE users (name VARCHAR(32) PRIMARY KEY, town VARCHAR(64));
CREATE QUERY findUser AS SELECT name, town FROM users WHERE name = [1: name];
CREATE QUERY findThem AS SELECT name FROM users WHERE name IN ([1: names] MAX 8);
CREATE QUERY addUser AS INSERT INTO users (name, town) VALUES ([1: name], [2: town]);
"""


def deployed(db: piql.Database) -> piql.Database:
    """The database with the set, and the users u0 to u7."""
    db.deploy(piql.compile(SOURCE))
    db.load("users", ({"name": f"u{number}", "town": "London"} for number in range(8)))
    return db
