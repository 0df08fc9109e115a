"""Text that clients keep and hand back: signed, so that nobody can make or change one.

base64url( HMAC-SHA256 of purpose and body, 16 bytes | body )
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from piql.store.base import SIGNING_KEY, Store

_SIGNATURE_LENGTH = 16


def sealed(key: bytes, body: bytes, purpose: bytes = b"") -> str:
    return base64.urlsafe_b64encode(_signature(key, body, purpose) + body).rstrip(b"=").decode()


def opened(key: bytes, text: str, purpose: bytes = b"") -> bytes | None:
    """Give the body; None when it was not sealed with this key for this purpose, or a character differs."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None
    signature, body = raw[:_SIGNATURE_LENGTH], raw[_SIGNATURE_LENGTH:]
    is_canonical = base64.urlsafe_b64encode(raw).rstrip(b"=").decode() == text
    return body if is_canonical and hmac.compare_digest(signature, _signature(key, body, purpose)) else None


def _signature(key: bytes, body: bytes, purpose: bytes) -> bytes:
    return hmac.digest(key, purpose + body, hashlib.sha256)[:_SIGNATURE_LENGTH]


def signing_key(store: Store) -> bytes:
    """Give the key that signs what clients keep, the same for every process that has the store open."""
    if store.steps is not None:
        made = secrets.token_hex(32)
        is_first, there = store.steps.swap("settings", SIGNING_KEY, None, made)
        return bytes.fromhex(made if is_first or there is None else there)
    kept = store.settings().get(SIGNING_KEY)
    if kept is None:
        with store.transaction() as transaction:
            kept = store.settings().get(SIGNING_KEY)
            if kept is None:
                kept = secrets.token_hex(32)
                transaction.set_setting(SIGNING_KEY, kept)
    return bytes.fromhex(kept)
