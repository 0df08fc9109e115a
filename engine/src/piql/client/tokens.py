"""The token of a session: what it has met and done, which the client hands to whatever server serves it next.

A session that has written, or that must never see time go back, reads at quorum; other reads may be eventual.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from piql.errors import InvalidParameter, InvalidSession
from piql.runtime.execution.seals import opened, sealed
from piql.runtime.execution.strategy import Strategy
from piql.store.base import Consistency

Guarantee: TypeAlias = Literal["read-your-writes", "monotonic-reads"]

_PURPOSE = b"session"


@dataclass(frozen=True, slots=True)
class SessionMarks:
    """The newest deployment that a session met, and whether it has written."""

    version: int = 0
    has_written: bool = False

    def needs_quorum(self, guarantees: frozenset[Guarantee]) -> bool:
        """Return whether the next read must see every acknowledged write."""
        return "monotonic-reads" in guarantees or ("read-your-writes" in guarantees and self.has_written)

    def token(self, key: bytes) -> str:
        """Return the marks as text that only servers of the same store can make."""
        return sealed(key, json.dumps([self.version, self.has_written]).encode(), _PURPOSE)


def read_token(key: bytes, token: object) -> SessionMarks:
    """Return the marks that a token holds; raises InvalidSession for one that no server of this store has made."""
    body = opened(key, token, _PURPOSE) if isinstance(token, str) else None
    if body is None:
        raise InvalidSession("the session's token is damaged, or was made by another store: begin a new session")
    version, has_written = json.loads(body)
    return SessionMarks(version, has_written)


def known_consistency(consistency: Consistency | None) -> Consistency | None:
    """Return a consistency as it is; raises InvalidParameter for a word that is none."""
    if consistency not in (None, *get_args(Consistency)):
        raise InvalidParameter(f"consistency is {either(Consistency)}, not {consistency!r}")
    return consistency


def known_strategy(strategy: Strategy) -> Strategy:
    """Return a strategy as it is; raises InvalidParameter for a word that is none."""
    if strategy not in get_args(Strategy):
        raise InvalidParameter(f"strategy is {either(Strategy)}, not {strategy!r}")
    return strategy


def either(words: Any) -> str:
    """Return the words of a Literal as a choice."""
    return " or ".join(map(repr, get_args(words)))
