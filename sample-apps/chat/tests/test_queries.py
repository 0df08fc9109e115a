"""The queries of the chat keep the bounds that its README promises, and its data the limits of its schema."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import duckdb
import piql
import pytest
from chat.data import MOST_MEMBERS, MOST_ROOMS, NEWEST, generate, person, room

READS = {
    "inbox": ("II", 101, "1 + members.person"),
    "membersOf": ("II", 1, "1"),
    "messagesOf": ("I", 1, "1"),
    "messagesSince": ("I", 1, "1"),
    "myRooms": ("II", 101, "1 + members.person"),
    "unread": ("II", 101, "1 + members.person"),
}
WRITES = {"addPerson", "openRoom", "joinRoom", "leaveRoom", "post", "markRead", "removeMessage"}
SMALL = generate(people=40, rooms=8, rooms_per_person=4, messages=300)


def test_every_query_compiles_and_stands_here(compilation: piql.Compilation) -> None:
    assert [diagnostic.message for diagnostic in compilation.diagnostics if not diagnostic.allowed] == []
    assert set(compilation.queries) == READS.keys() | WRITES


@pytest.mark.parametrize("name", READS)
def test_a_read_keeps_its_bound(compilation: piql.Compilation, name: str) -> None:
    query = compilation.queries[name]
    assert query.bound is not None
    assert (query.scaling_class, query.bound.operations, query.bound.formula) == READS[name]


def test_equal_numbers_give_equal_rows() -> None:
    assert generate(people=20, messages=50) == generate(people=20, messages=50)


def test_rooms_and_people_stay_within_their_limits() -> None:
    members = generate(people=3_000, rooms=20, rooms_per_person=10, messages=0)["members"]
    assert max(Counter(row["room"] for row in members).values()) == MOST_MEMBERS
    assert max(Counter(row["person"] for row in members).values()) <= MOST_ROOMS


def test_more_rooms_than_the_schema_allows_are_refused() -> None:
    with pytest.raises(ValueError, match="100 rooms"):
        generate(rooms_per_person=MOST_ROOMS + 1)


def test_an_inbox_holds_the_newest_messages_of_ones_rooms(compilation: piql.Compilation) -> None:
    me = person(0)
    rooms = {row["room"] for row in SMALL["members"] if row["person"] == me}
    newest = sorted((row["sent"] for row in SMALL["messages"] if row["room"] in rooms), reverse=True)[:10]  # type: ignore[type-var]
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in SMALL.items():
            db.load(table, rows)
        page = db.execute("inbox", {"me": me, "count": 10})
        assert [row["sent"] for row in page.rows] == newest
        assert page.operations == 1 + len(rooms)
        db.execute("post", {"room": room(0), "at": NEWEST, "sender": me, "text": "Hello."})
        assert db.execute("messagesOf", {"room": room(0)}).rows[0]["text"] == "Hello."


UNREAD = """
SELECT m.room, COUNT(x.sent) AS unread FROM members m LEFT JOIN messages x ON x.room = m.room AND x.sent > m.read_upto
WHERE m.person = ? GROUP BY m.room
"""
COLUMNS = {"members": {"room": "UUID", "person": "TEXT", "read_upto": "TIMESTAMPTZ"}}
COLUMNS["messages"] = {"room": "UUID", "sent": "TIMESTAMPTZ"}


def unread_as_duckdb_counts(db: piql.Database, name: str) -> dict[object, int]:
    with duckdb.connect() as duck:
        for table, columns in COLUMNS.items():
            duck.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {of}' for name, of in columns.items())})")
            marks = ", ".join("?" * len(columns))
            duck.executemany(f"INSERT INTO {table} VALUES ({marks})", db.some_rows(table, tuple(columns), 10_000))
        return dict(duck.execute(UNREAD, [name]).fetchall())


@pytest.mark.parametrize("kind", ["embedded", "stepwise"])
def test_unread_posts_of_each_room_are_those_that_duckdb_counts(
    compilation: piql.Compilation, kind: str, tmp_path: Path
) -> None:
    rows = generate(people=20, rooms=8, rooms_per_person=4, messages=100)
    with piql.connect(f"{kind}:{tmp_path / 'a.db'}") as db:
        db.deploy(compilation)
        for table, several in rows.items():
            db.load(table, several)
        me, late = person(0), NEWEST + timedelta(minutes=1)
        page = db.execute("unread", {"me": me})
        counted = {row["room"]: row["unread"] for row in page.rows}
        assert counted == unread_as_duckdb_counts(db, me)
        assert page.operations == 1 + len(counted)
        here, there = list(counted)[:2]
        db.execute("markRead", {"room": there, "person": me, "upto": NEWEST, "posts": page.rows[1]["posts"]})
        for number in range(3):
            at = late + timedelta(minutes=number)
            for at_once in (here, there):
                db.execute("post", {"room": at_once, "at": at, "sender": person(1), "text": "Hello."})
        db.execute("removeMessage", {"room": here, "at": late, "sender": person(1)})
        after = {row["room"]: row["unread"] for row in db.execute("unread", {"me": me}).rows}
        assert after[here] == counted[here] + 3  # what was removed was posted
        assert after[there] == 3
        assert after == unread_as_duckdb_counts(db, me)
