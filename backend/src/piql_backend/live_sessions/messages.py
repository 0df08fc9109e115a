"""What is said over the socket of a live session, as bytes: the protocols of Yjs, and three kinds of its own.

0 0 vector   which edits the sender has          0 1 update, 0 2 update   edits
1 presence   who is there (presence.py)
100 json     to the client, first: which document this is, and what it may do
101 json     to the client: the text is saved; so many of its messages of edits are in it
102 json     to the client: the text cannot be saved now, with the reason
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SYNC, PRESENCE = 0, 1
ASKS, ANSWERS, EDITS = 0, 1, 2  # kinds of SYNC
_MOST_DIGITS = 8  # bytes of a number


class NotUnderstood(Exception):
    """Bytes that are no message."""


@dataclass(frozen=True, slots=True)
class Received:
    """A message of a client: what it is, and its bytes."""

    kind: Literal["vector", "update", "presence"]
    content: bytes


class Reader:
    """Reads numbers and texts from bytes; raises NotUnderstood at their end."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._content)

    def number(self) -> int:
        number = 0
        for digit in range(_MOST_DIGITS):
            byte = self._take(1)[0]
            number |= (byte & 0x7F) << (7 * digit)
            if byte < 0x80:
                return number
        raise NotUnderstood("a number is too long")

    def content(self) -> bytes:
        """Bytes that follow their length."""
        return self._take(self.number())

    def _take(self, count: int) -> bytes:
        if self._at + count > len(self._content):
            raise NotUnderstood("it ends too early")
        self._at += count
        return self._content[self._at - count : self._at]


def read_message(content: bytes) -> Received:
    """What a client says. Raises NotUnderstood."""
    reader = Reader(content)
    kind = reader.number()
    if kind == SYNC:
        step = reader.number()
        if step == ASKS:
            return Received("vector", reader.content())
        if step in (ANSWERS, EDITS):
            return Received("update", reader.content())
    elif kind == PRESENCE:
        return Received("presence", reader.content())
    raise NotUnderstood("it is of an unknown kind")


def number_as_bytes(number: int) -> bytes:
    digits = bytearray()
    while number > 0x7F:
        digits.append(0x80 | number & 0x7F)
        number >>= 7
    return bytes([*digits, number])


def with_length(content: bytes) -> bytes:
    return number_as_bytes(len(content)) + content


def asking(vector: bytes) -> bytes:
    """Which edits the sender has: the receiver answers with the others."""
    return bytes((SYNC, ASKS)) + with_length(vector)


def answering(update: bytes) -> bytes:
    """The edits that were missing."""
    return bytes((SYNC, ANSWERS)) + with_length(update)


def edits(update: bytes) -> bytes:
    """Edits that were made just now."""
    return bytes((SYNC, EDITS)) + with_length(update)


def presence(update: bytes) -> bytes:
    return bytes((PRESENCE,)) + with_length(update)


def document(document: str, revision: str, may_write: bool) -> bytes:
    """The first message: the name of the document, the revision of the saved text, whether edits are taken."""
    return _in_json(100, {"document": document, "revision": revision, "may_write": may_write})


def saved(revision: str, messages: int, is_current: bool) -> bytes:
    """The first `messages` of the client's are saved for good; `is_current` if nothing waits to be saved."""
    return _in_json(101, {"revision": revision, "messages": messages, "is_current": is_current})


def not_saved(reason: str) -> bytes:
    return _in_json(102, {"reason": reason})


def _in_json(kind: int, value: Mapping[str, object]) -> bytes:
    return bytes((kind,)) + with_length(json.dumps(value).encode())
