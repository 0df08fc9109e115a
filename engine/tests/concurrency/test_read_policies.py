"""Read policies over replicas that lag: what each may show, and that none shows more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from piql.client.database import Guarantee
from piql.schema.read_policies import READ_POLICIES, ReadLevel
from piql.store.base import Consistency

from .history import Seen, misread_own_writes, went_back
from .lagging import LaggingStore

LEVELS: tuple[ReadLevel, ...] = tuple(READ_POLICIES)
SOURCE = """
CREATE TABLE counters (id INT PRIMARY KEY, value INT);
CREATE QUERY put AS INSERT INTO counters (id, value) VALUES ([1: id], [2: value])
  ON CONFLICT (id) DO UPDATE SET value = [2: value];
""" + "".join(
    f"CREATE QUERY {level} WITH READ {level.upper()} AS SELECT value FROM counters WHERE id = [1: id];\n"
    for level in LEVELS
)
CLIENTS, ROW = 3, {"id": 1}


@pytest.fixture
def lagging(tmp_path: Path) -> Iterator[LaggingStore]:
    path = tmp_path / "a.db"
    with piql.connect(f"embedded:{path}") as db:
        db.deploy(piql.compile(SOURCE))
        db.load("counters", [{**ROW, "value": 0}])
    store = LaggingStore(path)
    yield store
    store.close()


def history(
    lagging: LaggingStore,
    level: ReadLevel,
    seed: int,
    guarantees: tuple[Guarantee, ...] | None = None,
    usual: Consistency = "eventual",
    asked: Consistency | None = None,
) -> list[Seen]:
    """Let clients read by a policy and count one value up by turns, while replicas catch up now and then."""
    chance = random.Random(seed)
    db = piql.Database(lagging, consistency=usual)
    sessions = None if guarantees is None else [db.session(guarantees=guarantees) for _ in range(CLIENTS)]
    seen: list[Seen] = []
    value = 0
    for moment in range(120):
        number = chance.randrange(CLIENTS)
        match chance.randrange(4):
            case 0:
                value += 1
                (db if sessions is None else sessions[number]).execute("put", {**ROW, "value": value})
                seen.append(Seen(number, "write", moment, moment, value, answer=True))
            case 1:
                lagging.catch_up()
            case _:
                if sessions is None:
                    page = db.execute(level, ROW, consistency=asked)
                else:
                    page = sessions[number].execute(level, ROW)
                seen.append(Seen(number, "read", moment, moment, answer=page.rows[0]["value"]))
    return seen


def missed(seen: list[Seen]) -> list[Seen]:
    """The reads that miss a write which anybody made before, or show what nobody has written by then."""
    newest = 0
    wrong = []
    for step in seen:
        if step.kind == "write":
            newest = step.value
        elif step.answer != newest:
            wrong.append(step)
    return wrong


def invented(seen: list[Seen]) -> list[Seen]:
    """The reads of values that nobody had written by then."""
    newest = 0
    wrong = []
    for step in seen:
        if step.kind == "write":
            newest = step.value
        elif not 0 <= step.answer <= newest:
            wrong.append(step)
    return wrong


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("asked", [None, "eventual", "quorum"])
@pytest.mark.parametrize("usual", ["eventual", "quorum"])
def test_quorum_sees_every_write_whoever_asks_and_whatever_they_ask_for(
    lagging: LaggingStore, seed: int, asked: Consistency | None, usual: Consistency
) -> None:
    assert missed(history(lagging, "quorum", seed, usual=usual, asked=asked)) == []
    assert lagging.eventual_reads == 0


@pytest.mark.parametrize("seed", range(4))
def test_session_sees_every_write_outside_of_a_session(lagging: LaggingStore, seed: int) -> None:
    assert missed(history(lagging, "session", seed)) == []
    assert lagging.eventual_reads == 0


@pytest.mark.parametrize("usual", ["eventual", "quorum"])
def test_eventual_shows_old_rows_and_goes_back_but_nothing_that_was_never_written(
    lagging: LaggingStore, usual: Consistency
) -> None:
    seen = history(lagging, "eventual", 1, usual=usual)
    assert missed(seen)
    assert misread_own_writes(seen)
    assert went_back(seen)
    assert invented(seen) == []


def test_a_caller_may_ask_more_of_eventual_and_less_of_session(lagging: LaggingStore) -> None:
    assert missed(history(lagging, "eventual", 1, asked="quorum")) == []
    assert missed(history(lagging, "session", 1, asked="eventual"))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", LEVELS)
def test_no_policy_weakens_what_a_session_guarantees(lagging: LaggingStore, level: ReadLevel, seed: int) -> None:
    seen = history(lagging, level, seed, ("read-your-writes", "monotonic-reads"))
    assert misread_own_writes(seen) == went_back(seen) == []


@pytest.mark.parametrize("level", ["eventual", "session"])
def test_a_session_that_has_not_written_reads_one_copy_where_the_policy_lets_it(
    lagging: LaggingStore, level: ReadLevel
) -> None:
    session = piql.Database(lagging, consistency="quorum").session(guarantees=["read-your-writes"])
    session.execute(level, ROW)
    assert lagging.eventual_reads == 1
    session.execute("put", {**ROW, "value": 7})
    assert session.execute(level, ROW).rows == [{"value": 7}]
    assert lagging.eventual_reads == 1
    assert misread_own_writes(history(lagging, level, 2, ("read-your-writes",))) == []


def test_a_policy_holds_in_a_statement_that_is_run_without_being_deployed(lagging: LaggingStore) -> None:
    db = piql.Database(lagging, consistency="eventual")
    db.execute("put", {**ROW, "value": 3})
    text = "CREATE QUERY now WITH READ {} AS SELECT value FROM counters WHERE id = 1;"
    assert db.run(text.format("QUORUM")).rows == [{"value": 3}]
    assert db.run(text.format("EVENTUAL")).rows == [{"value": 0}]


def test_a_session_asks_as_the_version_that_it_executes_says(lagging: LaggingStore, tmp_path: Path) -> None:
    without = SOURCE.replace(" WITH READ SESSION", "").replace(" WITH READ QUORUM", " WITH READ SESSION")
    db = piql.Database(lagging, consistency="quorum", canary=True)
    with piql.connect(f"embedded:{tmp_path / 'a.db'}") as other:
        other.try_out(piql.compile(without), 1)
    tried = db.tried
    assert tried is not None
    session = db.session(guarantees=["read-your-writes"])
    for version in (None, tried.version):  # drawn for it, and named as the HTTP service does
        session.execute("session", ROW, version=version)
        assert lagging.eventual_reads == 0
    session.execute("session", ROW, version=1)
    assert lagging.eventual_reads == 1
    session.execute("quorum", ROW)
    assert lagging.eventual_reads == 2


def test_a_session_asks_as_a_bare_statement_says(lagging: LaggingStore) -> None:
    session = piql.Database(lagging, consistency="quorum").session(guarantees=["read-your-writes"])
    text = "CREATE QUERY now {}AS SELECT value FROM counters WHERE id = 1;"
    session.run(text.format(""))
    assert lagging.eventual_reads == 0
    session.run(text.format("WITH READ SESSION "))
    assert lagging.eventual_reads == 1
    session.execute("put", {**ROW, "value": 7})
    assert session.run(text.format("WITH READ SESSION ")).rows == [{"value": 7}]
    assert lagging.eventual_reads == 1


def test_a_session_goes_on_with_the_version_that_is_deployed_meanwhile(lagging: LaggingStore, tmp_path: Path) -> None:
    db = piql.Database(lagging, consistency="quorum")
    session = db.session(guarantees=["read-your-writes"])
    session.execute("session", ROW)
    assert lagging.eventual_reads == 1
    with piql.connect(f"embedded:{tmp_path / 'a.db'}") as other:
        other.deploy(piql.compile(SOURCE.replace(" WITH READ SESSION", "")))
    db._look_at_once()
    session.execute("session", ROW)
    assert lagging.eventual_reads == 1
    with pytest.raises(piql.DeployedMeanwhile):
        session.execute("session", ROW, version=1)


def test_each_policy_says_what_it_asks_and_what_may_be_seen() -> None:
    for policy in READ_POLICIES.values():
        assert policy.asks.endswith(".")
        assert policy.sees.endswith(".")
