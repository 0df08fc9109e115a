"""A value that is worked out at its first use and then kept in its object, without a lock.

`functools.cached_property` of Python 3.11 holds one lock for all objects of a class while it works the value out. A
process that is forked at that moment, while another thread has the lock, waits for it for ever. Without the lock two
threads may both work the value out; the objects here do not change, so both find the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T", covariant=True)


class cached_property(Generic[T]):  # noqa: N801, named as the one of functools is
    """Decorates a method without arguments; an object's `__dict__` keeps the value under the method's name."""

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out = work_out
        self._name = work_out.__name__
        self.__doc__ = work_out.__doc__

    @overload
    def __get__(self, owner: None, kind: type[Any]) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type[Any]) -> T: ...
    def __get__(self, owner: object | None, kind: type[Any]) -> Self | T:
        """Return the value of an object; called only as long as the object does not keep it."""
        if owner is None:
            return self
        value = self._work_out(owner)
        owner.__dict__[self._name] = value
        return value
