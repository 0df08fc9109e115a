"""Whether executions are told to OpenTelemetry: only where a caller or the process's environment asks for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from piql.errors import InvalidParameter, kind_of

if TYPE_CHECKING:
    from piql.telemetry.instruments import Instruments
    from piql.telemetry.spans import Spans

OTEL = "PIQL_OTEL"
_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"", "0", "false", "no", "off"})


def is_wanted(otel: bool | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether OpenTelemetry is asked for: by the argument, else by PIQL_OTEL.

    Raises InvalidParameter for anything but a yes or a no.
    """
    if otel is not None:
        if not isinstance(otel, bool):
            raise InvalidParameter(f"otel is {kind_of(otel)}: give True or False", "otel")
        return otel
    word = environment.get(OTEL, "").strip().lower()
    if word not in _YES | _NO:
        raise InvalidParameter(f"{OTEL} is neither 1 nor 0: set it to one of them", "otel")
    return word in _YES


def telemetry() -> tuple[Spans, Instruments]:
    """Return what tells executions to the providers that the application has set, or will set.

    Raises InvalidParameter where OpenTelemetry's API is not installed.
    """
    try:
        from opentelemetry import metrics, trace
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "opentelemetry":
            raise
        advice = "otel: OpenTelemetry is not installed: pip install 'piql[otel]'"
        raise InvalidParameter(advice, "otel") from missing
    from piql.telemetry.instruments import Instruments
    from piql.telemetry.spans import SCHEMA, Spans

    return Spans(trace.get_tracer("piql", schema_url=SCHEMA)), Instruments(metrics.get_meter("piql", schema_url=SCHEMA))
