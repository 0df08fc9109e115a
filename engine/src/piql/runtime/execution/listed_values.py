"""The values of a group as one text: a JSON array `[1,2,5]`, `["red","é"]`, or texts joined by a separator.

Numbers and BOOLEANs are written as JSON has them, all other values in quotes, as CAST makes texts of them. A group has
no order of its own, so whoever calls gives the values in one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from piql.runtime.execution.texts import check_length
from piql.schema.catalog import Kind, SqlType
from piql.schema.conversions import conversion
from piql.schema.types import NUMBERS
from piql.store.rows import Codec

_TEXT = SqlType(Kind.TEXT)


def json_array_of(type: SqlType, codec: Codec | None) -> Callable[[list[Any]], str]:
    """Return the function from stored values of one type, none of them NULL, to the text of their array.

    It raises NumberOutOfRange where the text would be too long.
    """
    decode = codec.decode if codec is not None else None
    as_text = conversion(type, _TEXT)
    assert as_text is not None, "the binder refuses types that have no text"
    is_bare = type.kind in NUMBERS or type.kind is Kind.BOOLEAN

    def array(values: list[Any]) -> str:
        texts = [as_text(decode(value) if decode is not None else value) for value in values]
        items = texts if is_bare else [json.dumps(text, ensure_ascii=False) for text in texts]
        text = f"[{','.join(items)}]"
        check_length(len(text))
        return text

    return array


def joined_texts(separator: str, codec: Codec | None) -> Callable[[list[Any]], str]:
    """Return the function from stored texts to one with `separator` between them; it raises as `json_array_of` does."""
    decode = codec.decode if codec is not None else None

    def joined(values: list[Any]) -> str:
        text = separator.join(values if decode is None else map(decode, values))
        check_length(len(text))
        return text

    return joined
