"""Many threads, and many tasks of asyncio, on one database: the promises are the same."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import piql
import pytest
from promises import broken_promises

from .history import Seen, is_linearisable
from .jobs import SOURCE

THREADS = 16


@pytest.fixture
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:?synchronous=NORMAL&wait_ms=120000") as database:
        database.deploy(piql.compile(SOURCE))
        database.load("counters", [{"id": row, "value": 0} for row in range(5)])
        yield database


def sit(db: piql.Database, number: int, turn: int) -> str:
    own = 1_000_000 + number * 1000 + turn
    try:
        db.execute("sit", {"id": f"{number}.{turn}", "one": own, "three": turn % 5, "hundred": own})
    except piql.CardinalityViolation:
        return "full"
    return "ok"


def count_up(db: piql.Database, row: int) -> Seen | None:
    known = db.execute("value", {"id": row}).rows[0]["value"]
    try:
        db.execute("swap", {"id": row, "value": known + 1, "expected": known})
    except piql.ConditionFailed:
        return None
    return Seen(0, "swap", 0, 0, known + 1, known, True)


def test_threads_fill_every_place_and_none_twice(db: piql.Database) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        outcomes = Counter(pool.map(lambda n: sit(db, n % THREADS, n // THREADS), range(THREADS * 10)))
    assert outcomes == {"ok": 15, "full": THREADS * 10 - 15}
    assert broken_promises(db) == []


def test_threads_that_count_up_lose_no_step(db: piql.Database) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        steps = sum(value is not None for value in pool.map(lambda n: count_up(db, n % 5), range(400)))
    assert sum(db.execute("value", {"id": row}).rows[0]["value"] for row in range(5)) == steps > 5


def test_reads_and_writes_of_threads_are_linearisable(db: piql.Database) -> None:
    def use(session: int) -> list[Seen]:
        seen = []
        for turn in range(6):
            value = 1 + session + turn * 8
            called = time.monotonic()
            if (session + turn) % 2:
                db.execute("put", {"id": 1, "value": value})
                seen.append(Seen(session, "write", called, time.monotonic(), value, answer=True))
            else:
                answer = db.execute("value", {"id": 1}).rows[0]["value"]
                seen.append(Seen(session, "read", called, time.monotonic(), answer=answer))
        return seen

    for _ in range(5):
        db.execute("put", {"id": 1, "value": 0})
        with ThreadPoolExecutor(8) as pool:
            history = [operation for seen in pool.map(use, range(8)) for operation in seen]
        assert is_linearisable(history, 0)


def test_queries_are_deployed_under_threads_that_go_on(db: piql.Database) -> None:
    newer = SOURCE.replace("SELECT value FROM", "SELECT id, value FROM")
    with ThreadPoolExecutor(THREADS) as pool:
        running = [pool.submit(count_up, db, n % 5) for n in range(300)]
        for turn in range(4):
            db.deploy(piql.compile(newer if turn % 2 == 0 else SOURCE))
        steps = sum(future.result() is not None for future in running)
    assert sum(db.execute("value", {"id": row}).rows[0]["value"] for row in range(5)) == steps


def test_a_database_that_is_closed_under_threads_gives_typed_errors(db: piql.Database) -> None:
    def use(row: int) -> str:
        try:
            for _ in range(200):
                db.execute("value", {"id": row % 5})
                count_up(db, row % 5)
        except piql.StoreUnavailable:
            return "closed"
        return "done"

    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(use, row) for row in range(8)]
        time.sleep(0.05)
        db.close()
        assert {future.result() for future in running} <= {"closed", "done"}


async def test_tasks_of_asyncio_keep_the_promises(tmp_path: Path) -> None:
    async with piql.aconnect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=120000") as db:
        await db.deploy(piql.compile(SOURCE))
        await db.load("counters", [{"id": row, "value": 0} for row in range(5)])

        async def count(row: int) -> bool:
            known = (await db.execute("value", {"id": row})).rows[0]["value"]
            try:
                await db.execute("swap", {"id": row, "value": known + 1, "expected": known})
            except piql.ConditionFailed:
                return False
            return True

        async def sit(number: int) -> bool:
            try:
                await db.execute("sit", {"id": f"{number}", "one": number, "three": number % 5, "hundred": number})
            except piql.CardinalityViolation:
                return False
            return True

        steps = sum(await asyncio.gather(*(count(n % 5) for n in range(100))))
        seated = sum(await asyncio.gather(*(sit(n) for n in range(60))))
        values = [(await db.execute("value", {"id": row})).rows[0]["value"] for row in range(5)]
        assert (sum(values), seated) == (steps, 15)
        cancelled = asyncio.ensure_future(sit(1000))
        cancelled.cancel()
        assert (await db.run("SELECT id FROM counters WHERE id = 0")).rows == [{"id": 0}]
    with piql.connect(f"embedded:{tmp_path / 'a.db'}") as again:
        assert broken_promises(again) == []
