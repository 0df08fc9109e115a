"""The people of a team, as who administers it changes them; one's own sessions; and when tokens were used."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from piql_backend.app import create_app
from piql_backend.commands.people import user
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.cookie import ClientOrigin
from piql_backend.people.service import People
from piql_backend.people.wishes import TOLD
from piql_backend.settings import Settings
from piql_backend.web.guarded_routes import needs_of
from piql_backend.web.pages import PageWish
from piql_backend.web.visitor import EVERYWHERE

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
PASSWORD = "correct horse battery"
ENVIRONMENT = "/api/applications/{application}/environments/{environment}"
SAY_ALL_BY_THEIR_PATH = {  # beside it they have values, measurements, texts, passwords, or parts of a file
    "POST /api/application-imports/{import_id}/parts",
    f"POST {ENVIRONMENT}/deployments/{{deployment_id}}/queries/{{name}}/executions",
    f"POST {ENVIRONMENT}/imports/{{import_id}}/parts",
    f"POST {ENVIRONMENT}/load-runs/{{run_id}}/reported-result",
    f"POST {ENVIRONMENT}/otlp/v1/metrics",
    f"POST {ENVIRONMENT}/reports",
    f"POST {ENVIRONMENT}/slos/openslo",
    f"PATCH {ENVIRONMENT}/tables/{{name}}/rows",
    f"POST {ENVIRONMENT}/tables/{{name}}/rows",
    f"POST {ENVIRONMENT}/tables/{{name}}/rows/delete",
    "POST /api/applications/{application}/threads",
    "POST /api/applications/{application}/threads/{number}/comments",
    "PUT /api/applications/{application}/files/{path}",
    "PUT /api/people/{person}/password",
    "PUT /api/session/password",
}


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
    assert (added.status_code, added.json()) == (
        201,
        {"name": "ben", "is_disabled": False, "roles": held, "seen_at": None},
    )
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
    assert ada.pop("seen_at")
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


async def test_the_record_has_what_was_asked_for_at_a_path_or_below_it(team: httpx.AsyncClient) -> None:
    for name in ("ben", "benny", "b_n"):
        await team.post("/api/people", json={"name": name, "password": "first long secret"})
        await team.patch(f"/api/people/{name}", json={"is_disabled": True})
    await team.put("/api/people/ben/password", json={"password": "another long secret"})

    async def found(path: str) -> list[str]:
        items = (await team.get("/api/audit", params={"path": path})).json()["items"]
        return [item["path"] for item in items]

    assert await found("/api/people/ben") == ["/api/people/ben/password", "/api/people/ben"]
    assert await found("/api/people/b_n") == ["/api/people/b_n"]
    assert len(await found("/api/people")) == 7


async def test_a_person_shows_when_they_were_last_there(team: httpx.AsyncClient) -> None:
    await team.post("/api/people", json={"name": "ben", "password": "first long secret"})
    ada, ben = (await team.get("/api/people")).json()["items"]
    assert ada["seen_at"] is not None
    assert ben["seen_at"] is None
    await team.post("/api/session", json={"name": "ben", "password": "first long secret"})
    await team.delete("/api/session")
    await team.post("/api/session", json={"name": "ada", "password": PASSWORD})
    assert (await team.get("/api/people")).json()["items"][1]["seen_at"] is not None  # by the record


async def test_the_record_tells_what_was_asked_for_and_no_secret(team: httpx.AsyncClient) -> None:
    secret = "first long secret"
    await team.post("/api/people", json={"name": "ben", "password": secret, "role": "developer"})
    await team.put("/api/people/ben/role", json={"application": "scadr", "role": "deployer"})
    await team.put("/api/people/ben/role", json={"application": "scadr", "role": None})
    await team.patch("/api/people/ben", json={"is_disabled": True})
    await team.put("/api/people/ben/password", json={"password": f"another {secret}"})
    rows = (await team.get("/api/audit")).json()["items"]
    told = [(row["operation"], row["wish"]) for row in reversed(rows) if row["operation"] != "log_in"]
    assert told == [
        ("add_person", '{"name": "ben", "role": "developer"}'),
        ("set_role", '{"role": "deployer", "application": "scadr"}'),
        ("set_role", '{"role": null, "application": "scadr"}'),
        ("update_person", '{"is_disabled": true}'),
        ("reset_password", ""),
    ]
    assert secret not in str(rows)


def test_the_record_tells_what_the_command_line_changed(people: People, settings: Settings, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("a long enough secret\n")
    data = ("--data", str(settings.data))
    with password.open() as file:
        assert user([*data, "add", "Eve", "--role", "administrator", "--password-fd", str(os.dup(file.fileno()))]) == 0
    assert user([*data, "role", "eve", "none"]) == 0
    assert user([*data, "disable", "eve"]) == 0
    assert user([*data, "disable", "nobody"]) == 1
    rows = people.audit.page(PageWish(10)).items
    assert [(row.person, row.by, row.operation, row.wish) for row in reversed(rows)] == [
        (None, "command", "add_person", '{"name": "eve", "role": "administrator", "application": null}'),
        (None, "command", "set_role", '{"name": "eve", "role": "none", "application": null}'),
        (None, "command", "update_person", '{"name": "eve", "is_disabled": true}'),
    ]


def test_every_change_whose_path_does_not_say_all_tells_what_was_asked_for() -> None:
    app = create_app()
    document, needs = app.openapi(), needs_of(app)
    untold = set()
    for operation, need in needs.items():
        method, _, path = operation.partition(" ")
        body = (
            document["paths"].get(path, {}).get(method.lower(), {}).get("requestBody") if method != "SOCKET" else None
        )
        if not need.is_for_changes or body is None:
            continue
        shape = body["content"].get("application/json", {}).get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
        fields = document["components"]["schemas"].get(shape, {}).get("properties", {})
        if not {*fields} & {*TOLD}:
            untold.add(operation)
    assert untold == SAY_ALL_BY_THEIR_PATH
