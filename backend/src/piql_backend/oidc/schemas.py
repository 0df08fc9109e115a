"""The shapes of the ways to sign in."""

from __future__ import annotations

from piql_backend.web.schemas import Read


class RefusalRead(Read):
    """Why a sign-in at the provider did not succeed: a sentence, and one thing to do."""

    code: str
    message: str
    help: str


class SignInRead(Read):
    """How people sign in: by a password, and at `provider`, which is null where there is none."""

    provider: str | None
    refusal: RefusalRead | None
