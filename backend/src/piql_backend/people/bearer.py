"""Secrets that whoever holds them is known by: 256 random bits, of which only a digest is kept."""

from __future__ import annotations

import hashlib
import secrets


def new_secret(prefix: str = "") -> str:
    """A secret that nobody can guess; a prefix tells people, and programs that look for leaks, what it is."""
    return f"{prefix}{secrets.token_urlsafe(32)}"


def digest_of(secret: str) -> str:
    """What is kept of a secret: with 256 random bits, one round of SHA-256 cannot be turned round."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
