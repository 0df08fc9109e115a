"""How the service refuses: a status, a stable code, a sentence, and one thing to do.

The code of an error of the engine is the name of its class: CardinalityViolation is `cardinality-violation`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from piql import errors as engine

from piql_service.execution.deadlines import DeadlinePassed

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")

# The statuses of the engine's errors, where it is not 422. The first class that matches counts.
_STATUSES: tuple[tuple[type[engine.PiqlError], int], ...] = (
    (engine.NotDeployed, 404),
    (engine.BoundExceeded, 500),
    (engine.RepairPending, 503),
    (engine.StoreUnavailable, 503),
    (DeadlinePassed, 504),
)
_HELP: Mapping[str, str] = {
    "not-deployed": "The document at /openapi.json lists what is deployed.",
    "stale-cursor": "Start again from the first page: the query was deployed anew.",
    "invalid-cursor": "Start again from the first page.",
    "invalid-session": "Begin a new session: Piql-Session: new.",
    "cardinality-violation": "Delete a row first, or raise the CARDINALITY LIMIT.",
    "duplicate-key": "Choose another key.",
    "foreign-key-violation": "Insert the referenced row first.",
    "condition-failed": "Read the row again: it has changed.",
    "repair-pending": "Try again: each attempt settles more of the interrupted writes.",
    "deadline-passed": "Give more time in Piql-Timeout-Ms, or try again.",
    "bound-exceeded": "This is a fault of the compiler: please report it with the query.",
}


@dataclass(eq=False)
class Refusal(Exception):
    """An answer that refuses; `cost` is what the request would have taken of a budget."""

    status: int
    code: str
    message: str
    help: str | None = None
    parameter: str | None = None
    cost: int | None = None
    retry_after_ms: int | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()

    @property
    def body(self) -> bytes:
        content = {
            "code": self.code,
            "message": self.message,
            "help": self.help,
            "parameter": self.parameter,
            "cost": self.cost,
            "retry_after_ms": self.retry_after_ms,
        }
        try:
            return orjson.dumps(content)
        except orjson.JSONEncodeError:  # half a character, which came in with a value
            return orjson.dumps(content | {"message": self.message.encode("utf-8", "replace").decode()})


def refusal_of(error: engine.PiqlError) -> Refusal:
    """Return the refusal for an error of the engine."""
    kind = engine.StoreUnavailable if isinstance(error, engine.StoreUnavailable) else type(error)
    code = _CAPITAL.sub("-", kind.__name__).lower()
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 422)
    parameter = error.parameter if isinstance(error, engine.InvalidParameter) else None
    advice = error.advice if isinstance(error, engine.ForeignKeyViolation) else None
    return Refusal(status, code, f"{error}", advice or _HELP.get(code), parameter)
