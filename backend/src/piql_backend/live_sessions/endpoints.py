"""The socket of a live session."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from starlette.websockets import WebSocket

from piql_backend.live_sessions.participant import READS, Participant
from piql_backend.web.guarded_sockets import GuardedSocket, Pass
from piql_backend.web.needs import needs

if TYPE_CHECKING:
    from piql_backend.workbench import Workbench


@needs(READS)
async def edit_together(socket: WebSocket, passed: Pass) -> None:
    """Take part in the live session of a file: everybody who reads it looks on, and developers edit."""
    sessions = cast("Workbench", socket.app.state.workbench).live_sessions
    participant = Participant(socket, passed)
    application, path = socket.path_params["application"], socket.path_params["path"]
    session = await sessions.join(application, path, participant)
    try:
        try:
            await socket.accept()
        except OSError:  # whoever asked has gone meanwhile
            return
        await participant.take_part(lambda content: session.receive(participant, content))
    finally:
        sessions.leave(session, participant)


SOCKET = GuardedSocket("/api/applications/{application}/live/{path:path}", edit_together)
