"""What several servers on one PostgreSQL may expect of the people they keep there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from piql_backend.commands.people import user
from piql_backend.commands.serve import serve
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people import database
from piql_backend.people.accounts import Proof
from piql_backend.people.audit import Deed
from piql_backend.people.cookie import UNKNOWN_ORIGIN
from piql_backend.people.postgresql import address_from, address_of
from piql_backend.people.service import People
from piql_backend.people.tables import audit, metadata
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError
from piql_backend.web.pages import PageWish
from piql_backend.web.visitor import EVERYWHERE, TokenLimit, Visitor
from postgresql.fixture import database_url, postgresql
from postgresql.running import Postgresql
from psycopg.errors import ConnectionTimeout, UniqueViolation
from sqlalchemy import delete, text, update
from sqlalchemy.exc import DBAPIError

from .conftest import PASSWORD, Clock, signed_in

__all__ = ["database_url", "postgresql"]


@pytest.fixture
def two(database_url: str) -> Iterator[tuple[People, People]]:
    """The people of two servers, whom Ada and Ben administer."""
    with closing(People(address_of(database_url))) as first, closing(People(address_of(database_url))) as second:
        for name in ("ada", "ben"):
            first.accounts.add(name, PASSWORD)
            first.accounts.set_role(name, EVERYWHERE, "administrator")
        yield first, second


def outcomes(*actions: Callable[[], object]) -> list[str]:
    """What actions that begin at once end in: `done`, or the name of an error."""

    def outcome(action: Callable[[], object]) -> str:
        try:
            action()
        except ValueError as error:
            return type(error).__name__
        return "done"

    with ThreadPoolExecutor(len(actions)) as threads:
        return sorted(threads.map(outcome, actions))


def test_two_servers_that_start_at_once_make_the_tables_once(database_url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        for people in threads.map(lambda _: People(address_of(database_url)), range(4)):
            people.close()


def test_the_migrations_make_the_tables_that_are_declared(two: tuple[People, People]) -> None:
    with two[0].database.begin() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_rows_of_the_record_are_never_changed(two: tuple[People, People]) -> None:
    first, second = two
    first.audit.note(signed_in(first), Deed("create_file", "/api/x\0y", 201))
    for change in (update(audit).values(status=0), delete(audit), text("TRUNCATE audit")):
        with pytest.raises(DBAPIError, match="never changed"), first.database.begin() as connection:
            connection.execute(change)
    assert [entry.path for entry in second.audit.page(PageWish(10, None)).items] == ["/api/x\ufffdy"]


def test_of_two_administrators_one_stays_whoever_takes_the_role_away_where(two: tuple[People, People]) -> None:
    first, second = two
    for _ in range(10):
        ended = outcomes(
            lambda: first.accounts.set_role("ada", EVERYWHERE, None, keeps_one=True),
            lambda: second.accounts.set_disabled("ben", True, keeps_one=True),
        )
        assert ended == ["ValueError", "done"]
        first.accounts.set_disabled("ben", False)
        for name in ("ada", "ben"):
            first.accounts.set_role(name, EVERYWHERE, "administrator")


def sign_in(people: People, proof: Proof, shown: list[str | None]) -> None:
    shown.append(people.sessions.begin_with(proof, None, UNKNOWN_ORIGIN))


def make_tokens(people: People, visitor: Visitor, shown: list[str | None]) -> None:
    """Make tokens until the session is over, or there are many."""
    with suppress(ApiError):
        for _ in range(80):
            shown.append(people.tokens.make(visitor, TokenLimit("ci", "viewer", EVERYWHERE), 60)[1])


def test_no_session_and_no_token_outlives_a_password_that_another_server_changes(two: tuple[People, People]) -> None:
    first, second = two
    for number in range(3):
        proof = first.accounts.with_password("ada", PASSWORD if number == 0 else f"{PASSWORD} {number}")
        assert proof is not None
        visitor = signed_in(first)
        shown: list[str | None] = []
        outcomes(
            partial(sign_in, first, proof, shown),
            partial(make_tokens, first, visitor, shown),
            partial(second.accounts.set_password, "ada", f"{PASSWORD} {number + 1}"),
        )
        assert shown
        assert not any(first.sessions.visitor(secret) or first.tokens.visitor(secret) for secret in shown if secret)


def test_what_one_server_ends_the_other_no_longer_takes(two: tuple[People, People]) -> None:
    first, second = two
    secret = first.sessions.begin(first.accounts.id_of("ada"), None)
    assert second.sessions.visitor(secret) is not None
    first.accounts.set_disabled("ada", True)
    assert second.sessions.visitor(secret) is None


def test_while_the_database_is_away_requests_are_refused_with_words_and_then_go_on(
    postgresql: Postgresql, two: tuple[People, People]
) -> None:
    secret = two[0].sessions.begin(two[0].accounts.id_of("ada"), None)
    postgresql.stop("immediate")
    try:
        with pytest.raises(ApiError) as refused:
            two[0].sessions.visitor(secret)
        assert (refused.value.status, refused.value.code) == (503, "people-unavailable")
        with pytest.raises(ValueError, match=r"the accounts in postgresql://127.0.0.1:\d+/\w+ cannot be read"):
            People(address_of(postgresql.url("postgres")))
    finally:
        postgresql.start()
    assert two[0].sessions.visitor(secret) is not None  # nobody has to sign in again


def test_a_connection_that_was_cut_lets_nobody_be_refused(two: tuple[People, People], database_url: str) -> None:
    people, other = two
    secret = people.sessions.begin(people.accounts.id_of("ada"), None)
    assert people.sessions.visitor(secret) is not None
    with other.database.begin() as connection:
        cut = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        connection.execute(cut)
    visitor = people.sessions.visitor(secret)  # within the second in which a connection is not tried
    assert visitor is not None
    assert visitor.name == "ada"


def test_a_database_that_takes_no_connection_in_time_is_away(two: tuple[People, People]) -> None:
    for error, is_away in ((ConnectionTimeout("late"), True), (UniqueViolation("twice"), False)):
        assert database._is_unreachable(DBAPIError("SELECT 1", {}, error)) == is_away


async def test_a_name_that_postgresql_takes_for_no_text_is_a_wrong_one(two: tuple[People, People]) -> None:
    with pytest.raises(ApiError) as refused:
        await asyncio.wait_for(two[0].log_in("ada\0", PASSWORD, UNKNOWN_ORIGIN, None), 30)
    assert refused.value.code == "wrong-login"


def test_everybody_is_copied_from_the_file_with_sessions_tokens_and_the_record(
    people: People,
    clock: Clock,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    tmp_path: Path,
) -> None:
    visitor = signed_in(people)
    _, token = people.tokens.make(visitor, TokenLimit("ci", "viewer", "scadr"), 3_600)
    people.audit.note(visitor, Deed("create_file", "/api/x", 201))
    monkeypatch.setenv("PEOPLE_URL", database_url)
    copying = ["copy", "--data", str(tmp_path), "--metadata", "env:PEOPLE_URL"]
    assert (tmp_path / PEOPLE_FILE).exists()
    assert user(copying) == 0
    said = capsys.readouterr().out.splitlines()[0]
    for count in ("1 accounts", "1 roles", "1 sessions", "1 tokens", "1 audit", "0 identities"):
        assert count in said
    with closing(People(address_of(database_url), clock)) as copied:
        assert copied.tokens.visitor(token) is not None
        copied.accounts.add("ben", PASSWORD)  # the next number is free
        copied.audit.note(None, Deed("log_in", "/api/session", 401))
    assert user(copying) == 1
    assert "people are copied into an empty database" in capsys.readouterr().err
    assert user(["list", "--metadata", "env:PEOPLE_URL"]) == 0
    assert capsys.readouterr().out.splitlines() == ["ada  administrator in all applications", "ben  no role"]


def test_the_url_is_named_by_reference_and_its_password_is_shown_by_nothing(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "url"
    secret.write_text(f"{database_url}\n")
    monkeypatch.setenv("PEOPLE_URL", database_url)
    for reference in (f"file:{secret}", "env:PEOPLE_URL"):
        assert address_from(reference).url == database_url
    password = database_url.split(":")[2].split("@")[0]
    assert password not in repr(address_of(database_url)) + repr(Settings(metadata=database_url))
    for reference in (
        database_url,
        "env:NOWHERE",
        f"file:{tmp_path / 'none'}",
        "mysql://host/name",
        "postgresql://host",
    ):
        with pytest.raises(SystemExit):
            serve(["--team", "--metadata", reference])
    with pytest.raises(SystemExit):
        serve(["--metadata", "env:PEOPLE_URL"])
    wrong = database_url.replace(password, "wrong-one")
    monkeypatch.setenv("PEOPLE_URL", wrong)
    assert user(["list", "--metadata", "env:PEOPLE_URL"]) == 1
    said = capsys.readouterr()
    assert "add --team" in said.err
    assert "password authentication failed" in said.err
    assert not {password, "wrong-one"} & set(said.err.replace(":", " ").replace("@", " ").split())
