"""The error of a change whose outcome is unknown; the caller reads the row to find out. Both drivers raise it."""

from __future__ import annotations

from piql.errors import StoreUnavailable


class Undecided(StoreUnavailable):
    """A conditional change or serial read met others of the same partition, or replicas that failed.

    The change may have taken effect. With `have_replicas_failed` the caller pauses before it asks again.
    """

    def __init__(self, message: str, *, have_replicas_failed: bool = False) -> None:
        super().__init__(message)
        self.have_replicas_failed = have_replicas_failed
