"""Work that nobody waits for any more ends early.

Whoever starts long work says how to find out whether it is still wanted; the work asks between two of its steps:

    with while_wanted(is_wanted):          outside
        compile(texts)

    go_on()                                inside: raises GivenUp once it is not wanted

What is cached until then stays right, since only whole results are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class GivenUp(Exception):
    """Nobody waits for the result."""


def go_on() -> None:
    """Raise GivenUp if the work of this thread or task is not wanted any more."""
    if not _is_wanted.get()():
        raise GivenUp


@contextmanager
def while_wanted(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """Let what runs inside, in this thread or task, end by GivenUp once `is_wanted` says no."""
    token = _is_wanted.set(is_wanted)
    try:
        yield
    finally:
        _is_wanted.reset(token)


def _always() -> bool:
    return True


_is_wanted: ContextVar[Callable[[], bool]] = ContextVar("whether the work is wanted", default=_always)
