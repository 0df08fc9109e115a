"""Keys as bytes whose order is that of the index: NULL first, descending columns with every bit turned.

    column            stored value             bytes
    INTEGER           5                        01 8000000000000005      64 bits, the sign turned
    REAL              -1.5                     01 4007FFFFFFFFFFFF      the order of IEEE 754
    TEXT, BLOB        "a" and a zero byte      01 61 00FF 0001          zero bytes escaped, then the end 00 01
    any               NULL                     00

No column's bytes begin another's of the same type, so whole keys compare as their columns do, one after another.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from piql.schema.catalog import Index, Table
from piql.store.rows import Row
from piql.store.values import STORED

Encode: TypeAlias = Callable[[Any], bytes]
"""One column's value, in the store's form, → its bytes in a key."""

_FLIPPED = bytes(255 - byte for byte in range(256))
_NULL, _SET = b"\x00", b"\x01"
_HALF = 1 << 63
_EVERY_BIT = (1 << 64) - 1


def _whole(value: Any) -> bytes:
    return int(value + _HALF).to_bytes(8, "big")


def _real(value: Any) -> bytes:
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))  # 0.0 and -0.0 are one key
    return int(bits ^ _EVERY_BIT if bits & _HALF else bits | _HALF).to_bytes(8, "big")


def _bytes(value: Any) -> bytes:
    return bytes(value).replace(b"\x00", b"\x00\xff") + b"\x00\x01"


def _text(value: Any) -> bytes:
    return _bytes(value.encode("utf-8", "surrogatepass"))


_BY_AFFINITY: dict[str, Encode] = {"INTEGER": _whole, "REAL": _real, "TEXT": _text, "BLOB": _bytes}


def encoders_of(table: Table, index: Index) -> list[Encode]:
    """Return the encoder of each column of an index's key: its bucket, if it has buckets, then its columns."""
    encoders = [_column("INTEGER", True)] if has_bucket(index) else []
    for key_column in index.columns:
        column = table.column(key_column.name)
        is_token = column is None or bool(key_column.token_of)
        affinity = "TEXT" if is_token or column is None else STORED[column.type.kind].affinity
        encoders.append(_column(affinity, key_column.ascending))
    return encoders


def has_bucket(index: Index) -> bool:
    """Return whether entries begin with the number of a bucket."""
    return index.buckets > 1 and not index.is_primary


def key_of(encoders: Sequence[Encode], values: Row) -> bytes:
    """Return the bytes of the first columns of a key; there may be fewer values than encoders."""
    return b"".join([encode(value) for encode, value in zip(encoders, values, strict=False)])


def end_of(prefix: bytes) -> bytes | None:
    """Return the first key behind all that begin with a prefix; None where there is no such key."""
    shortened = prefix.rstrip(b"\xff")
    return shortened[:-1] + bytes([shortened[-1] + 1]) if shortened else None


def set_only(is_ascending: bool) -> tuple[bytes, bool]:
    """Return the byte that divides NULL from other values of a column, and whether the others come behind it."""
    return (_SET, True) if is_ascending else (_NULL.translate(_FLIPPED), False)


def _column(affinity: str, is_ascending: bool) -> Encode:
    encode_value = _BY_AFFINITY[affinity]

    def encode(value: Any) -> bytes:
        return _NULL if value is None else _SET + encode_value(value)

    def encode_descending(value: Any) -> bytes:
        return encode(value).translate(_FLIPPED)

    return encode if is_ascending else encode_descending
