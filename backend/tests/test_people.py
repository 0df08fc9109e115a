"""Signing in and out, sessions, passwords, API tokens, and the record of who did what."""

from __future__ import annotations

import asyncio
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from piql_backend.commands.people import user
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.attempts import BY_BOTH, BY_CLIENT, BY_NAME, SLOWED, Attempts
from piql_backend.people.audit import Deed
from piql_backend.people.cookie import LONGEST_SECONDS
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.gate import TeamGate
from piql_backend.people.passwords import problem_of
from piql_backend.people.service import People
from piql_backend.people.sessions import IDLE_SECONDS
from piql_backend.probes import service
from piql_backend.settings import Settings
from piql_backend.web.needs import in_application
from piql_backend.web.visitor import EVERYWHERE, TokenLimit
from piql_backend.workbench import Workbench
from sqlalchemy.exc import IntegrityError

from .conftest import DEVELOPMENT, LOGIN, PASSWORD, Clock, signed_in

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]


def cookie_of(answer: httpx.Response) -> str:
    return answer.headers["set-cookie"].partition(";")[0].partition("=")[2]


async def test_a_login_sets_a_cookie_that_no_script_and_no_other_site_uses(team: httpx.AsyncClient) -> None:
    assert (await team.get("/api/session")).json() == {"is_team": True, "person": None}
    answer = await team.post("/api/session", json=LOGIN)
    assert answer.status_code == 201
    roles = [{"application": None, "role": "administrator"}]
    assert answer.json()["person"] == {"name": "ada", "roles": roles, "known_by": "password"}
    words = {word.strip().lower() for word in answer.headers["set-cookie"].split(";")[1:]}
    assert words == {"httponly", f"max-age={LONGEST_SECONDS}", "path=/", "samesite=strict"}
    assert [item["id"] for item in (await team.get("/api/applications")).json()["items"]] == ["scadr"]
    over_tls = await team.post("https://127.0.0.1/api/session", json=LOGIN)
    name, secret = over_tls.headers["set-cookie"].partition(";")[0].split("=")
    assert name == "__Host-piql-session"
    assert "secure" in {word.strip().lower() for word in over_tls.headers["set-cookie"].split(";")}
    for scheme, cookie, status in (("https", name, 200), ("https", "piql-session", 401), ("http", name, 401)):
        team.cookies.clear()
        shown = {"cookie": f"{cookie}={secret}"}
        assert (await team.get(f"{scheme}://127.0.0.1/api/health", headers=shown)).status_code == status


async def test_a_session_that_was_put_there_is_replaced_at_login_and_ends_at_logout(team: httpx.AsyncClient) -> None:
    team.cookies.set("piql-session", "chosen-by-somebody-else")
    first = cookie_of(await team.post("/api/session", json=LOGIN))
    second = cookie_of(await team.post("/api/session", json=LOGIN, headers={"cookie": f"piql-session={first}"}))
    assert len({"chosen-by-somebody-else", first, second}) == 3

    async def status(secret: str) -> int:
        team.cookies.clear()
        return (await team.get("/api/health", headers={"cookie": f"piql-session={secret}"})).status_code

    assert [await status(secret) for secret in ("chosen-by-somebody-else", first, second)] == [401, 401, 200]
    left = await team.delete("/api/session", headers={"cookie": f"piql-session={second}"})
    assert left.status_code == 204
    assert 'piql-session="";' in left.headers["set-cookie"]
    assert await status(second) == 401


async def test_strangers_are_not_told_what_is_wrong(team: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "problem_of_disk", lambda data: ("The disk of /srv/secret is full.", "Free some."))
    answer = await team.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"is_well": True, "problems": []})


async def test_all_sessions_end_at_once(team: httpx.AsyncClient) -> None:
    secrets = [cookie_of(await team.post("/api/session", json=LOGIN, headers={"cookie": ""})) for _ in range(2)]
    team.cookies.clear()
    headers = [{"cookie": f"piql-session={secret}"} for secret in secrets]
    assert [(await team.get("/api/health", headers=header)).status_code for header in headers] == [200, 200]
    assert (await team.delete("/api/sessions", headers=headers[0])).status_code == 204
    team.cookies.clear()
    assert [(await team.get("/api/health", headers=header)).status_code for header in headers] == [401, 401]


