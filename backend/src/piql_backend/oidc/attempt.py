"""One sign-in on its way: the browser keeps a secret in a cookie, and all that the provider is sent follows from it.

The server keeps nothing of it, so strangers fill nothing by beginning many.

    cookie     secret, when it was begun, where to return to
    state      binds the answer to the cookie, and so to this browser
    nonce      binds the ID token to the cookie
    verifier   binds the code to the cookie (PKCE): a code that was stolen is of no use in another browser
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Literal

from piql_backend.people.bearer import new_secret

SECONDS = 600  # that somebody may take to sign in at the provider
_LOCAL = re.compile(r"/(?![/\\])[!-\[\]-~]{0,999}")  # printable ASCII but for the backslash, which browsers read as /
_HOME = "/"
_API = "/api/"


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """A sign-in of one browser: `begun_at` is in seconds since 1970, `return_to` a path of this workbench."""

    secret: str
    begun_at: int
    return_to: str

    @classmethod
    def begin(cls, return_to: str | None, now: int) -> SignInAttempt:
        """Return a new one."""
        return cls(new_secret(), now, local_path(return_to))

    @classmethod
    def from_cookie(cls, value: str | None, now: int) -> SignInAttempt | None:
        """Read what `cookie` wrote; None for anything else, and for what was begun too long ago."""
        try:
            secret, begun_at, return_to = base64.urlsafe_b64decode(value or "").decode("ascii").split(" ")
            attempt = cls(secret, int(begun_at), local_path(return_to))
        except ValueError:
            return None
        return attempt if 0 <= now - attempt.begun_at <= SECONDS else None

    @property
    def cookie(self) -> str:
        return base64.urlsafe_b64encode(f"{self.secret} {self.begun_at} {self.return_to}".encode()).decode()

    @property
    def state(self) -> str:
        return self._derived("state")

    @property
    def nonce(self) -> str:
        return self._derived("nonce")

    @property
    def verifier(self) -> str:
        return self._derived("verifier")

    def is_answered_by(self, state: str) -> bool:
        """Whether an answer of a provider with that state is the answer to this one."""
        return hmac.compare_digest(self.state.encode(), state.encode("utf-8", "surrogateescape"))

    def _derived(self, purpose: Literal["state", "nonce", "verifier"]) -> str:
        text = f"{purpose} {self.begun_at} {self.return_to}"
        digest = hmac.new(self.secret.encode(), text.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def local_path(wanted: str | None) -> str:
    """The path of a page of this workbench; the home page in place of anything that may lead elsewhere."""
    if wanted is None or _LOCAL.fullmatch(wanted) is None or wanted.startswith(_API):
        return _HOME
    return wanted
