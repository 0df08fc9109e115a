"""One interface of all models: the latency of an operator at any cardinalities, for each profile interval.

To add a model: write its class in a file of its own and give it a line in `models.MODELS`.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import IntEnum
from typing import Protocol

from piql_profiler.measure.grid import Point
from piql_profiler.measure.histogram import Curve


class NotPredictable(Exception):
    """There is no prediction for this plan from this profile; the message says why."""


class NotMeasured(NotPredictable):
    """The profile lacks what a plan asks of the store: `point` is what to measure for it.

    `is_beyond`: its operator was measured, only much smaller.
    """

    def __init__(self, message: str, point: Point, *, is_beyond: bool) -> None:
        super().__init__(message)
        self.point = point
        self.is_beyond = is_beyond


class Coverage(IntEnum):
    """Where a point lies among the measured ones; the larger, the less is known."""

    MEASURED = 0
    INTERPOLATED = 1
    EXTRAPOLATED = 2
    REFUSED = 3  # so far beyond that nothing is predicted

    @property
    def label(self) -> str:
        return self.name.lower()


class Model(Protocol):
    """What a prediction needs to know about one profiled store; methods raise NotMeasured for an unknown operator."""

    @property
    def name(self) -> str: ...

    @property
    def intervals(self) -> int: ...

    @property
    def correlation(self) -> float:
        """How much slow operators of one execution share a cause: 0 not at all, 1 always."""
        ...

    @property
    def write_correlation(self) -> float:
        """The same of the parts of a write."""
        ...

    @property
    def is_answered_in_turn(self) -> bool:
        """The store answers one request after the other, so nothing runs side by side."""
        ...

    @property
    def has_transactions(self) -> bool:
        """Writes are made in one transaction, not by the steps of stores that have none."""
        ...

    @property
    def upper_factor(self) -> float | None:
        """What a predicted p99 is multiplied by for a bound that holds in 90 of 100 cases; None if that is unknown."""
        ...

    @property
    def write_factor(self) -> float | None:
        """The same for a write."""
        ...

    def coverage(self, point: Point) -> Coverage: ...

    def excess(self, point: Point) -> float:
        """How many times larger than the largest measured point it is, in its worst dimension; 1 inside."""
        ...

    def key(self, point: Point) -> Hashable:
        """Points with one key have the same latency, so it is computed once."""
        ...

    def curves(self, point: Point) -> Curve:
        """The cumulative shares at the histogram's bin edges, one row for each interval."""
        ...
