"""Text that clients keep and hand back: encrypted and signed, so that nobody can read, make or change one.

    tag     HMAC-SHA256(key of tags, length of purpose | purpose | body), 16 bytes
    stream  SHAKE-256(key of streams, filled up to a block | tag), as long as the body
    sealed  "p" | base64url(tag | body XOR stream)

This is SIV (P. Rogaway and T. Shrimpton, Deterministic Authenticated-Encryption, 2006; RFC 5297) with other primitives:
the tag is the nonce, so that no nonce comes twice for different bodies, and it is checked against what was decrypted.
A key that fills the first block of SHAKE makes it a keyed stream, as in KMAC (NIST SP 800-185). Python has no cipher,
and these two take microseconds. Of what is sealed, others see its length, and whether two bodies are equal.
The letter in front keeps a `-` of base64url from coming first: command lines would take the text for an option.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from functools import lru_cache
from typing import NamedTuple

from piql.store.base import SIGNING_KEY, Store

_TAG_LENGTH = 16
_BLOCK_LENGTH = 136  # of SHAKE-256
_FIRST_LETTER = "p"


class _Keys(NamedTuple):
    """The keys made out of a store's: one key is used for one thing."""

    of_tags: bytes
    of_streams: bytes


@lru_cache(maxsize=64)
def _keys(key: bytes) -> _Keys:
    tags, streams = (hmac.digest(key, use, hashlib.sha256) for use in (b"piql seals: tags", b"piql seals: streams"))
    return _Keys(tags, streams.ljust(_BLOCK_LENGTH, b"\0"))


def sealed(key: bytes, body: bytes, purpose: bytes) -> str:
    """Encrypt and sign; what is sealed for one purpose (of at most 255 bytes) is refused for another."""
    keys = _keys(key)
    tag = _tag(keys, body, purpose)
    return _FIRST_LETTER + _base64(tag + _xor(keys, tag, body))


def opened(key: bytes, text: str, purpose: bytes) -> bytes | None:
    """Return the body; None when it was not sealed with this key for this purpose, or a character differs."""
    if not text.startswith(_FIRST_LETTER):
        return None
    encoded = text[len(_FIRST_LETTER) :]
    try:
        raw = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None
    keys = _keys(key)
    tag = raw[:_TAG_LENGTH]
    body = _xor(keys, tag, raw[_TAG_LENGTH:])
    return body if _base64(raw) == encoded and hmac.compare_digest(tag, _tag(keys, body, purpose)) else None


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _tag(keys: _Keys, body: bytes, purpose: bytes) -> bytes:
    signed = len(purpose).to_bytes(1, "big") + purpose + body
    return hmac.digest(keys.of_tags, signed, hashlib.sha256)[:_TAG_LENGTH]


def _xor(keys: _Keys, tag: bytes, body: bytes) -> bytes:
    stream = hashlib.shake_256(keys.of_streams + tag).digest(len(body))
    return (int.from_bytes(body, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(body), "big")


def store_id(store: Store) -> str | None:
    """Return a name that no other store has, which tells nothing of its key; None before its first deployment."""
    key = store.settings().get(SIGNING_KEY)
    return None if key is None else hmac.digest(bytes.fromhex(key), b"piql store", hashlib.sha256).hex()[:16]


def signing_key(store: Store) -> bytes:
    """Return the key out of which those are made, the same for every process that has the store open."""
    if store.row_writes is not None:
        new_key = secrets.token_hex(32)
        is_first, stored_key = store.row_writes.swap("settings", SIGNING_KEY, None, new_key)
        return bytes.fromhex(new_key if is_first or stored_key is None else stored_key)
    key = store.settings().get(SIGNING_KEY)
    if key is None:
        with store.transaction() as transaction:
            key = store.settings().get(SIGNING_KEY)
            if key is None:
                key = secrets.token_hex(32)
                transaction.set_setting(SIGNING_KEY, key)
    return bytes.fromhex(key)
