"""Ways to say one thing: where rows begin, which columns are equal there, and what is asked for each row.

A start joins relations so that several columns (and a constant, perhaps) hold one value in each row. What is asked of
this value may be written by each of them, and as a join, a test or a subquery: all these queries say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

LIMIT = 4
USERS = [f"u{number}" for number in range(LIMIT + 2)]
SCHEMA = f"""
CREATE TABLE users (name VARCHAR(10) PRIMARY KEY, town VARCHAR(10), boss VARCHAR(10));
CREATE TABLE follows (owner VARCHAR(10) REFERENCES users, target VARCHAR(10) REFERENCES users,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT {LIMIT} (owner));
CREATE TABLE photos (owner VARCHAR(10) REFERENCES users MAX {LIMIT}, id INT, album INT, PRIMARY KEY (owner, id));
CREATE TABLE badges (owner TEXT, id BIGINT, photo INT, PRIMARY KEY (owner, id), CARDINALITY LIMIT {LIMIT} (owner));
CREATE TABLE profiles (owner VARCHAR(10) PRIMARY KEY, bio VARCHAR(10), level INT);
"""


@dataclass(frozen=True, slots=True)
class Start:
    """Where rows begin: FROM, WHERE, and the ways to write the value that is asked about."""

    tables: str
    where: str
    keys: tuple[str, ...]


STARTS: Mapping[str, Start] = {
    "a constant": Start("photos p", "p.owner = 'u0'", ("p.owner", "'u0'")),
    "a chain": Start("follows f JOIN photos p ON p.owner = f.target", "f.owner = 'u0'", ("p.owner", "f.target")),
    "commas": Start("photos p, follows f", "f.target = p.owner AND f.owner = 'u0'", ("p.owner", "f.target")),
    "the first of a chain": Start(
        "follows f JOIN photos p ON p.owner = f.target", "f.owner = 'u0'", ("f.owner", "'u0'")
    ),
    "a longer chain": Start(
        "follows f JOIN users u ON u.name = f.target JOIN photos p ON p.owner = u.name",
        "f.owner = 'u0'",
        ("p.owner", "f.target", "u.name"),
    ),
    "a list": Start(
        "photos p JOIN users u ON u.name = p.owner", "p.owner IN ('u0', 'u1', 'u3')", ("p.owner", "u.name")
    ),
    "a self-join": Start(
        "photos p JOIN photos q ON q.owner = p.owner AND q.id = p.album",
        "p.owner = 'u0'",
        ("p.owner", "q.owner", "'u0'"),
    ),
    "a column that may be NULL": Start(
        "follows f JOIN users u ON u.name = f.target JOIN photos p ON p.owner = u.boss",
        "f.owner = 'u0'",
        ("u.boss", "p.owner"),
    ),
    "the left of a left join": Start(
        "follows f LEFT JOIN photos p ON p.owner = f.target", "f.owner = 'u0'", ("f.target",)
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What one way to ask adds to a query: a join, a test, a column of the result."""

    join: str = ""
    test: str = ""
    column: str = ""


Ways = Callable[[str, str], Sequence[Asked]]  # by the way to write the value, and an alias


def _has_profile(key: str, x: str) -> Sequence[Asked]:
    inner = f"SELECT {x}.owner FROM profiles {x} WHERE"
    return (
        Asked(test=f"EXISTS ({inner} {x}.owner = {key} AND {x}.bio = 'b')"),
        Asked(test=f"{key} IN ({inner} {x}.bio = 'b')"),
        Asked(join=f"JOIN profiles {x} ON {x}.owner = {key}", test=f"{x}.bio = 'b'"),
        Asked(join=f"JOIN profiles {x} ON {x}.bio = 'b' AND {key} = {x}.owner"),
        Asked(join=f"LEFT JOIN profiles {x} ON {x}.owner = {key}", test=f"{x}.bio = 'b'"),
        Asked(test=f"(SELECT {x}.bio FROM profiles {x} WHERE {x}.owner = {key}) = 'b'"),
    )


def _lacks_profile(key: str, x: str) -> Sequence[Asked]:
    return (
        Asked(test=f"NOT EXISTS (SELECT 1 AS one FROM profiles {x} WHERE {x}.owner = {key} AND {x}.bio = 'b')"),
        Asked(join=f"LEFT JOIN profiles {x} ON {x}.owner = {key} AND {x}.bio = 'b'", test=f"{x}.owner IS NULL"),
    )


