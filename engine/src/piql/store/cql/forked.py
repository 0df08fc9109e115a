"""What a forked process has of its parent's session with a cluster: nothing that could be used.

The driver's threads are the parent's, and the sockets are shared: whoever read or wrote there would take the parent's
answers, or cut its requests in two.
"""

from __future__ import annotations

from typing import Any

from piql.errors import StoreForked


class OfParent:
    """What objects become that reach the cluster; whatever is asked of them is refused, and closing does nothing."""

    def __getattribute__(self, name: str) -> Any:
        if name == "close":
            return _leave_open
        raise StoreForked("this process was forked after its parent had connected to the cluster: connect in the child")


def _leave_open() -> None:
    """Leave the sockets to the parent."""


def leave_to_parent(reaches_cluster: Any) -> None:
    """Make an object refuse all that is asked of it from now on, in this process, also by those who hold it."""
    reaches_cluster.__class__ = OfParent
