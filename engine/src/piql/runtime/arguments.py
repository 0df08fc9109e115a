"""Arguments of the public methods that are no parameters of a query, checked before anything is done with them.

Python lets callers give anything. What does not fit is refused in words, with the name of the argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from piql.errors import InvalidParameter, kind_of

_MOST = 2**31 - 1  # what every store takes as a number of rows


def names_in(argument: str, given: object) -> tuple[str, ...]:
    """Return names that are given as a list. A lone text is none, though Python would walk its letters."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{argument} is {kind_of(given)}: give a list of names")
    names = tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise InvalidParameter(f"{argument} holds {kind_of(name)}: give a list of names")
    return names


def count_in(argument: str, given: object, least: int) -> int:
    """Return a whole number that is at least so large."""
    if not isinstance(given, int):
        raise InvalidParameter(f"{argument} is {kind_of(given)}: give a whole number")
    if given < least:
        raise InvalidParameter(f"{argument} is {given}: give at least {least}")
    if given > _MOST:
        raise InvalidParameter(f"{argument} is {given}: give at most {_MOST}")
    return given


def number_in(argument: str, given: object) -> float:
    """Return a finite number."""
    if not isinstance(given, (int, float)):
        raise InvalidParameter(f"{argument} is {kind_of(given)}: give a number")
    if not isfinite(given):
        raise InvalidParameter(f"{argument} is {given}: give a finite number")
    return given


def rate_in(argument: str, given: object) -> float | None:
    """Return a rate, above zero; None stands for no limit."""
    if given is None:
        return None
    number = number_in(argument, given)
    if number <= 0:
        raise InvalidParameter(f"{argument} is {given}: give a number above 0, or None for no limit")
    return number


def refuse_uncallable(argument: str, given: object) -> None:
    """Raise InvalidParameter unless a function is given, or None for none."""
    if given is not None and not callable(given):
        raise InvalidParameter(f"{argument} is {kind_of(given)}: give a function")
