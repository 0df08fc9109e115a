"""What a client says of its calls: each with its moments, a batch of them each second.

    due ──waits──▶ free ──lag──▶ started ──service──▶ ended        latency = ended − due

A call waits from the moment it was due until a connection of its client is free. From then on the client itself is
late (`lag`): that is no fault of the store.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class Call(NamedTuple):
    """A call that has ended; its moments are in s since the run began. `free` is when its connection was free.

    `error` is the kind of the error that it ended in, None for one that was answered with so many requests made.
    """

    step: int
    query: int
    due: float
    free: float
    started: float
    ended: float
    requests: int = 0
    error: str | None = None

    @property
    def latency_us(self) -> float:
        return (self.ended - self.due) * 1e6

    @property
    def service_us(self) -> float:
        return (self.ended - self.started) * 1e6

    @property
    def lag_us(self) -> float:
        return (self.started - max(self.due, self.free)) * 1e6


class Unanswered(NamedTuple):
    """A call that was due and has not ended yet: it waits, or is under way."""

    step: int
    query: int
    due: float


@dataclass(frozen=True, slots=True)
class Batch:
    """What one client says at the moment `at`: calls that have ended since its last batch, and what has not ended.

    `computing` is the share of one processor that it took since then. `messages` has an example of each new kind of
    error. After its last batch a client makes no more calls.
    """

    client: int
    at: float
    calls: tuple[Call, ...]
    unanswered: tuple[Unanswered, ...] = ()
    waiting: int = 0
    computing: float = 0.0
    messages: tuple[tuple[str, str], ...] = ()
    is_last: bool = False


class CallFailed(Exception):
    """A call that was answered by a refusal, or by nothing; `kind` is how it is counted."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def kind_of(error: Exception) -> str:
    """How an error is counted: by the name of its class, as the query service names it: `store-unavailable`."""
    return error.kind if isinstance(error, CallFailed) else _CAPITAL.sub("-", type(error).__name__).lower()
