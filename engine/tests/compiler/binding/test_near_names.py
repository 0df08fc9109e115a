"""Which known name is meant by a misspelt one, of few names and of many."""

from __future__ import annotations

from difflib import get_close_matches
from random import Random

from piql.compiler.binding.near_names import FEW, NearNames

WORDS = ("account", "address", "author", "basket", "country", "customer", "invoice", "member", "order", "payment")
ENDINGS = ("", "s", "_id", "_name", "_date", "_total", "_of_day", "_by", "_text", "_kind", "_since")


def misspelt(name: str, random: Random) -> str:
    """Leave a letter out, double one or put another in its place."""
    at = random.randrange(len(name))
    return name[:at] + random.choice(("", name[at] * 2, random.choice("etaoin"))) + name[at + 1 :]


def test_of_many_names_the_nearest_is_found_as_if_each_were_compared() -> None:
    names = [word + ending for word in WORDS for ending in ENDINGS]
    near_names, random = NearNames(names), Random(3)
    assert len(names) > 2 * FEW
    asked = [misspelt(random.choice(names), random) for _ in range(300)]
    nearest = [(get_close_matches(name, names, n=1) or [None])[0] for name in asked]
    answers = [near_names.nearest(name) for name in asked]
    assert sum(map(str.__eq__, map(str, answers), map(str, nearest))) > 290  # others are as near
    assert all(answer is not None for answer in answers)


def test_nothing_is_near_a_name_that_shares_few_letters() -> None:
    assert NearNames(f"column{number}" for number in range(2 * FEW)).nearest("xyz") is None
    assert NearNames(["owner", "since"]).nearest("xyz") is None


def test_names_are_given_as_they_were_declared() -> None:
    names = [f"Table{number}" for number in range(2 * FEW)]
    assert NearNames(names).nearest("tabel17") == "Table17"
    assert NearNames(names[:3]).nearest("TABLE_1") == "Table1"


def test_names_of_the_same_letters_are_not_all_compared() -> None:
    random = Random(5)
    names = {"".join(random.sample("abcdefghijkl", 12)) for _ in range(3_000)}
    assert NearNames(names).nearest("".join(random.sample("abcdefghijkl", 12))) in {*names, None}
