"""Budgets of callers, shared by all workers of a service, in a file that they map into their memory.

A budget of 2,000 lets bounds of 2,000 requests begin in a second, after a rest at once. What a caller has used is one
number: the moment at which its budget is whole again.

    seat    digest of the token (16 bytes)   moment (a double, of the monotonic clock)

A worker that dies leaves no lock behind: the system opens it.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
import struct
from collections.abc import Callable
from time import monotonic

from piql_service.admission.tokens import Caller

SEATS = 4096
_SEAT = struct.Struct("16sd")
BYTES = SEATS * _SEAT.size
BURST_SECONDS = 1.0
_NOBODY = bytes(16)


class Budgets:
    """Takes what executions cost from the budgets of their callers."""

    def __init__(self, file: int, clock: Callable[[], float] = monotonic) -> None:
        """Map a file by its descriptor; all workers are given the same one, empty at first."""
        if os.fstat(file).st_size < BYTES:
            os.ftruncate(file, BYTES)
        self._file = file
        self._memory = mmap.mmap(file, BYTES)
        self._clock = clock
        self._seats: dict[bytes, int] = {}

    def take(self, caller: Caller, cost: int) -> float:
        """Take `cost` requests, and return 0; or take nothing, and return the seconds after which it can be taken.

        A cost above the whole budget can be taken when the budget is whole, and is paid back by a longer rest.
        """
        if math.isinf(caller.budget):
            return 0.0
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            seat = self._seats.get(caller.digest)
            if seat is None:
                seat = self._seats[caller.digest] = self._seat_of(caller.digest[:16])
            who, whole_at = _SEAT.unpack_from(self._memory, seat)
            now = self._clock()
            used: float = max(0.0, whole_at - now)
            seconds = cost / caller.budget
            wait: float = used + min(seconds, BURST_SECONDS) - BURST_SECONDS
            if wait > 0:
                return wait
            _SEAT.pack_into(self._memory, seat, who, now + used + seconds)
            return 0.0
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)

    def _seat_of(self, digest: bytes) -> int:
        """Return where a caller's seat begins; one without a seat takes a free one."""
        first = int.from_bytes(digest[:4]) % SEATS
        for number in range(SEATS):
            seat = (first + number) % SEATS * _SEAT.size
            who, _ = _SEAT.unpack_from(self._memory, seat)
            if who == digest:
                return seat
            if who == _NOBODY:
                _SEAT.pack_into(self._memory, seat, digest, 0.0)
                return seat
        return first * _SEAT.size  # more tokens than seats: two share one budget
