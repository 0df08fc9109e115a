"""The job of a process that executes random units until it is killed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import piql
from units.world import World

WORLD = 7  # the seed of the units that all of them execute


def execute(job: dict[str, Any], number: int, tell: Callable[[str], None]) -> None:
    """Execute units without end; each statement makes no more requests than its bound."""
    world = World(WORLD)
    with piql.connect(job["url"]) as db:
        for name, parameters in world.executions(job["seeds"][number]):
            try:
                db.execute(name, parameters)
            except piql.PiqlError as refusal:
                tell(f"done {type(refusal).__name__}")
            else:
                tell("done ok")
