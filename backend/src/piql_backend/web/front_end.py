"""Serves the built front end from `dist`.

/assets/index-3f2a.js       an asset with a hash in its name: kept by browsers for a year
/favicon.svg                another file: compared by its ETag each time
/, and the URL of any view  index.html with a nonce of its own: never kept
"""

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

from piql_backend.web.needs import ANYBODY, needs
from piql_backend.web.prefix import prefix_of
from piql_backend.web.security_headers import page_policy

mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")

_COMPRESSED = ("text/", "application/json", "image/svg+xml", "application/wasm")
_NEVER_CHANGES = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
_THREADS = 4  # of its own, so that the page loads while all other threads are busy
_NONCE = b"__CSP_NONCE__"  # as vite.config.ts puts it into the page


@dataclass(frozen=True, slots=True)
class _Asset:
    """A file as it is sent; `gzipped` and `brotli` are None where it is not compressed that way."""

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
    """Answer everything that is not below /api from `dist`."""
    threads = CapacityLimiter(_THREADS)

    @app.api_route("/{path:not_of_the_api}", methods=["GET", "HEAD"], include_in_schema=False)
    @needs(ANYBODY)  # it holds nothing of anybody; what it shows, it asks for
    async def front_end(path: str, request: Request) -> Response:
        return await to_thread.run_sync(_answer, dist, path, request, limiter=threads)


def _answer(dist: Path, path: str, request: Request) -> Response:
    """The file of a URL path, else the page; 404 for a path with a point that is not asked for as a page."""
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
    asset = _read(file, file.stat().st_mtime_ns)
    if file.name == "index.html":
        return _page(asset, prefix_of(request))
    headers = {
        "Cache-Control": _NEVER_CHANGES if path.startswith("assets/") and not is_page else _ASK_AGAIN,
        "ETag": asset.etag,
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("if-none-match") == asset.etag:
        return Response(status_code=304, headers=headers)
    body = asset.body
    accepted = request.headers.get("accept-encoding", "")
    if asset.brotli is not None and "br" in accepted:
        body, headers["Content-Encoding"] = asset.brotli, "br"
    elif asset.gzipped is not None and "gzip" in accepted:
        body, headers["Content-Encoding"] = asset.gzipped, "gzip"
    return Response(body, media_type=asset.media_type, headers=headers)


def _page(file: _Asset, prefix: str) -> Response:
    """The page with a nonce of its own, which is never used for another answer; its paths begin with the prefix."""
    nonce = secrets.token_urlsafe(16)
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": page_policy(nonce)}
    body = file.body.replace(b'"/', f'"{prefix}/'.encode()).replace(_NONCE, nonce.encode())
    return Response(body, media_type=file.media_type, headers=headers)


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
def _read(file: Path, changed_at: int) -> _Asset:
    """A file as it is sent, read again when the time of its last change, in ns, is another."""
    body = file.read_bytes()
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    compressed = file.with_name(f"{file.name}.br")
    brotli = compressed.read_bytes() if compressed.is_file() else None
    gzipped = gzip.compress(body, 6, mtime=0) if media_type.startswith(_COMPRESSED) and len(body) > 1000 else None
    return _Asset(body, gzipped, brotli, media_type, f'"{changed_at:x}-{len(body):x}"')
