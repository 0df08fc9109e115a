"""What plans are compared by: requests, rows, bytes and round trips, in one unit of time.

The figures are those of three Cassandra nodes (docs/decisions/0033): nothing else is known when a query is compiled.
They choose between plans; no bound contains them.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

from piql.trees.traced_numbers import applied

# Nanoseconds.
ROUND_TRIP = 540_000  # that others must wait for
REQUEST = 260_000  # beside others of the same round trip
ROW = 5_000  # that a request reads
BYTE = 1  # of such a row

UNSIZED_BYTES = 1_024  # of a value whose type says no length: a text of a page, not the most that a store takes
STEP = log(1.1)  # plans within 10 % of time are equally good, and fewer requests decide


class Cost(NamedTuple):
    """What a plan may take at most; of two plans the one with the smaller tuple is better.

    `step` is the time in steps of 10 %, so that a plan may take up to 10 % longer where it makes fewer requests.
    """

    step: int
    requests: int
    rows: int  # that come out
    nanoseconds: int


class Effort(NamedTuple):
    """What reads take: requests, the rows that they read, the bytes of these together, and round trips."""

    requests: int
    rows: int
    row_bytes: int = 0
    round_trips: int = 0

    @property
    def nanoseconds(self) -> int:
        """The time of all that."""
        return self.requests * REQUEST + self.rows * ROW + self.row_bytes * BYTE + self.round_trips * ROUND_TRIP


def step_of(time: int) -> int:
    """Return a time in steps of 10 %; -1 where nothing is read."""
    return applied(_step_of, time)


def _step_of(time: int) -> int:
    return int(log(time) / STEP) if time else -1


def cost_of(requests: int, rows_read: int, row_bytes: int, round_trips: int, rows: int) -> Cost:
    """Return what plans are compared by; `rows` come out of it."""
    time = Effort(requests, rows_read, row_bytes, round_trips).nanoseconds
    return Cost(step_of(time), requests, rows, time)
