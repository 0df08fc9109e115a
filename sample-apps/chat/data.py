"""Rows of the chat: the same rows for the same numbers, table by table in the order their foreign keys ask."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from uuid import UUID

Row = dict[str, object]

MOST_MEMBERS = 200  # what schema.piql allows to one room
MOST_ROOMS = 100  # what schema.piql allows to one person
NEWEST = datetime(2026, 6, 1, 12, tzinfo=UTC)  # fixed, so that two runs give equal rows
OLDEST_SECONDS = 60 * 60 * 24 * 90

NAMES = (
    "ada alan anna barbara carol dana dennis edgar erna frances george grace hedy ivan jean john kay ken leslie lynn "
    "margaret mary niklaus noor peter radia robin ruth sophie susan tim tony vera wanda yuri"
).split()
TOPICS = "Books Cooking Cycling Garden Harbour Kitchen Library Lunch Music Office Photos Rain Release Running".split()
OPENINGS = "Has anybody seen|I have just finished|Who wants to talk about|Do not forget|Thanks for".split("|")
THINGS = "the new plan|my notes|the second chapter|tomorrow's visit|last week's pictures|the list".split("|")


def person(number: int) -> str:
    """The name of the person with this number: names while they last, then names with a number."""
    again, index = divmod(number, len(NAMES))
    return NAMES[index] if not again else f"{NAMES[index]}{again + 1}"


def room(number: int) -> UUID:
    """The key of the room with this number."""
    return UUID(int=(4 << 76) | (8 << 60) | number)


def generate(
    people: int = 500, rooms: int = 120, rooms_per_person: int = 8, messages: int = 20_000, seed: int = 2026
) -> dict[str, list[Row]]:
    """Rows by table. The first rooms have the most members and messages, as far as the schema allows."""
    if rooms_per_person > MOST_ROOMS:
        raise ValueError(f"the schema allows {MOST_ROOMS} rooms to one person")
    chance = random.Random(seed)
    opened = NEWEST - timedelta(seconds=OLDEST_SECONDS)
    members = _members(chance, people, rooms, rooms_per_person)
    reads = {
        (number, name): NEWEST - timedelta(minutes=chance.randrange(10_000))
        for number, names in members.items()
        for name in names
    }
    written, times = _messages(chance, members, messages)
    return {
        "people": [{"name": person(number), "joined": opened} for number in range(people)],
        "rooms": [{"id": room(number), "title": _title(number), "created": opened} for number in range(rooms)],
        "members": [
            {
                "room": room(number),
                "person": name,
                "read_upto": upto,
                "read_posts": bisect_right(times[number], upto),
            }
            for (number, name), upto in reads.items()
        ],
        "messages": written,
    }


def _title(number: int) -> str:
    again, index = divmod(number, len(TOPICS))
    return TOPICS[index] if not again else f"{TOPICS[index]} {again + 1}"


def _members(chance: random.Random, people: int, rooms: int, rooms_per_person: int) -> dict[int, list[str]]:
    """The names in each room: low numbers are drawn more often, and a full room is left out."""
    members: dict[int, list[str]] = {number: [] for number in range(rooms)}
    for name in map(person, range(people)):
        for number in sorted({int(rooms * chance.random() ** 2) for _ in range(rooms_per_person)}):
            if len(members[number]) < MOST_MEMBERS:
                members[number].append(name)
    return members


def _messages(
    chance: random.Random, members: dict[int, list[str]], count: int
) -> tuple[list[Row], dict[int, list[datetime]]]:
    """Messages at whole seconds, no two of one person in one room at one time, and the sorted times by room."""
    busy = [number for number, names in members.items() if names]
    rows: dict[tuple[int, int, str], Row] = {}
    while busy and len(rows) < count:
        number = busy[int(len(busy) * chance.random() ** 2)]
        sender, seconds = chance.choice(members[number]), chance.randrange(OLDEST_SECONDS)
        text = f"{chance.choice(OPENINGS)} {chance.choice(THINGS)}."
        sent = NEWEST - timedelta(seconds=seconds)
        rows[number, seconds, sender] = {"room": room(number), "sent": sent, "sender": sender, "text": text}
    times: dict[int, list[datetime]] = defaultdict(list)
    for number, seconds, _ in sorted(rows, key=lambda key: -key[1]):
        times[number].append(NEWEST - timedelta(seconds=seconds))
    return list(rows.values()), times
