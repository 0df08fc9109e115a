"""How the server starts: what was made until then is never looked at for garbage, which would stop all requests."""

from __future__ import annotations

import gc
import socket
from typing import Any, cast

import pytest
import uvicorn
from piql_backend.server import _Server
from starlette.types import Receive, Scope, Send


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError("nobody asks for anything")


async def test_a_collection_looks_at_little_of_what_the_start_has_made(capsys: pytest.CaptureFixture[str]) -> None:
    config = uvicorn.Config(nothing, lifespan="off", log_level="critical")
    config.load()
    server = _Server(config, "http://here", cast(Any, None))
    server.lifespan = config.lifespan_class(config)
    gc.unfreeze()  # what reading the tests has made
    assert gc.get_freeze_count() == 0
    with socket.create_server(("127.0.0.1", 0)) as bound:
        try:
            await server.startup([bound])
            assert gc.get_freeze_count() > 10 * len(gc.get_objects())
        finally:
            gc.unfreeze()
            for listener in server.servers:
                listener.close()
                await listener.wait_closed()
    assert capsys.readouterr().out == "PIQL Workbench: http://here\n"
