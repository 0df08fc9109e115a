"""A text that is no address of a repository or a store is refused with what is wrong, wherever one is taken."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import httpx
import piql
import pytest
from piql_backend.alerts.destination import destination_of
from piql_backend.alerts.mailbox import MailSettings, mailbox_of
from piql_backend.application_imports.allowed_sources import AllowedSources
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.profile_runs.stores import MeasurableStores
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError

DEVELOPMENT = "/api/applications/scadr/environments/development"
AFTER_SCHEME = ["[", "[/k", "[x@h/r", "h]/r", "[]/k", "[h]/k", "[::1/k", "h:x/k", "h:99999/k", "h:" + "9" * 400,
                "::::/k", "", "/", "@", "[@]/k", "h/k\u2100", "h/%5B", "h/\ud800", "?", "//[",
                "h/" + "k" * 400]  # fmt: skip
SCHEMES = ("cql", "s3", "embedded", "stepwise", "x")
REPOSITORIES = [f"{scheme}://{rest}" for scheme in ("https", "file") for rest in AFTER_SCHEME]
STORES = [f"{scheme}://{rest}" for scheme in SCHEMES for rest in AFTER_SCHEME]
WEBSITES = [
    "https://[",
    "https://[x@h/r",
    "https://h]/r",
    "https://h:x/r",
    "https://h:99999/r",
    "smtp://[",
    "smtp://h]",
]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return replace(settings, allowed_sources=(str(tmp_path),), allowed_stores=(f"embedded:{tmp_path}",))


async def sent(client: httpx.AsyncClient, method: str, path: str, body: dict[str, object]) -> httpx.Response:
    """Send a body that may hold half a character."""
    headers = {"Content-Type": "application/json"}
    return await client.request(method, path, content=json.dumps(body), headers=headers)


def refusal_of(answer: httpx.Response, text: str) -> None:
    """Check that an answer refuses a text, in a sentence."""
    assert answer.status_code in (403, 422), (text, answer.text)
    assert answer.json()["message"], (text, answer.text)


async def test_no_text_is_a_fault_where_a_repository_is_imported(client: httpx.AsyncClient, tmp_path: Path) -> None:
    for text in [*REPOSITORIES, f"file://{tmp_path}/{'x' * 400}", f"file://{tmp_path}/%00", f"file://{tmp_path}/%ff"]:
        answer = await sent(client, "post", "/api/application-imports/repositories", {"address": text})
        refusal_of(answer, text)
        answer = await sent(client, "post", "/api/application-imports/folders", {"path": text.removeprefix("file://")})
        refusal_of(answer, text)


@pytest.mark.parametrize("text", ["https://[", "https://[x@h/r", "https://h]/r", "file://["])
async def test_a_repository_whose_address_cannot_be_split_is_refused_with_what_to_write(
    client: httpx.AsyncClient, text: str
) -> None:
    answer = await sent(client, "post", "/api/application-imports/repositories", {"address": text})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-address")
    assert "https://HOST/PATH" in answer.json()["message"]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_no_text_is_a_fault_where_a_store_is_named(client: httpx.AsyncClient, scheme: str) -> None:
    for text in [text for text in STORES if text.startswith(f"{scheme}:")]:
        answers = [
            await sent(client, "post", "/api/applications/scadr/environments", {"title": "x", "store": {"url": text}}),
            await sent(client, "patch", DEVELOPMENT, {"store": {"url": text}}),
            await sent(client, "post", "/api/application-imports/keyspaces", {"store": {"url": text}}),
        ]
        for answer in answers:
            refusal_of(answer, text)
        if text.startswith("cql:"):
            with pytest.raises(ApiError) as raised:
                MeasurableStores("embedded:").url(text)
            assert raised.value.status in (403, 422)


@pytest.mark.parametrize("text", ["cql://[/k", "cql://[h]/k", "cql://h]/k", "cql://h:x/k", "cql://h:99999/k"])
async def test_a_cluster_whose_hosts_are_none_is_refused_as_a_wrong_address(
    client: httpx.AsyncClient, text: str
) -> None:
    for path, body in (
        ("/api/applications/scadr/environments", {"title": "x", "store": {"url": text}}),
        ("/api/application-imports/keyspaces", {"store": {"url": text}}),
        (f"{DEVELOPMENT}/profile-runs", {"store_url": text}),
    ):
        answer = await client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-store"), answer.text
        assert "cql://host[,host…][:port]/keyspace" in answer.json()["message"]


@pytest.mark.parametrize("text", [text for text in STORES if text.startswith(("cql:", "s3://[", "s3://h]", "x:"))])
def test_no_text_is_a_fault_of_the_engine(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(piql.StoreUnavailable):
        piql.connect(text)
    with pytest.raises(ApiError) as raised:
        AllowedStores([]).refuse_other(text)
    assert raised.value.status in (403, 422)


@pytest.mark.parametrize("text", WEBSITES)
def test_no_text_is_a_fault_where_the_workbench_is_started(text: str) -> None:
    with pytest.raises(ValueError, match="--allowed-source"):
        AllowedSources([text])
    with pytest.raises(ValueError, match="ALERT_WEBHOOK"):
        destination_of(text, [], None)
    with pytest.raises(ValueError, match="ALERT_MAIL"):
        mailbox_of(MailSettings(server=text, sender="a@example.com", recipients=("b@example.com",)), [])
    with pytest.raises(piql.InvalidParameter, match="not an address for reports"):
        piql.connect("embedded:", report=text)
