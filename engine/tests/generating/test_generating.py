"""What generated rows look like: skewed, full, in the order of foreign keys, and the same for the same seed."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import piql
import pytest
from piql.errors import InvalidParameter
from piql.generating.choices import OpenRanks
from piql.generating.generator import Generator
from piql.generating.vocabulary import FIRST_NAMES, WORDS
from piql.generating.wish import Wish

SCHEMA = """
CREATE TABLE follows (
  owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users, PRIMARY KEY (owner, target),
  CARDINALITY LIMIT 100 (owner), CARDINALITY LIMIT 50 (target));
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, email VARCHAR(64) NOT NULL, town VARCHAR(20), UNIQUE (email));
CREATE TABLE posts (
  id UUID PRIMARY KEY, author VARCHAR(8) NOT NULL REFERENCES users, answers UUID NULL REFERENCES posts,
  body VARCHAR(200), likes INT, posted TIMESTAMP, CARDINALITY LIMIT 30 (TOKEN(body)));
"""
TABLES = piql.compile(SCHEMA).tables


def rows_of(wish: Wish, text: str = "") -> Mapping[str, list[dict[str, Any]]]:
    generator = Generator(piql.compile(text).tables if text else TABLES, wish)
    return {table.name: list(generator.rows(table.name)) for table in generator.tables}


def test_parents_come_first_and_every_reference_names_a_row() -> None:
    rows = rows_of(Wish(300))
    assert list(rows) == ["users", "follows", "posts"]
    names = {row["username"] for row in rows["users"]}
    ids = [row["id"] for row in rows["posts"]]
    assert {row["author"] for row in rows["posts"]} <= names
    for at, row in enumerate(rows["posts"]):
        assert row["answers"] is None or row["answers"] in ids[:at]


def test_the_same_seed_gives_the_same_rows_and_another_gives_others() -> None:
    assert rows_of(Wish(200, seed=7)) == rows_of(Wish(200, seed=7))
    assert rows_of(Wish(200, seed=7))["posts"] != rows_of(Wish(200, seed=8))["posts"]


def test_few_parents_have_many_rows_and_one_group_of_each_limit_is_full() -> None:
    rows = rows_of(Wish(2000))
    by_owner = Counter(row["owner"] for row in rows["follows"]).most_common()
    assert by_owner[0][1] == 100
    assert max(Counter(row["target"] for row in rows["follows"]).values()) == 50
    by_author = [count for _, count in Counter(row["author"] for row in rows["posts"]).most_common()]
    assert sum(by_author[:10]) > 5 * sum(by_author[-10:])


def test_a_table_gets_more_rows_where_a_limit_needs_them_unless_its_rows_are_named() -> None:
    assert Generator(TABLES, Wish(10)).counts == {"users": 100, "follows": 150, "posts": 30}
    assert Generator(TABLES, Wish(10, {"follows": 20, "users": 5})).counts == {"users": 5, "follows": 20, "posts": 30}
    assert len(rows_of(Wish(10, {"users": 5, "follows": 1000}))["follows"]) == 25  # all pairs of 5 users


def test_with_full_every_group_of_so_many_parents_is_full() -> None:
    chain = """
    CREATE TABLE rooms (id INT PRIMARY KEY);
    CREATE TABLE topics (room INT REFERENCES rooms, id INT, PRIMARY KEY (room, id), CARDINALITY LIMIT 6 (room));
    CREATE TABLE posts (room INT, topic INT, id INT, PRIMARY KEY (room, topic, id),
      FOREIGN KEY (room, topic) REFERENCES topics, CARDINALITY LIMIT 9 (room, topic));
    """
    rows = rows_of(Wish(full=4), chain)
    assert {name: len(of_table) for name, of_table in rows.items()} == {"rooms": 4, "topics": 24, "posts": 216}
    assert set(Counter(row["room"] for row in rows["topics"]).values()) == {6}
    assert set(Counter((row["room"], row["topic"]) for row in rows["posts"]).values()) == {9}


def test_nulls_have_their_share() -> None:
    assert all(row["town"] is not None for row in rows_of(Wish(300, null_share=0))["users"])
    assert all(row["town"] is None for row in rows_of(Wish(300, null_share=1))["users"])
    assert 20 < sum(row["town"] is None for row in rows_of(Wish(300, null_share=0.2))["users"]) < 120


def test_values_look_like_their_names_and_fit_the_narrowest_column_that_refers_to_them() -> None:
    rows = rows_of(Wish(300))
    assert all(row["email"].endswith("@example.com") for row in rows["users"])
    assert all(len(row["username"]) <= 8 for row in rows["users"])  # posts.author is VARCHAR(8)
    assert all(len(row["body"] or "") <= 200 for row in rows["posts"])


def test_rows_that_come_to_others_pass_over_their_keys() -> None:
    first, second = rows_of(Wish(100))["users"], rows_of(Wish(100, passed_over={"users": 5000}))["users"]
    assert not {row["username"] for row in first} & {row["username"] for row in second}


def test_tables_that_refer_to_each_other_begin_with_nulls() -> None:
    circle = """
    CREATE TABLE teams (id INT PRIMARY KEY, lead INT NULL REFERENCES people);
    CREATE TABLE people (id INT PRIMARY KEY, team INT REFERENCES teams);
    """
    rows = rows_of(Wish(20, null_share=0), circle)
    assert len(rows["people"]) == len(rows["teams"]) == 20


def test_a_row_that_must_refer_to_itself_first_is_not_made() -> None:
    assert rows_of(Wish(5), "CREATE TABLE nodes (id INT PRIMARY KEY, up INT NOT NULL REFERENCES nodes);") == {
        "nodes": []
    }


@pytest.mark.parametrize(
    "wish", [{"rows": -1}, {"rows_of": {"users": 10**9}}, {"full": 0}, {"null_share": 1.5}, {"rows_of": {"nobody": 1}}]
)
def test_what_makes_no_sense_is_refused(wish: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        Generator(TABLES, Wish(**wish))


def test_no_word_and_no_name_stands_twice_or_has_a_digit() -> None:
    for words in (FIRST_NAMES, WORDS):
        assert len(set(words)) == len(words)
        assert all(word.isalpha() and word == word.lower() for word in words)


def test_closed_ranks_are_passed_over() -> None:
    ranks = OpenRanks()
    for rank in (3, 1, 2, 2):
        ranks.close(rank)
    assert [ranks.at_or_after(rank) for rank in range(6)] == [0, 4, 4, 4, 4, 5]
