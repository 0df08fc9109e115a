"""How long an operator keeps the store busy: the service demand of a point, apart from the time that it waits.

    profile of a store that answers in turn  ──▶  its latencies are its demand, with its spread over intervals
    busy time of the nodes, by point         ──▶  fitted: request · (fixed + rows + bytes)
    profile of a cluster, nothing else       ──▶  a stated share of the time of one request: assumed, and said to be

A profile of today holds no busy time of the nodes. For a cluster the third is all there is: its answers are as wide as
the assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import scipy

from piql_profiler.capacity.uncertain import Uncertain
from piql_profiler.measure.grid import Point
from piql_profiler.measure.histogram import EDGES_US, Curve
from piql_profiler.predictor.model import Model

_MIDDLES_US = np.sqrt(EDGES_US[1:] * EDGES_US[:-1])
VARIABILITY = 1.0  # of the time of one request where it is not known: that of an exponential law


@dataclass(frozen=True, slots=True)
class Demand:
    """What one execution of a point asks of all nodes: the mean time that it keeps one core busy.

    `variability` is the variance of one request's time by the square of its mean. `is_one_job`: its requests are
    answered one after the other by one server, so that `variability` is that of the whole.
    """

    mean_us: float
    variability: float = VARIABILITY
    is_one_job: bool = False


class Demands(Protocol):
    """The demand of any point of one store, how well all of them are known together, and where they come from."""

    @property
    def certainty(self) -> Uncertain:
        """What all demands are multiplied by: its middle is 1."""
        ...

    @property
    def origin(self) -> str:
        """Where the demands come from, as a clause for people."""
        ...

    @property
    def wait_factor(self) -> float:
        """What predicted waits are multiplied by: 1 where no sweep tells more."""
        ...

    def of(self, point: Point) -> Demand: ...


class DemandsInTurn:
    """Of a store that answers in turn: an execution keeps it busy for as long as it takes.

    The work of the median interval is the middle; how far other intervals are from it, over `points`, is how well it is
    known.
    """

    origin = "measured: the store answers one request after another, so its time is its demand"
    wait_factor = 1.0

    def __init__(self, model: Model, points: Iterable[Point] = ()) -> None:
        self._model = model
        logarithms = np.zeros((1, model.intervals))
        means = [np.log(_means(model.curves(point))) for point in points]
        if means:
            logarithms = np.stack([of_point - _median(of_point) for of_point in means])
        factors = np.exp(logarithms.mean(axis=0))
        self.certainty = Uncertain(min(1.0, float(factors.min())), 1.0, max(1.0, float(factors.max())))

    def of(self, point: Point) -> Demand:
        mean, square = _moments(self._model.curves(point))
        return Demand(mean, square / mean**2 - 1, is_one_job=True)


class AssumedDemands:
    """A share of the time that one request of the same size takes by itself, times the number of requests."""

    wait_factor = 1.0

    def __init__(self, model: Model, share: Uncertain) -> None:
        self._model = model
        self._share = share

    @property
    def certainty(self) -> Uncertain:
        return Uncertain(self._share.low / self._share.mid, 1.0, self._share.high / self._share.mid)

    @property
    def origin(self) -> str:
        share = self._share
        return f"assumed: {share.low:g} … {share.mid:g} … {share.high:g} of the time of a single request, not measured"

    def of(self, point: Point) -> Demand:
        alone, _ = _moments(self._model.curves(replace(point, child_rows=1)))
        return Demand(point.child_rows * alone * self._share.mid)


class MeasuredDemands:
    """Fitted to the busy time of the nodes: of each operator a fixed time a request, a time a row and a time a byte.

    Least squares of the relative errors, with no negative term. Raises KeyError for an operator without a measurement.
    """

    origin = "measured: the busy time of the nodes while each operator ran"

    def __init__(
        self,
        busy_us: Mapping[Point, float],
        certainty: Uncertain | None = None,
        variability: float = VARIABILITY,
        wait_factor: float = 1.0,
    ) -> None:
        self.certainty = certainty or Uncertain.exactly(1.0)
        self.wait_factor = wait_factor
        self._variability = variability
        self._terms = {
            operator: _fitted({point: busy for point, busy in busy_us.items() if point.operator is operator})
            for operator in {point.operator for point in busy_us}
        }

    def of(self, point: Point) -> Demand:
        return Demand(float(_work_of(point) @ self._terms[point.operator]), self._variability)


def _fitted(busy_us: Mapping[Point, float]) -> np.ndarray:
    work = np.stack([_work_of(point) for point in busy_us])
    busy = np.array([*busy_us.values()])
    if (busy <= 0.0).any():
        raise ValueError("a point that ran kept the nodes busy for some time")
    terms, _ = scipy.optimize.nnls(work / busy[:, None], np.ones(len(busy)))
    return np.asarray(terms)


def _work_of(point: Point) -> np.ndarray:
    requests, rows = point.child_rows, point.child_rows * point.rows
    return np.array([requests, rows, rows * point.row_bytes], dtype=np.float64)


def _moments(curves: Curve) -> tuple[float, float]:
    """The mean and the mean square of the median interval's latencies, by their means."""
    means = _means(curves)
    interval = int(np.flatnonzero(means == _median(means))[0])
    shares = np.diff(curves[interval])
    return float(means[interval]), float(shares @ _MIDDLES_US**2 / shares.sum())


def _means(curves: Curve) -> np.ndarray:
    """The mean latency of each interval, in µs."""
    shares = np.diff(curves, axis=-1)
    return np.asarray(shares @ _MIDDLES_US / shares.sum(axis=-1))


def _median(values: np.ndarray) -> float:
    """The middle value, the lower of two."""
    return float(np.sort(values)[(len(values) - 1) // 2])
