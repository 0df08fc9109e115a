"""Equal reads in flight are one execution, and none sees less than it must."""

import asyncio

from piql_service.execution.shared_reads import SharedReads

from .conftest import MakeWorld


async def test_a_thousand_equal_reads_are_one_request(make_world: MakeWorld) -> None:
    world = make_world()
    await world.parts.live_queries.look()
    await world.client.query("findUser", {"username": "ada"})
    world.store.reads.clear()
    replies = await asyncio.gather(*(world.client.query("findUser", {"username": "ada"}) for _ in range(1000)))
    assert len(world.store.reads) == 1
    assert {reply.body for reply in replies} == {replies[0].body}
    assert replies[0].json["rows"] == [{"username": "ada", "hometown": "London"}]
    assert world.parts.tallies.joined["findUser"] == 999


async def test_reads_of_other_users_are_executions_of_their_own(make_world: MakeWorld) -> None:
    world = make_world()
    await world.parts.live_queries.look()
    replies = await asyncio.gather(*(world.client.query("findUser", {"username": name}) for name in ("ada", "bob")))
    assert [len(reply.json["rows"]) for reply in replies] == [1, 0]


async def test_only_a_read_that_may_be_older_joins_one_that_is_running() -> None:
    reads, begun = SharedReads[int](), list[asyncio.Future[int]]()

    def execute(deadline: float | None) -> asyncio.Future[int]:
        begun.append(asyncio.get_running_loop().create_future())
        return begun[-1]

    first, _ = reads.join("key", execute)
    await asyncio.sleep(0)
    assert len(begun) == 1
    older, has_joined = reads.join("key", execute, may_be_older=True)
    assert older is first
    assert has_joined
    strong, has_joined = reads.join("key", execute)
    assert not has_joined
    await asyncio.sleep(0)
    begun[0].set_result(1)
    begun[1].set_result(2)
    assert (await first, await strong) == (1, 2)


async def test_a_failure_reaches_all_that_wait_and_the_next_read_begins_anew() -> None:
    reads, answers = SharedReads[int](), iter([ValueError("no answer"), 3])

    def execute(deadline: float | None) -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    waiting = [reads.join("key", execute)[0] for _ in range(2)]
    failures = await asyncio.gather(*waiting, return_exceptions=True)
    assert [str(failure) for failure in failures] == ["no answer", "no answer"]
    assert await reads.join("key", execute)[0] == 3
