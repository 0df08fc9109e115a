"""Pages: the objects that keep rows (leaves) and the way to them (inner nodes). A page never changes once it is stored.

    leaf    {"rows": [[key, value, value, …], …]}        in the order of the keys
    inner   {"below": [[first key, page], …]}            the first of them also has all keys before its own

A page is JSON compressed by zlib; bytes are a list with their base64 text, which no other value is.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from piql.errors import StoreUnavailable
from piql.store.rows import Row

_LEVEL = 1  # of zlib: quick, and most of the gain


@dataclass(frozen=True, slots=True)
class Leaf:
    """The rows of one page: `rows[n]` is that of `keys[n]`."""

    keys: Sequence[bytes]
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Inner:
    """The names of the pages one level down: `below[n]` has the keys from `keys[n]` on, before `keys[n + 1]`."""

    keys: Sequence[bytes]
    below: Sequence[str]


Page: TypeAlias = Leaf | Inner


def position_of(keys: Sequence[bytes], key: bytes) -> int:
    """Return which of the pages below an inner node has a key."""
    return max(0, bisect_right(keys, key) - 1)


def row_text(key: bytes, row: Row) -> str:
    """Return a row as it stands in a leaf."""
    return json.dumps([_text(key), *map(_stored, row)], separators=(",", ":"))


def below_text(key: bytes, name: str) -> str:
    """Return a page as it stands in the inner node above it."""
    return json.dumps([_text(key), name], separators=(",", ":"))


def encoded(kind: str, texts: Sequence[str]) -> bytes:
    """Return the object of a page: `kind` is `rows` or `below`, and the texts are of its rows or of the pages below."""
    return zlib.compress(f'{{"{kind}":[{",".join(texts)}]}}'.encode(), _LEVEL)


def encoded_document(document: Any) -> bytes:
    """Return the object of any document of JSON."""
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), _LEVEL)


def decoded_document(name: str, data: bytes) -> Any:
    """Return the document of an object; raise StoreUnavailable where it holds none."""
    try:
        return json.loads(zlib.decompress(data))
    except (zlib.error, ValueError):
        raise StoreUnavailable(f"the object {name} of the store is damaged: restore it from a backup") from None


def decoded(name: str, data: bytes) -> Page:
    """Return the page that an object holds; raise StoreUnavailable where it holds none."""
    match decoded_document(name, data):
        case {"rows": list(rows)}:
            return Leaf(
                [b64decode(key) for key, *_ in rows],
                [tuple([_value(value) for value in values]) for _, *values in rows],
            )
        case {"below": list(below)}:
            return Inner([b64decode(key) for key, _ in below], [page for _, page in below])
    raise StoreUnavailable(f"the object {name} of the store is not a page: restore it from a backup")


def _text(value: bytes) -> str:
    return b64encode(value).decode("ascii")


def _stored(value: Any) -> Any:
    return [_text(value)] if isinstance(value, bytes) else value


def _value(value: Any) -> Any:
    return b64decode(value[0]) if type(value) is list else value
