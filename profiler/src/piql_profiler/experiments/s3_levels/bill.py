"""What requests take and cost: the paper's own response times (its tables 1 and 2), and its prices (section 2).

A tally counts what was asked for. Nothing here is measured on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

_GET_KILOBYTES, _GET_SECONDS = (10.0, 100.0, 1000.0), (0.14, 0.45, 3.87)  # table 1
_PUT_TIMES_GET = 3.0  # "writing data to S3 takes about three times as long as reading data"
_SEND_SECONDS, _RECEIVE_SECONDS, _DELETE_SECONDS = 0.31, 0.16, 0.16  # table 2


@dataclass(slots=True)
class Tally:
    """Requests by kind, the bytes that they carried, and the paper's seconds that they take one after the other."""

    gets: int = 0
    puts: int = 0
    sends: int = 0
    receives: int = 0
    deletes: int = 0
    given_back: int = 0  # tokens of LOCK queues, which the paper waits for instead
    bytes: int = 0
    seconds: float = 0.0

    @property
    def requests(self) -> int:
        """Return all requests that the paper makes, too."""
        return self.gets + self.puts + self.sends + self.receives + self.deletes

    def add(self, more: Tally) -> None:
        """Add the numbers of another tally."""
        for field in fields(Tally):
            setattr(self, field.name, getattr(self, field.name) + getattr(more, field.name))

    def since(self, before: Tally) -> Tally:
        """Return what came after another tally of the same requests."""
        return Tally(**{field.name: getattr(self, field.name) - getattr(before, field.name) for field in fields(Tally)})


@dataclass(frozen=True, slots=True)
class Prices:
    """$ of a GET, of a PUT, of a message that is sent, of a RECEIVE or DELETE, and of a gigabyte that is carried."""

    get: float
    put: float
    send: float
    other: float
    gigabyte: float

    def dollars(self, tally: Tally) -> float:
        """Return what the requests of a tally cost."""
        return (
            tally.gets * self.get
            + tally.puts * self.put
            + tally.sends * self.send
            + (tally.receives + tally.deletes) * self.other
            + tally.bytes / 1e9 * self.gigabyte
        )


STATED = Prices(get=0.01 / 10_000, put=0.01 / 1_000, send=0.01 / 1_000, other=0.0, gigabyte=0.18)
"""Section 2 of the paper, and the price of traffic of its section 6.2."""

IMPLIED = Prices(get=0.01 / 10_000, put=0.01 / 1_000, send=0.10 / 1_000, other=0.10 / 1_000, gigabyte=0.18)
"""The same with $0.10 for 1,000 requests of any kind to SQS: the price that the paper's table 4 seems to have."""


def get_tally(size: int) -> Tally:
    """Return one GET whose answer has so many bytes."""
    return Tally(gets=1, bytes=size, seconds=_get_seconds(size))


def put_tally(size: int) -> Tally:
    """Return one PUT of so many bytes."""
    return Tally(puts=1, bytes=size, seconds=_PUT_TIMES_GET * _get_seconds(size))


def send_tally(size: int) -> Tally:
    """Return one message that is sent."""
    return Tally(sends=1, bytes=size, seconds=_SEND_SECONDS)


def receive_tally(size: int) -> Tally:
    """Return one request for messages, whose answer has so many bytes."""
    return Tally(receives=1, bytes=size, seconds=_RECEIVE_SECONDS)


def delete_tally() -> Tally:
    """Return the deletion of one message."""
    return Tally(deletes=1, seconds=_DELETE_SECONDS)


def _get_seconds(size: int) -> float:
    """Return the seconds of table 1, in a straight line between its sizes; below 10 KB those of 10 KB."""
    return float(np.interp(size / 1000, _GET_KILOBYTES, _GET_SECONDS))
