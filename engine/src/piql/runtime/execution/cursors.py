"""Cursors: opaque strings that say where a page ended, sealed so that nobody can read, make or change one.

A cursor is a sealed JSON list, filled up with spaces:

    [query, mark, deployment, [values of the page's order in its last row], digest of the parameters, …]

Behind these come the values that the execution of the first page gave itself, such as CURRENT_TIMESTAMP, where the
query has any: they are those of all its pages.
The mark is a digest of the query's text and order: it changes when the query is replaced. The values may be of columns
that the query does not show, so the length of a cursor tells only the next multiple of 32 bytes.
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
_LENGTH_STEP = 32  # bytes
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write_cursor(
    key: bytes,
    query: str,
    mark: str,
    deployment: int,
    position: tuple[Any, ...],
    parameters: Iterable[object] = (),
    supplied: Iterable[object] = (),
) -> str:
    """Return the cursor of a page that ended at `position`: the stored values of its order in its last row.

    `key` is the store's signing key, `query` the query's name (empty for a statement), `parameters` are stored values,
    and so are those `supplied` by the execution.
    """
    content = [query, mark, deployment, position, _digest(parameters), *supplied]
    body = json.dumps(content, separators=(",", ":"), default=_tagged).encode()
    return sealed(key, body.ljust(-(-len(body) // _LENGTH_STEP) * _LENGTH_STEP), _PURPOSE)


def read_cursor(
    key: bytes, query: str, mark: str, cursor: object, parameters: Iterable[object] = ()
) -> tuple[tuple[Any, ...], list[Any]]:
    """Return the position and the supplied values that `write_cursor` put into a cursor of this query.

    Raises InvalidCursor for a text that is no cursor of this query, or was made with other parameters, and StaleCursor
    where the query has been replaced since.
    """
    if not isinstance(cursor, str):
        raise InvalidCursor("a cursor must be the text that came with the page before")
    body = opened(key, cursor, _PURPOSE)
    if body is None:
        raise InvalidCursor("the cursor is damaged, or was made by another store")
    of_query, of_mark, deployment, position, *rest = json.loads(body, object_hook=_untagged)
    if of_query != query:
        raise InvalidCursor(f"the cursor belongs to {of_query or 'a statement'}, not to {query or 'a statement'}")
    if of_mark != mark and not query:
        raise StaleCursor("the cursor belongs to another statement, or the schema has changed: start again")
    if of_mark != mark:
        raise StaleCursor(f"{query} has been replaced since deployment {deployment} made this cursor: start again")
    if rest[:1] != [_digest(parameters)]:
        raise InvalidCursor(
            "the cursor was made with other parameters: give those of the page before, or start again without it"
        )
    return tuple(position), rest[1:]


def version_of_cursor(key: bytes, cursor: object) -> int | None:
    """Return the number of the version that a cursor was made by; None for a text that is no cursor of this store."""
    body = opened(key, cursor, _PURPOSE) if isinstance(cursor, str) else None
    if body is None:
        return None
    version: int = json.loads(body, object_hook=_untagged)[2]
    return version


def _digest(parameters: Iterable[object]) -> str:
    """Return a short digest of stored values; a list has the same digest in any order, as a query treats it so."""
    text = repr(
        [
            sorted(set(map(_as_text, parameter))) if isinstance(parameter, tuple) else _as_text(parameter)
            for parameter in parameters
        ]
    )
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _as_text(value: object) -> str:
    """Return a text that equal values share; equal DECIMALs may differ in their trailing zeros."""
    return f"n{value.normalize(WIDE)}" if isinstance(value, Decimal) else repr(value)


def _tagged(value: object) -> dict[str, object]:
    """Return the JSON of a value that JSON has no type for: one tag with its text or number."""
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
    """Return the value that `_tagged` was called with."""
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