def _profile(key: str, x: str) -> Sequence[Asked]:
    return (
        Asked(join=f"LEFT JOIN profiles {x} ON {x}.owner = {key}", column=f"{x}.level"),
        Asked(column=f"(SELECT {x}.level FROM profiles {x} WHERE {x}.owner = {key})"),
    )


def _has_badge(key: str, b: str) -> Sequence[Asked]:
    return (Asked(test=f"EXISTS (SELECT {b}.id FROM badges {b} WHERE {b}.owner = {key} AND {b}.id > 1)"),)


def _has_badge_of_photo(key: str, b: str) -> Sequence[Asked]:
    return (
        Asked(test=f"EXISTS (SELECT {b}.id FROM badges {b} WHERE {b}.owner = {key} AND {b}.id = p.id)"),
        Asked(test=f"p.id IN (SELECT {b}.id FROM badges {b} WHERE {b}.owner = {key})"),
        Asked(join=f"JOIN badges {b} ON {b}.owner = {key} AND {b}.id = p.id"),
    )


def _lacks_badge_of_photo(key: str, b: str) -> Sequence[Asked]:
    return (Asked(test=f"NOT EXISTS (SELECT {b}.id FROM badges {b} WHERE {b}.owner = {key} AND {b}.photo = p.id)"),)


def _badges(key: str, b: str) -> Sequence[Asked]:
    return (Asked(join=f"JOIN badges {b} ON {b}.owner = {key}", column=f"{b}.id"),)


def _badges_if_any(key: str, b: str) -> Sequence[Asked]:
    return (Asked(join=f"LEFT JOIN badges {b} ON {b}.owner = {key} AND {b}.photo = p.id", column=f"{b}.id"),)


def _count(key: str, b: str) -> Sequence[Asked]:
    return (Asked(column=f"(SELECT COUNT(*) FROM badges {b} WHERE {b}.owner = {key})"),)


def _latest(key: str, b: str) -> Sequence[Asked]:
    return (Asked(column=f"(SELECT MAX({b}.id) FROM badges {b} WHERE {b}.owner = {key})"),)


def _nested(key: str, x: str) -> Sequence[Asked]:
    b = f"{x}b"
    outer = f"EXISTS (SELECT {x}.bio FROM profiles {x}"
    return (
        Asked(test=f"{outer} JOIN badges {b} ON {b}.owner = {x}.owner WHERE {x}.owner = {key} AND {b}.id > 1)"),
        Asked(test=f"{outer} JOIN badges {b} ON {b}.owner = {key} WHERE {x}.owner = {key} AND {b}.id > 1)"),
        Asked(
            test=f"{outer} WHERE {x}.owner = {key} AND "
            f"EXISTS (SELECT {b}.id FROM badges {b} WHERE {b}.owner = {x}.owner AND {b}.id > 1))"
        ),
        Asked(
            test=f"{outer} WHERE {x}.owner = {key} AND "
            f"{key} IN (SELECT {b}.owner FROM badges {b} WHERE {b}.owner = {x}.owner AND {b}.id > 1))"
        ),
    )


def _or(key: str, b: str) -> Sequence[Asked]:
    return (Asked(test=f"(p.id = 1 OR EXISTS (SELECT {b}.id FROM badges {b} WHERE {b}.owner = {key} AND {b}.id > 2))"),)


QUESTIONS: Mapping[str, Ways] = {
    "has a profile": _has_profile,
    "lacks a profile": _lacks_profile,
    "the profile": _profile,
    "has a badge": _has_badge,
    "has a badge of the photo": _has_badge_of_photo,
    "lacks a badge of the photo": _lacks_badge_of_photo,
    "the badges": _badges,
    "the badges, if there are any": _badges_if_any,
    "how many badges": _count,
    "the latest badge": _latest,
    "a profile that has a badge": _nested,
    "one or a badge": _or,
}


def ways(start: Start, question: str, alias: str) -> Iterator[Asked]:
    """Return each way to ask, by each way to write the value."""
    for key in start.keys:
        yield from QUESTIONS[question](key, alias)


def query_of(start: Start, asked: Sequence[Asked]) -> str:
    """Write the query that asks all this of the rows of a start."""
    columns = [
        "p.owner",
        "p.id",
        *(f"{question.column} AS v{at}" for at, question in enumerate(asked) if question.column),
    ]
    tables = " ".join([start.tables, *(question.join for question in asked if question.join)])
    tests = " AND ".join([start.where, *(question.test for question in asked if question.test)])
    return f"SELECT {', '.join(columns)} FROM {tables} WHERE {tests}"
