"""What each of several processes does to one file at the same time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import piql
from piql.runtime.writing.stepped.backoff import Overtaken
from piql.store.open import open_store

Tell = Callable[[str], None]

SOURCE = """
CREATE TABLE seats (id VARCHAR(20) PRIMARY KEY, one INT NULL, three INT NULL, hundred INT NULL,
  CARDINALITY LIMIT 1 (one), CARDINALITY LIMIT 3 (three), CARDINALITY LIMIT 100 (hundred));
CREATE TABLE accounts (id VARCHAR(20) PRIMARY KEY, email VARCHAR(20) UNIQUE);
CREATE TABLE counters (id INT PRIMARY KEY, value INT);
CREATE QUERY sit AS INSERT INTO seats (id, one, three, hundred) VALUES ([id], [one], [three], [hundred]);
CREATE QUERY stand AS DELETE FROM seats WHERE id = [id];
CREATE QUERY change AS UPDATE seats SET three = [three] WHERE id = [id];
CREATE QUERY inThree AS SELECT COUNT(*) AS seats FROM seats WHERE three = [three];
CREATE QUERY open AS INSERT INTO accounts (id, email) VALUES ([id], [email]) IF NOT EXISTS;
CREATE QUERY put AS INSERT INTO counters (id, value) VALUES ([id], [value]);
CREATE QUERY swap AS UPDATE counters SET value = [value] WHERE id = [id] IF value = [expected];
CREATE QUERY value AS SELECT value FROM counters WHERE id = [id];
"""

COLUMNS = {1: "one", 3: "three", 100: "hundred"}


class PatientDatabase(piql.Database):
    """Tries again what gave way to the writes of others; stores without transactions ask for it now and then."""

    def execute(self, *arguments: Any, **named: Any) -> piql.Page:
        for attempt in range(100):
            try:
                return super().execute(*arguments, **named)
            except (piql.RepairPending, Overtaken):
                time.sleep(random.random() * 0.001 * attempt)
        raise AssertionError("others never let it through")


def connect(url: str) -> PatientDatabase:
    return PatientDatabase(open_store(url))


def first_open(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Open a file that is not there yet, and deploy into it, all processes at once."""
    with piql.connect(job["url"]) as db:
        for _ in range(50):
            try:
                db.deploy(piql.compile(SOURCE))
                break
            except piql.DeploymentInProgress:
                time.sleep(0.02)
        db.execute("put", {"id": number, "value": number})
        tell("done ok")


def sit(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Try to sit at one of the `tables`, where `limit` may sit, again and again."""
    chance = random.Random(number)
    with connect(job["url"]) as db:
        for turn in range(job["turns"]):
            places = dict.fromkeys(COLUMNS.values())
            places[COLUMNS[job["limit"]]] = chance.randrange(job["tables"])
            try:
                db.execute("sit", {"id": f"{number}.{turn}", **_numbers(places, number * 10_000 + turn)})
                tell("done ok")
            except piql.CardinalityViolation:
                tell("done CardinalityViolation")


def in_tasks(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Sit down and count up in many tasks of asyncio at once."""
    asyncio.run(_in_tasks(job, number, tell))


async def _in_tasks(job: dict[str, Any], number: int, tell: Tell) -> None:
    async with piql.aconnect(job["url"]) as db:

        async def sit(turn: int) -> None:
            places = {**dict.fromkeys(COLUMNS.values()), "three": turn % job["tables"]}
            numbers = _numbers(places, number * 10_000 + turn)
            tell(f"done {await _outcome(lambda: db.execute('sit', {'id': f'{number}.{turn}', **numbers}))}")

        async def count(turn: int) -> None:
            row = turn % job["rows"]
            known = (await db.execute("value", {"id": row})).rows[0]["value"]
            change = {"id": row, "value": known + 1, "expected": known}
            tell(f"step {await _outcome(lambda: db.execute('swap', change))}")

        await asyncio.gather(*(task(turn) for turn in range(job["turns"]) for task in (sit, count)))


async def _outcome(attempt: Callable[[], Awaitable[object]]) -> str:
    while True:
        try:
            await attempt()
        except (piql.RepairPending, Overtaken):
            await asyncio.sleep(random.random() * 0.01)
        except (piql.CardinalityViolation, piql.ConditionFailed) as refusal:
            return type(refusal).__name__
        else:
            return "ok"


def _numbers(places: dict[str, int | None], number: int) -> dict[str, int]:
    """Return tables: those that do not matter are one's own."""
    return {name: 1_000_000 + number if table is None else table for name, table in places.items()}


def move_about(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Sit down, change tables and stand up, and look between whether more than three sit at a table."""
    chance = random.Random(number)
    with connect(job["url"]) as db:
        for turn in range(job["turns"]):
            me = {"id": f"{number}.{chance.randrange(3)}"}
            table = chance.randrange(job["tables"])
            try:
                match chance.randrange(3):
                    case 0:
                        seat = 1_000_000 + number * 10_000 + turn
                        db.execute("sit", {**me, "one": seat, "three": table, "hundred": seat})
                    case 1:
                        db.execute("change", {**me, "three": table})
                    case _:
                        db.execute("stand", me)
            except piql.CardinalityViolation:
                pass
            if db.execute("inThree", {"three": table}).rows[0]["seats"] > 3:
                raise AssertionError("more than three sit at one table")
        tell("done ok")


def open_accounts(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Open accounts for e-mail addresses that every other process wants, too; say which ones were got."""
    order = random.Random(number).sample(range(job["emails"]), job["emails"])
    with connect(job["url"]) as db:
        for email in order:
            name = f"{number}.{email}" if job["unique"] == "email" else f"{email}"
            address = f"{email}@x" if job["unique"] == "email" else f"{number}.{email}@x"
            try:
                db.execute("open", {"id": name, "email": address})
                tell(f"got {email}")
            except piql.DuplicateKey:
                continue


def use_one_row(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Read, write and swap the value of one row after the other, and say when each was called and answered.

    A cluster may be unable to say what came of a change that many contended with: that one has no answer.
    """
    chance = random.Random(f"{job['seed']} {number}")
    with connect(job["url"]) as db:
        tell("ready")
        job["together"].wait()
        for row in range(job["rows"]):
            known = 0
            for turn in range(job["turns"]):
                value = 1 + number + turn * job["processes"]
                called = time.monotonic()
                match chance.choice(job["kinds"]):
                    case "read":
                        known = db.execute("value", {"id": row}).rows[0]["value"]
                        line = f"read 0 0 {known}"
                    case "write":
                        line = f"write {value} 0 {_changed(db, 'put', id=row, value=value)}"
                    case "swap":
                        line = f"swap {value} {known} {_changed(db, 'swap', id=row, value=value, expected=known)}"
                    case _:  # add one: the value only grows
                        answer = _changed(db, "swap", id=row, value=known + 1, expected=known)
                        line = f"swap {known + 1} {known} {answer}"
                tell(f"seen {row} {called} {time.monotonic()} {line}")


def _changed(db: piql.Database, query: str, **parameters: int) -> str:
    """Return 1 where a change was made, 0 where its condition failed, - where nobody can say."""
    try:
        db.execute(query, parameters)
    except piql.ConditionFailed:
        return "0"
    except piql.StoreUnavailable:
        return "-"
    return "1"
