"""Bodies of OTLP/HTTP in protobuf or JSON → requests, and the answers in the same encoding.

The specification: https://opentelemetry.io/docs/specs/otlp/#otlphttp
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from google.protobuf.json_format import MessageToJson, ParseDict, ParseError
from google.protobuf.message import DecodeError, Message
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)

Encoding = Literal["application/x-protobuf", "application/json"]
_INVALID_ARGUMENT = 3  # a code of gRPC
_MOST_REASONS = 5


class UnreadableBody(Exception):
    """The body is no request of OTLP; the message says why."""


def encoding_of(content_type: str) -> Encoding:
    """Return the encoding that a header names; JSON for any but protobuf, since others are refused before."""
    media_type = content_type.partition(";")[0].strip().lower()
    return "application/x-protobuf" if media_type == "application/x-protobuf" else "application/json"


def read_request(body: bytes, encoding: Encoding) -> ExportMetricsServiceRequest:
    """Read a body. UnreadableBody for one that is no request; fields that nobody knows are no reason."""
    request = ExportMetricsServiceRequest()
    try:
        if encoding == "application/x-protobuf":
            request.ParseFromString(body)
        else:
            content = json.loads(body)
            if not isinstance(content, dict):
                raise ValueError("it is no object")
            ParseDict(content, request, ignore_unknown_fields=True)
    except DecodeError as error:
        raise UnreadableBody("The body is no ExportMetricsServiceRequest in protobuf.") from error
    except (ParseError, ValueError, RecursionError) as error:
        raise UnreadableBody(f"The body is no ExportMetricsServiceRequest in JSON: {str(error)[:200]}") from error
    return request


def accepted(refused: Mapping[str, int], encoding: Encoding) -> bytes:
    """Return the answer to a request that was taken, but for the data points refused for these reasons."""
    response = ExportMetricsServiceResponse()
    if refused:
        response.partial_success.rejected_data_points = sum(refused.values())
        reasons = sorted(refused.items(), key=lambda reason: -reason[1])[:_MOST_REASONS]
        response.partial_success.error_message = "; ".join(f"{count} refused: {reason}" for reason, count in reasons)
    return _encoded(response, encoding)


def refusal(message: str, encoding: Encoding) -> bytes:
    """Return the answer to a request of which nothing was taken."""
    return _encoded(Status(code=_INVALID_ARGUMENT, message=message), encoding)


def _encoded(message: Message, encoding: Encoding) -> bytes:
    if encoding == "application/x-protobuf":
        return bytes(message.SerializeToString())
    return str(MessageToJson(message, indent=None)).encode()
