"""Executing by name: rows, what they cost, what is refused before any request."""

import asyncio
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any, get_args
from uuid import UUID

import piql
import pytest
from piql.client.database import Observation, Strategy
from piql.store.testing.recording import RecordingStore

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def test_rows_are_dicts_in_the_order_asked(db: piql.Database) -> None:
    page = db.execute("findUser", {"username": "a"})
    assert page.rows == [{"username": "a", "hometown": "Oslo"}]
    assert list(page.rows[0]) == ["username", "hometown"]
    assert (page.cursor, page.operations, page.round_trips, page.attempts, page.repair_operations) == (None, 1, 1, 1, 0)
    assert page.elapsed_ms > 0


def test_a_word_that_is_no_strategy_is_refused(db: piql.Database) -> None:
    with pytest.raises(piql.InvalidParameter, match="strategy is 'lazy' or 'simple' or 'parallel', not 'nope'"):
        db.execute("findUser", {"username": "a"}, strategy="nope")  # type: ignore[arg-type]
    with pytest.raises(piql.InvalidParameter, match="not 'nope'"):
        piql.connect("embedded:", strategy="nope")  # type: ignore[arg-type]


def test_nothing_found_is_no_rows(db: piql.Database) -> None:
    assert db.execute("findUser", {"username": "nobody"}).rows == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_gives_the_same_stream(db: piql.Database, strategy: Strategy) -> None:
    page = db.execute("thoughtstream", {"me": "a", "count": 5}, strategy=strategy)
    assert [row["text"] for row in page.rows] == ["d9", "c9", "b9", "d8", "c8"]
    assert page.rows[0]["posted"] == datetime(2026, 1, 1, 1, 15, tzinfo=UTC)
    assert page.operations == 4
    assert page.round_trips == (2 if strategy == "parallel" else 4)


def test_a_lazy_execution_stops_when_it_has_enough(db: piql.Database) -> None:
    db.deploy(
        piql.compile(
            "CREATE QUERY towns AS SELECT u.hometown FROM subscriptions s JOIN users u ON u.username = s.target "
            "WHERE s.owner = [me] AND s.approved = TRUE LIMIT 2;" + db.deployment.texts[""]
        )
    )
    assert db.execute("towns", {"me": "a"}, strategy="lazy").operations == 3
    assert db.execute("towns", {"me": "a"}, strategy="parallel").operations >= 3
    lazy, parallel = (db.execute("towns", {"me": "a"}, strategy=strategy).rows for strategy in ("lazy", "parallel"))
    assert lazy == parallel


def test_a_list_is_one_request_a_value_and_equal_values_one(db: piql.Database) -> None:
    page = db.execute("some", {"names": ["a", "c", "a"]})
    assert sorted(row["username"] for row in page.rows) == ["a", "c"]
    assert page.operations == 2
    assert db.execute("some", {"names": []}).operations == 0


