"""CQL's protocol as the store speaks it: its version, and results whose values are PIQL's stored values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cassandra.cqltypes import BytesType, LongType
from cassandra.protocol import ProtocolHandler, ResultMessage

from piql.store.cql.stored_values import CODECS, STORED

PROTOCOL = 4

_FAST_RESULT = ProtocolHandler.message_types_by_opcode[ResultMessage.opcode]
_COMPILED = {"timestamp": LongType, "uuid": BytesType}  # readers of the driver that give the stored value


def _reader(of: Any, as_read: Callable[[bytes], Any]) -> Any:
    """Return the driver's type `of`, read as `as_read` says; its name keeps it out of the driver's list of types."""

    def deserialize(stored: bytes, protocol_version: int) -> Any:
        return as_read(stored)

    return type(of)(f"_Stored{of.__name__}", (of,), {"deserialize": staticmethod(deserialize)})


def _readers() -> dict[Any, Any]:
    as_read = {row.cql: row.as_read for row in STORED.values() if row.cql in CODECS and row.as_read is not None}
    by_name: dict[str, Any] = {getattr(of, "typename", ""): of for of in _FAST_RESULT.type_codes.values()}
    return {by_name[cql]: _COMPILED.get(cql) or _reader(by_name[cql], read) for cql, read in as_read.items()}


READ_AS = _readers()
"""What reads the values of a column as PIQL stores them, by the driver's type of the column, where the two differ."""

_TYPES = {code: READ_AS.get(of, of) for code, of in _FAST_RESULT.type_codes.items()}


class _StoredResult(_FAST_RESULT):  # type: ignore[misc,valid-type]
    """A result whose values are PIQL's stored values: no datetime, date or UUID is made of them."""

    type_codes = _TYPES


class StoredProtocol(ProtocolHandler):  # type: ignore[misc]
    message_types_by_opcode = ProtocolHandler.message_types_by_opcode | {ResultMessage.opcode: _StoredResult}
