"""Remembers for some seconds who shows what, as long as nobody's access has changed, and no session or token has ended.

A page asks every few seconds, and a live session asks about everybody who takes part once a second.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass

from piql_backend.people.clock import Clock
from piql_backend.people.cookie import Shown
from piql_backend.web.visitor import Visitor

SECONDS_KNOWN = 15  # also where changes of access are not heard of, since the database cannot tell
_MOST_KNOWN = 5_000

Revision = Callable[[], int | None]


@dataclass(frozen=True, slots=True)
class _Known:
    visitor: Visitor
    revision: int
    at: int


class KnownVisitors:
    """Visitors by what they show; `revision` is another one whenever access has changed, None where that is unknown."""

    def __init__(self, revision: Revision, clock: Clock) -> None:
        self._revision = revision
        self._clock = clock
        self._changing = threading.Lock()
        self._known: dict[bytes, _Known] = {}  # by a digest: what is shown may be long, and is secret

    def __len__(self) -> int:
        return len(self._known)

    def who_shows(self, shown: Shown) -> Visitor | None:
        """Who is known to show this; None where the database has to be asked."""
        known = self._known.get(_digest(shown))
        now = self._clock()
        if known is None or not 0 <= now - known.at < SECONDS_KNOWN or _is_over(known.visitor, now):
            return None
        return known.visitor if known.revision == self._revision() else None

    def look(self, shown: Shown, look: Callable[[Shown], Visitor | None]) -> Visitor | None:
        """Ask who shows this, and remember the answer; a change that comes meanwhile lets it be forgotten."""
        revision, at = self._revision(), self._clock()
        visitor = look(shown)
        if visitor is not None and revision is not None:
            self._remember(_digest(shown), _Known(visitor, revision, at))
        return visitor

    def _remember(self, digest: bytes, known: _Known) -> None:
        """Keep one more, and let go of those that hold no longer; the one that was asked for first is the first."""
        with self._changing:
            self._known.pop(digest, None)
            while self._known:
                oldest = next(iter(self._known))
                if len(self._known) < _MOST_KNOWN and 0 <= known.at - self._known[oldest].at < SECONDS_KNOWN:
                    break
                del self._known[oldest]
            self._known[digest] = known


def _is_over(visitor: Visitor, now: int) -> bool:
    """Whether the session or the token may have ended by itself; only the database knows whether it was used since."""
    return visitor.ends_at is not None and now >= visitor.ends_at


def _digest(shown: Shown) -> bytes:
    proofs = repr((shown.authorization, shown.session, shown.proxy_user))
    return hashlib.blake2b(proofs.encode("utf-8", "surrogateescape"), digest_size=32).digest()
