"""The job of a process that executes random units until it is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import piql
from units.world import World

WORLD = 7  # the seed of the units that all of them execute
WORLD_BY_STEPS = 9  # the same where there are no transactions: all of its units are let in


def executed_world(*, by_steps: bool = False) -> World:
    """Return the tables and the units."""
    return World(WORLD_BY_STEPS, by_steps=True) if by_steps else World(WORLD)


def execute(job: dict[str, Any], number: int, tell: Callable[[str], None]) -> None:
    """Execute units without end; die of an error that leaves unknown whether one was made."""
    world = executed_world(by_steps=job.get("by_steps", False))
    with piql.connect(job["url"]) as db:
        for name, parameters in world.executions(job["seeds"][number]):
            try:
                db.execute(name, parameters)
            except (piql.StoreUnavailable, piql.RepairPending):
                os.kill(os.getpid(), signal.SIGKILL)
            except piql.PiqlError as refusal:
                tell(f"done {type(refusal).__name__}")
            else:
                tell("done ok")
