"""The tables, queries and rows that the benchmarks on a cluster read."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import cache

import piql

USERS, THOUGHTS, SUBSCRIPTIONS, COUNT = 400, 20, 10, 10
START = datetime(2026, 1, 1, tzinfo=UTC)
KEYSPACE = "piql_bench"

SOURCE = """
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE TABLE subscriptions (
  owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users, approved BOOLEAN,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner));
CREATE TABLE thoughts (
  owner VARCHAR(32) REFERENCES users, posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
CREATE QUERY findUser AS SELECT username, hometown FROM users WHERE username = [1: username];
CREATE QUERY findUsers AS SELECT username, hometown FROM users WHERE username IN [1: usernames] MAX 100;
CREATE QUERY myThoughts AS
SELECT owner, posted, text FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC LIMIT [2: count] MAX 50;
CREATE QUERY thoughtstream AS
SELECT t.owner, t.posted, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] AND s.approved = TRUE ORDER BY t.posted DESC LIMIT [2: count] MAX 50;
"""


def name(number: int) -> str:
    """Return the name of a user by number."""
    return f"user{number:06}"


NAMES = [name(number) for number in range(USERS)]


@cache
def friends(of: str, count: int) -> list[str]:
    """Return as many names as a fan-out reads, others for each user; kept, so that choosing them is not measured."""
    return random.Random(of).sample(NAMES, count)


def fill(db: piql.Database) -> None:
    """Deploy the queries, and load the rows where they are not there yet."""
    db.deploy(piql.compile(SOURCE))
    if db.execute("myThoughts", {"me": NAMES[-1], "count": COUNT}).rows:
        return
    chance = random.Random(2012)
    db.load("users", ({"username": name, "hometown": f"town{at % 24}"} for at, name in enumerate(NAMES)))
    db.load(
        "subscriptions",
        (
            {"owner": name, "target": target, "approved": True}
            for name in NAMES
            for target in chance.sample(NAMES, SUBSCRIPTIONS)
        ),
    )
    db.load(
        "thoughts",
        (
            {
                "owner": name,
                "posted": START + timedelta(milliseconds=chance.randrange(10**10)),
                "text": f"Thought {k} of {name}: " + "something worth remembering, " * 3,
            }
            for name in NAMES
            for k in range(THOUGHTS)
        ),
    )
