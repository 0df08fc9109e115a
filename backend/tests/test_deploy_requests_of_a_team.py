"""Deploy requests of a team: who reviews, approves and deploys, and whose approval counts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from typing import Any

import httpx
import pytest
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.people.service import People
from piql_backend.settings import Settings

from .conftest import PASSWORD, Running
from .test_deploy_requests import (
    BY_TEXT,
    REQUESTS,
    approve,
    asked,
    code_of,
    deploy,
    files_of,
    opened,
    rule,
    until_over,
    with_query,
)


@asynccontextmanager
async def signed_in(settings: Settings, running: Running, **roles: str) -> AsyncIterator[dict[str, httpx.AsyncClient]]:
    """A workbench of a team, with a client of each person, who has one role in SCADr."""
    tokens = {}
    with closing(People(settings.data / PEOPLE_FILE)) as people:
        for name, role in roles.items():
            people.accounts.add(name, PASSWORD)
            people.accounts.set_role(name, "scadr" if role != "all" else "", role if role != "all" else "administrator")  # type: ignore[arg-type]
            tokens[name] = people.sessions.begin(people.accounts.id_of(name), None)
    async with running(replace(settings, team=True)) as client:
        yield {
            name: httpx.AsyncClient(
                transport=client._transport, base_url="http://127.0.0.1", cookies={"piql-session": secret}, timeout=30
            )
            for name, secret in tokens.items()
        }


PEOPLE = {"ada": "all", "dev": "developer", "eve": "developer", "rev": "reviewer", "ray": "reviewer", "dot": "deployer"}


async def test_the_life_of_a_request_of_a_team(settings: Settings, running: Running) -> None:
    async with signed_in(settings, running, **PEOPLE) as team:
        dev, rev, ray, dot = (team[name] for name in ("dev", "rev", "ray", "dot"))
        files = await files_of(dev)
        await rule(team["ada"], needs_request=True, approvals=2)
        request = await opened(dev, with_query(files))
        assert (request["author"], request["missing"]) == ("dev", ["0 of 2 approvals of this text given."])
        await rev.post(f"{REQUESTS}/1/comments", json={"revision": 1, "text": "Fine.", "query": "townOf"})
        assert (await approve(rev, note="Good.")).json()["approvals"] == 1
        assert (await approve(rev)).json()["approvals"] == 1  # one person is one
        assert code_of(await deploy(dot)) == (409, "request-blocked")
        assert (await approve(ray)).json()["status"] == "approved"
        again = {"revision": 1, "text": {"files": with_query(files)}}
        assert (await dev.post(f"{REQUESTS}/1/revisions", json=again)).json()["approvals"] == 2  # the same text
        other = {"revision": 1, "text": {"files": with_query(files, BY_TEXT)}}
        request = (await dev.post(f"{REQUESTS}/1/revisions", json=other)).json()
        assert (request["revision"], request["approvals"], request["status"]) == (2, 0, "open")
        assert code_of(await approve(rev, revision=1)) == (409, "request-changed")
        assert code_of(await deploy(dot, revision=1)) == (409, "request-changed")
        await approve(rev, revision=2)
        refused = await ray.post(f"{REQUESTS}/1/reviews", json={"revision": 2, "verdict": "refuse", "note": "Why?"})
        assert (refused.json()["status"], refused.json()["missing"]) == ("refused", ["This text was refused by ray."])
        assert (await approve(ray, revision=2)).json()["may_be_deployed"]
        assert (await deploy(dot, revision=2)).status_code == 202
        request = await until_over(dev)
        assert (request["deployed_by"], request["deployed_version"]) == ("dot", 2)
        entries = (await team["ada"].get("/api/audit", params={"person": "dot"})).json()["items"]
        assert [entry["operation"] for entry in entries if entry["status"] == 202] == ["deploy_request"]


async def test_whoever_wrote_the_text_does_not_approve_it_unless_the_rules_let_them(
    settings: Settings, running: Running
) -> None:
    async with signed_in(settings, running, **PEOPLE) as team:
        rev, ray = team["rev"], team["ray"]
        await rule(team["ada"], approvals=1)
        files = await files_of(rev)
        await opened(rev, with_query(files))
        assert code_of(await approve(rev)) == (403, "own-request")
        other = {"revision": 1, "text": {"files": with_query(files, BY_TEXT)}}
        await ray.post(f"{REQUESTS}/1/revisions", json=other)
        assert code_of(await approve(ray, revision=2)) == (403, "own-request")
        assert code_of(await approve(rev, revision=2)) == (403, "own-request")
        await rule(team["ada"], approvals=1, excludes_author=False)
        assert (await approve(ray, revision=2)).json()["status"] == "approved"
        await rule(team["ada"], approvals=1)
        request = await asked(ray)
        assert (request["status"], request["approvals"], request["reviews"][0]["counts"]) == ("open", 0, False)


async def test_two_who_approve_at_once_are_both_counted(settings: Settings, running: Running) -> None:
    async with signed_in(settings, running, **PEOPLE) as team:
        await rule(team["ada"], approvals=2)
        await opened(team["dev"], with_query(await files_of(team["dev"])))
        answers = await asyncio.gather(*(approve(team[name]) for name in ("rev", "ray", "rev", "ray")))
        assert [answer.status_code for answer in answers] == [201] * 4
        request = await asked(team["dev"])
        assert (request["approvals"], request["status"], len(request["reviews"])) == (2, "approved", 2)


@pytest.mark.parametrize(
    ("person", "method", "path", "body"),
    [
        ("dev", "PUT", "/rules", {}),
        ("dot", "PUT", "/rules", {}),
        ("dev", "POST", "/1/reviews", {"revision": 1, "verdict": "approve"}),
        ("dev", "POST", "/1/deployment", {"revision": 1}),
        ("rev", "POST", "/1/deployment", {"revision": 1}),
    ],
)
async def test_each_step_needs_its_role(
    settings: Settings, running: Running, person: str, method: str, path: str, body: dict[str, Any]
) -> None:
    async with signed_in(settings, running, **PEOPLE) as team:
        await opened(team["dev"], with_query(await files_of(team["dev"])))
        assert code_of(await team[person].request(method, f"{REQUESTS}{path}", json=body)) == (403, "role-needed")


@pytest.mark.parametrize("change", ["shut out", "without a role", "only a developer"])
async def test_the_approval_of_somebody_who_may_review_no_more_does_not_count(
    settings: Settings, running: Running, change: str
) -> None:
    async with signed_in(settings, running, **PEOPLE) as team:
        dev, rev, ray, dot = (team[name] for name in ("dev", "rev", "ray", "dot"))
        await rule(team["ada"], needs_request=True, approvals=1)
        await opened(dev, with_query(await files_of(dev)))
        assert (await approve(rev)).json()["status"] == "approved"
        if change == "shut out":
            await team["ada"].patch("/api/people/rev", json={"is_disabled": True})
        else:
            role = {"application": "scadr", "role": "developer" if change == "only a developer" else None}
            assert (await team["ada"].put("/api/people/rev/role", json=role)).status_code == 200
        request = await asked(dev)
        assert (request["approvals"], request["missing"]) == (0, ["0 of 1 approval of this text given."])
        assert [review["counts"] for review in request["reviews"]] == [False]
        assert code_of(await deploy(dot)) == (409, "request-blocked")
        assert (await approve(ray)).json()["approvals"] == 1
        assert (await deploy(dot)).status_code == 202
        await until_over(dev)
