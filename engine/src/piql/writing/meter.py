"""Counts the requests of one write, and stops it before its bound is passed."""

from __future__ import annotations

from piql.execution.strategy import exceeded


class Meter:
    """`bound` None counts without a limit: bulk loads and back-fills are outside the bounds."""

    __slots__ = ("bound", "operations", "round_trips")

    def __init__(self, bound: int | None = None) -> None:
        self.bound = bound
        self.operations = 0
        self.round_trips = 0

    def spend(self, requests: int) -> None:
        """Count requests before they are made."""
        if self.bound is not None and self.operations + requests > self.bound:
            raise exceeded(self.bound, self.operations + requests)
        self.operations += requests
