"""The options of the generator, checked: how many rows, how full, which seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from piql.errors import InvalidParameter

USUAL_ROWS = 1000
MOST_ROWS = 10_000_000  # of one table


@dataclass(frozen=True, slots=True)
class Wish:
    """How many rows, and how they are drawn.

    rows         rows of each table that `rows_of` does not name; more if the groups of a limit are to be full
    rows_of      by table, the exact number of rows; 0 leaves a table empty
    full         this number of parents get all the rows that each limit allows; `rows` is then ignored
    seed         the same seed gives the same rows
    null_share   the share of NULLs in a column that may be NULL, from 0 to 1
    passed_over  by table, how many values of a key to skip, because rows of the table have them already
    """

    rows: int = USUAL_ROWS
    rows_of: Mapping[str, int] = field(default_factory=dict)
    full: int | None = None
    seed: int = 0
    null_share: float = 0.1
    passed_over: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise InvalidParameter for numbers that make no sense."""
        for name, count in (("rows", self.rows), *self.rows_of.items()):
            if not 0 <= count <= MOST_ROWS:
                raise InvalidParameter(f"{name}={count}: a table gets from 0 to {MOST_ROWS:,} rows")
        if self.full is not None and not 1 <= self.full <= MOST_ROWS:
            raise InvalidParameter(f"full is {self.full}: give how many parents, from 1 to {MOST_ROWS:,}")
        if not 0 <= self.null_share <= 1:
            raise InvalidParameter(f"the share of NULLs is {self.null_share}: give a number from 0 to 1")
