"""An OpenID provider over HTTP for tests: the package oidc-provider-mock, which here also checks PKCE.

`bend` puts another ID token in place of the one that the provider has signed.
"""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

import flask
import httpx
import oidc_provider_mock
import werkzeug.serving
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import RSAKey

PATIENCE_SECONDS = 300.0  # both sides may be starved of the processor

Claims = dict[str, Any]
Bend = Callable[[Claims, RSAKey], str | None]


class OpenIdProvider:
    """The provider: everybody signs in as whom they say."""

    def __init__(self) -> None:
        self.bend: Bend | None = None
        self._app = oidc_provider_mock.app()
        self._challenges: dict[str, str] = {}
        with self._app.test_request_context():
            self._app.preprocess_request()
            self._key = RSAKey.import_key(flask.g.oidc_provider_mock_storage.jwk.as_dict(is_private=True))
        self._server = werkzeug.serving.make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def running(self) -> Iterator[OpenIdProvider]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        with patch.dict(os.environ, {"AUTHLIB_INSECURE_TRANSPORT": "1"}):  # it refuses to work without TLS otherwise
            thread.start()
            try:
                yield self
            finally:
                self._server.shutdown()
                thread.join()
                self._server.server_close()

    def knows(self, subject: str, **claims: object) -> None:
        """Say what the provider tells of somebody."""
        httpx.put(f"{self.issuer}/users/{subject}", json=claims, timeout=PATIENCE_SECONDS).raise_for_status()

    def sign_in(self, url: str, subject: str) -> str:
        """Sign somebody in at the page that a browser was led to; return where it is led back."""
        return httpx.post(url, data={"sub": subject}, timeout=PATIENCE_SECONDS).headers["location"]

    def _answer(self, wsgi: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = wsgi["wsgi.input"].read(int(wsgi.get("CONTENT_LENGTH") or 0))
        wsgi["wsgi.input"] = io.BytesIO(body)
        is_token, form = wsgi["PATH_INFO"] == "/oauth2/token", parse_qs(body.decode())
        if is_token and not self._is_confirmed(form):
            refusal = flask.Response('{"error": "invalid_grant"}', 400, mimetype="application/json")
            return refusal(wsgi, start_response)
        answer = werkzeug.Response.from_app(self._app, wsgi)
        asked = parse_qs(wsgi.get("QUERY_STRING", ""))
        for code in parse_qs(urlsplit(answer.headers.get("location", "")).query).get("code", []):
            self._challenges[code] = asked["code_challenge"][0]
        if is_token and self.bend is not None and answer.status_code == 200:
            told = json.loads(answer.get_data())
            claims = jwt.decode(told["id_token"], self._key, algorithms=["RS256"]).claims
            answer.set_data(json.dumps(told | {"id_token": self.bend(claims, self._key)}))
        return answer(wsgi, start_response)

    def _is_confirmed(self, form: dict[str, list[str]]) -> bool:
        challenge = self._challenges.get(form["code"][0])
        return challenge == create_s256_code_challenge(form.get("code_verifier", [""])[0])
