"""Secrets that identify their holder, such as session ids and API tokens: 256 random bits, stored only as a digest."""

from __future__ import annotations

import hashlib
import secrets


def new_secret(prefix: str = "") -> str:
    """Return a secret that nobody can guess. The prefix shows people, and programs that look for leaks, what it is."""
    return f"{prefix}{secrets.token_urlsafe(32)}"


def digest_of(secret: str) -> str:
    """Return what is stored of a secret. One round of SHA-256 is enough: 256 random bits cannot be guessed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
