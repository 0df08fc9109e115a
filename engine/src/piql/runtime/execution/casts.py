"""CAST while a query runs: the conversions of `piql.schema.conversions`, with the errors of an execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from piql.errors import ConversionFailed, NumberOutOfRange
from piql.schema.catalog import SqlType
from piql.schema.conversions import conversion
from piql.schema.types import NUMBERS
from piql.schema.values import ValueMismatch


def conversion_or_error(source: SqlType, target: SqlType, words: str) -> Callable[[Any], Any]:
    """Return the conversion from one type to another, for values that are not NULL; `words` are the CAST as written.

    The function raises NumberOutOfRange for a number that does not fit, ConversionFailed for any other value.
    """
    convert = conversion(source, target)
    assert convert is not None, "the binder refuses a CAST that has no meaning"
    error = NumberOutOfRange if source.kind in NUMBERS and target.kind in NUMBERS else ConversionFailed

    def converted(value: Any) -> Any:
        try:
            return convert(value)
        except ValueMismatch as mismatch:
            raise error(f"{words}: {mismatch}") from None

    return converted
