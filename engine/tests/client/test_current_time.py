"""CURRENT_TIMESTAMP, CURRENT_DATE and new ids: decided once per execution, and used as parameters are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from uuid import UUID

import piql
import pytest
from piql.compiler.physical.operators import IndexScan
from piql.runtime.writing.stepped.backoff import WaitPolicy
from piql.schema.values import TimeUUID
from piql.store.open import open_store
from runtime.writing.interrupted import GatedStore

SOURCE = """
CREATE TABLE events (place INT, at TIMESTAMP, day DATE, key UUID UNIQUE, stamp TIMEUUID, PRIMARY KEY (place, at));
CREATE QUERY put AS INSERT INTO events (place, at, day, key, stamp)
  VALUES ([place], CURRENT_TIMESTAMP, CURRENT_DATE, UUID(), NOW());
CREATE QUERY again AS UPDATE events SET day = current_date, key = GEN_RANDOM_UUID() WHERE place = 1 AND at = [at];
CREATE QUERY past AS SELECT at, CURRENT_TIMESTAMP AS moment FROM events
  WHERE place = [place] AND at < now() ORDER BY at DESC PAGINATE 2;
CREATE QUERY one AS SELECT at, CURRENT_TIMESTAMP AS moment, CURRENT_DATE AS today FROM events
  WHERE place = [place] AND at = [at];
CREATE QUERY several AS SELECT place, at, NOW() AS moment FROM events
  WHERE place IN [places] MAX 3 AND at <= CURRENT_TIMESTAMP ORDER BY at LIMIT 10;
"""
START = datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC)
FIRST = START.replace(microsecond=999_000)


class Clock:
    """A clock that goes on by a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self.time = START - timedelta(seconds=1)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param, now=Clock()) as database:
        database.deploy(piql.compile(SOURCE))
        yield database


