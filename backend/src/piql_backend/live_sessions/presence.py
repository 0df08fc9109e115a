"""Who is in a live session: for each socket a number that its client has chosen, and a state of a few fields.

The update of Yjs's awareness protocol: how many; for each its number, a clock, its state as JSON (`null`: it has left).
What a client says of itself is passed on, but for its name: that of somebody who is signed in is theirs. A browser has
to be able to read it: a number that is none in JavaScript would keep its page from hearing of anybody.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn

from piql_backend.live_sessions.messages import NotUnderstood, Reader, number_as_bytes, with_length

MOST_STATE_BYTES = 2000
MOST_NUMBER = 2**52  # of a client and of its clock: a browser counts on from here without rounding
_MOST_NAMES = 10_000
_GONE = "null"


@dataclass(slots=True)
class _Present:
    owner: object
    name: str
    clock: int
    state: str


class Presence:
    """The states of all clients of one session."""

    def __init__(self) -> None:
        self._present: dict[int, _Present] = {}
        self._numbers: dict[object, int] = {}  # of each client that is connected
        self._names: dict[int, str] = {}  # of those who had a number first, also while they are away

    def take(self, owner: object, name: str, update: bytes) -> bytes | None:
        """Note what a client says of itself; the update for all, or None. Raises NotUnderstood.

        A client has one number: what it says of others is left out. Whoever comes back takes their number over, and
        nobody else does meanwhile: by it their page tells itself from others.
        """
        news: dict[int, _Present] = {}
        for client, clock, state in _read(update):
            if self._numbers.get(owner, client) != client or self._names.get(client, name) != name:
                continue
            before = self._present.get(client)
            if state is None and (before is None or before.owner is not owner):
                continue
            if before is not None and clock < before.clock:
                continue
            self._numbers[owner] = client
            self._names[client] = name
            news[client] = _Present(owner, name, clock, _named(state, name))
            if state is None:
                self._present.pop(client, None)
            else:
                self._present[client] = news[client]
        if len(self._names) > _MOST_NAMES:
            away = (client for client in tuple(self._names) if client not in self._present)
            for client in islice(away, len(self._names) - _MOST_NAMES):
                del self._names[client]
        return _update(news.items()) if news else None

    def leave(self, owner: object) -> bytes | None:
        """Forget a client; the update that tells all others, None where it never said anything."""
        self._numbers.pop(owner, None)
        clients = [client for client, present in self._present.items() if present.owner is owner]
        gone = {client: self._present.pop(client) for client in clients}
        for present in gone.values():
            present.clock += 1
            present.state = _GONE
        return _update(gone.items()) if gone else None

    def everybody(self) -> bytes | None:
        """The update for somebody who comes; None where nobody is there."""
        return _update(self._present.items()) if self._present else None


def _read(update: bytes) -> Iterable[tuple[int, int, dict[str, Any] | None]]:
    reader = Reader(update)
    for _ in range(reader.number()):
        client, clock, content = reader.number(), reader.number(), reader.content()
        if client > MOST_NUMBER or clock > MOST_NUMBER:
            raise NotUnderstood(f"a client and its clock are {MOST_NUMBER:,} at most")
        if len(content) > MOST_STATE_BYTES:
            raise NotUnderstood(f"what a client says of itself is longer than {MOST_STATE_BYTES:,} bytes")
        try:
            state = json.loads(content, parse_constant=_refuse_constant)
            json.dumps(state, allow_nan=False)
        except (ValueError, RecursionError) as error:
            raise NotUnderstood("what a client says of itself is no JSON") from error
        if state is not None and not isinstance(state, dict):
            raise NotUnderstood("what a client says of itself is no object")
        yield client, clock, state


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _named(state: dict[str, Any] | None, name: str) -> str:
    if state is None:
        return _GONE
    return json.dumps({**state, "name": name} if name else state)


def _update(states: Iterable[tuple[int, _Present]]) -> bytes:
    all_states = list(states)
    parts = [number_as_bytes(len(all_states))]
    for client, present in all_states:
        parts += (number_as_bytes(client), number_as_bytes(present.clock), with_length(present.state.encode()))
    return b"".join(parts)
