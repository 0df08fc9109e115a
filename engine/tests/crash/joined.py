"""The job of a process that writes random rows below views of several tables until it is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import piql
from views.joined_world import World as JoinedWorld
from views.joined_world import Write

WORLD = 1  # the seed of the tables and views that all of them write
WORLD_BY_STEPS = 11  # the same where there are no transactions: one view joins three tables, one two of them


def written_world(*, by_steps: bool = False) -> JoinedWorld:
    """Return the tables and views; one of these joins three tables, one a table with itself."""
    return JoinedWorld(WORLD_BY_STEPS, by_steps=True) if by_steps else JoinedWorld(WORLD)


def writes(world: JoinedWorld, seed: int) -> Iterator[Write]:
    """Yield the writes of one process; the rows after each are those of the world when it was asked for."""
    world.chance.seed(f"writes {seed}")
    while True:
        yield world.next_write()


def execute(job: dict[str, Any], number: int, tell: Callable[[str], None]) -> None:
    """Write without end."""
    with piql.connect(job["url"]) as db:
        for write in writes(written_world(by_steps=job.get("by_steps", False)), job["seeds"][number]):
            try:
                if write.query:
                    db.execute(write.query, write.parameters)
                else:
                    db.load(write.table, write.loaded)
            except piql.PiqlError as refusal:
                tell(f"done {type(refusal).__name__}")
            else:
                tell("done ok")
