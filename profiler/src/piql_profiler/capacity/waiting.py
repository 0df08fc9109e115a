"""How long work waits at a node, from the utilisation of the node and the sizes of the jobs that come to it.

    jobs (rate, mean, second moment)  ──▶  Wait: times with their shares

A node is taken as one server that works as fast as its cores together, and jobs as arriving at random (M/G/1). A job is
what one execution asks of one node at one moment, so a fan-out arrives as a batch. The law of the wait is that of
Pollaczek and Khinchine, `W*(s) = (1 − ρ) / (1 − ρ R*(s))` with R* of a job's residual time, inverted by the Euler
method of Abate and Whitt (1995). Job sizes are gamma laws of the moments given. With more than one core a job that
finds a core idle does not wait: the share of jobs that wait is Erlang's C where jobs are single requests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
FULLEST = 0.97  # of a node: beyond, a wait is no longer predicted, as it grows without end
_ATOMS = 96  # times at which a law of waits is kept
_RAREST = 1e-5  # a wait that so few jobs pass is the longest that is kept
_TERMS, _EULER = 24, 12  # of the inversion: plain terms, then averaged ones; exact to 1e-6
_ACCURACY = 18.4


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs of one kind at one node: so many a second, each of this time on the whole node; `batch` is their requests.

    `mean_us` and `square_us2` are the first two moments of the time.
    """

    per_second: float
    mean_us: float
    square_us2: float
    batch: float = 1.0


@dataclass(frozen=True)
class Wait:
    """A law of waiting times: `shares[i]` of all wait `times_us[i]`; the shares add up to 1."""

    times_us: Values
    shares: Values

    def scaled(self, factor: float) -> Wait:
        """The law of waits `factor` times as long."""
        return Wait(self.times_us * factor, self.shares)


NO_WAIT = Wait(np.zeros(1), np.ones(1))


def wait_at(jobs: Sequence[Jobs], utilisation: float, *, cores: int) -> Wait:
    """The wait of one job when the rates of all are scaled to this utilisation of the node, below 1."""
    kinds = [kind for kind in jobs if kind.per_second > 0.0 and kind.mean_us > 0.0]
    if not kinds or utilisation <= 0.0:
        return NO_WAIT
    if utilisation >= 1.0:
        raise ValueError("a node that is busy all the time has no law of waits")
    rates = np.array([kind.per_second for kind in kinds])
    means = np.array([kind.mean_us for kind in kinds])
    squares = np.maximum([kind.square_us2 for kind in kinds], means**2 * 1.0001)
    weights = rates / rates.sum()
    mean, square = float(weights @ means), float(weights @ squares)
    typical = square / (2 * mean * (1 - utilisation))  # the mean wait of a job that waits
    times = np.geomspace(typical / 1000, _longest(typical, square / mean, utilisation), _ATOMS)
    tail = _tail(times, utilisation, weights, means, squares)
    waiting = _waiting(kinds, utilisation, cores)
    tail = np.minimum(np.minimum.accumulate(np.clip(tail * waiting / utilisation, 0.0, 1.0)), waiting)
    tail = np.concatenate(([waiting], tail))
    middles = np.concatenate(([times[0] / 2], np.sqrt(times[1:] * times[:-1]), [times[-1]]))
    shares = np.concatenate((tail[:-1] - tail[1:], tail[-1:]))
    return Wait(np.concatenate(([0.0], middles)), np.concatenate(([1.0 - tail[0]], shares)))


def _longest(typical: float, size_biased: float, utilisation: float) -> float:
    """A time that few waits pass: of the exponential tail that heavy traffic has, and of single large jobs."""
    return -math.log(_RAREST / utilisation) * typical + 5 * size_biased


def _waiting(kinds: Sequence[Jobs], utilisation: float, cores: int) -> float:
    """The share of jobs that wait: Erlang's C for single requests, the utilisation for batches that fill the cores."""
    if cores == 1:
        return utilisation
    work = sum(kind.per_second * kind.mean_us for kind in kinds)
    filled = sum(kind.per_second * kind.mean_us * min(1.0, (kind.batch - 1) / (cores - 1)) for kind in kinds) / work
    return filled * utilisation + (1 - filled) * erlang_c(cores, utilisation)


def erlang_c(cores: int, utilisation: float) -> float:
    """The share of requests that find all cores busy, at random arrivals and exponential service times."""
    offered = cores * utilisation
    blocked = 1.0
    for core in range(1, cores + 1):
        blocked = offered * blocked / (core + offered * blocked)
    return blocked / (1 - utilisation * (1 - blocked))


def _tail(times: Values, utilisation: float, weights: Values, means: Values, squares: Values) -> Values:
    """P(W > t) of the queue of one server, by inversion of its transform."""
    shape = means**2 / (squares - means**2)
    scale = means / shape
    terms = np.arange(_TERMS + _EULER + 1)
    at = (_ACCURACY + 2j * math.pi * terms[None, :]) / (2 * times[:, None])
    of_jobs = np.zeros(at.shape, dtype=np.complex128)
    for weight, form, width in zip(weights, shape, scale, strict=True):
        of_jobs += weight * np.exp(-form * np.log1p(width * at))
    residual = (1 - of_jobs) / (at * float(weights @ means))
    of_tail = (1 - (1 - utilisation) / (1 - utilisation * residual)) / at
    signed = np.where(terms % 2 == 0, 1.0, -1.0) * of_tail.real
    signed[:, 0] /= 2
    sums = np.cumsum(signed, axis=1)[:, _TERMS:]
    binomial = np.array([math.comb(_EULER, at_term) for at_term in range(_EULER + 1)]) / 2**_EULER
    return np.asarray(math.exp(_ACCURACY / 2) / times * (sums @ binomial))
