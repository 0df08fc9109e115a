"""Serves the built front end: hashed assets for a year, the page always fresh, and the page for the URL of any view."""

from __future__ import annotations

import gzip
import mimetypes
import secrets
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.convertors import StringConvertor, register_url_convertor

from piql_backend.security_headers import page_policy

mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")

_COMPRESSED = ("text/", "application/json", "image/svg+xml", "application/wasm")
_NEVER_CHANGES = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
_THREADS = 4
_NONCE = b"__CSP_NONCE__"  # as vite.config.ts puts it into the page


@dataclass(frozen=True, slots=True)
class _File:
    body: bytes
    gzipped: bytes | None
    brotli: bytes | None
    media_type: str
    etag: str


class _NotOfTheApi(StringConvertor):
    """A path that is not below /api: there a wrong method is 405 and a wrong path 404, as its routes say."""

    regex = r"(?!api(?:/|$)).*"


register_url_convertor("not_of_the_api", _NotOfTheApi())


def add_front_end(app: FastAPI, dist: Path) -> None:
    """Answer everything that is not below /api from `dist`, in threads of its own: the page waits for nobody."""
    threads = CapacityLimiter(_THREADS)

    @app.api_route("/{path:not_of_the_api}", methods=["GET", "HEAD"], include_in_schema=False)
    async def front_end(path: str, request: Request) -> Response:
        return await to_thread.run_sync(_answer, dist, path, request, limiter=threads)


def _answer(dist: Path, path: str, request: Request) -> Response:
    file = _find(dist, path)
    is_page = file is None
    if file is None:
        if "." in path.rpartition("/")[2] and not request.headers.get("accept", "").startswith("text/html"):
            return PlainTextResponse(f"There is no file {path}.", 404)
        file = _find(dist, "index.html")
    if file is None:
        return PlainTextResponse(
            "The front end is not built yet: run `make run`, or `npm run build` in frontend/.", 503
        )
    found = _read(file, file.stat().st_mtime_ns)
    if file.name == "index.html":
        return _page(found)
    headers = {
        "Cache-Control": _NEVER_CHANGES if path.startswith("assets/") and not is_page else _ASK_AGAIN,
        "ETag": found.etag,
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    body = found.body
    accepted = request.headers.get("accept-encoding", "")
    if found.brotli is not None and "br" in accepted:
        body, headers["Content-Encoding"] = found.brotli, "br"
    elif found.gzipped is not None and "gzip" in accepted:
        body, headers["Content-Encoding"] = found.gzipped, "gzip"
    return Response(body, media_type=found.media_type, headers=headers)


def _page(file: _File) -> Response:
    """The page with a nonce of its own, which is never used for another answer."""
    nonce = secrets.token_urlsafe(16)
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": page_policy(nonce)}
    return Response(file.body.replace(_NONCE, nonce.encode()), media_type=file.media_type, headers=headers)


def _find(dist: Path, path: str) -> Path | None:
    """The file of a URL path; None unless it lies in `dist`."""
    if not path or "\0" in path or len(path) > 500:
        return None
    try:
        file = (dist / path).resolve()
        return file if file.is_relative_to(dist.resolve()) and file.is_file() else None
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=512)
def _read(file: Path, changed_at: int) -> _File:
    body = file.read_bytes()
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    compressed = file.with_name(f"{file.name}.br")
    brotli = compressed.read_bytes() if compressed.is_file() else None
    gzipped = gzip.compress(body, 6, mtime=0) if media_type.startswith(_COMPRESSED) and len(body) > 1000 else None
    return _File(body, gzipped, brotli, media_type, f'"{changed_at:x}-{len(body):x}"')
