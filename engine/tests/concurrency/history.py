"""What clients saw of one value, and whether a single copy of it could have answered so.

linearisable          each operation took effect at one moment between its call and its return
read your writes      a session never reads what is older than its own last write
monotonic reads       a session never reads what is older than what it read before

The last two need values that say themselves which is newer: numbers that only grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

Kind = Literal["read", "write", "swap"]


@dataclass(frozen=True, slots=True)
class Seen:
    """One operation of one session: read → value; write of value; swap of `expected` for value → whether it was done.

    An operation whose answer never came has `returned` inf and `answer` None: it may have taken effect, or not.
    """

    session: int
    kind: Kind
    called: float
    returned: float
    value: int = 0
    expected: int = 0
    answer: int | bool | None = None


def is_linearisable(history: Sequence[Seen], first: int) -> bool:
    """Look for an order of the operations that keeps their times and that one copy, begun at `first`, would give.

    Wing and Gong's search; orders that have done the same operations and hold the same value are looked at once.
    """
    ordered = sorted(history, key=lambda operation: operation.called)
    all_done = sum(1 << at for at, operation in enumerate(ordered) if operation.returned < inf)
    tried: set[tuple[int, int]] = set()
    waiting = [(0, first)]
    while waiting:
        done, value = waiting.pop()
        if done & all_done == all_done:
            return True
        if (done, value) in tried:
            continue
        tried.add((done, value))
        left = [(at, operation) for at, operation in enumerate(ordered) if not done >> at & 1]
        soonest = min(operation.returned for _, operation in left)
        for at, operation in left:
            if operation.called > soonest:
                break
            then = _value_after(operation, value)
            if then is not None:
                waiting.append((done | 1 << at, then))
    return False


def _value_after(operation: Seen, value: int) -> int | None:
    """Return the value that an operation leaves; None when it could not have been answered so."""
    match operation.kind:
        case "read":
            return value if operation.answer in (value, None) else None
        case "write":
            return operation.value
    swaps = operation.expected == value
    if operation.answer is not None and operation.answer != swaps:
        return None
    return operation.value if swaps else value


def misread_own_writes(history: Iterable[Seen]) -> list[Seen]:
    """Return the reads that are older than what their session had written before."""
    return _older_than(history, ("write", "swap"))


def went_back(history: Iterable[Seen]) -> list[Seen]:
    """Return the reads that are older than what their session had read before."""
    return _older_than(history, ("read",))


def _older_than(history: Iterable[Seen], kinds: tuple[Kind, ...]) -> list[Seen]:
    newest: dict[int, float] = {}
    stale = []
    for operation in sorted(history, key=lambda operation: operation.called):
        known = newest.get(operation.session, -inf)
        if operation.kind == "read" and operation.answer is not None and operation.answer < known:
            stale.append(operation)
        if operation.kind in kinds and operation.answer not in (None, False):
            value = operation.answer if operation.kind == "read" else operation.value
            newest[operation.session] = max(known, value)
    return stale
