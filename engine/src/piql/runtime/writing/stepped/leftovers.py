"""Retries a read that met more interrupted writes than its budget allows, sweeping first."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from piql.errors import RepairPending
from piql.runtime.writing.stepped.backoff import WaitPolicy

T = TypeVar("T")

FIRST_PAUSE = 0.01  # seconds; each pause is twice as long as the one before
SWEEP_EVERY_SECONDS = 1.0
_PAUSES = 7  # the last is 0.64 s: as long as a write takes while a node is down
_SWEEPS_AFTER = 3  # pauses: by then writes in progress have ended, and what is left is of dead processes


class Leftovers:
    """Waits for or settles interrupted writes for all executions of one database, from any number of threads.

    Each attempt has a bound of its own. Without a wait policy, on stores with transactions, nothing is ever left over.
    """

    def __init__(self, wait_policy: WaitPolicy | None, sweep: Callable[[float], object]) -> None:
        self._manners = wait_policy
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

    def _has_swept(self, wait_policy: WaitPolicy) -> bool:
        if monotonic() < self.sweep_at:
            return False
        self.sweep_at = monotonic() + SWEEP_EVERY_SECONDS
        self._sweep(wait_policy.patience)
        return True
