"""SCADr's data: the same rows for the same numbers, table by table in the order their foreign keys ask."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

Row = dict[str, object]

MOST_SUBSCRIPTIONS = 100  # what schema.piql allows to one owner
NEWEST = datetime(2026, 6, 1, 12, tzinfo=UTC)  # fixed, so that two runs give equal rows
OLDEST_MINUTES = 60 * 24 * 365

FIRST = (
    "ada alan anna barbara bjarne carol dana dennis edgar edsger erna frances george grace hedy ivan jean john juris "
    "kay ken kurt leslie lynn margaret mary niklaus noor peter radia robin ruth sophie stephen susan tim tony vera "
    "wanda yuri"
).split()
LAST = (
    "bell birch brook cedar dale elm field finch fox glen hart heath hill lake lark "
    "marsh moor oak pine reed rook stone thorn vale wren"
).split()
TOWNS = (
    "Aarhus Accra Bergen Bogota Cork Dakar Delft Ghent Hobart Izmir Kyoto Leeds Lima Lyon Nairobi Oslo Porto Pune "
    "Riga Seville Tartu Turku Utrecht Zadar"
).split()
OPENINGS = (
    "Up early and",
    "Just now",
    "Nobody told me that",
    "Still wondering why",
    "Turns out",
    "Small victory:",
    "Reminder to self:",
    "Overheard on the tram:",
)
SUBJECTS = (
    "the bakery",
    "my bicycle",
    "the harbour",
    "our team",
    "the library",
    "this notebook",
    "the old bridge",
    "rain",
)
ENDINGS = (
    "is better than I remembered.",
    "was worth the wait.",
    "needs a day off, and so do I.",
    "makes no sense before coffee.",
    "has its own plans today.",
    "looks different in the morning light.",
    "deserves a longer story.",
)


def username(number: int) -> str:
    """The name of the user with this number: words while they last, then words with a number."""
    names = len(FIRST) * len(LAST)
    first = FIRST[number % len(FIRST)]
    last = LAST[(number // len(FIRST)) % len(LAST)]
    again = number // names
    return f"{first}_{last}" if not again else f"{first}_{last}_{again + 1}"


def generate(
    users: int = 1_000, thoughts_per_user: int = 20, subscriptions_per_user: int = 10, seed: int = 2012
) -> dict[str, list[Row]]:
    """Rows by table; each user follows as many others as asked (or all of them, where there are fewer)."""
    if subscriptions_per_user > MOST_SUBSCRIPTIONS:
        raise ValueError(f"the schema allows {MOST_SUBSCRIPTIONS} subscriptions to one owner")
    chance = random.Random(seed)
    names = [username(number) for number in range(users)]
    return {
        "users": [{"username": name, "hometown": chance.choice(TOWNS)} for name in names],
        "subscriptions": _subscriptions(chance, names, subscriptions_per_user),
        "thoughts": _thoughts(chance, names, thoughts_per_user),
    }


def _subscriptions(chance: random.Random, names: list[str], per_user: int) -> list[Row]:
    rows: list[Row] = []
    for number, owner in enumerate(names):
        # One name fewer to draw from, then a step over the owner: nobody follows themselves.
        for drawn in chance.sample(range(len(names) - 1), min(per_user, len(names) - 1)):
            target = names[drawn + (drawn >= number)]
            rows.append({"owner": owner, "target": target, "approved": chance.random() < 0.9})
    return rows


def _thoughts(chance: random.Random, names: list[str], per_user: int) -> list[Row]:
    rows: list[Row] = []
    for owner in names:
        for minutes in sorted(chance.sample(range(OLDEST_MINUTES), per_user), reverse=True):
            text = f"{chance.choice(OPENINGS)} {chance.choice(SUBJECTS)} {chance.choice(ENDINGS)}"
            rows.append({"owner": owner, "posted": NEWEST - timedelta(minutes=minutes), "text": text})
    return rows
