"""Compares reads by requests, unless few requests less cost many rows more."""

from __future__ import annotations

from typing import NamedTuple

ROWS_OF_A_REQUEST = 100  # that may be read more where they save a request


class Effort(NamedTuple):
    """The requests of a read, and the rows that they return."""

    requests: int
    rows: int

    def is_less_than(self, other: Effort) -> bool:
        """Whether it takes fewer requests, and for each one saved at most `ROWS_OF_A_REQUEST` rows more."""
        saved = other.requests - self.requests
        return saved > 0 and self.rows - other.rows <= ROWS_OF_A_REQUEST * saved
