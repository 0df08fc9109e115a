"""Refuses, in a forked process, everything that would use its parent's session with a cluster.

The driver's threads exist in the parent only, and the sockets are shared: a child that read or wrote there would take
the parent's answers, or cut its requests in two.
"""

from __future__ import annotations

from typing import Any

from piql.errors import StoreForked


class OfParent:
    """The class that such objects get in a forked process: all use of them raises StoreForked, closing does nothing."""

    def __getattribute__(self, name: str) -> Any:
        if name == "close":
            return _leave_open
        raise StoreForked("this process was forked after its parent had connected to the cluster: connect in the child")


def _leave_open() -> None:
    """Leave the sockets to the parent."""


def leave_to_parent(reaches_cluster: Any) -> None:
    """Make an object, wherever in this process it is referred to, refuse all use from now on."""
    reaches_cluster.__class__ = OfParent
