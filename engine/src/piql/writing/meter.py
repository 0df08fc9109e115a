"""Counts the requests of one write, and stops it before its bound is passed."""

from __future__ import annotations

from piql.errors import RepairPending
from piql.execution.strategy import exceeded


class Meter:
    """`bound` None counts without a limit: bulk loads and back-fills are outside the bounds.

    On a store without transactions a write that others overtook begins again. Its `operations` are those of the last
    try; all are `attempts`. What it does for interrupted writes of others are `repair_operations`.
    """

    __slots__ = ("bound", "lost", "operations", "repair_operations", "round_trips")

    def __init__(self, bound: int | None = None) -> None:
        self.bound = bound
        self.operations = 0
        self.round_trips = 0
        self.lost = 0
        self.repair_operations = 0

    @property
    def attempts(self) -> int:
        return self.operations + self.lost + self.repair_operations

    def spend(self, requests: int) -> None:
        """Count requests before they are made."""
        if self.bound is not None and self.operations + requests > self.bound:
            raise exceeded(self.bound, self.operations + requests)
        self.operations += requests

    def step(self, requests: int = 1) -> None:
        """Count requests that are made at the same time, and waited for."""
        if requests:
            self.spend(requests)
            self.round_trips += 1

    def lose(self, requests: int) -> None:
        """Count requests that a quicker writer made useless."""
        self.lost += requests

    def repair(self, requests: int) -> None:
        """Count requests that settle what an interrupted write left."""
        if self.bound is not None and self.repair_operations + requests > self.bound:
            raise RepairPending(
                f"interrupted writes left more to settle than the {self.bound} requests that a write may add for it"
            )
        self.repair_operations += requests

    def begin_again(self) -> None:
        self.lost += self.operations
        self.operations = self.round_trips = 0
