"""What is wrong with a field of a request, in words of our own instead of those of the library that checks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WORDS: Mapping[str, str] = {  # by the type of the problem; `{…}` is what the check allows
    "missing": "must be given",
    "extra_forbidden": "there is no such field",
    "string_too_long": "may have at most {max_length:,} characters",
    "string_too_short": "must have at least {min_length:,} characters",
    "too_long": "may have at most {max_length:,} entries",
    "too_short": "must have at least {min_length:,} entries",
    "greater_than": "must be above {gt:,}",
    "greater_than_equal": "must be at least {ge:,}",
    "less_than": "must be below {lt:,}",
    "less_than_equal": "may be at most {le:,}",
    "literal_error": "must be {expected}",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def words_of(problem: Mapping[str, Any]) -> str:
    """Return what is wrong with a field, without its name; `problem` is one of pydantic's `errors()`.

    A kind of problem that is not known here keeps the words of the library, or of the check of ours that refused it.
    """
    words = _WORDS.get(str(problem["type"]))
    return (
        str(problem["msg"]).removeprefix("Value error, ") if words is None else words.format(**problem.get("ctx", {}))
    )
