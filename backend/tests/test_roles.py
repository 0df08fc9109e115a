"""All operations × all roles, made from the routes of the application: nobody does what they may not."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import dataclass, replace

import httpx
import pytest
from piql_backend.app import create_app
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.database import PeopleDatabase
from piql_backend.people.service import People
from piql_backend.settings import Settings
from piql_backend.web.guarded_routes import needs_of
from piql_backend.web.needs import ANYBODY, ROLES, SIGNED_IN, Need, Role, everywhere, suffices
from piql_backend.web.rates import Rates
from piql_backend.web.same_origin import SAFE_METHODS
from piql_backend.web.visitor import EVERYWHERE, TokenLimit

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
OPERATIONS: Mapping[str, Need] = {
    operation: need for operation, need in needs_of(create_app()).items() if not operation.startswith("SOCKET ")
}  # sockets are opened in test_live_sessions.py
PLACES = {"here": "scadr", "elsewhere": "tpcw", "everywhere": EVERYWHERE}
HELD = [(role, place) for place in ("here", "everywhere") for role in ROLES] + [("administrator", "elsewhere")]
REFUSED = {401: "login-needed", 403: "role-needed", 404: "unknown-application"}


@dataclass(frozen=True)
class Team:
    """A workbench of a team, with a client that is nobody, and the headers of each of its people by name."""

    client: httpx.AsyncClient
    people: Mapping[str, Mapping[str, str]]


@pytest.fixture
async def team(settings: Settings, running: Running) -> AsyncIterator[Team]:
    """People called `viewer-here`, `deployer-everywhere` and so on, and `nobody` without a role."""
    people, shown = People(settings.data / PEOPLE_FILE), {}
    hashed = "$argon2id$not-needed"  # they come with sessions
    with closing(PeopleDatabase(settings.data / PEOPLE_FILE)) as database, database.begin() as connection:
        for number, (role, place) in enumerate([("none", "nowhere"), *HELD], 1):
            name = "nobody" if role == "none" else f"{role}-{place}"
            connection.exec_driver_sql("INSERT INTO accounts VALUES (?, ?, ?, 0, 0)", (number, name, hashed))
            if role != "none":
                connection.exec_driver_sql("INSERT INTO roles VALUES (?, ?, ?)", (number, PLACES[place], role))
            shown[name] = number
    cookies = {
        name: {"cookie": f"piql-session={people.sessions.begin(number, None)}"} for name, number in shown.items()
    }
    limit = TokenLimit("reads", "viewer", "scadr")
    administrator = people.sessions.visitor(people.sessions.begin(shown["administrator-everywhere"], None))
    assert administrator is not None
    _, secret = people.tokens.make(administrator, limit, 3_600)
    cookies["token"] = {"authorization": f"Bearer {secret}"}
    people.close()
    async with running(replace(settings, team=True, rates=Rates(0, 0, 0, 0))) as client:
        yield Team(client, cookies)


def url_of(operation: str) -> tuple[str, str]:
    """The method and a URL of an operation, in which everything but the application does not exist."""
    method, _, path = operation.partition(" ")
    return method, re.sub(r"\{\w+\}", "none", path.replace("{application}", "scadr"))


def status_expected(need: Need, role: Role | None, place: str, path: str) -> int | None:
    """The status of the refusal, from the words of the decision; None where one may."""
    if need == ANYBODY or (need.role is None):
        return None
    here = role is not None and place in ("here", "everywhere")
    if "{application}" in path and not here:
        return 404
    counts = here if need.place == "application" else role is not None and place == "everywhere"
    return None if counts and role is not None and suffices(role, need.role or "viewer") else 403


async def refusal(client: httpx.AsyncClient, operation: str, headers: Mapping[str, str]) -> int | None:
    """The status with which the gate refuses; None where it lets through. No body: nothing can come of it."""
    method, url = url_of(operation)
    answer = await client.request(method, url, headers=dict(headers))
    code = answer.json()["code"] if answer.status_code in REFUSED else None
    return answer.status_code if code and REFUSED[answer.status_code] == code else None


def quiet(operation: str) -> bool:
    """Whether asking without a body does nothing where one is let through; what would act is left out."""
    return operation not in {
        "DELETE /api/session",
        "DELETE /api/sessions",
        "DELETE /api/sessions/others",
        "POST /api/applications/{application}/environments/{environment}/headroom/counts",
    }


async def test_nobody_does_what_they_may_not(team: Team) -> None:
    asked = 0
    for operation, need in OPERATIONS.items():
        path = operation.partition(" ")[2]
        for name, headers in team.people.items():
            if name == "token" or not quiet(operation):
                continue
            role_name, _, place = name.partition("-")
            role = next((role for role in ROLES if role == role_name), None)
            expected = status_expected(need, role, place, path)
            assert await refusal(team.client, operation, headers) == expected, (operation, name)
            asked += 1
    assert asked > 100 * (1 + len(HELD))


async def test_without_a_login_nothing_is_answered_but_what_anybody_may(team: Team) -> None:
    for operation, need in OPERATIONS.items():
        for headers in ({}, {"cookie": "piql-session=none"}, {"authorization": "Bearer piql_none"}):
            expected = None if need == ANYBODY else 401
            assert await refusal(team.client, operation, headers) == expected, (operation, headers)


def test_only_who_administers_everything_names_hosts_and_secrets_of_the_server() -> None:
    environments = "/api/applications/{application}/environments"
    naming = (
        f"POST {environments}",
        f"PATCH {environments}/{{environment}}",
        "POST /api/application-imports/keyspaces",
    )
    assert {OPERATIONS[operation] for operation in naming} == {everywhere("administrator")}


async def test_a_token_does_no_more_than_its_role_in_its_application(team: Team) -> None:
    for operation, need in OPERATIONS.items():
        if need in (ANYBODY, SIGNED_IN):
            continue
        method, url = url_of(operation)
        answer = await team.client.request(method, url, headers=dict(team.people["token"]))
        if need.place == "in-person":
            assert (answer.status_code, answer.json()["code"]) == (403, "in-person"), operation
        elif need.place == "everywhere" or need.role != "viewer":
            assert (answer.status_code, answer.json()["code"]) == (403, "role-needed"), operation
        else:
            assert answer.status_code not in (401, 403), operation
        elsewhere = await team.client.request(method, url.replace("scadr", "tpcw"), headers=dict(team.people["token"]))
        assert "scadr" not in url or elsewhere.status_code == 404, operation


async def test_an_application_of_others_is_as_one_that_there_is_not(team: Team) -> None:
    elsewhere = dict(team.people["administrator-elsewhere"])
    for operation in OPERATIONS:
        if "{application}" in operation:
            method, url = url_of(operation)
            theirs = await team.client.request(method, url, headers=elsewhere)
            none = await team.client.request(method, url.replace("scadr", "nowhere"), headers=elsewhere)
            assert (theirs.status_code, theirs.text.replace("scadr", "nowhere")) == (404, none.text), operation
    shown = (await team.client.get("/api/applications", headers=elsewhere)).json()["items"]
    assert shown == []
    here = dict(team.people["viewer-here"])
    assert [item["id"] for item in (await team.client.get("/api/applications", headers=here)).json()["items"]] == [
        "scadr"
    ]


async def test_a_foreign_page_changes_nothing_with_the_cookie_of_an_administrator(team: Team) -> None:
    headers = {**team.people["administrator-everywhere"], "origin": "https://evil.example"}
    for operation in OPERATIONS:
        method, url = url_of(operation)
        if method not in SAFE_METHODS:
            answer = await team.client.request(method, url, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "foreign-origin"), operation
