"""Who asks is remembered for a moment, and never for longer than what they may do."""

from __future__ import annotations

import asyncio
import fcntl
import os
import resource
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from patience import PATIENCE
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people import access_revision
from piql_backend.people.audit import Deed
from piql_backend.people.cookie import Shown
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.known_visitors import SECONDS_KNOWN, KnownVisitors
from piql_backend.people.postgresql import address_of
from piql_backend.people.service import People
from piql_backend.people.sessions import SECONDS_BETWEEN_NOTES
from piql_backend.web.visitor import EVERYWHERE, TokenLimit, Visitor
from postgresql.fixture import postgresql
from postgresql.running import Postgresql

from .conftest import Clock

__all__ = ["postgresql"]


class Looks:
    """Counts how often the database was asked who somebody is."""

    def __init__(self, people: People, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._visitor_of = people.visitor_of
        self._people = people
        monkeypatch.setattr(people, "visitor_of", self._look)

    def ask(self, shown: Shown) -> Visitor | None:
        return asyncio.run(self._people.visitor(shown))

    def _look(self, shown: Shown) -> Visitor | None:
        self.count += 1
        return self._visitor_of(shown)


def session_of(people: People, name: str = "ada") -> Shown:
    return Shown(None, people.sessions.begin(people.accounts.id_of(name), None), None)


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10 * PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_database_is_asked_once_in_a_while_however_often_somebody_asks(
    people: People, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, looks = session_of(people), Looks(people, monkeypatch)
    assert {visitor.name for _ in range(5) if (visitor := looks.ask(shown))} == {"ada"}
    assert looks.count == 1
    clock.now += SECONDS_KNOWN
    looks.ask(shown)
    assert looks.count == 2


def test_who_has_not_asked_for_a_while_is_forgotten_though_few_ask(people: People, clock: Clock) -> None:
    known = KnownVisitors(lambda: 1, clock)
    visitor = Visitor(1, "ada", {})

    def ask(name: str) -> None:
        known.look(Shown(None, name, None), lambda _: visitor)

    ask("first")
    clock.now += SECONDS_KNOWN - 1
    ask("second")
    ask("first")
    assert len(known) == 2
    clock.now += SECONDS_KNOWN
    ask("third")
    assert len(known) == 1
    assert known.who_shows(Shown(None, "third", None)) == visitor


def test_a_file_of_a_high_number_can_be_waited_for() -> None:
    reading, writing = os.pipe()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1100), hard))
    try:
        high = fcntl.fcntl(reading, fcntl.F_DUPFD, 1050)
        os.write(writing, b".")
        access_revision.wait_for_any([high], 10)
        os.close(high)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        os.close(reading)
        os.close(writing)


async def test_who_asks_does_not_wait_for_the_record(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, may_end = session_of(people), threading.Event()
    monkeypatch.setattr(people.audit, "add", lambda _: may_end.wait(PATIENCE))
    noting = [asyncio.create_task(people.note(None, Deed("save_file", "/api/x", 200))) for _ in range(20)]
    await asyncio.sleep(0)
    try:
        visitor = await people.visitor(shown)
        assert visitor is not None
        assert not any(task.done() for task in noting)
    finally:
        may_end.set()
        await asyncio.gather(*noting)


def test_that_a_session_was_used_is_noted_and_forgets_nobody(people: People, clock: Clock) -> None:
    shown = session_of(people)
    before = people.database.revision.current()
    clock.now += SECONDS_BETWEEN_NOTES
    assert people.visitor_of(shown) is not None
    assert people.sessions.of(people.accounts.id_of("ada"))[0].seen_at == clock.now
    assert people.database.revision.current() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda people, shown: people.sessions.end(shown.session),
        lambda people, shown: people.sessions.end_all(people.accounts.id_of("ada")),
        lambda people, shown: people.accounts.set_disabled("ada", True),
        lambda people, shown: people.accounts.set_password("ada", "another battery staple"),
    ],
    ids=["signed out", "signed out everywhere", "shut out", "another password"],
)
@pytest.mark.parametrize("is_here", [True, False], ids=["by this process", "by another one"])
def test_who_may_no_longer_ask_is_unknown_at_once(
    people: People, tmp_path: Path, change: Callable[[People, Shown], object], is_here: bool
) -> None:
    shown = session_of(people)
    assert asyncio.run(people.visitor(shown)) is not None
    with closing(People(tmp_path / PEOPLE_FILE, lambda: 1_000_000)) as other:  # as `piql user` opens it
        change(people if is_here else other, shown)
    assert asyncio.run(people.visitor(shown)) is None


def test_a_role_that_was_given_or_taken_counts_at_once(people: People) -> None:
    shown = session_of(people)
    for role in ("viewer", None, "reviewer"):
        people.accounts.set_role("ada", "shop", role)
        visitor = asyncio.run(people.visitor(shown))
        assert visitor is not None
        assert visitor.roles.get("shop") == role


def test_a_token_that_is_ended_is_refused_at_once(people: People) -> None:
    visitor = people.sessions.visitor(str(session_of(people).session))
    assert visitor is not None
    token, secret = people.tokens.make(visitor, TokenLimit("ci", "viewer", EVERYWHERE), 60)
    shown = Shown(f"Bearer {secret}", None, None)
    assert asyncio.run(people.visitor(shown)) is not None
    people.tokens.end(visitor.account_id, token.id)
    assert asyncio.run(people.visitor(shown)) is None


def test_a_change_that_comes_while_the_database_is_asked_is_not_missed(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, visitor_of = session_of(people), people.visitor_of

    def look(shown: Shown) -> Visitor | None:
        visitor = visitor_of(shown)
        people.sessions.end(str(shown.session))  # after it was read, and before it is remembered
        return visitor

    monkeypatch.setattr(people, "visitor_of", look)
    assert asyncio.run(people.visitor(shown)) is not None
    monkeypatch.setattr(people, "visitor_of", visitor_of)
    assert asyncio.run(people.visitor(shown)) is None


def test_on_postgresql_a_change_of_another_process_is_heard_of_and_nothing_is_remembered_without_hearing(
    postgresql: Postgresql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_revision, "_SECONDS_BETWEEN_ATTEMPTS", 5.0)  # long enough to be seen
    address = address_of(postgresql.new_database())
    with closing(People(address)) as people, closing(People(address)) as other:
        people.accounts.add("ada", None)
        wait_for(lambda: people.database.revision.current() is not None)
        shown = session_of(people)
        assert asyncio.run(people.visitor(shown)) is not None
        other.sessions.end(str(shown.session))
        wait_for(lambda: asyncio.run(people.visitor(shown)) is None)

        with closing(PeopleDatabase(address)) as ending, ending.begin() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'"
            )
        wait_for(lambda: people.database.revision.current() is None)
        wait_for(lambda: people.database.revision.current() is not None)  # it listens again
