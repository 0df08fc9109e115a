"""Whichever table a query names first, its bound is the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import piql
import pytest

SCHEMA = """
CREATE TABLE users (id INT PRIMARY KEY, town INT NOT NULL, name VARCHAR(9), CARDINALITY LIMIT 7 (town));
CREATE TABLE posts (author INT REFERENCES users, tag INT, PRIMARY KEY (tag, author), CARDINALITY LIMIT 5 (tag));
CREATE TABLE marks (author INT REFERENCES users, day INT, PRIMARY KEY (day, author), CARDINALITY LIMIT 6 (day));
"""
# Each relation may be read once by a constant, or by its key for each row of the others: 5 of them, or 7.
QUERIES: Sequence[tuple[tuple[str, ...], str]] = (
    (("users u", "posts p"), "u.town = 3 AND p.tag = [tag] AND p.author = u.id"),
    (("users u", "marks m"), "u.town = [town] AND m.day = [day] AND m.author = u.id"),
    (("posts p", "marks m"), "p.tag = 1 AND m.day = 2 AND m.author = p.author"),
    (
        ("users u", "posts p", "marks m"),
        "u.town = 3 AND p.tag = [tag] AND m.day = [day] AND p.author = u.id AND m.author = u.id",
    ),
    (
        ("users u", "posts p", "users v", "marks m"),
        "u.town = 3 AND p.tag = [tag] AND p.author = u.id AND v.id = p.author AND m.day = v.town AND m.author = u.id",
    ),
)


@pytest.mark.parametrize(("tables", "where"), QUERIES, ids=[" ".join(tables) for tables, _ in QUERIES])
def test_the_order_of_tables_does_not_change_a_bound(tables: Sequence[str], where: str) -> None:
    first = f"{tables[0].split()[1]}.*"
    texts = [f"SELECT {first} FROM {', '.join(order)} WHERE {where} LIMIT 5" for order in permutations(tables)]
    compilation = piql.compile(SCHEMA + "".join(f"CREATE QUERY q{at} AS {text};\n" for at, text in enumerate(texts)))
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == []
    bounds = {text: compilation.queries[f"q{at}"].bound for at, text in enumerate(texts)}
    numbers = {text: (bound.operations, bound.rows) for text, bound in bounds.items() if bound is not None}
    assert len(numbers) == len(texts)
    assert len(set(numbers.values())) == 1, numbers


def test_a_limit_of_what_another_table_fixes_is_found_in_any_order() -> None:
    schema = """
        CREATE TABLE rooms (house INT, room INT, size INT NOT NULL, PRIMARY KEY (house, room),
          CARDINALITY LIMIT 3 (house));
        CREATE TABLE stays (house INT, room INT, day INT, guest INT, PRIMARY KEY (room, house, guest),
          FOREIGN KEY (house, room) REFERENCES rooms (house, room));
    """
    froms = (
        "rooms r JOIN stays s ON s.house = r.house AND s.room = r.room",
        "stays s JOIN rooms r USING (house, room)",
    )
    texts = [
        f"SELECT r.size FROM {tables} WHERE {house} = [house] AND s.day = [day] LIMIT 3"
        for tables in froms
        for house in ("r.house", "s.house")
    ]
    compilation = piql.compile(schema + "".join(f"CREATE QUERY q{at} AS {text};\n" for at, text in enumerate(texts)))
    formulas = [query.bound and str(query.bound.formula) for query in compilation.queries.values()]
    assert formulas == ["2"] * len(texts)  # the stays, and all rooms of the house: no room for each stay
