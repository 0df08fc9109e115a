"""Retries a read that met more interrupted writes than its budget allows, sweeping first."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from piql.errors import RepairPending
from piql.runtime.writing.stepped.backoff import Manners

T = TypeVar("T")

FIRST_PAUSE = 0.01
SWEEP_EVERY_SECONDS = 1.0
_PAUSES = 7  # the last are as long as writes take while a node is away
_SWEEPS_AFTER = 3  # pauses: writes at work end by themselves, those of dead processes do not


class Leftovers:
    """Waits for or settles interrupted writes for all executions of one database, from any number of threads.

    Each attempt makes its own requests within its own bound. Stores with transactions (`manners` None) leave nothing.
    """

    def __init__(self, manners: Manners | None, sweep: Callable[[float], object]) -> None:
        self._manners = manners
        self._sweep = sweep
        self.sweep_at = 0.0

    def settled(self, pending: RepairPending, attempt: Callable[[], T]) -> T:
        """Call `attempt` until it no longer raises RepairPending, for about a second; then raise the last one."""
        if self._manners is None:
            raise pending
        for number in range(_PAUSES):
            if number != _SWEEPS_AFTER or not self._has_swept(self._manners):
                self._manners.sleep(random.uniform(0.5, 1.0) * FIRST_PAUSE * 2**number)
            try:
                return attempt()
            except RepairPending as again:
                pending = again
        raise pending

    def sweep(self, pending: RepairPending) -> None:
        """Sweep once, so that an execution may try again; raise `pending` where a sweep was made in the last second."""
        if self._manners is None or not self._has_swept(self._manners):
            raise pending

    def _has_swept(self, manners: Manners) -> bool:
        if monotonic() < self.sweep_at:
            return False
        self.sweep_at = monotonic() + SWEEP_EVERY_SECONDS
        self._sweep(manners.patience)
        return True
