"""The generated rows keep every promise of the schema, so that loading them can only succeed."""

from collections import Counter
from datetime import UTC, datetime

import pytest
from scadr.data import MOST_SUBSCRIPTIONS, generate, username


def test_the_workspace_gets_the_numbers_it_shows() -> None:
    rows = generate()
    assert {table: len(of) for table, of in rows.items()} == {
        "users": 1_000,
        "subscriptions": 10_000,
        "thoughts": 20_000,
    }


def test_tables_come_in_the_order_of_their_foreign_keys() -> None:
    assert list(generate(users=2)) == ["users", "subscriptions", "thoughts"]


def test_equal_numbers_give_equal_rows() -> None:
    assert generate(users=50) == generate(users=50)
    assert generate(users=50) != generate(users=50, seed=1)


def test_no_name_is_given_twice_even_to_many_users() -> None:
    names = [username(number) for number in range(5_000)]
    assert len(set(names)) == len(names)
    assert max(len(name) for name in names) <= 32


def test_primary_keys_are_unique() -> None:
    rows = generate(users=200)
    for table, key in (("subscriptions", ("owner", "target")), ("thoughts", ("owner", "posted"))):
        keys = [tuple(row[column] for column in key) for row in rows[table]]
        assert len(set(keys)) == len(keys)


def test_subscriptions_name_users_that_exist_and_never_their_owner() -> None:
    rows = generate(users=30)
    names = {row["username"] for row in rows["users"]}
    for row in rows["subscriptions"]:
        assert {row["owner"], row["target"]} <= names
        assert row["owner"] != row["target"]


def test_everybody_follows_as_many_as_asked_or_all_the_others() -> None:
    def followed(users: int, per_user: int) -> set[int]:
        rows = generate(users=users, subscriptions_per_user=per_user)["subscriptions"]
        return set(Counter(row["owner"] for row in rows).values())

    assert followed(users=150, per_user=MOST_SUBSCRIPTIONS) == {MOST_SUBSCRIPTIONS}
    assert followed(users=5, per_user=10) == {4}
    assert followed(users=1, per_user=10) == set()


def test_more_subscriptions_than_the_schema_allows_are_refused() -> None:
    with pytest.raises(ValueError, match="100 subscriptions"):
        generate(subscriptions_per_user=MOST_SUBSCRIPTIONS + 1)


def test_thoughts_fit_their_column_and_are_dated_in_whole_milliseconds_of_utc() -> None:
    for row in generate(users=100)["thoughts"]:
        posted = row["posted"]
        assert len(str(row["text"])) <= 140
        assert isinstance(posted, datetime)
        assert posted.tzinfo is UTC
        assert posted.microsecond % 1_000 == 0
