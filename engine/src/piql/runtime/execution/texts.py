"""Functions that make texts longer: what would not fit into memory is refused before it is made."""

from __future__ import annotations

from piql.errors import NumberOutOfRange

MOST_CHARACTERS = 10_000_000  # of a text that is computed


def filling(text: str, length: int, unit: str) -> str:
    """Return what is missing from a text of `length` characters, made of `unit`; raise NumberOutOfRange if too long."""
    missing = length - len(text)
    if missing <= 0 or not unit:
        return ""
    check_length(length)
    return (unit * (missing // len(unit) + 1))[:missing]


def replace(text: str, part: str, other: str) -> str:
    """Return a text with another one in the place of each `part`; raise NumberOutOfRange if it becomes too long."""
    if not part:
        return text
    if len(other) > len(part):
        check_length(len(text) + text.count(part) * (len(other) - len(part)))
    return text.replace(part, other)


def check_length(length: int) -> None:
    if length > MOST_CHARACTERS:
        raise NumberOutOfRange(f"a text of {length:,} characters is longer than {MOST_CHARACTERS:,}")
