"""One sign-in at a provider, from its beginning to the session."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from piql_backend.oidc.attempt import SignInAttempt
from piql_backend.oidc.candidate import candidate_of
from piql_backend.oidc.identities import Admitted, Identities
from piql_backend.oidc.provider import Provider
from piql_backend.oidc.refusals import Refused
from piql_backend.oidc.registration import Registration
from piql_backend.people.audit import Deed
from piql_backend.people.clock import Clock, wall_clock
from piql_backend.people.cookie import UNKNOWN_ORIGIN, ClientOrigin
from piql_backend.people.service import People
from piql_backend.web.errors import ApiError
from piql_backend.web.rates import client_of

log = logging.getLogger(__name__)

CALLBACK = "/api/sign-in/callback"
_OPERATION = "log_in"  # under this name the record and the log count sign-ins, by password or provider
_BY = "provider"  # how the person proved who they are, in the record
_NOBODY = ""  # in place of a name: who fails here is counted by the client alone


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """What the browser brings from the provider: a code, or an error."""

    state: str | None
    code: str | None
    error: str | None
    issuer: str | None


class SignIns:
    """Signs people in whom an OpenID provider names.

    A browser is sent to the provider by `begin`, and comes back with an answer, which `complete` checks.
    """

    def __init__(self, registration: Registration, people: People, clock: Clock = wall_clock) -> None:
        self.label = registration.label
        self._registration = registration
        self._people = people
        self._provider = Provider(registration)
        self._identities = Identities(people.database, clock)
        self._clock = clock

    async def close(self) -> None:
        await self._provider.close()

    def attempt_of(self, cookie: str | None) -> SignInAttempt | None:
        """The attempt that a browser keeps in its cookie; None where there is none, or it was begun too long ago."""
        return SignInAttempt.from_cookie(cookie, self._clock())

    async def begin(self, return_to: str | None, redirect_uri: str) -> tuple[SignInAttempt, str]:
        """Begin an attempt; return it with the address that the browser is sent to. Raises Refused."""
        attempt = SignInAttempt.begin(return_to, self._clock())
        try:
            return attempt, await self._provider.authorization_url(attempt, redirect_uri)
        except Refused as refused:
            log.warning("a sign-in could not begin: %s", refused)
            raise

    async def complete(
        self,
        attempt: SignInAttempt | None,
        answer: ProviderAnswer,
        redirect_uri: str,
        replaced: str | None,
        origin: ClientOrigin,
    ) -> str:
        """Begin a session for the person whom the provider names, and return its new secret. Raises Refused.

        The session with the secret `replaced` ends.
        """
        if attempt is None or answer.state is None or not attempt.is_answered_by(answer.state):
            self._people.strangers.refused(_OPERATION, origin.address)
            raise Refused("sign-in-lost")
        client = client_of(origin.address)
        if self._people.attempts.take(_NOBODY, client):
            self._people.strangers.refused(_OPERATION, origin.address)
            raise Refused("too-many-sign-ins")
        try:
            admitted = await self._admitted(attempt, answer, redirect_uri)
            secret = await self._people.begin(admitted, replaced, origin)
        except ApiError:  # the account was shut out in the meantime
            raise Refused("shut-out") from None
        except Refused as refused:
            log.warning("a sign-in was refused: %s", refused)
            await self._note_refused(refused.person, origin)
            raise
        self._people.attempts.give_back(_NOBODY, client)
        await self._note(admitted.name, _OPERATION, 200, origin)
        return secret

    async def _admitted(self, attempt: SignInAttempt, answer: ProviderAnswer, redirect_uri: str) -> Admitted:
        if answer.code is None:
            raise Refused("cancelled", f"the provider says {(answer.error or 'nothing')[:60]!r}")
        claims = await self._provider.claims(attempt, answer.code, answer.issuer, redirect_uri)
        candidate = candidate_of(self._registration.issuer, claims, self._registration.name_claim)
        if candidate is None:
            raise Refused("token-refused", "it names no subject")
        admitted = await self._people.look(self._identities.admit, candidate, self._registration)
        if admitted.is_new:
            await self._note(admitted.name, "add_person", 201, UNKNOWN_ORIGIN)
        return admitted

    async def _note(self, person: str | None, operation: str, status: int, origin: ClientOrigin) -> None:
        deed = Deed(operation, CALLBACK, status, address=origin.address)
        await self._people.look(self._people.audit.note_of, person, _BY, deed)

    async def _note_refused(self, person: str | None, origin: ClientOrigin) -> None:
        """Record a refused sign-in, as a wrong password is; only count it where the record takes no more of them."""
        if self._people.strangers.may_be_recorded():
            await self._note(person, _OPERATION, 401, origin)
        else:
            self._people.strangers.refused(_OPERATION, origin.address)
