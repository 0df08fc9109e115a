"""How many stripes a view needs: the question with its rate, and what reads and writes take by it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from piql_backend.web.schemas import Read, SourceFiles, Write

Stripes = Annotated[int, Field(ge=1, le=256)]


class StripeDialCreate(Write):
    """Asks how many stripes a view needs for so many writes a second to its hottest group.

    `also` are numbers of stripes to tell beside the usual ones.
    """

    files: SourceFiles
    run_id: str = Field(max_length=100)
    view: str = Field(min_length=1, max_length=200)
    per_second: float = Field(gt=0, le=1e12, allow_inf_nan=False)
    also: Annotated[list[Stripes], Field(default_factory=list, max_length=20)]


class StripeStepRead(Read):
    """One number of stripes: how busy one partition is, and what reads and writes take.

    `busy` is the share of its time, above 1 where it cannot follow. A read of one group makes `read_requests` in one
    round trip. p99s are estimates of the profile's median interval: `read_ms` is null beyond what was measured, and
    `write_ms`, which holds the wait for the partition, where the wait has no end.
    """

    stripes: int
    busy: float
    read_requests: int
    read_ms: float | None
    write_ms: float | None


class StripeDialRead(Read):
    """What a view takes by its number of stripes; `stripes` is that of the text, 1 without any.

    One change of a group takes `change_ms` in the mean, so one partition bears `partition_bears` a second. `needed` is
    the fewest stripes that keep each partition busy for `most_busy` of the time at most; null where no number does.
    `is_in_turn`: the store makes one write after the other, so stripes do not help. `write_ms` of each step is that of
    the query `write`.
    """

    view: str
    run_id: str
    stripes: int
    per_second: float
    change_ms: float
    partition_bears: float
    most_busy: float
    is_in_turn: bool
    needed: int | None
    write: str
    steps: list[StripeStepRead]
    warnings: list[str]
