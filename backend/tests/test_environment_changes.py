"""Environments are added, changed and removed; each has a store of its own, which none of this writes to."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from piql_backend.commands.applications import app
from piql_backend.data_folder.layout import environment_folder
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.settings import Settings
from piql_backend.web.errors import ApiError

from .conftest import DEVELOPMENT

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
OF_SCADR = "/api/applications/scadr/environments"
NOBODY_LISTENS = "cql://127.0.0.1:1/shop"


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """With a folder and a cluster that environments may name; nobody answers there."""
    return replace(settings, allowed_stores=(f"embedded:{tmp_path / 'stores'}", "cql://127.0.0.1,localhost:1"))


async def added(client: httpx.AsyncClient, title: str, **given: Any) -> dict[str, Any]:
    answer = await client.post(OF_SCADR, json={"title": title, **given})
    assert answer.status_code == 201, answer.text
    read: dict[str, Any] = answer.json()
    return read


async def refused(client: httpx.AsyncClient, **given: Any) -> tuple[int, str, str]:
    answer = await client.post(OF_SCADR, json={"title": "Production", **given})
    body = answer.json()
    return answer.status_code, body["code"], f"{body['message']} {body['help']}"


async def ids(client: httpx.AsyncClient, application: str = "scadr") -> list[str]:
    answer = await client.get(f"/api/applications/{application}/environments")
    return [read["id"] for read in answer.json()["items"]]


async def test_an_environment_that_is_added_has_a_store_and_a_live_version_of_its_own(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    read = await added(client, "Prüfung", colour="amber", slo={"threshold_ms": 50})
    assert (read["id"], read["title"], read["colour"], read["slo"]["threshold_ms"]) == (
        "prufung",
        "Prüfung",
        "amber",
        50,
    )
    assert await ids(client) == ["development", "prufung"]
    assert (await client.get("/api/applications")).json()["items"][0]["environments"] == ["development", "prufung"]
    folder = environment_folder(settings.data, "scadr", "prufung")
    assert [path.name for path in folder.iterdir()] == ["environment.json"]  # not even opened
    assert (await client.get(f"{OF_SCADR}/prufung/deployments")).json()["items"] == []
    assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["version"] == 1


async def test_what_one_deploys_and_writes_is_not_in_the_other(client: httpx.AsyncClient, tmp_path: Path) -> None:
    await added(client, "Staging", store={"url": f"embedded:{tmp_path}/stores/staging.db"})
    assert not (tmp_path / "stores").exists()
    made = await client.post(f"{OF_SCADR}/staging/deployments", json={})
    assert (made.status_code, made.json()["version"]) == (201, 1)
    run = "deployments/live/queries/findUser/executions"
    body = {"parameters": {"username": "ada_bell"}}
    rows = [
        (await client.post(f"{path}/{run}", json=body)).json()["rows"] for path in (DEVELOPMENT, f"{OF_SCADR}/staging")
    ]
    assert [len(found) for found in rows] == [1, 0]
    assert (tmp_path / "stores" / "staging.db").is_file()


@pytest.mark.parametrize(
    ("store", "status", "code", "said"),
    [
        ({"url": "cql://db9/shop"}, 403, "store-not-allowed", "--allowed-store cql://db9:9042/shop"),
        ({"url": "cql://127.0.0.1,db9:1/shop"}, 403, "store-not-allowed", "may not connect to db9:1"),
        ({"url": "embedded:/etc/passwd"}, 403, "store-not-allowed", "may not open /etc/passwd"),
        ({"url": "embedded:"}, 403, "store-not-allowed", "a temporary file"),
        ({"url": "cql://127.0.0.1:1"}, 422, "invalid-store", "the keyspace after the hosts"),
        ({"url": "postgres://db/shop"}, 422, "invalid-store", "cql://HOST/KEYSPACE"),
        ({"url": "cql://me:secret@127.0.0.1:1/shop"}, 422, "credentials-in-url", "Name a variable or a file"),
        *(
            ({"url": f"embedded:/srv/piql/shop?{option}"}, 422, "invalid-store", "the options are")
            for option in ("password=secret", "user=me", "foo", "wait_ms=long")
        ),
        ({"url": "embedded:/srv/piql/shop", "user": {"variable": "X"}}, 422, "invalid-store", "the options are"),
        ({"password": {"variable": "X"}}, 422, "invalid-store", "takes no credentials"),
        ({"url": NOBODY_LISTENS, "password": {}}, 422, "invalid-request", "either a variable or a file"),
        ({"url": NOBODY_LISTENS, "tls": {"ca_file": "ca.pem"}}, 422, "invalid-request", "ca_file"),
        ({"url": NOBODY_LISTENS, "colour": "pink"}, 422, "invalid-request", "colour"),
    ],
)
async def test_a_store_that_may_not_be_named_is_refused_in_plain_words(
    client: httpx.AsyncClient, store: dict[str, Any], status: int, code: str, said: str
) -> None:
    answer = await refused(client, store=store)
    assert answer[:2] == (status, code)
    assert said in answer[2]
    assert "secret" not in answer[2]
    assert await ids(client) == ["development"]


async def test_a_namespace_that_another_environment_has_is_refused_before_anything_is_written(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    await client.post("/api/applications", json={"title": "Shop"})
    file = f"embedded:{tmp_path}/stores/one.db"
    made = await client.post("/api/applications/shop/environments", json={"title": "Live", "store": {"url": file}})
    assert made.status_code == 201, made.text
    for url in (file, f"embedded:{tmp_path}/stores/../stores/one.db?synchronous=NORMAL"):
        status, code, said = await refused(client, store={"url": url})
        assert (status, code) == (409, "namespace-taken")
        assert "shop/live has its data in this file" in said
    await added(client, "Cluster", store={"url": NOBODY_LISTENS})
    for url in (NOBODY_LISTENS, "cql://localhost:1/shop?consistency=ONE", "cql://LOCALHOST,127.0.0.1:1/shop"):
        status, code, said = await refused(client, store={"url": url})
        assert (status, code) == (409, "namespace-taken")
        assert "scadr/cluster" in said
        assert "prefix" in said
    changed = await client.patch(f"{OF_SCADR}/development", json={"store": {"url": file}})
    assert (changed.status_code, changed.json()["code"]) == (409, "namespace-taken")
    await added(client, "Beside", store={"url": f"{NOBODY_LISTENS}?prefix=b_"})
    assert not (tmp_path / "stores").exists()


async def test_a_store_that_cannot_be_reached_says_why_and_stops_nobody(client: httpx.AsyncClient) -> None:
    await added(client, "Away", store={"url": f"{NOBODY_LISTENS}?timeout=1"})
    await added(client, "Keyless", store={"url": f"{NOBODY_LISTENS}?prefix=k_", "password": {"variable": "PIQL_NONE"}})
    away, keyless = [(await client.get(f"{OF_SCADR}/{name}/health")).json() for name in ("away", "keyless")]
    assert "cannot be reached" in away["problems"][0]["message"]
    assert "Check that the store is running" in away["problems"][0]["help"]
    assert "environment variable PIQL_NONE, which is not set" in keyless["problems"][0]["message"]
    assert keyless["problems"][0]["help"] == "Set it where the workbench is started."
    answer = await client.post(f"{OF_SCADR}/away/deployments", json={"base_version": 0})
    assert (answer.status_code, answer.json()["code"]) == (503, "store-unavailable")
    assert (await client.get(f"{DEVELOPMENT}/health")).json()["status"] == "ok"


async def test_credentials_are_neither_kept_nor_shown(
    client: httpx.AsyncClient,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SCADR_USER", "ada_lovelace")
    (tmp_path / "password").write_text("hunter22")
    store = {
        "url": f"{NOBODY_LISTENS}?timeout=1",
        "user": {"variable": "SCADR_USER"},
        "password": {"file": str(tmp_path / "password")},
        "consistency": "QUORUM",
    }
    read = await added(client, "Live", store=store)
    assert read["store"]["user"] == {"variable": "SCADR_USER", "file": None}
    assert read["store"]["consistency"] == "QUORUM"
    said = [(await client.get(f"{OF_SCADR}{path}")).text for path in ("", "/live/health", "/live/deployments/live")]
    kept = [path for path in settings.data.rglob("*") if path.is_file()]
    for secret in ("ada_lovelace", "hunter22"):
        assert not any(secret in text for text in (*said, caplog.text, json.dumps(read)))
        assert not any(secret.encode() in path.read_bytes() for path in kept)


async def test_what_is_said_of_an_environment_can_be_changed_and_its_id_stays(client: httpx.AsyncClient) -> None:
    await added(client, "Live", slo={"threshold_ms": 80})
    changed = await client.patch(f"{OF_SCADR}/live", json={"title": "Production", "colour": "red"})
    read = changed.json()
    assert (read["id"], read["title"], read["colour"], read["slo"]["threshold_ms"]) == ("live", "Production", "red", 80)
    assert (await client.patch(f"{OF_SCADR}/live", json={"slo": None})).json()["slo"] is None
    assert (await client.patch(f"{OF_SCADR}/live", json={"title": None})).json()["title"] == "Production"
    assert (await client.patch(f"{OF_SCADR}/none", json={"title": "x"})).status_code == 404
    again = await client.post(OF_SCADR, json={"title": "x", "id": "live"})
    assert (again.status_code, again.json()["code"]) == (409, "environment-exists")


async def test_one_whose_store_is_changed_runs_on_the_new_one(client: httpx.AsyncClient, tmp_path: Path) -> None:
    await added(client, "Live")
    await client.post(f"{OF_SCADR}/live/deployments", json={})
    url = f"embedded:{tmp_path}/stores/moved.db"
    assert (await client.patch(f"{OF_SCADR}/live", json={"store": {"url": url}})).json()["store"]["url"] == url
    health = (await client.get(f"{OF_SCADR}/live/health")).json()
    assert (health["status"], health["store"]["url"]) == ("ok", url)
    assert (await client.get(f"{OF_SCADR}/live/deployments/live")).json()["code"] == "nothing-deployed"


async def test_a_removal_needs_the_id_leaves_the_store_and_stops_at_the_last(
    client: httpx.AsyncClient, settings: Settings, tmp_path: Path
) -> None:
    url = f"{OF_SCADR}/development"
    last = await client.delete(url, params={"name": "development"})
    assert (last.status_code, last.json()["code"]) == (409, "last-environment")
    await added(client, "Live", store={"url": f"embedded:{tmp_path}/stores/live.db"})
    await client.post(f"{OF_SCADR}/live/deployments", json={})
    unsaid = await client.delete(f"{OF_SCADR}/live", params={"name": "Live"})
    assert (unsaid.status_code, unsaid.json()["code"]) == (409, "not-confirmed")
    assert (await client.delete(url, params={"name": "development"})).status_code == 204
    assert await ids(client) == ["live"]
    assert (await client.get(f"{DEVELOPMENT}/deployments")).status_code == 404
    (aside,) = (settings.data / "deleted").iterdir()
    assert (aside / "store").is_file()
    await added(client, "Development")
    assert (await client.delete(f"{OF_SCADR}/live", params={"name": "live"})).status_code == 204
    assert (tmp_path / "stores" / "live.db").is_file()
    assert (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"] == []


async def test_a_store_that_the_list_lost_is_not_connected_to_after_the_next_start(
    settings: Settings, running: Running, tmp_path: Path
) -> None:
    async with running(settings) as client:
        await added(client, "Live", store={"url": f"embedded:{tmp_path}/stores/live.db"})
    async with running(replace(settings, allowed_stores=())) as client:
        health = await client.get(f"{OF_SCADR}/live/health")
        assert health.status_code == 503
        assert "may not open" in health.json()["problems"][0]["message"]
        assert (await client.get(f"{DEVELOPMENT}/health")).status_code == 200


def test_the_list_names_clusters_keyspaces_and_folders(tmp_path: Path) -> None:
    allowed = AllowedStores(["cql://a,b", "cql://c:9999/shop", f"embedded:{tmp_path}"], "cql://me:pw@d/scadr")
    for url in (
        "cql://a/x",
        "cql://B/y?prefix=p_",
        "cql://c:9999/shop?prefix=q_",
        "cql://d/scadr",
        f"embedded:{tmp_path}/f",
    ):
        allowed.refuse_other(url)
    for url in (
        "cql://c:9999/other",
        "cql://c/shop",
        "cql://a,c/shop",
        f"embedded:{tmp_path}",
        f"embedded:{tmp_path}/../f",
    ):
        with pytest.raises(ApiError) as refusal:
            allowed.refuse_other(url)
        assert refusal.value.status == 403
    assert allowed.cluster_of(["a:9042"]) == {"a:9042", "b:9042"}
    for wrong in ("embedded:", "embedded", "cql:", "db1", "cql://me:pw@a"):
        with pytest.raises(ValueError, match="allowed-store"):
            AllowedStores([wrong])


def test_the_command_says_what_it_did_and_why_it_was_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        code = app(["--url", address, "env", *arguments])
        output = capsys.readouterr()
        return code, output.out + output.err

    assert said("add", "scadr", "Live", "--colour", "red", "--slo-ms", "80")[1].startswith("live is added")
    assert said("list", "scadr") == (0, "development  development  embedded\nlive  Live  embedded\n")
    assert said("rename", "scadr", "live", "Production") == (0, "live is called Production.\n")
    code, output = said("change", "scadr", "live", "--store", "cql://db/shop", "--password-variable", "SHOP_PASSWORD")
    assert (code, "--allowed-store cql://db:9042/shop" in output) == (1, True)
    code, output = said("change", "scadr", "live", "--tls")
    assert (code, "give its --store" in output) == (2, True)
    assert said("remove", "scadr", "live")[0] == 1
    assert said("remove", "scadr", "live", "--confirm", "live")[0] == 0
    assert said("list", "scadr")[1] == "development  development  embedded\n"


async def test_data_are_deleted_with_an_environment_only_where_that_is_asked_for(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    store = tmp_path / "stores" / "live.db"
    for deletes_data, is_left in ((False, True), (True, False)):
        await added(client, "Live", store={"url": f"embedded:{store}"})
        await client.post(f"{OF_SCADR}/live/deployments", json={"base_version": 1 if deletes_data else 0})
        asked = {"name": "live", "deletes_data": deletes_data}
        assert (await client.delete(f"{OF_SCADR}/live", params=asked)).status_code == 204
        assert store.exists() is is_left
    other = tmp_path / "stores" / "other.db"
    other.write_text("a file of another program")
    await added(client, "Strange", store={"url": f"embedded:{other}"})
    await added(client, "Cluster", store={"url": NOBODY_LISTENS})
    for name in ("strange", "cluster"):
        answer = await client.delete(f"{OF_SCADR}/{name}", params={"name": name, "deletes_data": True})
        assert (answer.status_code, answer.json()["code"]) == (422, "data-not-deleted")
    assert other.read_text() == "a file of another program"
    assert await ids(client) == ["cluster", "development", "strange"]
