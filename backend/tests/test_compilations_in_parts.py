"""A compilation in lines: what somebody looks at is answered before the rest, and the rest says the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, cast

import httpx
from piql_backend.compilations.in_parts import lines_of
from piql_backend.compilations.schemas import CompilationInParts
from piql_backend.web.errors import ApiError

from .test_compilations import named

TABLE = (
    "CREATE TABLE follows (owner INT, target INT, since INT, CARDINALITY LIMIT {} (owner),"
    " PRIMARY KEY (owner, target));\nCREATE TABLE users (name INT PRIMARY KEY, town INT);\n"
)
QUERY = (
    "CREATE QUERY q{} AS SELECT u.town FROM follows f JOIN users u ON u.name = f.target"
    " WHERE f.owner = [me] AND f.since > {};\n"
)


def request(limit: object, first: list[str], **more: object) -> dict[str, object]:
    text = TABLE.format(limit) + "".join(QUERY.format(number, number) for number in range(40))
    return {"files": [{"path": "a.piql", "text": text}], "stages_of": "q3", "first": first, **more}


async def lines(client: httpx.AsyncClient, body: dict[str, object]) -> list[dict[str, Any]]:
    answer = await client.post("/api/compilations/parts", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


async def test_what_is_looked_at_is_answered_first_then_all_others_and_as_in_the_whole(
    client: httpx.AsyncClient,
) -> None:
    await lines(client, request(10, []))
    first, others, last = await lines(client, request(20, ["q3", "q5", "unknown"]))
    assert [query["name"] for query in first["queries"]] == ["q3", "q5"]
    assert len(others["queries"]) == 38
    for query in (*first["queries"], *others["queries"]):
        assert query["bound"]["operations"] == 21
        whole = named(last["whole"]["queries"], query["name"])
        bound = {name: whole["bound"][name] for name in ("operations", "round_trips")}
        assert query == {**{name: whole[name] for name in query}, "bound": bound}


async def test_a_text_that_is_compiled_at_once_has_one_line(client: httpx.AsyncClient) -> None:
    await lines(client, request(10, ["q3"]))
    (last,) = await lines(client, request(10, ["q3"]))
    assert last["queries"] is None
    assert len(last["whole"]["queries"]) == 40


async def test_the_whole_is_what_an_answer_in_one_part_says(client: httpx.AsyncClient) -> None:
    body = request(30, ["q1"])
    whole = (await lines(client, body))[-1]["whole"]
    del body["first"]
    other = (await client.post("/api/compilations", json=body)).json()
    assert whole | {"elapsed_ms": 0} == other | {"elapsed_ms": 0}


async def test_what_is_refused_at_once_has_its_status(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/compilations/parts", json=request(10, ["q"] * 101))
    assert answer.status_code == 422
    assert (await client.post("/api/compilations/parts", json=request(10, [], more=1))).status_code == 422


class RefusingAfterAPart:
    """Workers that tell a part and then refuse the rest."""

    def __init__(self) -> None:
        self.given_up: list[Future[bytes]] = []

    def submit(self, name: str, argument: object, texts: object, tell: Callable[[bytes], object]) -> Future[bytes]:
        future: Future[bytes] = Future()
        tell(b"[]")
        future.set_exception(ApiError(503, "worker-lost", "It has ended.", "Try again."))
        return future

    def give_up(self, future: Future[bytes]) -> None:
        self.given_up.append(future)


async def test_what_is_refused_after_the_first_line_says_so_in_the_last() -> None:
    workers = RefusingAfterAPart()
    answer = await lines_of(workers, CompilationInParts(files=[]))  # type: ignore[arg-type]
    first, last = [json.loads(cast(bytes, line)) async for line in answer.body_iterator]
    assert first == {"queries": [], "whole": None, "refused": None}
    assert (last["refused"]["status"], last["refused"]["error"]["code"]) == (503, "worker-lost")
    assert len(workers.given_up) == 1
