"""While a version is tried beside the live one, a share of the requests is answered by it."""

from __future__ import annotations

import asyncio

import piql

from .conftest import SCADR, MakeWorld, World

FOUND = "CREATE QUERY findUser AS SELECT username, hometown{more} FROM users WHERE username = [username];\n"
NEW = "CREATE QUERY homeOf AS SELECT hometown FROM users WHERE username = [username];\n"


def text(more: str) -> str:
    schema = (SCADR / "schema.piql").read_text()
    assert "  hometown VARCHAR" in schema
    return schema.replace("  hometown VARCHAR", "  shout VARCHAR(9) NULL,\n  hometown VARCHAR", 1) + FOUND.format(
        more=more
    )


async def shapes(world: World, calls: int) -> list[bool]:
    """Return of each of so many answers whether the version that is tried gave it."""
    answers = [await world.client.query("findUser", {"username": "ada"}) for _ in range(calls)]
    assert {answer.status for answer in answers} == {200}
    return ["shout" in answer.json["rows"][0] for answer in answers]


async def test_a_share_of_the_requests_is_executed_in_the_version_that_is_tried(make_world: MakeWorld) -> None:
    world = make_world()
    await world.parts.live_queries.look()
    build = world.database.try_out(piql.compile(text(", shout") + NEW), 0.3)
    await world.parts.live_queries.look()
    assert 120 - 4 * 10 < sum(await shapes(world, 400)) < 120 + 4 * 10  # four standard errors
    assert (await world.client.query("homeOf", {"username": "ada"})).json["rows"] == [{"hometown": "London"}]
    assert "/queries/homeOf" not in (await world.client.send("GET", "/openapi.json")).json["paths"]
    build.set_share(0)
    assert sum(await shapes(world, 30)) == 0
    build.promote()
    assert sum(await shapes(world, 30)) == 30
    await world.parts.live_queries.look()
    assert "/queries/homeOf" in (await world.client.send("GET", "/openapi.json")).json["paths"]


async def test_a_version_that_is_withdrawn_between_two_requests_costs_none_of_them(make_world: MakeWorld) -> None:
    world = make_world()
    build = world.database.try_out(piql.compile(text(", shout")), 1)
    await world.parts.live_queries.look()
    assert all(await shapes(world, 5))
    build.cancel()  # the service has not looked since
    assert not any(await shapes(world, 5))


async def test_equal_reads_of_two_versions_do_not_share_an_execution(make_world: MakeWorld) -> None:
    world = make_world()
    world.database.try_out(piql.compile(text(", shout")), 0.5)
    await world.parts.live_queries.look()
    answers = await asyncio.gather(*(world.client.query("findUser", {"username": "ada"}) for _ in range(60)))
    of_tried = ["shout" in answer.json["rows"][0] for answer in answers]
    assert 0 < sum(of_tried) < 60


async def test_a_session_may_meet_both_versions(make_world: MakeWorld) -> None:
    world = make_world()
    world.database.try_out(piql.compile(text(", shout")), 0.5)
    await world.parts.live_queries.look()
    token = "new"
    for _ in range(20):
        answer = await world.client.query("findUser", {"username": "ada"}, piql_session=token)
        assert answer.status == 200
        token = answer.headers["piql-session"]
