"""What is done where writes left more to settle than one execution may add: wait for them, settle them, try again."""

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
    """The leftovers that the executions of one database meet; may be used from any number of threads.

    Each attempt makes its own requests within its own bound. Stores with transactions (`manners` None) leave nothing.
    """

    def __init__(self, manners: Manners | None, sweep: Callable[[float], object]) -> None:
        self._manners = manners
        self._sweep = sweep
        self.sweep_at = 0.0

    def settled(self, pending: RepairPending, attempt: Callable[[], T]) -> T:
        """Try again until there is no more to settle than an attempt may add, for about a second."""
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
        """Settle what is too much for one execution, so that it may try once more; not for each one."""
        if self._manners is None or not self._has_swept(self._manners):
            raise pending

    def _has_swept(self, manners: Manners) -> bool:
        if monotonic() < self.sweep_at:
            return False
        self.sweep_at = monotonic() + SWEEP_EVERY_SECONDS
        self._sweep(manners.patience)
        return True
