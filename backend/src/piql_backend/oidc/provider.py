"""Asks an OpenID provider, and believes of its answers only what is signed for this very sign-in.

What is looked up once is kept for an hour: where the provider's endpoints are, and its keys. A token that no known key
has signed has the keys looked up anew, so that a provider may change them, also under the same id, or under none.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError
from joserfc.jwk import Key, KeySet
from piql.text.web_addresses import web_address_of

from piql_backend.oidc.attempt import SignInAttempt
from piql_backend.oidc.candidate import Claims, is_complete
from piql_backend.oidc.refusals import Code, Refused
from piql_backend.oidc.registration import Registration

log = logging.getLogger(__name__)

SECONDS = 10.0  # that the provider may take to answer
_MOST_BYTES = 1_000_000  # of an answer
_KEPT_SECONDS = 3_600.0
_SECONDS_BETWEEN_KEYS = 10.0  # or strangers could have them looked up as often as they like
_LEEWAY_SECONDS = 60  # by which the clocks of two machines may differ
# Those of a public key. Others are signed with what the browser may know, or not at all.
_ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"}
)
_WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class Metadata:
    """Where a provider's endpoints are, and how it signs."""

    authorization: str
    token: str
    keys: str
    userinfo: str | None
    algorithms: frozenset[str]
    takes_basic: bool  # the client shows its secret in the header `Authorization`; else in the body
    names_issuer: bool  # in the answer that the browser brings


