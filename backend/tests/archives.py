"""Archives for tests: whole ones, and ones that somebody made to do harm."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import httpx

MANIFEST: Mapping[str, Any] = {"format": "piql-application", "version": 1, "id": "shop", "title": "Shop"}
TABLE = "CREATE TABLE t (id INT PRIMARY KEY);\n"


def packed(entries: Mapping[str | zipfile.ZipInfo, bytes | str], **manifest: Any) -> bytes:
    """A zip file of entries and a manifest."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("piql-application.json", json.dumps({**MANIFEST, **manifest}))
        for name, content in entries.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


async def announced(client: httpx.AsyncClient, content: bytes) -> str:
    answer = await client.post("/api/application-imports/archives", json={"file_name": "a.zip", "size": len(content)})
    assert answer.status_code == 201, answer.text
    import_id: str = answer.json()["id"]
    return import_id


async def uploaded(client: httpx.AsyncClient, content: bytes) -> httpx.Response:
    """The answer to the last part of an archive."""
    import_id = await announced(client, content)
    body = {"offset": 0, "base64": base64.b64encode(content).decode()}
    return await client.post(f"/api/application-imports/{import_id}/parts", json=body)


async def made(client: httpx.AsyncClient, import_id: str, **wish: Any) -> httpx.Response:
    return await client.post(f"/api/application-imports/{import_id}/applications", json={"title": "Copy", **wish})
