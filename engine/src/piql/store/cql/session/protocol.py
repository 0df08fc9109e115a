"""CQL's protocol as the store uses it: its version, and results whose values are PIQL's stored values.

The driver chooses the reader of a column by its type. Where its Python value is not PIQL's stored value, the type is
replaced here: by a compiled reader of the driver if one returns the stored value, else by a reader of our own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassandra.cqltypes import BytesType, LongType
from cassandra.protocol import ProtocolHandler, ResultMessage

from piql.store.cql.stored_values import CODECS, STORED

PROTOCOL = 4

_FAST_RESULT = ProtocolHandler.message_types_by_opcode[ResultMessage.opcode]
_COMPILED = {"timestamp": LongType, "uuid": BytesType}  # readers of the driver that give the stored value


def _reader(cql_type: Any, as_read: Callable[[bytes], Any]) -> Any:
    """Return a type like the driver's, read by `as_read`; the `_` in its name keeps it out of the driver's registry."""

    def deserialize(stored: bytes, protocol_version: int) -> Any:
        return as_read(stored)

    return type(cql_type)(f"_Stored{cql_type.__name__}", (cql_type,), {"deserialize": staticmethod(deserialize)})


def _readers() -> dict[Any, Any]:
    """Return READ_AS."""
    as_read = {row.cql: row.as_read for row in STORED.values() if row.cql in CODECS and row.as_read is not None}
    by_name: dict[str, Any] = {getattr(kind, "typename", ""): kind for kind in _FAST_RESULT.type_codes.values()}
    return {by_name[cql]: _COMPILED.get(cql) or _reader(by_name[cql], read) for cql, read in as_read.items()}


READ_AS = _readers()
"""The type that reads stored values, by the driver's type of a column, for those whose values differ."""

_TYPES = {code: READ_AS.get(cql_type, cql_type) for code, cql_type in _FAST_RESULT.type_codes.items()}


class _StoredResult(_FAST_RESULT):  # type: ignore[misc,valid-type]
    """A result whose values are PIQL's stored values: no datetime, date or UUID is made of them."""

    type_codes = _TYPES


class StoredProtocol(ProtocolHandler):  # type: ignore[misc]
    """The protocol handler of a session whose results are `_StoredResult`."""

    message_types_by_opcode = ProtocolHandler.message_types_by_opcode | {ResultMessage.opcode: _StoredResult}