async def test_another_password_ends_everything_that_the_old_one_began(team: httpx.AsyncClient) -> None:
    await team.post("/api/session", json=LOGIN)
    old = team.cookies["piql-session"]
    token = (await team.post("/api/tokens", json={"title": "ci", "role": "viewer"})).json()["secret"]
    change = {"password": PASSWORD, "new_password": "short"}
    refused = await team.put("/api/session/password", json=change)
    assert (refused.status_code, refused.json()["code"]) == (422, "password-refused")
    assert (await team.put("/api/session/password", json=change | {"password": "wrong"})).status_code == 401
    changed = await team.put("/api/session/password", json=change | {"new_password": "another long secret"})
    assert changed.status_code == 200
    new = team.cookies["piql-session"]
    team.cookies.clear()
    shown = [{"cookie": f"piql-session={old}"}, {"authorization": f"Bearer {token}"}, {"cookie": f"piql-session={new}"}]
    assert [(await team.get("/api/health", headers=header)).status_code for header in shown] == [401, 401, 200]
    assert (await team.post("/api/session", json=LOGIN)).json()["code"] == "wrong-login"


async def test_wrong_passwords_run_out_and_unknown_names_are_not_told_apart(team: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(
        *(team.post("/api/session", json=LOGIN | {"password": "wrong"}) for _ in range(BY_BOTH.at_once + 2))
    )
    assert sorted(answer.status_code for answer in answers) == [401] * BY_BOTH.at_once + [429] * 2
    assert (await team.post("/api/session", json=LOGIN)).json()["code"] == "too-many-logins"
    unknown = await team.post("/api/session", json={"name": "nobody at all", "password": PASSWORD})
    wrong = next(answer for answer in answers if answer.status_code == 401)
    assert (unknown.status_code, unknown.json()) == (401, wrong.json())
    assert wrong.headers["www-authenticate"] == "Bearer"


async def test_the_record_says_who_did_what_and_how_it_ended(team: httpx.AsyncClient) -> None:
    await team.post("/api/session", json={"name": "hunter2 typed into the wrong field", "password": "x"})
    await team.post("/api/session", json=LOGIN)
    secret = (await team.post("/api/tokens", json={"title": "ci", "role": "viewer"})).json()["secret"]
    bearer = {"authorization": f"Bearer {secret}"}
    await team.put("/api/applications/scadr/files/none.piql", json={"text": "", "base_revision": "x"}, headers=bearer)
    await team.post("/api/compilations", json={"files": []})
    await team.get("/api/applications/scadr")
    made = await team.post("/api/applications/scadr/files", json={"path": "new.piql", "text": ""})
    assert made.status_code == 201
    page = (await team.get("/api/audit?limit=3")).json()
    rest = (await team.get(f"/api/audit?limit=3&cursor={page['next']}")).json()
    told = [
        (entry["person"], entry["by"], entry["operation"], entry["application"], entry["status"])
        for entry in [*page["items"], *rest["items"]]
        if entry["operation"] != "read_audit"
    ]
    assert told == [
        ("ada", "session", "create_file", "scadr", 201),
        ("ada", "token: ci", "save_file", "scadr", 403),
        ("ada", "session", "make_token", "", 201),
        ("ada", "password", "log_in", "", 200),
        (None, "password", "log_in", "", 401),
    ]
    only = (await team.get("/api/audit?operation=create_file&person=ada&application=scadr")).json()["items"]
    assert [entry["path"] for entry in only] == ["/api/applications/scadr/files"]
    assert "hunter2" not in str(page) + str(rest)


async def test_a_token_is_shown_once_and_ends_when_told_to(team: httpx.AsyncClient, settings: Settings) -> None:
    await team.post("/api/session", json=LOGIN)
    made = (await team.post("/api/tokens", json={"title": "ci", "role": "viewer", "application": "scadr"})).json()
    secret = made.pop("secret")
    assert (await team.get("/api/tokens")).json() == [made]
    kept = b"".join(file.read_bytes() for file in settings.data.glob(f"{PEOPLE_FILE}*"))
    assert secret.encode() not in kept
    assert team.cookies["piql-session"].encode() not in kept
    assert PASSWORD.encode() not in kept
    bearer = {"authorization": f"Bearer {secret}", "cookie": ""}
    assert (await team.get("/api/applications/scadr", headers=bearer)).status_code == 200
    assert (await team.delete(f"/api/tokens/{made['id']}")).status_code == 204
    assert (await team.get("/api/applications/scadr", headers=bearer)).status_code == 401
    assert (await team.delete(f"/api/tokens/{made['id']}")).json()["code"] == "unknown-token"
    for application in ("nowhere", "*"):
        wish = {"title": "x", "role": "viewer", "application": application}
        assert (await team.post("/api/tokens", json=wish)).status_code in (201, 404)


async def test_reading_the_lists_of_people_is_not_in_the_record(team: httpx.AsyncClient) -> None:
    await team.post("/api/session", json=LOGIN)
    for path in ("/api/people", "/api/sessions", "/api/tokens", "/api/audit"):
        assert (await team.get(path)).status_code == 200
    await team.post("/api/tokens", json={"title": "ci", "role": "viewer", "application": None})
    entries = (await team.get("/api/audit")).json()["items"]
    assert {entry["path"] for entry in entries if entry["path"] != "/api/session"} == {"/api/tokens"}
    assert len([entry for entry in entries if entry["path"] == "/api/tokens"]) == 1


async def test_who_makes_an_application_administers_it_and_a_later_one_of_its_id_inherits_nothing(
    team: httpx.AsyncClient, settings: Settings
) -> None:
    other = People(settings.data / PEOPLE_FILE)
    for name, role in (("ben", "developer"), ("eve", None)):
        other.accounts.add(name, PASSWORD)
        if role is not None:
            other.accounts.set_role(name, EVERYWHERE, "developer")
    await team.post("/api/session", json=LOGIN | {"name": "ben"})
    assert (await team.post("/api/applications", json={"title": "Shop"})).status_code == 201
    roles = (await team.get("/api/session")).json()["person"]["roles"]
    assert {"application": "shop", "role": "administrator"} in roles
    other.accounts.set_role("eve", "shop", "viewer")
    assert (await team.delete("/api/applications/shop?name=shop")).status_code == 204
    assert [dict(account.roles) for account in other.accounts.all() if account.name == "eve"] == [{}]
    other.close()


async def test_a_version_names_the_person_who_deployed_it_and_who_rolled_back(team: httpx.AsyncClient) -> None:
    await team.post("/api/session", json=LOGIN)
    files = (await team.get("/api/applications/scadr")).json()["files"]
    texts = [{"path": file["path"], "text": file["text"] + "\n"} for file in files]
    deployed = await team.post(f"{DEVELOPMENT}/deployments", json={"files": texts, "base_version": 1})
    assert (deployed.status_code, deployed.json()["deployed_by"]) == (201, "ada")
    back = await team.post(f"{DEVELOPMENT}/deployments/rollback", json={"base_version": 2})
    assert (back.status_code, back.json()["deployed_by"]) == (201, "ada")
    versions = (await team.get(f"{DEVELOPMENT}/deployments")).json()["items"]
    assert [version["deployed_by"] for version in versions] == ["ada", "ada", "scadr"]
    assert {version["application_id"] for version in versions} == {"scadr"}


async def test_alone_nobody_signs_in_and_nothing_of_people_is_made(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    assert (await client.get("/api/session")).json() == {"is_team": False, "person": None}
    assert (await client.post("/api/session", json=LOGIN)).json()["code"] == "no-team"
    assert (await client.get("/api/audit")).json()["code"] == "no-team"
    assert (await client.get(f"{DEVELOPMENT}/health")).status_code == 200
    assert not (settings.data / PEOPLE_FILE).exists()


def test_a_session_ends_when_it_is_not_used_and_when_it_is_old(people: People, clock: Clock) -> None:
    account_id, begun = people.accounts.id_of("ada"), clock.now
    idle, used = people.sessions.begin(account_id, None), people.sessions.begin(account_id, None)
    for _ in range(LONGEST_SECONDS // IDLE_SECONDS):
        clock.now += IDLE_SECONDS
        assert people.sessions.visitor(used) is not None
    assert clock.now == begun + LONGEST_SECONDS
    clock.now += 1
    assert people.sessions.visitor(used) is None
    clock.now = begun + IDLE_SECONDS + 1
    assert people.sessions.visitor(idle) is None


def test_a_password_that_was_shown_before_it_was_changed_begins_nothing(
    people: People, database: PeopleDatabase
) -> None:
    shown = people.accounts.with_password("ada", PASSWORD)
    assert shown is not None
    people.accounts.set_password("ada", "another long secret")
    assert people.sessions.begin_with(shown, None) is None
    assert people.accounts.set_password("ada", "the thief's own secret", shown) is None
    again = people.accounts.with_password("ada", "another long secret")
    assert again is not None
    assert people.sessions.begin_with(again, None) is not None
    people.accounts.set_disabled("ada", True)
    people.accounts.set_disabled("ada", False)
    with database.begin() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM sessions").scalar() == 0


async def test_a_stream_of_events_ends_with_the_role_of_who_follows_it(people: People) -> None:
    secret = people.sessions.begin(people.accounts.id_of("ada"), None)
    headers = [(b"cookie", f"piql-session={secret}".encode())]
    request = Request(
        {"type": "http", "method": "GET", "path": "/", "headers": headers, "path_params": {"application": "scadr"}}
    )

    async def events() -> AsyncIterator[str]:
        yield "first"
        people.accounts.set_role("ada", EVERYWHERE, None)
        yield "second"

    async def answering(_: Request) -> Response:
        return StreamingResponse(events(), media_type="text/event-stream")

    answer = await TeamGate(people).answer(request, in_application("viewer"), "stream", answering)
    assert isinstance(answer, StreamingResponse)
    assert [event async for event in answer.body_iterator] == ["first"]


def test_a_token_is_over_at_its_end_and_with_its_person(people: People, clock: Clock) -> None:
    ada = signed_in(people)
    _, short = people.tokens.make(ada, TokenLimit("short", "viewer", EVERYWHERE), 60)
    _, long = people.tokens.make(ada, TokenLimit("long", "viewer", EVERYWHERE), 600)
    clock.now += 60
    assert [people.tokens.visitor(secret) is not None for secret in (short, long)] == [False, True]
    people.accounts.set_disabled("ada", True)
    assert people.tokens.visitor(long) is None
    assert people.accounts.with_password("ada", PASSWORD) is None
    assert not people.accounts.has_administrator()


def test_the_record_cannot_be_changed(people: People, database: PeopleDatabase) -> None:
    people.audit.note(None, Deed("create_file", "/api", 201))
    for statement in ("UPDATE audit SET person = 'eve'", "DELETE FROM audit"):
        with pytest.raises(IntegrityError, match="never changed"), database.begin() as connection:
            connection.exec_driver_sql(statement)


def test_attempts_come_back_with_time_and_one_that_succeeds_costs_none() -> None:
    now = 0.0
    attempts = Attempts(lambda: now)
    for _ in range(3 * BY_BOTH.at_once):
        assert attempts.take("ada", "10.0.0.1") == 0
        attempts.give_back("ada", "10.0.0.1")
    assert [attempts.take("ada", "10.0.0.1") for _ in range(BY_BOTH.at_once)] == [0] * BY_BOTH.at_once
    assert attempts.take("ada", "10.0.0.1") == BY_BOTH.seconds
    assert attempts.take("ada", "10.0.0.2") == 0  # nobody shuts out who tries from elsewhere
    now += BY_BOTH.seconds
    assert attempts.take("ada", "10.0.0.1") == 0
    names = iter(range(10_000))
    taken = sum(attempts.take(str(next(names)), "10.0.0.9") == 0 for _ in range(2 * BY_CLIENT.at_once))
    assert taken == BY_CLIENT.at_once


def test_a_name_that_many_clients_try_makes_each_slower_and_shuts_nobody_out() -> None:
    now = 0.0
    attempts = Attempts(lambda: now)
    thieves = [f"10.0.1.{number}" for number in range(30)]
    at_first = sum(attempts.take("ada", thief) == 0 for thief in thieves for _ in range(BY_BOTH.at_once))
    assert BY_NAME.at_once <= at_first < BY_NAME.at_once + len(thieves)
    now += SLOWED.seconds
    later = sum(attempts.take("ada", thief) == 0 for thief in thieves for _ in range(BY_BOTH.at_once))
    assert later < 2 * len(thieves)
    assert attempts.take("ada", "10.0.0.1") == 0  # Ada herself
    attempts.give_back("ada", "10.0.0.1")
    assert attempts.take("ada", "10.0.0.1") == 0
    assert attempts.take("ada", "10.0.0.1") == SLOWED.seconds
    assert attempts.take("ben", thieves[0]) == 0


@pytest.mark.parametrize(
    ("password", "is_taken"),
    [
        ("elevenchars", False),
        ("twelve chars", True),
        ("a" * 12, False),
        ("i am ada, really", False),
        ("x" * 201, False),
    ],
)
def test_passwords_that_are_easily_guessed_are_not_taken(password: str, is_taken: bool) -> None:
    assert (problem_of(password, "ada") is None) is is_taken


def test_to_try_a_password_takes_64_mib() -> None:
    code = "from piql_backend.people.passwords import hash_of; print(hash_of('correct horse battery'))"
    hashed = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert hashed.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


def with_password(arguments: list[str], password: str) -> int:
    """Run `piql user` with a password that comes from a file descriptor."""
    reading, writing = os.pipe()
    os.write(writing, password.encode() + b"\n")
    os.close(writing)
    return user([*arguments, "--password-fd", str(reading)])


def test_people_are_added_by_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "applications" / "shop").mkdir(parents=True)
    data = ["--data", str(tmp_path)]
    assert with_password([*data, "add", "Ada", "--role", "administrator"], PASSWORD) == 0
    assert with_password([*data, "add", "ada"], PASSWORD) == 1
    assert with_password([*data, "add", "Ben"], "short") == 1
    assert with_password([*data, "add", "ben", "--role", "developer", "--application", "shop"], PASSWORD) == 0
    assert user([*data, "role", "ben", "viewer", "--application", "none"]) == 1
    assert user([*data, "role", "eve", "viewer"]) == 1
    assert user([*data, "disable", "ben"]) == 0
    capsys.readouterr()
    assert user([*data, "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ada  administrator in all applications",
        "ben  developer in shop  (disabled)",
    ]
    assert stat.S_IMODE((tmp_path / PEOPLE_FILE).stat().st_mode) & 0o077 == 0


def test_a_team_without_an_administrator_is_not_served(settings: Settings) -> None:
    with pytest.raises(ValueError, match=r"--team: nobody administers .* Add somebody: piql user add"):
        Workbench(replace(settings, team=True))
    (settings.data / PEOPLE_FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(ValueError, match=r"the accounts in .* cannot be read: file is not a database"):
        Workbench(replace(settings, team=True))


def test_the_command_that_a_team_without_an_administrator_is_told_does_what_it_says(settings: Settings) -> None:
    of_team = replace(settings, team=True, data=settings.data / "a folder")
    with pytest.raises(ValueError, match="Add somebody: ") as refusal:
        Workbench(of_team)
    program, name, *arguments = shlex.split(str(refusal.value).partition("Add somebody: ")[2])
    assert (program, name) == ("piql", "user")
    assert with_password(arguments, "correct horse battery") == 0
    assert People(of_team.data / PEOPLE_FILE).accounts.has_administrator()


def test_a_team_and_nobody_at_all_exclude_each_other() -> None:
    command = [sys.executable, "-m", "piql_backend", "--team", "--insecure"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "give one of them" in ended.stderr
