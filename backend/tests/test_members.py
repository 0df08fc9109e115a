"""The people of a team, as who administers it changes them; one's own sessions; and when tokens were used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import httpx
import pytest
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.cookie import ClientOrigin
from piql_backend.people.service import People
from piql_backend.settings import Settings
from piql_backend.web.visitor import EVERYWHERE

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
PASSWORD = "correct horse battery"


@pytest.fixture
def people(settings: Settings) -> Iterator[People]:
    """Ada, who administers everything."""
    opened = People(settings.data / PEOPLE_FILE)
    opened.accounts.add("ada", PASSWORD)
    opened.accounts.set_role("ada", EVERYWHERE, "administrator")
    yield opened
    opened.close()


@pytest.fixture
async def team(people: People, settings: Settings, running: Running) -> AsyncIterator[httpx.AsyncClient]:
    """A workbench of a team in which Ada is signed in."""
    async with running(replace(settings, team=True)) as client:
        await client.post("/api/session", json={"name": "ada", "password": PASSWORD})
        yield client


async def status_of(client: httpx.AsyncClient, name: str, password: str) -> int:
    """How a login is answered that leaves nothing in the client."""
    kept = dict(client.cookies)
    client.cookies.clear()
    status = (await client.post("/api/session", json={"name": name, "password": password})).status_code
    client.cookies.clear()
    client.cookies.update(kept)
    return status


async def test_a_person_is_added_with_a_role_changed_shut_out_and_let_in_again(team: httpx.AsyncClient) -> None:
    ben = {"name": " Ben", "password": "first long secret", "role": "developer", "application": "scadr"}
    added = await team.post("/api/people", json=ben)
    held = [{"application": "scadr", "role": "developer"}]
    assert (added.status_code, added.json()) == (201, {"name": "ben", "is_disabled": False, "roles": held})
    assert [person["name"] for person in (await team.get("/api/people")).json()["items"]] == ["ada", "ben"]
    assert await status_of(team, "ben", ben["password"]) == 201
    other = {"application": "scadr", "role": "viewer"}
    assert (await team.put("/api/people/ben/role", json=other)).json()["roles"] == [other]
    assert (await team.put("/api/people/ben/role", json=other | {"role": None})).json()["roles"] == []
    assert (await team.patch("/api/people/ben", json={"is_disabled": True})).json()["is_disabled"]
    assert await status_of(team, "ben", ben["password"]) == 401
    await team.patch("/api/people/ben", json={"is_disabled": False})
    assert (await team.put("/api/people/ben/password", json={"password": "second long secret"})).status_code == 204
    assert await status_of(team, "ben", "second long secret") == 201


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "", {"name": "ada", "password": "another long secret"}, 409, "person-exists"),
        ("POST", "", {"name": "b c", "password": "another long secret"}, 422, "person-refused"),
        ("POST", "", {"name": "ben", "password": "short"}, 422, "person-refused"),
        ("POST", "", {"name": "ben", "password": "x" * 20, "application": "none"}, 404, "unknown-application"),
        ("PUT", "/ada/role", {"application": "none", "role": "viewer"}, 404, "unknown-application"),
        ("PUT", "/ada/role", {"application": None, "role": None}, 409, "last-administrator"),
        ("PUT", "/ada/role", {"application": None, "role": "deployer"}, 409, "last-administrator"),
        ("PATCH", "/ada", {"is_disabled": True}, 409, "last-administrator"),
        ("PATCH", "/eve", {"is_disabled": True}, 404, "unknown-person"),
        ("DELETE", "/eve/sessions", None, 404, "unknown-person"),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(
    team: httpx.AsyncClient, method: str, path: str, body: object, status: int, code: str
) -> None:
    answer = await team.request(method, f"/api/people{path}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    (ada,) = (await team.get("/api/people")).json()["items"]
    assert ada == {
        "name": "ada",
        "is_disabled": False,
        "roles": [{"application": None, "role": "administrator"}],
    }


async def test_ones_sessions_are_listed_and_ended_one_by_one_or_all_others(
    team: httpx.AsyncClient, people: People
) -> None:
    account_id = people.accounts.id_of("ada")
    secrets = [people.sessions.begin(account_id, None, ClientOrigin(f"192.0.2.{number}")) for number in range(3)]
    listed = (await team.get("/api/sessions")).json()["items"]
    assert [login["is_this"] for login in listed].count(True) == 1
    assert {login["address"] for login in listed} >= {"192.0.2.0", "192.0.2.1", "192.0.2.2"}
    ended = next(login["id"] for login in listed if login["address"] == "192.0.2.0")
    assert (await team.delete(f"/api/sessions/{ended}")).status_code == 204
    assert (await team.delete(f"/api/sessions/{ended}")).json()["code"] == "unknown-session"
    assert [people.sessions.visitor(secret) is not None for secret in secrets] == [False, True, True]
    assert (await team.delete("/api/sessions/others")).status_code == 204
    (left,) = (await team.get("/api/sessions")).json()["items"]
    assert left["is_this"]
    assert (await team.delete("/api/people/ada/sessions")).status_code == 204
    assert (await team.get("/api/people")).status_code == 401


async def test_a_token_shows_when_it_was_used_and_the_record_has_days(team: httpx.AsyncClient) -> None:
    made = (await team.post("/api/tokens", json={"title": "ci", "role": "viewer"})).json()
    assert made["used_at"] is None
    headers = {"authorization": f"Bearer {made['secret']}"}
    assert (await team.get("/api/applications", headers=headers)).status_code == 200
    (token,) = (await team.get("/api/tokens")).json()
    assert token["used_at"] >= token["made_at"]
    (entry,) = (await team.get("/api/audit?operation=make_token")).json()["items"]
    day = entry["at"][:10]
    assert len((await team.get(f"/api/audit?operation=make_token&day={day}")).json()["items"]) == 1
    assert (await team.get("/api/audit?operation=make_token&day=1999-01-01")).json()["items"] == []
