"""The failure after which somebody looks what came of a change: both drivers have it, in ways of their own."""

from __future__ import annotations

from piql.errors import StoreUnavailable


class Undecided(StoreUnavailable):
    """A conditional change or serial read met others of the same partition, or replicas that failed.

    The change may have taken effect. Replicas that failed are asked again after a pause.
    """

    def __init__(self, said: str, *, have_replicas_failed: bool = False) -> None:
        super().__init__(said)
        self.have_replicas_failed = have_replicas_failed
