"""Files come in parts, are checked, and are loaded as far as they fit."""

import asyncio
import base64
from pathlib import Path
from typing import Any

import httpx
import pytest
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, folder_of

PART = 40


async def upload(client: httpx.AsyncClient, table: str, name: str, content: bytes) -> Any:
    request = {"table": table, "file_name": name, "size": len(content)}
    answer = await client.post(f"{DEVELOPMENT}/imports", json=request)
    assert answer.status_code == 201, answer.text
    state = answer.json()
    for offset in range(0, len(content), PART):
        part = {"offset": offset, "base64": base64.b64encode(content[offset : offset + PART]).decode()}
        state = (await client.post(f"{DEVELOPMENT}/imports/{state['id']}/parts", json=part)).json()
    return state


async def run(client: httpx.AsyncClient, import_id: str, **request: Any) -> Any:
    answer = await client.post(f"{DEVELOPMENT}/imports/{import_id}/runs", json=request)
    assert answer.status_code == 200, answer.text
    while (state := (await client.get(f"{DEVELOPMENT}/imports/{import_id}")).json())["state"] in (
        "checking",
        "loading",
    ):
        await asyncio.sleep(0.05)  # requests without a pause are refused (429)
    return state


async def towns(client: httpx.AsyncClient) -> int:
    tables = (await client.get(f"{DEVELOPMENT}/tables")).json()["items"]
    return next(table["rows_estimate"] for table in tables if table["name"] == "users")


@pytest.fixture
async def header(client: httpx.AsyncClient) -> list[str]:
    page = (await client.get(f"{DEVELOPMENT}/tables/users/rows")).json()
    return [column["name"] for column in page["columns"]]


def lines(header: list[str], names: list[str]) -> bytes:
    rows = [",".join([name, *("x" for _ in header[1:])]) for name in names]
    return "\n".join([",".join(header), *rows, ""]).encode()


async def test_a_file_is_uploaded_checked_and_loaded(client: httpx.AsyncClient, header: list[str]) -> None:
    state = await upload(client, "users", "users.csv", lines(["Nick", *header[1:]], ["zoe", "yan"]))
    assert (state["state"], state["rows_total"], state["columns"]) == ("ready", 2, ["Nick", *header[1:]])
    assert state["suggested"] == [None, *header[1:]]
    assert state["sample"][0][0] == "zoe"
    mapping = {"Nick": "username"}
    before = await towns(client)
    checked = await run(client, state["id"], mapping=mapping)
    assert (checked["state"], checked["new"], checked["problems"]) == ("checked", 2, [])
    assert await towns(client) == before
    loaded = await run(client, state["id"], mapping=mapping, dry_run=False)
    assert (loaded["state"], loaded["rows_in"], loaded["line_in"]) == ("loaded", 2, 3)
    assert await towns(client) == before + 2
    again = await run(client, state["id"], mapping=mapping)
    assert (again["new"], again["unchanged"]) == (0, 2)


async def test_faults_are_named_by_line_and_column(client: httpx.AsyncClient) -> None:
    content = b"owner,target,approved\nnobody,nobody,true\n,,maybe\n"
    state = await upload(client, "subscriptions", "s.csv", content)
    checked = await run(client, state["id"])
    places = [(problem["line"], problem["column"]) for problem in checked["problems"]]
    assert places == [(2, "owner"), (2, "target"), (3, "owner"), (3, "target"), (3, "approved")]
    assert checked["problems"][-1]["value"] == "maybe"
    refused = await run(client, state["id"], dry_run=False)
    assert (refused["state"], refused["rows_in"]) == ("refused", 0)
    assert [(problem["line"], problem["column"]) for problem in refused["problems"]] == places


async def test_a_mapping_that_does_not_fit_is_said(client: httpx.AsyncClient) -> None:
    state = await upload(client, "users", "users.csv", b"nick\nzoe\n")
    refused = await run(client, state["id"])
    assert refused["state"] == "refused"
    assert "username" in refused["problems"][0]["message"]


