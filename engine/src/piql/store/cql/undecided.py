"""The error of a change whose outcome is unknown; the caller reads the row to find out. Both drivers raise it."""

from __future__ import annotations

from piql.errors import StoreUnavailable
from piql.store.cql.address import Address

_SHARE = 0.5  # of the timeout


def seconds_of_one(address: Address) -> float:
    """Return how long one conditional change or serial read may take before its outcome is looked up."""
    return address.timeout * _SHARE


class Undecided(StoreUnavailable):
    """A conditional change or serial read met others of the same partition, replicas that failed, or no answer.

    The change may have taken effect. With `have_replicas_failed` the caller pauses before it asks again. After one that
    `is_silent` it asks once more: nodes may leave a change without an answer while one of them goes or comes, and
    answer the next one at once.
    """

    def __init__(self, message: str, *, have_replicas_failed: bool = False, is_silent: bool = False) -> None:
        super().__init__(message)
        self.have_replicas_failed = have_replicas_failed
        self.is_silent = is_silent
