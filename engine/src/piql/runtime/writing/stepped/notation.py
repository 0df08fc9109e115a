"""Stored values ↔ JSON text, for what the engine keeps in cells of a store without transactions.

    ("ada", 7, b"\\x01")  ↔  ["ada", 7, {"bytes": "01"}]

Equal values have equal texts, because a text may be part of a key. Stores hold these texts: a name in `_FROM_TEXT` can
be added, but none can change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from piql.schema.decimals import WIDE, without_minus_zero
from piql.store.rows import Row

_FROM_TEXT: dict[str, Callable[[str], Any]] = {
    "bytes": bytes.fromhex,
    "decimal": Decimal,
    "date": date.fromisoformat,
    "moment": datetime.fromisoformat,
    "uuid": UUID,
}


def text_of(values: Sequence[Any]) -> str:
    """Return stored values as text; raise TypeError for a value of a type that no column has (see `_noted`)."""
    return json.dumps([_noted(value) for value in values], ensure_ascii=False, separators=(",", ":"))


def values_of(text: str) -> Row:
    """Return the values of a text of `text_of`."""
    return tuple([_read(noted) for noted in json.loads(text)])


def _noted(value: Any) -> Any:
    """Return the JSON of a stored value."""
    match value:
        case float():
            return value + 0.0  # -0.0 becomes 0.0
        case None | bool() | int() | str():
            return value
        case bytes():
            return {"bytes": value.hex()}
        case Decimal():
            return {"decimal": WIDE.to_sci_string(WIDE.normalize(without_minus_zero(value)))}
        case datetime():
            return {"moment": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case UUID():
            return {"uuid": value.hex}
        case _:
            raise TypeError(f"a store keeps values of {type(value)}, which cannot be noted")


def _read(noted: Any) -> Any:
    if not isinstance(noted, dict):
        return noted
    ((kind, text),) = noted.items()
    return _FROM_TEXT[kind](text)