async def test_a_file_that_is_not_well_formed_is_refused(client: httpx.AsyncClient) -> None:
    state = await upload(client, "users", "users.csv", b'username\n"a"b\n')
    assert (state["state"], state["problems"][0]["line"]) == ("refused", 2)
    answer = await client.post(f"{DEVELOPMENT}/imports/{state['id']}/runs", json={})
    assert (answer.status_code, answer.json()["code"]) == (409, "import-state")


async def test_a_stopped_load_is_resumed(
    client: httpx.AsyncClient, header: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The load is stopped when its first batch is in, as if somebody had pressed the button then."""
    from piql_backend.imports import service

    names = [f"z{number:05d}" for number in range(12_000)]
    state = await upload_whole(client, lines(header, names))
    of = service.FileLoad.load

    def stopping(self: Any, tell: Any, stop: Any, **options: Any) -> Any:
        told: list[int] = []

        def tell_once(rows: int, line: int) -> None:
            told.append(rows)
            tell(rows, line)

        return of(self, tell_once, lambda: bool(told), **options)

    with monkeypatch.context() as patch:
        patch.setattr(service.FileLoad, "load", stopping)
        stopped = await run(client, state["id"], dry_run=False)
    assert (stopped["state"], stopped["rows_in"], stopped["line_in"]) == ("stopped", 5000, 5001)
    resumed = await run(client, state["id"], dry_run=False, resume=True)
    assert (resumed["state"], resumed["rows_in"], resumed["skipped"]) == ("loaded", 12_000, 5000)


async def upload_whole(client: httpx.AsyncClient, content: bytes) -> Any:
    request = {"table": "users", "file_name": "many.csv", "size": len(content)}
    state = (await client.post(f"{DEVELOPMENT}/imports", json=request)).json()
    part = {"offset": 0, "base64": base64.b64encode(content).decode()}
    return (await client.post(f"{DEVELOPMENT}/imports/{state['id']}/parts", json=part)).json()


async def test_parts_come_one_behind_the_other(client: httpx.AsyncClient) -> None:
    request = {"table": "users", "file_name": "users.csv", "size": 10}
    state = (await client.post(f"{DEVELOPMENT}/imports", json=request)).json()
    path = f"{DEVELOPMENT}/imports/{state['id']}/parts"
    late = await client.post(path, json={"offset": 3, "base64": "YWJj"})
    assert (late.status_code, late.json()["code"]) == (409, "import-state")
    assert (await client.post(path, json={"offset": 0, "base64": "?"})).status_code == 422
    too_long = await client.post(path, json={"offset": 0, "base64": base64.b64encode(b"x" * 11).decode()})
    assert too_long.status_code == 422
    assert (await client.post(path, json={"offset": 0, "base64": "YWJj"})).json()["uploaded"] == 3


async def test_what_cannot_be_imported_is_refused_at_once(client: httpx.AsyncClient) -> None:
    for request, status in (
        ({"table": "nope", "file_name": "a.csv", "size": 1}, 404),
        ({"table": "users", "file_name": "a.txt", "size": 1}, 422),
        ({"table": "users", "file_name": "a.csv", "size": 2**30}, 422),
    ):
        assert (await client.post(f"{DEVELOPMENT}/imports", json=request)).status_code == status
    assert (await client.get(f"{DEVELOPMENT}/imports/i9")).status_code == 404


async def test_an_import_is_forgotten_with_its_file(client: httpx.AsyncClient, settings: Settings) -> None:
    state = await upload(client, "users", "users.csv", b"username\nzoe\n")
    assert uploads(folder_of(settings)) == 1
    assert (await client.post(f"{DEVELOPMENT}/imports/{state['id']}/cancel")).status_code == 409
    assert (await client.delete(f"{DEVELOPMENT}/imports/{state['id']}")).status_code == 204
    assert uploads(folder_of(settings)) == 0


def uploads(folder: Path) -> int:
    return len(list(folder.rglob("imports/*")))


async def test_the_oldest_imports_make_room(client: httpx.AsyncClient) -> None:
    made = [(await upload(client, "users", "users.csv", b"username\nzoe\n"))["id"] for _ in range(12)]
    statuses = [(await client.get(f"{DEVELOPMENT}/imports/{import_id}")).status_code for import_id in made]
    assert statuses == [404, 404, *[200] * 10]
