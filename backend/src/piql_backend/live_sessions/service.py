"""All live sessions: one for each file that somebody edits, begun by the first and ended after the last."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from piql_backend.applications.repository import Applications
from piql_backend.live_sessions.kept_states import KeptStates
from piql_backend.live_sessions.participant import Participant
from piql_backend.web.errors import ApiError

if TYPE_CHECKING:
    from piql_backend.live_sessions.session import LiveSession

MOST_PARTICIPANTS = 500  # of all sessions
MOST_IN_A_SESSION = 50
_MOST_AT_DISK = 40  # sessions that save or look at their file: others wait, but nobody else's request does
MOST_OF_A_PERSON = 40  # tabs of one person; not counted where nobody signs in

Key = tuple[str, str]  # an application and the path of a file


class LiveSessions:
    """The sessions of a workbench; used on the event loop alone."""

    def __init__(self, applications: Applications) -> None:
        self._applications = applications
        self._states = KeptStates(applications)
        self._sessions: dict[Key, asyncio.Task[LiveSession]] = {}
        self._people: Counter[str] = Counter()
        self._disk = ThreadPoolExecutor(_MOST_AT_DISK, thread_name_prefix="live")

    async def join(self, application: str, path: str, participant: Participant) -> LiveSession:
        """Let somebody take part. Raises ApiError 404 where there is no such file, 503 where too many take part."""
        await participant.check()
        name, key = participant.passed.name, (application, path)
        if self._people.total() >= MOST_PARTICIPANTS or (name and self._people[name] >= MOST_OF_A_PERSON):
            raise _too_many()
        self._people[name] += 1
        try:
            while (session := await self._session(key)).is_over:
                self._forget(key, session)
            if session.size >= MOST_IN_A_SESSION:
                raise _too_many()
        except BaseException:
            self._people[name] -= 1
            raise
        session.join(participant)
        return session

    def leave(self, session: LiveSession, participant: Participant) -> None:
        self._people[participant.passed.name] -= 1
        session.leave(participant)

    async def close(self) -> None:
        """End all sessions, with everything saved."""
        for opening in [*self._sessions.values()]:
            with contextlib.suppress(ApiError, OSError):
                await (await opening).close()
        self._sessions.clear()
        self._disk.shutdown(wait=False)

    async def _session(self, key: Key) -> LiveSession:
        opening = self._sessions.get(key)
        if opening is None:
            opening = self._sessions[key] = asyncio.create_task(self._open(key))
        try:
            return await asyncio.shield(opening)
        except BaseException:
            if opening.done() and self._sessions.get(key) is opening:
                del self._sessions[key]
            raise

    async def _open(self, key: Key) -> LiveSession:
        from piql_backend.live_sessions.session import LiveSession  # who edits alone needs no Yjs

        application, path = key
        session = LiveSession(
            application, path, self._applications, self._states, lambda: self._forget(key, session), self._disk
        )
        await session.open()
        return session

    def _forget(self, key: Key, session: LiveSession) -> None:
        opening = self._sessions.get(key)
        if opening is not None and opening.done() and not opening.exception() and opening.result() is session:
            del self._sessions[key]


def _too_many() -> ApiError:
    message = "Too many pages edit at once."
    return ApiError(503, "too-many-participants", message, "Close some of them, or save without a live session.")
