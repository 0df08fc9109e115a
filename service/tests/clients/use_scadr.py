"""What the Python client of SCADr does; started with the address of a service and two tokens, of which one is poor."""

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from piql_client import (
    BudgetUsedUp,
    CardinalityViolation,
    Connection,
    ForeignKeyViolation,
    InvalidCursor,
    InvalidParameter,
    Queries,
    Thoughts,
    UnknownToken,
    Unreachable,
    Users,
)

address, rich, poor = sys.argv[1:]
connection = Connection(address, token=rich)
queries = Queries(connection)


assert queries.addUser(username="ada", hometown="London").rows_affected == 1
queries.addUser(username="bob", hometown=None)
answer = queries.findUser(username="bob")
assert (answer.rows, answer.operations) == ([Users("bob", None)], 1)
assert queries.findUser(username="nobody").rows == []

start = datetime(2026, 1, 1, tzinfo=UTC)
for day in range(25):
    queries.postThought(me="ada", posted=start + timedelta(days=day), text=f"{day}")
newest = [Thoughts("ada", start + timedelta(days=day), f"{day}") for day in reversed(range(25))]
pages = queries.myThoughts(me="ada")
assert next(pages).rows == newest[:10]
later = queries.myThoughts(me="ada", cursor=pages.cursor)
assert [page.rows for page in later] == [newest[10:20], newest[20:]] == [page.rows for page in pages]
assert (pages.cursor, list(pages)) == (None, [])

queries.subscribe(owner="bob", target="ada")
queries.approve(owner="bob", target="ada")
assert queries.thoughtstream(me="bob", count=3).rows == newest[:3]

session = connection.session()
Queries(session).addUser(username="eve", hometown="Cork")
assert session.session_token not in (None, "new")
elsewhere = connection.session(session.session_token or "")
assert Queries(elsewhere).findUser(username="eve").rows == [Users("eve", "Cork")]
assert Queries(Connection(address, token=rich, consistency="eventual")).findUser(username="eve").rows

with pytest.raises(ForeignKeyViolation) as missing:
    queries.subscribe(owner="bob", target="nobody")
assert (missing.value.status, missing.value.code) == (422, "foreign-key-violation")
assert missing.value.help == "Insert the referenced row first."
for number in range(100):
    queries.addUser(username=f"friend{number}", hometown=None)
for number in range(99):
    queries.subscribe(owner="bob", target=f"friend{number}")
with pytest.raises(CardinalityViolation):
    queries.subscribe(owner="bob", target="friend99")
with pytest.raises(InvalidParameter) as wrong:
    queries.thoughtstream(me="bob", count=51)
assert wrong.value.parameter == "count"
damaged = queries.myThoughts(me="ada", cursor="damaged")
for _ in range(2):  # an iterator that has failed is not at its end
    with pytest.raises(InvalidCursor):
        next(damaged)

short_of_budget = Queries(Connection(address, token=poor))
short_of_budget.thoughtstream(me="bob", count=1)
with pytest.raises(BudgetUsedUp) as used_up:
    short_of_budget.thoughtstream(me="bob", count=1)
assert (used_up.value.status, used_up.value.cost) == (429, 101)
assert used_up.value.retry_after_ms > 1_000
with pytest.raises(UnknownToken):
    Queries(Connection(address)).findUser(username="ada")
with pytest.raises(Unreachable):
    Queries(Connection("http://127.0.0.1:1")).findUser(username="ada")

if TYPE_CHECKING:  # a wrong type does not pass: mypy reports an ignored error that is none
    queries.findUser(username=7)  # type: ignore[arg-type]
    queries.findUser(username=None)  # type: ignore[arg-type]
    queries.findUser(name="ada")  # type: ignore[call-arg]
    queries.postThought(me="ada", posted="2026-01-01", text=None)  # type: ignore[arg-type]
    queries.findUser(username="ada").rows[0].hometown.upper()  # type: ignore[union-attr]
    queries.nothing()  # type: ignore[attr-defined]
