"""What a read takes: requests first, but not at the price of rows without end."""

from __future__ import annotations

from typing import NamedTuple

ROWS_OF_A_REQUEST = 100  # that may be read more where they save a request


class Effort(NamedTuple):
    """Requests, and the rows that they bring back."""

    requests: int
    rows: int

    def is_less_than(self, other: Effort) -> bool:
        """Whether it takes fewer requests than another, and reads few rows more for each that it saves."""
        saved = other.requests - self.requests
        return saved > 0 and self.rows - other.rows <= ROWS_OF_A_REQUEST * saved
