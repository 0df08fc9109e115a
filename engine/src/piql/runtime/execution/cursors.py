"""Cursors: opaque strings that say where a page ended, sealed so that nobody can read, make or change one.

sealed JSON: [query, its mark, deployment, [values of the page's order], digest of parameters], filled up with spaces

The values may be of columns that the query does not show. Of their length a cursor tells only the next multiple of 32.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from piql.errors import InvalidCursor, StaleCursor
from piql.runtime.execution.seals import opened, sealed
from piql.schema.decimals import WIDE

_PURPOSE = b"cursor"
_STEP = 32
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write_cursor(
    key: bytes, query: str, mark: str, deployment: int, position: tuple[Any, ...], parameters: Iterable[object] = ()
) -> str:
    content = [query, mark, deployment, position, _digest(parameters)]
    body = json.dumps(content, separators=(",", ":"), default=_tagged).encode()
    return sealed(key, body.ljust(-(-len(body) // _STEP) * _STEP), _PURPOSE)


def read_cursor(
    key: bytes, query: str, mark: str, cursor: object, parameters: Iterable[object] = ()
) -> tuple[Any, ...]:
    """Return the place that a cursor of this query holds; raise InvalidCursor or StaleCursor.

    `parameters` are the stored values of the execution: a cursor goes on with those of the page that gave it.
    """
    if not isinstance(cursor, str):
        raise InvalidCursor("a cursor must be the text that came with the page before")
    body = opened(key, cursor, _PURPOSE)
    if body is None:
        raise InvalidCursor("the cursor is damaged, or was made by another store")
    of_query, of_mark, deployment, position, *digest = json.loads(body, object_hook=_untagged)
    if of_query != query:
        raise InvalidCursor(f"the cursor belongs to {of_query or 'a statement'}, not to {query or 'a statement'}")
    if of_mark != mark and not query:
        raise StaleCursor("the cursor belongs to another statement, or the schema has changed: start again")
    if of_mark != mark:
        raise StaleCursor(f"{query} has been replaced since deployment {deployment} made this cursor: start again")
    if digest != [_digest(parameters)]:
        raise InvalidCursor(
            "the cursor was made with other parameters: give those of the page before, or start again without it"
        )
    return tuple(position)


def _digest(parameters: Iterable[object]) -> str:
    """Return a short digest of stored values; lists are the same in any order, as they are to a query."""
    text = repr(
        [
            sorted(set(map(_as_text, parameter))) if isinstance(parameter, tuple) else _as_text(parameter)
            for parameter in parameters
        ]
    )
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _as_text(value: object) -> str:
    """Return equal values the same text."""
    return f"n{value.normalize(WIDE)}" if isinstance(value, Decimal) else repr(value)


def _tagged(value: object) -> dict[str, object]:
    match value:
        case bytes():
            return {"b": base64.b64encode(value).decode()}
        case datetime():
            return {"t": (value - _EPOCH) // timedelta(milliseconds=1)}
        case date():
            return {"d": value.toordinal()}
        case UUID():
            return {"u": value.hex}
        case Decimal():
            return {"n": WIDE.to_sci_string(value)}
    raise TypeError(f"a cursor cannot hold {type(value).__name__}")


def _untagged(tagged: dict[str, Any]) -> object:
    ((tag, value),) = tagged.items()
    match tag:
        case "b":
            return base64.b64decode(value)
        case "t":
            return _EPOCH + timedelta(milliseconds=value)
        case "d":
            return date.fromordinal(value)
        case "u":
            return UUID(value)
    return Decimal(value)