class Provider:
    """One provider, for one client of it. Raises Refused for whatever it does not confirm."""

    def __init__(self, registration: Registration, clock: Callable[[], float] = time.monotonic) -> None:
        self._registration = registration
        self._clock = clock
        self._client = httpx.AsyncClient(timeout=SECONDS, follow_redirects=False)
        self._metadata: tuple[float, Metadata] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def close(self) -> None:
        await self._client.aclose()

    async def authorization_url(self, attempt: SignInAttempt, redirect_uri: str) -> str:
        """Where the browser asks the provider to sign somebody in."""
        url: str = prepare_grant_uri(
            (await self._known()).authorization,
            self._registration.client_id,
            "code",
            redirect_uri,
            " ".join(self._registration.scopes),
            attempt.state,
            nonce=attempt.nonce,
            code_challenge=create_s256_code_challenge(attempt.verifier),
            code_challenge_method="S256",
        )
        return url

    async def claims(self, attempt: SignInAttempt, code: str, issuer: str | None, redirect_uri: str) -> Claims:
        """Exchange a code for the claims of who signed in; `issuer` is the one that the answer names, if any."""
        metadata = await self._known()
        if issuer != self._registration.issuer and (issuer is not None or metadata.names_issuer):
            raise Refused("token-refused", "the answer comes from another issuer")
        tokens = await self._exchange(metadata, attempt, code, redirect_uri)
        claims = await self._verified(metadata, attempt, tokens)
        access_token = tokens.get("access_token")
        if metadata.userinfo is None or not access_token or is_complete(claims, self._registration.name_claim):
            return claims
        headers = {"Authorization": f"Bearer {access_token}"}
        document = await self._json(
            "provider-away", self._client.build_request("GET", metadata.userinfo, headers=headers)
        )
        if document.get("sub") != claims["sub"]:
            raise Refused("token-refused", "the userinfo is about somebody else")
        return {**document, **claims}

    async def _exchange(
        self, metadata: Metadata, attempt: SignInAttempt, code: str, redirect_uri: str
    ) -> Mapping[str, Any]:
        client_id, secret = self._registration.client_id, self._registration.client_secret
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": attempt.verifier,
        }
        request = httpx.Request("POST", metadata.token, data=body, headers={"Accept": "application/json"})
        if metadata.takes_basic:  # RFC 6749, section 2.3.1: both are encoded first
            flow = httpx.BasicAuth(quote(client_id, safe=""), quote(secret, safe="")).auth_flow(request)
            request = next(flow)
        else:
            body |= {"client_id": client_id, "client_secret": secret}
            request = httpx.Request("POST", metadata.token, data=body, headers={"Accept": "application/json"})
        return await self._json("code-refused", request)

    async def _verified(self, metadata: Metadata, attempt: SignInAttempt, tokens: Mapping[str, Any]) -> Claims:
        """The claims of the ID token: its signature, issuer, audience, time, nonce and access token are right."""
        id_token = tokens.get("id_token")
        if not isinstance(id_token, str):
            raise Refused("token-refused", "there is no ID token")
        client_id = self._registration.client_id
        try:
            decoded = await self._decoded(metadata, id_token)
            claims = CodeIDToken(
                decoded.claims,
                decoded.header,
                {
                    "iss": {"essential": True, "value": self._registration.issuer},
                    "aud": {"essential": True, "value": client_id},
                    "sub": {"essential": True},
                    "nonce": {"essential": True, "value": attempt.nonce},
                },
                {"nonce": attempt.nonce, "client_id": client_id, "access_token": tokens.get("access_token")},
            )
            claims.validate(leeway=_LEEWAY_SECONDS)
        except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:  # libraries fail in many ways
            raise Refused("token-refused", f"{type(error).__name__}: {error}") from error
        return dict(claims)

    async def _decoded(self, metadata: Metadata, id_token: str) -> jwt.Token:
        algorithms = list(metadata.algorithms)
        try:
            return jwt.decode(id_token, await self._known_keys(metadata), algorithms=algorithms)
        except (InvalidKeyIdError, BadSignatureError):
            return jwt.decode(id_token, await self._known_keys(metadata, is_anew=True), algorithms=algorithms)

    async def _known(self) -> Metadata:
        now = self._clock()
        if self._metadata is None or now - self._metadata[0] > _KEPT_SECONDS:
            issuer = self._registration.issuer
            request = self._client.build_request("GET", f"{issuer.rstrip('/')}{_WELL_KNOWN}")
            self._metadata = now, self._metadata_of(await self._json("provider-away", request))
        return self._metadata[1]

    def _metadata_of(self, document: Mapping[str, Any]) -> Metadata:
        if document.get("issuer") != self._registration.issuer:
            raise Refused(
                "provider-away", f"OIDC_ISSUER must be {document.get('issuer')!r}, as the provider calls itself"
            )
        algorithms = _ALGORITHMS & (_texts(document.get("id_token_signing_alg_values_supported")) or {"RS256"})
        if not algorithms:
            raise Refused("provider-away", "it names no way to sign that takes a public key, such as RS256")
        ways = _texts(document.get("token_endpoint_auth_methods_supported"))
        return Metadata(
            authorization=self._address(document, "authorization_endpoint"),
            token=self._address(document, "token_endpoint"),
            keys=self._address(document, "jwks_uri"),
            userinfo=self._address(document, "userinfo_endpoint") if document.get("userinfo_endpoint") else None,
            algorithms=algorithms,
            takes_basic=not ways or "client_secret_basic" in ways,
            names_issuer=document.get("authorization_response_iss_parameter_supported") is True,
        )

    def _address(self, document: Mapping[str, Any], name: str) -> str:
        address = document.get(name)
        schemes = ("https",) if self._registration.is_secure else ("http", "https")
        parts = web_address_of(address) if isinstance(address, str) else None
        if not isinstance(address, str) or parts is None or parts.scheme not in schemes:
            raise Refused("provider-away", f"{name} is no address that begins with {schemes[0]}")
        return address

    async def _known_keys(self, metadata: Metadata, is_anew: bool = False) -> KeySet:
        now = self._clock()
        longest = _SECONDS_BETWEEN_KEYS if is_anew else _KEPT_SECONDS
        if self._keys is None or now - self._keys[0] > longest:
            document = await self._json("provider-away", self._client.build_request("GET", metadata.keys))
            self._keys = now, KeySet(_keys_of(document))
        return self._keys[1]

    async def _json(self, code: Code, request: httpx.Request) -> Mapping[str, Any]:
        """The object that answers a request; Refused with a code where it is refused, `provider-away` without any."""
        place = f"{request.url.host}{request.url.path}"
        try:
            async with asyncio.timeout(SECONDS):  # whole: it may send a byte now and then
                status, body = await self._answer(request, place)
        except (httpx.HTTPError, TimeoutError) as error:
            raise Refused("provider-away", f"{place}: {type(error).__name__} {error}") from error
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            document = None
        if status != 200 or not isinstance(document, dict):
            reason = document.get("error") if isinstance(document, dict) else None
            is_at_fault = status >= 500
            message = f"{place} answers {status} {str(reason or '')[:60]}"
            raise Refused("provider-away" if is_at_fault else code, message)
        return document

    async def _answer(self, request: httpx.Request, place: str) -> tuple[int, bytes]:
        """The status and the body of an answer; Refused where the body is too large."""
        body = bytearray()
        answer = await self._client.send(request, stream=True)
        try:
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise Refused("provider-away", f"the answer of {place} is larger than {_MOST_BYTES:,} bytes")
        finally:
            await answer.aclose()
        return answer.status_code, bytes(body)


def _keys_of(document: Mapping[str, Any]) -> list[Key]:
    """The keys of a set that can be used: a provider may have others, too, of which this workbench knows nothing."""
    listed = document.get("keys")
    keys: list[Key] = []
    for key in listed if isinstance(listed, list) else []:
        try:
            keys += KeySet.import_key_set({"keys": [key]}).keys
        except (JoseError, ValueError, TypeError, KeyError, AttributeError):  # libraries fail in many ways
            log.warning("a key of the OpenID provider cannot be used")
    if not keys:
        raise Refused("provider-away", "it has no key that can be used")
    return keys


def _texts(value: object) -> set[str]:
    return {item for item in value if isinstance(item, str)} if isinstance(value, list) else set()
