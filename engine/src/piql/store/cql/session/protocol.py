"""CQL's protocol as the store speaks it: its version, and results whose values are PIQL's stored values."""

from __future__ import annotations

from cassandra import type_codes
from cassandra.cqltypes import BytesType, LongType, SimpleDateType
from cassandra.protocol import ProtocolHandler, ResultMessage

from piql.store.cql.stored_values import date_from_bytes

PROTOCOL = 4


class DayNumber(SimpleDateType):  # type: ignore[misc]
    """A CQL date, read as PIQL keeps it."""

    @staticmethod
    def deserialize(stored: bytes, protocol_version: int) -> int:
        return date_from_bytes(stored)


_FAST_RESULT = ProtocolHandler.message_types_by_opcode[ResultMessage.opcode]


class _StoredResult(_FAST_RESULT):  # type: ignore[misc,valid-type]
    """A result whose values are PIQL's stored values: no datetime, date or UUID is made of them."""

    type_codes = _FAST_RESULT.type_codes | {
        type_codes.DateType: LongType,
        type_codes.SimpleDateType: DayNumber,
        type_codes.UUIDType: BytesType,
        type_codes.TimeUUIDType: BytesType,
    }


class StoredProtocol(ProtocolHandler):  # type: ignore[misc]
    message_types_by_opcode = ProtocolHandler.message_types_by_opcode | {ResultMessage.opcode: _StoredResult}
