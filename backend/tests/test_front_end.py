"""The built front end as the backend serves it: pages, assets, caching, and nothing outside its folder."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from piql_backend.settings import Settings

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
SCRIPT = b"console.log('x');" * 200


@pytest.fixture
async def page(settings: Settings, running: Running) -> AsyncIterator[httpx.AsyncClient]:
    """A workbench whose front end is built."""
    assets = settings.frontend / "assets"
    assets.mkdir(parents=True)
    (settings.frontend / "index.html").write_text(
        '<!doctype html><title>PIQL</title><meta property="csp-nonce" nonce="__CSP_NONCE__">'
    )
    (assets / "index-1a2b3c.js").write_bytes(SCRIPT)
    (settings.frontend.parent / "secret.txt").write_text("secret")
    async with running(settings) as client:
        yield client


async def test_every_view_has_a_url(page: httpx.AsyncClient) -> None:
    for url in ("/", "/deployments/d1", "/plan?query=thoughtstream", "/w/scadr/queries/thoughtstream.piql"):
        answer = await page.get(url, headers={"accept": "text/html"})
        assert answer.status_code == 200
        assert "<title>PIQL</title>" in answer.text
        assert answer.headers["cache-control"] == "no-store"


async def test_each_page_has_a_nonce_of_its_own_in_its_policy(page: httpx.AsyncClient) -> None:
    nonces = set()
    for _ in range(3):
        answer = await page.get("/")
        (nonce,) = re.findall(r'nonce="([\w-]+)"', answer.text)
        assert f"style-src 'self' 'nonce-{nonce}';" in answer.headers["content-security-policy"]
        nonces.add(nonce)
    assert len(nonces) == 3


async def test_hashed_assets_are_kept_and_compressed(page: httpx.AsyncClient) -> None:
    answer = await page.get("/assets/index-1a2b3c.js", headers={"accept-encoding": "gzip"})
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < len(SCRIPT)
    assert answer.content == SCRIPT
    assert len(gzip.compress(SCRIPT)) < len(SCRIPT)
    plain = await page.get("/assets/index-1a2b3c.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers


async def test_what_is_known_is_not_sent_again(page: httpx.AsyncClient) -> None:
    first = await page.get("/assets/index-1a2b3c.js")
    again = await page.get("/assets/index-1a2b3c.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_missing_asset_is_not_the_page(page: httpx.AsyncClient) -> None:
    assert (await page.get("/assets/none.js")).status_code == 404


async def test_nothing_outside_is_served(page: httpx.AsyncClient) -> None:
    for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt", "/a%00b.txt"):
        answer = await page.get(httpx.URL("http://127.0.0.1" + path))
        assert "secret" not in answer.text or answer.status_code == 404


async def test_a_front_end_that_is_not_built_is_said(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")
    assert answer.status_code == 503
    assert "make run" in answer.text
