"""SCADr in a small database, as most tests here need it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import piql
import pytest

SCHEMA = """
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE TABLE subscriptions (
  owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users, approved BOOLEAN,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 5 (owner));
CREATE TABLE thoughts (
  owner VARCHAR(32) REFERENCES users, posted TIMESTAMP, text VARCHAR(140), PRIMARY KEY (owner, posted));
"""

QUERIES = """
CREATE QUERY findUser AS SELECT username, hometown FROM users WHERE username = [1: username];
CREATE QUERY usersIn AS SELECT username FROM users WHERE hometown = [1: town] LIMIT [2: count] MAX 20;
CREATE QUERY some AS SELECT username FROM users WHERE username IN [1: names] MAX 3;
CREATE QUERY myThoughts AS
SELECT posted, text FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC PAGINATE 3;
CREATE QUERY thoughtstream AS
SELECT t.owner, t.posted, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] AND s.approved = TRUE ORDER BY t.posted DESC LIMIT [2: count] MAX 50;
CREATE QUERY stream AS
SELECT t.owner, t.posted, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] AND s.approved = TRUE ORDER BY t.posted DESC PAGINATE 4;
CREATE QUERY addUser AS INSERT INTO users (username, hometown) VALUES ([1: username], [2: hometown]);
CREATE QUERY follow AS INSERT INTO subscriptions (owner, target, approved) VALUES ([1: owner], [2: target], TRUE);
CREATE QUERY unfollow AS DELETE FROM subscriptions WHERE owner = [1: owner] AND target = [2: target];
CREATE QUERY post AS INSERT INTO thoughts (owner, posted, text) VALUES ([1: me], [2: posted], [3: text]);
CREATE QUERY move AS UPDATE users SET hometown = [1: town] WHERE username = [2: username];
CREATE QUERY leave AS DELETE FROM users WHERE username = [1: username];
"""

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = tuple("abcdefgh")


def moment(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def fill(db: piql.Database, thoughts: int = 10) -> None:
    """Eight users; each follows the next four; all think in turn."""
    db.load("users", [{"username": name, "hometown": "Oslo" if name < "e" else "Bergen"} for name in NAMES])
    db.load(
        "subscriptions",
        [
            {"owner": owner, "target": NAMES[(at + step) % 8], "approved": step != 4}
            for at, owner in enumerate(NAMES)
            for step in range(1, 5)
        ],
    )
    db.load(
        "thoughts",
        [
            {"owner": name, "posted": moment(number * 8 + at), "text": f"{name}{number}"}
            for at, name in enumerate(NAMES)
            for number in range(thoughts)
        ],
    )


@pytest.fixture(scope="session")
def scadr() -> piql.Compilation:
    return piql.compile(SCHEMA + QUERIES)


@pytest.fixture
def empty(scadr: piql.Compilation) -> Iterator[piql.Database]:
    with piql.connect("embedded:?synchronous=NORMAL") as db:
        db.deploy(scadr)
        yield db


@pytest.fixture
def db(empty: piql.Database) -> piql.Database:
    fill(empty)
    return empty
