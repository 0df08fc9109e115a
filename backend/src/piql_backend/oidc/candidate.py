"""What the claims of a provider say of a person who signs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Claims = Mapping[str, Any]
_LONGEST_SUBJECT = 255  # as OpenID Connect has it
_CONFIRMED = (True, "true")  # some providers send a text


@dataclass(frozen=True, slots=True)
class Candidate:
    """A person of a provider: `subject` never changes, and nobody else ever gets it; the rest may change.

    `email` is one that the provider has confirmed, in small letters; `has_email` says whether it names any.
    """

    issuer: str
    subject: str
    name: str | None
    email: str | None
    has_email: bool

    @property
    def domain(self) -> str | None:
        """The domain of the confirmed e-mail address."""
        return None if self.email is None else self.email.rpartition("@")[2]


def candidate_of(issuer: str, claims: Claims, name_claim: str) -> Candidate | None:
    """Return whom verified claims tell of; None without a subject that can be one."""
    subject = _text(claims, "sub")
    if subject is None or len(subject) > _LONGEST_SUBJECT:
        return None
    email = _text(claims, "email")
    is_confirmed = email is not None and claims.get("email_verified") in _CONFIRMED
    name = _text(claims, name_claim)
    return Candidate(
        issuer,
        subject,
        None if name is None else name.lower(),
        email.lower() if email is not None and is_confirmed else None,
        email is not None,
    )


def is_complete(claims: Claims, name_claim: str) -> bool:
    """Whether claims say all that `candidate_of` reads, so that the provider need not be asked for more."""
    return all(claim in claims for claim in (name_claim, "email", "email_verified"))


def _text(claims: Claims, name: str) -> str | None:
    value = claims.get(name)
    return value if isinstance(value, str) and value else None
