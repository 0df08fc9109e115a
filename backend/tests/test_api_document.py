"""The OpenAPI document takes long to make, so that no other request may wait for it."""

from __future__ import annotations

import asyncio
from threading import get_ident
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from piql_backend.app import create_app


async def test_threads_make_the_document_once_and_the_event_loop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    makers: list[int] = []
    make = FastAPI.openapi

    def note(app: FastAPI) -> dict[str, Any]:
        if app.openapi_schema is None:
            makers.append(get_ident())
        return make(app)

    monkeypatch.setattr(FastAPI, "openapi", note)
    transport = httpx.ASGITransport(app=create_app())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answers = await asyncio.gather(*(client.get("/api/openapi.json") for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert len(makers) == 1
    assert get_ident() not in makers
