"""API tokens. A file, or a variable of the environment, holds a line for each, without the token itself:

    # name   requests a second   SHA-256 of the token
    shop     2000                9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    reports  -                   …                                    no budget

A token is 32 random bytes, so that a plain hash of it cannot be turned round by trying.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PREFIX = "piql_"
NO_BUDGET = "-"
_LINE = re.compile(r"(?P<name>\S+)\s+(?P<budget>\S+)\s+(?P<digest>[0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Caller:
    """Whom a token stands for; `budget` is in requests a second, infinite where there is none."""

    name: str
    budget: float
    digest: bytes


class TokensInvalid(ValueError):
    """A line of the tokens cannot be read; the message says which, and never what stands there."""


def new_token() -> str:
    """Return a token that nobody can guess."""
    return PREFIX + secrets.token_urlsafe(32)


def line_of(name: str, budget: float, token: str) -> str:
    """Return the line that lets the token in."""
    return f"{name}  {NO_BUDGET if math.isinf(budget) else f'{budget:g}'}  {_digest(token.encode()).hex()}\n"


def read_tokens(text: str, origin: str) -> Mapping[bytes, Caller]:
    """Return the callers by the digests of their tokens; raise TokensInvalid, which names the line in `origin`."""
    callers: dict[bytes, Caller] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise TokensInvalid(f"{origin}, line {number}: write a name, a budget or -, and the SHA-256 of the token")
        digest = bytes.fromhex(match["digest"])
        if digest in callers:
            raise TokensInvalid(f"{origin}, line {number}: the token of {callers[digest].name} again")
        callers[digest] = Caller(match["name"], _budget(match["budget"], f"{origin}, line {number}"), digest)
    return callers


def _budget(text: str, place: str) -> float:
    if text == NO_BUDGET:
        return math.inf
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not 0 < budget < math.inf:
        raise TokensInvalid(f"{place}: the budget is {text!r}, not a number of requests a second above 0, or -")
    return budget


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


@dataclass(frozen=True, slots=True)
class TokenSource:
    """Where tokens are read from: a file, or a variable of the environment; neither where anybody may ask."""

    file: Path | None = None
    variable: str | None = None

    def __bool__(self) -> bool:
        return self.file is not None or self.variable is not None

    def read(self) -> Mapping[bytes, Caller]:
        """Read all tokens; raise OSError for a file that cannot be read, TokensInvalid, also where there is none."""
        origin = str(self.file) if self.file is not None else f"the variable {self.variable}"
        text = self.file.read_text() if self.file is not None else os.environ.get(self.variable or "", "")
        callers = read_tokens(text, origin)
        if not callers:
            raise TokensInvalid(f"{origin} holds no token: make one with `piql service-token`")
        return callers


class Tokens:
    """The callers that may ask. `is_open` is set where anybody may."""

    def __init__(self, source: TokenSource) -> None:
        self._source = source
        self.is_open = not source
        self._callers = source.read() if source else {}

    def read_again(self) -> None:
        """Take in what was added to the file, and what was removed; raise OSError or TokensInvalid, and keep what is
        known."""
        if self._source.file is not None:
            self._callers = self._source.read()

    def caller(self, authorization: bytes) -> Caller | None:
        """Return whom an Authorization header stands for; None for nobody."""
        scheme, _, token = authorization.partition(b" ")
        return self._callers.get(_digest(token.strip())) if scheme.lower() == b"bearer" else None
