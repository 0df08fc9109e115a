"""A span for each execution, by OpenTelemetry's semantic conventions for database clients.

    SELECT findUser      kind client
      db.system.name = piql, db.operation.name = SELECT, db.query.summary = SELECT findUser,
      db.stored_procedure.name = findUser, db.response.returned_rows = 1,
      piql.query = findUser, piql.version = 3, piql.bound = 1, piql.requests = 1, …

Spans hold no parameter and no row. The message of an error may quote a parameter, so only its name is kept.
"""

from __future__ import annotations

from contextvars import Token
from typing import NamedTuple

from opentelemetry import context
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from piql.telemetry.executed import Executed, Prepared, operation_of

SCHEMA = "https://opentelemetry.io/schemas/1.38.0"
SYSTEM = "piql"  # db.system.name: what the caller speaks to; the stores have names of their own


class Begun(NamedTuple):
    """A span that is current, and what makes the one before current again."""

    span: Span
    token: Token[Context]


class Spans:
    """Begins and ends the spans of executions, whatever provider `tracer` belongs to."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def begin(self, query: Prepared | None) -> Begun:
        """Begin the span of an execution, and make it current: what the store's driver tells becomes a part of it."""
        name, attributes = _identity(query)
        span = self._tracer.start_span(name, kind=SpanKind.CLIENT, attributes=attributes)
        return Begun(span, context.attach(set_span_in_context(span)))

    def end(self, begun: Begun, executed: Executed) -> None:
        """End the span of an execution."""
        span, token = begun
        context.detach(token)
        if span.is_recording():
            name, attributes = _identity(executed.query)
            span.update_name(name)
            span.set_attributes(attributes | _result(executed))
            if executed.failure is not None:
                span.set_status(StatusCode.ERROR)
        span.end()


def _identity(query: Prepared | None) -> tuple[str, dict[str, AttributeValue]]:
    """The name of a span and what is known before it begins; a query that is not ready yet has none."""
    if query is None:
        return SYSTEM, {"db.system.name": SYSTEM}
    attributes = identity_of(query)
    return str(attributes["db.query.summary"]), attributes


def identity_of(query: Prepared) -> dict[str, AttributeValue]:
    """The attributes that say which query this is, of spans and of metrics."""
    operation = operation_of(query)
    return {
        "db.system.name": SYSTEM,
        "db.operation.name": operation,
        "db.query.summary": f"{operation} {query.name}",
        "db.stored_procedure.name": query.name,
        "piql.query": query.name,
        "piql.version": query.version,
        "piql.bound": query.bound,
    }


def _result(executed: Executed) -> dict[str, AttributeValue]:
    result: dict[str, AttributeValue] = {"piql.outcome": executed.outcome}
    page = executed.page
    if page is None:
        result["error.type"] = executed.outcome
        return result
    result["db.response.returned_rows"] = len(page.rows)
    result["piql.requests"] = page.operations
    result["piql.round_trips"] = page.round_trips
    result["piql.repair_requests"] = page.repair_operations
    result["piql.statements"] = page.statements
    if page.rows_affected is not None:
        result["piql.rows_affected"] = page.rows_affected
    return result
