"""What the service answers, and what it refuses."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import piql
import pytest
from piql_service.web.refusals import Refusal
from piql_service.web.requests import body_of

from .conftest import SCADR, MakeWorld, World

EVERY_TYPE = """
CREATE TABLE things (id INT PRIMARY KEY, big BIGINT, price DECIMAL(12, 2), made TIMESTAMP, day DATE, raw BLOB);
CREATE QUERY addThing AS INSERT INTO things (id, big, price, made, day, raw)
VALUES ([id], [big], [price], [made], [day], [raw]);
CREATE QUERY addThings AS INSERT INTO things (id, big, price, made, day, raw) VALUES [rows] MAX 3;
CREATE QUERY findThing AS SELECT big, price, made, day, raw FROM things WHERE id = [id];
"""


async def test_numbers_and_times_come_back_exactly_as_they_went_in(make_world: MakeWorld) -> None:
    world = make_world()
    world.database.deploy(piql.compile(EVERY_TYPE))
    values = {
        "big": "9007199254740993",
        "price": "9999999999.99",
        "made": "2026-01-31T12:00:00.125Z",
        "day": "2026-01-31",
        "raw": {"$base64": "AP8="},
    }
    assert (await world.client.query("addThing", {"id": 1} | values)).status == 200
    assert (await world.client.query("findThing", {"id": 1})).json["rows"] == [values]
    refused = await world.client.query("addThing", {"id": 2} | values | {"price": 0.1234567890123456})
    assert (refused.status, refused.json["code"]) == (422, "invalid-parameter")
    assert refused.json["parameter"] == "price"


async def test_rows_of_a_list_come_back_exactly_as_they_went_in(make_world: MakeWorld) -> None:
    world = make_world()
    world.database.deploy(piql.compile(EVERY_TYPE))
    values = {"big": "9007199254740993", "price": "0.50", "made": None, "day": "2026-01-31", "raw": {"$base64": "AP8="}}
    answer = await world.client.query("addThings", {"rows": [{"id": 1} | values, [2, *values.values()]]})
    assert (answer.status, answer.json["rows_affected"]) == (200, 2)
    for number in (1, 2):
        assert (await world.client.query("findThing", {"id": number})).json["rows"] == [values]
    refused = await world.client.query("addThings", {"rows": [{"id": 3} | values | {"price": 0.1234567890123456}]})
    assert (refused.status, refused.json["code"]) == (422, "invalid-parameter")
    document = (await world.client.send("GET", "/openapi.json")).json
    rows = document["components"]["schemas"]["addThings.parameters"]["properties"]["rows"]
    assert (rows["maxItems"], list(rows["items"]["properties"])) == (3, ["id", *values])


async def test_a_session_reads_what_it_wrote_and_its_token_goes_on(make_world: MakeWorld) -> None:
    world = make_world()
    wrote = await world.client.query("addUser", {"username": "bob", "hometown": None}, piql_session="new")
    token = wrote.headers["piql-session"]
    read = await world.client.query("findUser", {"username": "bob"}, piql_session=token)
    assert read.json["rows"] == [{"username": "bob", "hometown": None}]
    assert "piql-session" in read.headers
    damaged = await world.client.query("findUser", {"username": "bob"}, piql_session=f"{token[:-2]}xx")
    assert (damaged.status, damaged.json["code"]) == (422, "invalid-session")


def with_thoughts(world: World, count: int) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [{"owner": "ada", "posted": moment + timedelta(days=day), "text": f"{day}"} for day in range(count)]
    world.database.load("thoughts", rows)


async def test_pages_are_lines_and_the_cursor_of_the_last_one_goes_on(make_world: MakeWorld) -> None:
    world = make_world()
    with_thoughts(world, 25)
    lines = {"accept": "application/x-ndjson"}
    whole = await world.client.query("myThoughts", {"me": "ada"}, **lines)
    pages = [json.loads(line) for line in whole.body.splitlines()]
    assert [len(page["rows"]) for page in pages] == [10, 10, 5]
    first = await world.client.query("myThoughts", {"me": "ada"}, piql_pages="1", **lines)
    rest = await world.client.query("myThoughts", {"me": "ada"}, json.loads(first.body)["cursor"], **lines)
    assert [json.loads(line)["rows"] for line in rest.body.splitlines()] == [page["rows"] for page in pages[1:]]


async def test_an_error_of_the_engine_has_its_name_as_its_code(make_world: MakeWorld) -> None:
    world = make_world()
    refused = await world.client.query("myThoughts", {"me": "ada"}, "damaged")
    assert (refused.status, refused.json["code"]) == (422, "invalid-cursor")
    refused = await world.client.query("subscribe", {"owner": "ada", "target": "nobody"})
    assert (refused.status, refused.json["code"]) == (422, "foreign-key-violation")
    refused = await world.client.query("nothing", {})
    assert (refused.status, refused.json["code"]) == (404, "not-deployed")


async def test_a_body_that_is_refused_is_taken_from_the_connection_before(make_world: MakeWorld) -> None:
    part = {"type": "http.request", "body": bytes(1_500_000), "more_body": True}
    end = {"type": "http.request", "body": b"", "more_body": False}
    for length in (b"3000000", b"0"):  # as declared, and in chunks
        left: list[dict[str, object]] = [part, part, end]

        async def receive(left: list[dict[str, object]] = left) -> dict[str, object]:
            return left.pop(0)

        headers = {b"content-type": b"application/json", b"content-length": length}
        with pytest.raises(Refusal, match="larger than 1 MB"):
            await body_of(receive, headers)
        assert left == []


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ({"host": "evil.example"}, b"{}", 400, "unknown-host"),
        ({"content_type": "text/plain"}, b"{}", 415, "not-json"),
        ({"content_length": "99999999"}, b"{}", 413, "body-too-large"),
        ({}, b"{", 400, "invalid-json"),
        ({}, b'{"params": {}}', 400, "invalid-request"),
        ({}, b'{"parameters": {"username": "ada", "age": 3}}', 422, "invalid-parameter"),
        ({"piql_timeout_ms": "soon"}, b'{"parameters": {"username": "ada"}}', 400, "invalid-request"),
        ({"piql_consistency": "strong"}, b'{"parameters": {"username": "ada"}}', 400, "invalid-request"),
    ],
)
async def test_a_wrong_request_is_refused_with_a_code(
    make_world: MakeWorld, headers: dict[str, str], body: bytes, status: int, code: str
) -> None:
    world = make_world()
    refused = await world.client.send("POST", "/queries/findUser", body, **headers)
    assert (refused.status, refused.json["code"]) == (status, code)
    assert refused.json["message"]


async def test_a_new_deployment_is_picked_up_and_the_document_follows(make_world: MakeWorld) -> None:
    world = make_world()
    await world.parts.live_queries.look()
    before = (await world.client.send("GET", "/openapi.json")).json
    assert "/queries/findThing" not in before["paths"]
    assert before["paths"]["/queries/thoughtstream"]["post"]["x-piql-bound"]["operations"] == 101
    world.database.deploy(piql.compile(EVERY_TYPE))
    assert (await world.client.query("findThing", {"id": 1})).json["rows"] == []
    after = (await world.client.send("GET", "/openapi.json")).json
    row = after["components"]["schemas"]["findThing.row"]["properties"]
    assert row["price"]["anyOf"][0] == {"type": "string", "format": "decimal", "x-piql-type": "DECIMAL(12, 2)"}
    assert after["components"]["schemas"]["findUser.parameters"]["required"] == ["username"]


async def test_a_query_that_is_deployed_anew_is_admitted_and_executed_as_it_is_now(make_world: MakeWorld) -> None:
    world = make_world()
    await world.parts.live_queries.look()
    assert (await world.client.query("findUser", {"username": "ada"})).json["rows"]
    for statement in ("DELETE FROM users", "SELECT hometown FROM users"):
        named = f"CREATE QUERY findUser AS {statement} WHERE username = [username];"
        world.database.deploy(piql.compile((SCADR / "schema.piql").read_text() + named))
        answer = await world.client.query("findUser", {"username": "nobody"})
        assert answer.status == 200
        bound = world.parts.live_queries.current.served.queries["findUser"].operations
        assert answer.json["operations"] <= bound


async def test_it_is_ready_until_it_drains_and_its_numbers_are_those_of_the_executions(make_world: MakeWorld) -> None:
    world = make_world()
    assert (await world.client.send("GET", "/readyz")).status == 503
    await world.parts.live_queries.look()
    assert (await world.client.send("GET", "/readyz")).status == 200
    await asyncio.gather(*(world.client.query("findUser", {"username": "ada"}) for _ in range(3)))
    numbers = (await world.client.send("GET", "/metrics")).body.decode()
    assert 'piql_service_answers_total{worker="0",query="findUser",status="200"} 3\n' in numbers
    assert 'piql_service_operations_total{worker="0",query="findUser"} 1\n' in numbers
    world.parts.is_draining = True
    assert (await world.client.send("GET", "/readyz")).json["status"] == "draining"