def test_a_written_time_is_that_of_the_execution_in_milliseconds_and_its_day_that_of_utc(db: piql.Database) -> None:
    db.execute("put", {"place": 1})
    (row,) = db.run("SELECT at, day, key, stamp FROM events WHERE place = 1 AND at < '2030-01-01' LIMIT 5").rows
    assert (row["at"], row["day"]) == (FIRST, date(2024, 2, 29))
    assert (row["key"].version, row["stamp"].version) == (4, 1)
    assert timedelta(microseconds=row["stamp"].time // 10) + datetime(1582, 10, 15, tzinfo=UTC) == START


def test_every_execution_has_a_time_and_an_id_of_its_own(db: piql.Database) -> None:
    for _ in range(3):
        db.execute("put", {"place": 1})
    rows = db.run("SELECT at, key FROM events WHERE place = 1 AND at < '2030-01-01' ORDER BY at LIMIT 5").rows
    assert [row["at"] for row in rows] == [FIRST + timedelta(seconds=number) for number in range(3)]
    assert len({row["key"] for row in rows}) == 3


def test_a_prepared_query_keeps_no_time(db: piql.Database) -> None:
    db.execute("put", {"place": 1})
    moments = [db.execute("one", {"place": 1, "at": FIRST}).rows[0]["moment"] for _ in range(2)]
    texts = [db.run("SELECT NOW() AS n FROM events WHERE place = 1 AND at = [at]", {"at": FIRST}) for _ in range(2)]
    moments += [page.rows[0]["n"] for page in texts]
    assert moments == [FIRST + timedelta(seconds=number) for number in range(1, 5)]


def test_the_day_and_the_time_of_one_execution_are_of_one_look_at_the_clock(db: piql.Database) -> None:
    db.execute("put", {"place": 1})
    (row,) = db.execute("one", {"place": 1, "at": FIRST}).rows
    assert (row["moment"].date(), row["today"]) == (date(2024, 3, 1), date(2024, 3, 1))


def test_an_index_range_ends_at_the_time(db: piql.Database) -> None:
    query = piql.compile(SOURCE).queries["past"]
    assert query.plan is not None
    (scan,) = query.plan.find(IndexScan)
    assert scan.range is not None
    db.load("events", [{"place": 1, "at": START + timedelta(days=days)} for days in (-2, -1, 1, 2)])
    assert [row["at"].day for row in db.execute("past", {"place": 1}).rows] == [28, 27]


def test_all_pages_of_one_scroll_have_the_time_of_the_first(db: piql.Database) -> None:
    for _ in range(5):
        db.execute("put", {"place": 1})
    page = db.execute("past", {"place": 1})
    seen = list(page.rows)
    while page.cursor is not None:
        db.execute("put", {"place": 1})
        page = db.execute("past", {"place": 1}, cursor=page.cursor)
        seen += page.rows
    assert len(seen) == 5
    assert {row["moment"] for row in seen} == {FIRST + timedelta(seconds=5)}
    assert db.execute("past", {"place": 1}).rows[0]["at"] > seen[0]["at"]


def test_every_partition_of_a_read_sees_the_same_time(db: piql.Database) -> None:
    for place in (1, 2, 3):
        db.execute("put", {"place": place})
    rows = db.execute("several", {"places": [1, 2, 3]}).rows
    assert [row["place"] for row in rows] == [1, 2, 3]
    assert len({row["moment"] for row in rows}) == 1


def test_a_write_that_begins_again_keeps_its_time_and_its_id() -> None:
    clock, inserted = Clock(), []

    def writes_meanwhile(name: str, request: object) -> object:
        if name == "change to VISIBLE" and not inserted:
            inserted.append(True)
            other.run("INSERT INTO events (place, at, day) VALUES (1, [at], '2020-01-01')", {"at": FIRST})
        return request()  # type: ignore[operator]

    store = open_store("stepwise:")
    with piql.Database(store) as other:
        other.deploy(piql.compile(SOURCE))
        db = piql.Database(GatedStore(store, writes_meanwhile), wait_policy=WaitPolicy(), now=clock)
        db.execute("put", {"place": 1})
        assert inserted == [True]
        rows = other.run("SELECT at, day FROM events WHERE place = 1 AND at < '2030-01-01' LIMIT 5").rows
        assert rows == [{"at": FIRST, "day": FIRST.date()}]
        assert clock.time == START


def test_the_clock_may_have_any_time_zone() -> None:
    def in_india() -> datetime:
        return datetime(2024, 3, 1, 2, 0, tzinfo=timezone(timedelta(hours=5, minutes=30)))

    with piql.connect("embedded:", now=in_india) as db:
        db.deploy(piql.compile(SOURCE))
        db.execute("put", {"place": 1})
        (row,) = db.run("SELECT at, day FROM events WHERE place = 1 AND at < '2030-01-01' LIMIT 5").rows
        assert row == {"at": datetime(2024, 2, 29, 20, 30, tzinfo=UTC), "day": date(2024, 2, 29)}


def test_a_new_id_of_a_time_is_a_uuid_of_version_1_and_no_two_are_equal(db: piql.Database) -> None:
    db.execute("put", {"place": 1})
    db.execute("put", {"place": 2})
    stamps = [db.run(f"SELECT stamp FROM events WHERE place = {place} AND at < '2030-01-01' LIMIT 5").rows[0]["stamp"]
              for place in (1, 2)]  # fmt: skip
    assert stamps[0] < stamps[1]
    assert all(isinstance(stamp, TimeUUID) and UUID(str(stamp)).variant == stamp.variant for stamp in stamps)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT place, UUID() AS k FROM events WHERE place = 1 AND at = [at]", "stands only in VALUES, SET and LET"),
        ("SELECT day FROM events WHERE key = GEN_RANDOM_UUID()", "stands only in VALUES, SET and LET, not in WHERE"),
        ("SELECT NOW(3) AS n FROM events WHERE place = 1 AND at = [at]", "NOW takes no arguments: write NOW()"),
        ("SELECT current_date FROM events e WHERE e.place = NOW()", "cannot be compared with a TIMESTAMP"),
        ("INSERT INTO events (place, at) VALUES (1, CURRENT_DATE)", "at is TIMESTAMP, this is DATE"),
        ("SELECT at FROM events WHERE place = 1 AND at < GETDATE()", "there is no function GETDATE"),
    ],
)
def test_a_wrong_use_says_what_is_wrong(statement: str, message: str) -> None:
    compilation = piql.compile(f"{SOURCE}\nCREATE QUERY wrong AS {statement};")
    assert any(message in diagnostic.message for diagnostic in compilation.diagnostics)


def test_a_column_of_such_a_name_stands_in_quotes() -> None:
    unquoted = piql.compile("CREATE TABLE t (id INT PRIMARY KEY, current_date DATE);")
    assert [diagnostic.code for diagnostic in unquoted.diagnostics] == ["syntax-error"]
    quoted = piql.compile('CREATE TABLE t (id INT PRIMARY KEY, "current_date" DATE);')
    assert quoted.diagnostics == ()
