"""Encodes EXECUTE frames of CQL's protocol 4, and decodes the rows of their answers.

The driver does the same for each request; here the parts that stay the same are prepared once for each statement.

    header   version, flags, stream, opcode, length of the rest
    rest     query id, consistency, flags, count of values, each value with its length

The server is told to leave out the description of the columns: it is known from preparing, since PIQL names each column
that it selects, and CQL never changes the type of one. On a connection with another protocol version, compression or
extensions, the driver encodes and decodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Any

from cassandra.bytesio import BytesIOReader
from cassandra.deserializers import make_deserializers
from cassandra.obj_parser import ListParser
from cassandra.parsing import ParseDesc
from cassandra.policies import ColDesc
from cassandra.protocol import RESULT_KIND_ROWS, ExecuteMessage, ResultMessage

from piql.store.cql.session.protocol import PROTOCOL, READ_AS, StoredProtocol

_EXECUTE = ExecuteMessage.opcode
_VALUES, _SKIP_METADATA = 0x01, 0x02
_NO_METADATA = 0x04
_header = Struct(">BBhBi").pack
_options = Struct(">HBH").pack
_length = Struct(">i").pack
_short = Struct(">H").pack
_unpack_head = Struct(">iii").unpack_from
_NULL = _length(-1)
_RESULT = ResultMessage.opcode
_parse_rows = ListParser().parse_rows


@dataclass(frozen=True, slots=True)
class Execute:
    """A prepared statement at one consistency.

    statement           the driver's
    level               the protocol's number of the consistency
    id_length_and_id    the beginning of its frames
    columns             as the driver describes them, with types that read stored values; None without description
    parsing             what the driver's parser of rows needs
    """

    statement: Any
    level: int
    id_length_and_id: bytes
    keyspace: str | None
    table: str | None
    columns: Any
    parsing: Any

    @staticmethod
    def of(statement: Any, level: int) -> Execute:
        """Return the frame parts of the driver's prepared statement."""
        described = [
            (keyspace, table, name, READ_AS.get(cql_type, cql_type))
            for keyspace, table, name, cql_type in statement.result_metadata or ()
        ]
        names, types = [column[2] for column in described], [column[3] for column in described]
        parsing = ParseDesc(
            names, types, None, [ColDesc(*column[:3]) for column in described], make_deserializers(types), PROTOCOL
        )
        keyspace, table = described[0][:2] if described else (None, None)
        query_id = statement.query_id
        return Execute(statement, level, _short(len(query_id)) + query_id, keyspace, table, described or None, parsing)


def encode(
    message: tuple[Execute, list[bytes | None]],
    stream: int,
    protocol_version: int,
    compressor: Any,
    allow_beta_protocol_version: bool,
    protocol_features: Any,
) -> bytes:
    """Return the frame of a request; the driver calls this with the properties of a connection."""
    execute, values = message
    has_extensions = protocol_features.use_metadata_id or protocol_features.tablets_routing_v2
    if protocol_version != PROTOCOL or compressor or has_extensions or execute.columns is None:
        statement = execute.statement
        driver_message = ExecuteMessage(
            statement.query_id,
            values,
            execute.level,
            result_metadata_id=statement.result_metadata_id,
            skip_meta=False,
        )
        encoded: bytes = StoredProtocol.encode_message(
            driver_message, stream, protocol_version, compressor, allow_beta_protocol_version, protocol_features
        )
        return encoded
    parts = [execute.id_length_and_id, _options(execute.level, _VALUES | _SKIP_METADATA, len(values))]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            parts.append(_length(len(value)))
            parts.append(value)
    body = b"".join(parts)
    return _header(protocol_version, 0, stream, _EXECUTE, len(body)) + body


def decode(
    protocol_version: int,
    protocol_features: Any,
    user_type_map: Any,
    stream: int,
    flags: int,
    opcode: int,
    body: bytes,
    decompressor: Any,
    execute: Execute,
) -> Any:
    """Return the rows of an answer as a list; any other answer as the driver's message."""
    if opcode == _RESULT and not flags:
        kind, described, columns = _unpack_head(body)
        if kind == RESULT_KIND_ROWS and described == _NO_METADATA and columns == len(execute.columns):
            return _parse_rows(BytesIOReader(body[12:]), execute.parsing)
    return StoredProtocol.decode_message(
        protocol_version,
        protocol_features,
        user_type_map,
        stream,
        flags,
        opcode,
        body,
        decompressor,
        execute.columns,
    )
