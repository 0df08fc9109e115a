"""Rows of the leaderboard: the same rows for the same numbers, table by table in the order their foreign keys ask."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from uuid import UUID

Row = dict[str, object]

NEWEST = datetime(2026, 6, 1, 12, tzinfo=UTC)  # fixed, so that two runs give equal rows
OLDEST_SECONDS = 60 * 60 * 24 * 30
READ_SECONDS = 60 * 60 * 24 * 2  # how long a story is voted for and commented
ONE_OF = 8  # votes takes a point away

NAMES = (
    "ada alan anna barbara carol dana dennis edgar erna frances george grace hedy ivan jean john kay ken leslie lynn "
    "margaret mary niklaus noor peter radia robin ruth sophie susan tim tony vera wanda yuri"
).split()
TAGS = "art books cooking databases films games hardware history law maths music science security travel".split()
SUBJECTS = "An old library|A quiet city|The first compiler|A river in spring|The longest proof|A kitchen clock".split(
    "|"
)
ENDINGS = "and what came of it|seen from close by|explained|after ten years|for beginners|in pictures".split("|")
OPINIONS = "I did not know this.|Well written.|Is there a longer version?|I have seen it, too.|Not so sure.".split("|")


def person(number: int) -> str:
    """The name of the person with this number: names while they last, then names with a number."""
    again, index = divmod(number, len(NAMES))
    return NAMES[index] if not again else f"{NAMES[index]}{again + 1}"


def story(number: int) -> UUID:
    """The key of the story with this number."""
    return UUID(int=(4 << 76) | (8 << 60) | number)


def generate(
    people: int = 500, stories: int = 1_000, votes: int = 10_000, comments: int = 3_000, seed: int = 2026
) -> dict[str, list[Row]]:
    """Rows by table. The first stories have the most votes and comments, and the first people write the most."""
    chance = random.Random(seed)
    posted = [NEWEST - timedelta(seconds=chance.randrange(OLDEST_SECONDS)) for _ in range(stories)]
    return {
        "people": [
            {"name": person(number), "joined": NEWEST - timedelta(seconds=OLDEST_SECONDS)} for number in range(people)
        ],
        "stories": [
            {
                "id": story(number),
                "tag": TAGS[int(len(TAGS) * chance.random() ** 2)],
                "author": person(int(people * chance.random() ** 2)),
                "posted": at,
                "title": f"{chance.choice(SUBJECTS)} {chance.choice(ENDINGS)}",
            }
            for number, at in enumerate(posted)
        ],
        "votes": _votes(chance, people, posted, votes),
        "comments": _comments(chance, people, posted, comments),
    }


def _votes(chance: random.Random, people: int, posted: list[datetime], count: int) -> list[Row]:
    """At most one vote of a person for a story; no more than half of all that there could be."""
    rows: dict[tuple[int, int], Row] = {}
    while len(rows) < min(count, people * len(posted) // 2):
        number, voter = int(len(posted) * chance.random() ** 2), chance.randrange(people)
        rows[number, voter] = {
            "story": story(number),
            "voter": person(voter),
            "cast_at": _later(chance, posted[number]),
            "points": -1 if chance.randrange(ONE_OF) == 0 else 1,
        }
    return list(rows.values())


def _comments(chance: random.Random, people: int, posted: list[datetime], count: int) -> list[Row]:
    """Comments at whole seconds, no two of one person on one story at one time."""
    rows: dict[tuple[int, datetime, int], Row] = {}
    while posted and people and len(rows) < count:
        number, author = int(len(posted) * chance.random() ** 2), int(people * chance.random() ** 2)
        written = _later(chance, posted[number])
        rows[number, written, author] = {
            "story": story(number),
            "written": written,
            "author": person(author),
            "text": chance.choice(OPINIONS),
        }
    return list(rows.values())


def _later(chance: random.Random, posted: datetime) -> datetime:
    """A time after a story was posted, sooner more often than later."""
    return posted + timedelta(seconds=int(READ_SECONDS * chance.random() ** 3))
