"""What an OpenID provider answers: keys that change, keys of kinds that are not known, and answers that come slowly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from piql_backend.oidc.attempt import SignInAttempt
from piql_backend.oidc.provider import Provider
from piql_backend.oidc.refusals import Refused
from piql_backend.oidc.registration import Registration

ISSUER = "https://login.example.org"
REGISTRATION = Registration(ISSUER, "workbench", "s3cret", ("openid",), "email", frozenset(), None, "Example")
UNKNOWN_KEYS = [
    {"kty": "AKP", "alg": "ML-DSA-65", "kid": "a", "pub": "AAAA"},
    {"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA", "kid": "b"},
    {"kty": "OKP", "crv": "X999", "x": "AA", "kid": "c"},
    {"kid": "without a type"},
    "no key",
    None,
]


class Dripping(httpx.AsyncByteStream):
    """An answer that never ends, and never pauses for long."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.001)


@dataclass
class Signing:
    """A provider in this process: it signs with a key, and shows what it says of its keys."""

    key: RSAKey
    header: dict[str, str] = field(default_factory=dict)
    others: Sequence[Any] = ()
    algorithms: Sequence[str] = ("RS256",)
    drips: bool = False
    now: float = 0.0  # seconds of the workbench's clock

    def __post_init__(self) -> None:
        self.provider = Provider(REGISTRATION, lambda: self.now)
        self.provider._client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    async def sign_in(self) -> object:
        self._attempt = SignInAttempt.begin("/", int(time.time()))
        return (await self.provider.claims(self._attempt, "code", None, "https://piql.example.org"))["sub"]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.drips:
            return httpx.Response(200, stream=Dripping())
        match request.url.path:
            case "/keys":
                return httpx.Response(200, json={"keys": [*self.others, self.key.as_dict(private=False)]})
            case "/token":
                return httpx.Response(200, json={"id_token": self._token()})
            case _:
                endpoints = {"authorization_endpoint": "/page", "token_endpoint": "/token", "jwks_uri": "/keys"}
                metadata = {name: f"{ISSUER}{path}" for name, path in endpoints.items()}
                signs = {"id_token_signing_alg_values_supported": list(self.algorithms)}
                return httpx.Response(200, json={"issuer": ISSUER, **metadata, **signs})

    def _token(self) -> str:
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": "workbench", "sub": "a1", "nonce": self._attempt.nonce}
        return jwt.encode({"alg": "RS256", **self.header}, claims | {"iat": now, "exp": now + 300}, self.key)


def new_key(id: str | None) -> RSAKey:
    return RSAKey.generate_key(2048, None if id is None else {"kid": id}, auto_kid=False)


@pytest.mark.parametrize(("before", "after"), [("1", "2"), ("1", "1"), (None, None), (None, "1"), ("1", None)])
async def test_a_provider_may_change_its_key_whatever_it_calls_it(before: str | None, after: str | None) -> None:
    signing = Signing(new_key(before), {} if before is None else {"kid": before})
    assert await signing.sign_in() == "a1"
    signing.key, signing.header = new_key(after), {} if after is None else {"kid": after}
    signing.now = 11.0
    assert await signing.sign_in() == "a1"


@pytest.mark.parametrize("unknown", UNKNOWN_KEYS)
async def test_a_key_of_a_kind_that_is_not_known_shuts_nobody_out(unknown: object) -> None:
    assert await Signing(new_key("1"), {"kid": "1"}, others=[unknown]).sign_in() == "a1"


async def test_a_provider_that_signs_with_no_public_key_lets_nobody_in() -> None:
    with pytest.raises(Refused, match="no way to sign"):
        await Signing(new_key("1"), {"kid": "1"}, algorithms=["HS256", "none"]).sign_in()


async def test_an_answer_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piql_backend.oidc.provider.SECONDS", 0.05)
    with pytest.raises(Refused, match="provider-away"):
        await Signing(new_key("1"), drips=True).sign_in()
