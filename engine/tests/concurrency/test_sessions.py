"""Read options and sessions: who asks for freshness gets it, and a session sees its own past wherever it goes on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from piql.client.database import Guarantee

from .history import Seen, misread_own_writes, went_back
from .jobs import SOURCE
from .lagging import LaggingStore

SESSIONS, ROW = 3, {"id": 1}


@pytest.fixture
def lagging(tmp_path: Path) -> Iterator[LaggingStore]:
    path = tmp_path / "a.db"
    with piql.connect(f"embedded:{path}") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("counters", [{**ROW, "value": 0}])
    store = LaggingStore(path)
    yield store
    store.close()


@pytest.fixture
def db(lagging: LaggingStore) -> piql.Database:
    return piql.Database(lagging, consistency="eventual")


def history(
    db: piql.Database, lagging: LaggingStore, guarantees: tuple[Guarantee, ...], seed: int, has_sessions: bool = True
) -> list[Seen]:
    """Let some clients read and count up one value by turns, while replicas catch up now and then."""
    chance = random.Random(seed)
    clients = [db.session(guarantees=guarantees) if has_sessions else db for _ in range(SESSIONS)]
    seen: list[Seen] = []
    value = 0
    for moment in range(120):
        number = chance.randrange(SESSIONS)
        client = clients[number]
        match chance.randrange(4):
            case 0:
                value += 1
                client.execute("put", {**ROW, "value": value})
                seen.append(Seen(number, "write", moment, moment, value, answer=True))
            case 1:
                lagging.catch_up()
            case _:
                answer = client.execute("value", ROW).rows[0]["value"]
                seen.append(Seen(number, "read", moment, moment, answer=answer))
        if has_sessions and chance.random() < 0.3:  # the client's next request goes to another server
            clients[number] = db.session(clients[number].token, guarantees)  # type: ignore[union-attr]
    return seen


@pytest.mark.parametrize("seed", range(3))
def test_a_session_reads_its_writes_and_never_goes_back_though_replicas_lag(
    db: piql.Database, lagging: LaggingStore, seed: int
) -> None:
    seen = history(db, lagging, ("read-your-writes", "monotonic-reads"), seed)
    assert misread_own_writes(seen) == went_back(seen) == []


def test_without_a_session_eventual_reads_miss_writes_and_go_back(db: piql.Database, lagging: LaggingStore) -> None:
    seen = history(db, lagging, (), 1, has_sessions=False)
    assert misread_own_writes(seen)
    assert went_back(seen)


def test_a_session_that_only_reads_its_writes_reads_eventually_until_it_writes(
    db: piql.Database, lagging: LaggingStore
) -> None:
    session = db.session(guarantees=["read-your-writes"])
    session.execute("value", ROW)
    assert lagging.eventual_reads == 1
    session.execute("put", {**ROW, "value": 7})
    again = db.session(session.token, ["read-your-writes"])
    assert again.execute("value", ROW).rows == [{"value": 7}]
    assert again.run("SELECT value FROM counters WHERE id = 1").rows == [{"value": 7}]
    assert lagging.eventual_reads == 1
    assert misread_own_writes(history(db, lagging, ("read-your-writes",), 2)) == []


def test_a_write_that_failed_counts_as_written(db: piql.Database, lagging: LaggingStore) -> None:
    session = db.session(guarantees=["read-your-writes"])
    with pytest.raises(piql.ConditionFailed):
        session.execute("swap", {**ROW, "value": 1, "expected": 9})
    session.execute("value", ROW)
    assert lagging.eventual_reads == 0


def test_one_read_may_ask_for_more_or_less_than_its_database(db: piql.Database, lagging: LaggingStore) -> None:
    db.execute("put", {**ROW, "value": 3})
    assert db.execute("value", ROW).rows == [{"value": 0}]
    assert db.execute("value", ROW, consistency="quorum").rows == [{"value": 3}]
    fresh = piql.Database(lagging, consistency="quorum")
    assert fresh.execute("value", ROW).rows == [{"value": 3}]
    assert fresh.run("SELECT value FROM counters WHERE id = 1", consistency="eventual").rows == [{"value": 0}]


def test_a_word_that_is_no_consistency_or_guarantee_is_refused(db: piql.Database) -> None:
    with pytest.raises(piql.InvalidParameter, match="'eventual' or 'quorum', not 'strong'"):
        db.execute("value", ROW, consistency="strong")  # type: ignore[arg-type]
    with pytest.raises(piql.InvalidParameter, match="'read-your-writes' or 'monotonic-reads', not 'all'"):
        db.session(guarantees=["all"])  # type: ignore[list-item]
    with pytest.raises(piql.InvalidParameter):
        piql.connect("embedded:", consistency="one")  # type: ignore[arg-type]


def test_a_session_meets_a_deployment_that_it_made_on_another_server(tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(url) as one, piql.connect(url) as other:
        one.deploy(piql.compile(SOURCE))
        session = one.session()
        session.load("counters", [{**ROW, "value": 5}])
        newer = SOURCE.replace("SELECT value FROM", "SELECT value, id FROM")
        assert other.session(session.token).execute("value", ROW).rows == [{"value": 5}]
        one.deploy(piql.compile(newer))
        session.execute("value", ROW)
        assert other.session(session.token).execute("value", ROW).rows == [{"value": 5, "id": 1}]


def test_a_token_that_was_changed_or_is_of_another_store_is_refused(db: piql.Database) -> None:
    token = db.session().token
    for at in range(len(token)):
        for other in ("A", "z"):
            changed = token[:at] + other + token[at + 1 :]
            if changed != token:
                with pytest.raises(piql.InvalidSession):
                    db.session(changed)
    with piql.connect("embedded:") as elsewhere:
        for wrong in (elsewhere.session().token, "", "é", token + "A", "\ud800", 5):
            with pytest.raises(piql.InvalidSession):
                db.session(wrong)  # type: ignore[arg-type]


async def test_a_session_may_be_awaited(tmp_path: Path) -> None:
    async with piql.aconnect(f"embedded:{tmp_path / 'a.db'}", consistency="eventual") as db:
        await db.deploy(piql.compile(SOURCE))
        session = db.session()
        await session.load("counters", [{**ROW, "value": 5}])
        await session.execute("put", {**ROW, "value": 6})
        again = db.session(session.token)
        assert (await again.execute("value", ROW)).rows == [{"value": 6}]
        assert (await again.run("SELECT value FROM counters WHERE id = 1")).rows == [{"value": 6}]
        assert await db.headroom("seats", {"three": 1}) == 3


WRITES = [
    ("put", "INSERT INTO counters (id, value) VALUES (1, 8)", {**ROW, "value": 8}),
    ("open", "INSERT INTO accounts (id, email) VALUES ('a', 'a@x') IF NOT EXISTS", {"id": "a", "email": "a@x"}),
    ("swap", "UPDATE counters SET value = 8 WHERE id = 1 IF value = 0", {**ROW, "value": 8, "expected": 0}),
    ("stand", "DELETE FROM seats WHERE id = 'a'", {"id": "a"}),
]


@pytest.mark.parametrize(("name", "text", "parameters"), WRITES)
@pytest.mark.parametrize("way", ["execute", "run"])
def test_a_session_remembers_each_kind_of_write_however_it_was_sent(
    db: piql.Database, lagging: LaggingStore, name: str, text: str, parameters: dict[str, object], way: str
) -> None:
    session = db.session(guarantees=["read-your-writes"])
    if way == "execute":
        session.execute(name, parameters)
    else:
        session.run(text)
    session.execute("value", ROW)
    db.session(session.token, ["read-your-writes"]).run("SELECT value FROM counters WHERE id = 1")
    assert lagging.eventual_reads == 0


@pytest.mark.parametrize("way", ["execute", "run"])
def test_a_session_that_only_read_has_written_nothing(db: piql.Database, lagging: LaggingStore, way: str) -> None:
    session = db.session(guarantees=["read-your-writes"])
    for _ in range(3):
        if way == "execute":
            session.execute("value", ROW)
        else:
            session.run("SELECT value FROM counters WHERE id = 1")
    assert lagging.eventual_reads == 3
