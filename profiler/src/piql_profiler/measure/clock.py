"""The clocks of measurements: the computer's, or a virtual one that moves only when it is told to."""

from __future__ import annotations

import time
from typing import Protocol

_SPIN_SECONDS = 0.0005  # sleeping ends late by less than this


class Clock(Protocol):
    """Times are in seconds since some moment; `computed` is the processor time of this process."""

    def now(self) -> float: ...

    def computed(self) -> float: ...

    def wait_until(self, moment: float) -> None: ...


class RealClock:
    """The computer's clock; it waits the last moments without sleeping, as sleeping ends late."""

    def now(self) -> float:
        return time.perf_counter()

    def computed(self) -> float:
        return time.process_time()

    def wait_until(self, moment: float) -> None:
        while (left := moment - time.perf_counter()) > 0.0:
            if left > 2 * _SPIN_SECONDS:
                time.sleep(left - _SPIN_SECONDS)


class VirtualClock:
    """Stands still, except for waits and for what a simulated store spends: minutes pass in seconds."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def computed(self) -> float:
        return 0.0

    def wait_until(self, moment: float) -> None:
        self._now = max(self._now, moment)

    def spend(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds


REAL = RealClock()