def test_a_limit_of_zero_makes_no_request(db: piql.Database) -> None:
    for strategy in STRATEGIES:
        page = db.execute("thoughtstream", {"me": "a", "count": 0}, strategy=strategy)
        assert (page.rows, page.operations) == ([], 0)


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("findUser", {}, "[username] is missing"),
        ("findUser", None, "[username] is missing"),
        ("findUser", {"username": "a", "colour": "red"}, "[colour] is not a parameter"),
        ("findUser", {"username": 5}, "[username] is 5: expected a VARCHAR, a text"),
        ("usersIn", {"town": "Oslo", "count": -1}, "[count] is -1: expected an INT from 0 to 20"),
        ("usersIn", {"town": "Oslo", "count": 21}, "[count] is 21"),
        ("usersIn", {"town": "Oslo", "count": True}, "[count] is TRUE"),
        ("usersIn", {"town": "Oslo", "count": "5"}, "[count] is '5'"),
        ("some", {"names": ["a", "b", "c", "d"]}, "[names] holds 4 values: expected a list of at most 3"),
        ("some", {"names": "abc"}, "[names] is 'abc'"),
        ("some", {"names": ["a", None]}, "[names] holds NULL"),
        ("some", {"names": None}, "[names] is NULL"),
        (
            "post",
            {"me": "a", "posted": "yesterday", "text": "x"},
            "[posted] is 'yesterday': expected a TIMESTAMP",
        ),
        ("post", {"me": "a", "posted": datetime(2026, 1, 1), "text": "x"}, "it has no time zone; expected a TIMESTAMP"),
        ("findUser", [("username", "a")], "the parameters are a list: give values by name, such as {'username': …}"),
        ("findUser", "a", "the parameters are a str"),
        ("findUser", 5, "the parameters are an int"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name_before_any_request(
    db: piql.Database, name: str, parameters: Any, words: str
) -> None:
    with pytest.raises(piql.InvalidParameter) as refusal:
        db.execute(name, parameters)
    assert words in str(refusal.value)
    assert any(word in str(refusal.value) for word in ("expected", "not a parameter", "give values by name"))


def test_an_unknown_query_is_not_deployed(db: piql.Database) -> None:
    with pytest.raises(piql.NotDeployed, match="findUser"):
        db.execute("findUsers")


def test_an_execution_is_stopped_before_it_passes_its_bound(db: piql.Database, scadr: piql.Compilation) -> None:
    from dataclasses import replace

    from piql.runtime.execution.prepared_query import PreparedQuery

    query = scadr.queries["thoughtstream"]
    assert query.bound is not None
    tight = replace(query, bound=replace(query.bound, operations=3))
    store = RecordingStore(db.store)
    for strategy in STRATEGIES:
        store.reads.clear()
        prepared = PreparedQuery(tight, store, db.deployment.deployed)
        with pytest.raises(piql.BoundExceeded):
            prepared.execute({"me": "a", "count": 5}, strategy=strategy)
        assert len(store.reads) <= 3


def test_an_observer_is_told_what_each_operator_took(db: piql.Database) -> None:
    seen: list[Observation] = []
    db.observer = seen.append
    began = datetime.now(UTC)
    db.execute("thoughtstream", {"me": "a", "count": 5})
    ended = datetime.now(UTC)
    db.execute("post", {"me": "a", "posted": "2026-02-01T00:00:00Z", "text": "hello"})
    stream, post = seen
    assert (stream.query, stream.operations, stream.rows, stream.deployment) == ("thoughtstream", 4, 5, 1)
    assert [(operator.operator, operator.operations, operator.rows) for operator in stream.operators] == [
        ("IndexScan", 1, 4),
        ("SortedIndexJoin", 3, 15),
    ]
    assert stream.elapsed_ms >= sum(operator.elapsed_ms for operator in stream.operators)
    assert began - timedelta(seconds=1) <= stream.started_at <= ended
    assert post.operations == 3


TYPES = """
CREATE TABLE things (
  id INT PRIMARY KEY, big BIGINT, ratio DOUBLE, price DECIMAL(8, 2), ready BOOLEAN, name VARCHAR(10), body TEXT,
  data BLOB, seen TIMESTAMP, day DATE, mark UUID, event TIMEUUID, opens TIME);
CREATE QUERY thing AS SELECT * FROM things WHERE id = [id];
"""
THING: dict[str, Any] = {
    "id": 1,
    "big": 2**60,
    "ratio": 0.5,
    "price": Decimal("12.50"),
    "ready": True,
    "name": "Zoë",
    "body": "x\0y",
    "data": b"\x00\xff",
    "seen": datetime(2012, 8, 27, 10, 15, 0, 123000, tzinfo=UTC),
    "day": datetime(2012, 8, 27).date(),
    "mark": UUID(int=7),
    "event": UUID("123e4567-e89b-12d3-a456-426614174000"),
    "opens": time(9, 30, 0, 500_000),
}


def test_a_value_of_every_type_comes_back_as_it_was() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(TYPES))
        nothing = dict.fromkeys(THING) | {"id": 2}
        text = {
            name: value if name in ("big", "ratio", "ready", "data") else str(value) for name, value in THING.items()
        }
        db.load("things", [THING, nothing, text | {"id": 3, "seen": "2012-08-27T10:15:00.123Z"}])
        assert db.execute("thing", {"id": 1}).rows == [THING]
        assert db.execute("thing", {"id": 2}).rows == [nothing]
        assert db.execute("thing", {"id": 3}).rows == [THING | {"id": 3}]
        assert str(db.execute("thing", {"id": 1}).rows[0]["price"]) == "12.50"


def test_a_statement_runs_against_what_is_deployed(db: piql.Database) -> None:
    page = db.run("SELECT hometown FROM users WHERE username = [name]", {"name": "h"})
    assert page.rows == [{"hometown": "Bergen"}]
    assert db.run("SELECT hometown FROM users WHERE username = 'a'").rows == [{"hometown": "Oslo"}]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT username FROM users",
        "SELECT username FROM nowhere WHERE a = 1",
        "SELECT",
        "SELECT username, hometown FROM users WHERE hometown = 'Oslo' ORDER BY hometown DESC LIMIT",
    ],
)
def test_a_statement_without_a_bound_is_refused_with_findings(db: piql.Database, text: str) -> None:
    with pytest.raises(piql.CompilationRefused) as refusal:
        db.run(text)
    assert refusal.value.diagnostics


def test_a_statement_that_needs_an_index_says_to_deploy_it(db: piql.Database) -> None:
    with pytest.raises(piql.CompilationRefused, match="deploy"):
        db.run("SELECT owner FROM thoughts WHERE text = 'x' LIMIT 5")


def test_the_asyncio_database_does_the_same() -> None:
    async def work() -> None:
        async with piql.aconnect("embedded:?synchronous=NORMAL") as db:
            await db.deploy(piql.compile(TYPES))
            await db.load("things", [{"id": number} for number in range(10)])
            pages = await asyncio.gather(*(db.execute("thing", {"id": number}) for number in range(10)))
            assert [page.rows[0]["id"] for page in pages] == list(range(10))
            assert (await db.run("SELECT id FROM things WHERE id = 3")).rows == [{"id": 3}]
            assert (await db.deployment()).version == 1
            with pytest.raises(piql.InvalidParameter):
                await db.execute("thing", {"id": "x"})
        again = await piql.aconnect("embedded:")
        await again.close()

    asyncio.run(work())
