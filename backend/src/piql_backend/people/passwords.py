"""Passwords, kept as Argon2id with the parameters of RFC 9106 for 64 MiB of memory."""

from __future__ import annotations

import secrets
import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST = 12
LONGEST = 200

HASHER = PasswordHasher()


def problem_of(password: str, name: str) -> str | None:
    """Why a password cannot be taken; None where it can."""
    if not SHORTEST <= len(password) <= LONGEST:
        return f"A password has {SHORTEST} to {LONGEST} characters."
    if name.lower() in password.lower() or len(set(password)) < 5:
        return "A password must not contain the person's name, and needs more than a few different characters."
    return None


def hash_of(password: str) -> str:
    """What is kept of a password."""
    return HASHER.hash(_normal(password))


def is_right(password_hash: str | None, password: str) -> bool:
    """Whether it is the password of that hash; without a hash, it takes the same time and is none."""
    try:
        HASHER.verify(password_hash or _hash_of_nobody(), _normal(password))
    except (VerificationError, InvalidHashError):
        return False
    return bool(password_hash)


@cache
def _hash_of_nobody() -> str:
    """What an unknown name is compared with, so that it takes as long as a wrong password."""
    return HASHER.hash(secrets.token_bytes())


def _normal(password: str) -> bytes:
    """The same bytes on every keyboard, however it composes an accent."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
