"""Sends a file that was written for one answer, and removes it afterwards: a slow client holds nothing else."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from fastapi.responses import Response, StreamingResponse
from starlette.background import BackgroundTask

_CHUNK_BYTES = 256 * 1024


def download(path: Path, name: str, media_type: str, scratch: TemporaryDirectory[str]) -> Response:
    """The answer that sends a file of a scratch folder by chunks under a name, and then removes the folder."""
    plain = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)
    headers = {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Length": str(path.stat().st_size),
        "Cache-Control": "no-store",
    }
    cleanup = BackgroundTask(scratch.cleanup)
    return StreamingResponse(_chunks(path), media_type=media_type, headers=headers, background=cleanup)


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield chunk
