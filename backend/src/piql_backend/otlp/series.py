"""A series of OTLP and its next point → what is new in it, and what to keep to know the same of the one after it.

    cumulative   a point counts all since a start: what it has more than the last one of that start is new
    delta        a point counts an interval: it is new unless an interval of that start was taken

A process that restarts begins a new start, so its counts are new as a whole. A point that comes again, or late behind a
later one of the same start, brings nothing new.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from piql_backend.otlp.histograms import Histogram, Layout, WrongHistogram
from piql_backend.otlp.points import Point

DELTA = -1  # stands for the start of a series of deltas, of which there is one for all starts
INTERVALS_KEPT = 64  # of a series of deltas: a point that is older than all of them is taken for a duplicate
_LONGEST_BEFORE_NS = 3600 * 10**9  # what is counted since longer before its first point was taken is not counted


@dataclass(frozen=True, slots=True)
class New:
    """The executions that a point brings, by bucket, with the sums of their sizes; `kept` is what to keep."""

    counts: Mapping[int, int]
    requests: int | None
    rows: int | None
    kept: str


def key_of(point: Point) -> tuple[str, int]:
    """Return what the state of a series is kept by."""
    return point.series, point.start_ns if point.is_cumulative else DELTA


def advance(kept: str | None, point: Point) -> New | None:
    """Return what is new in a point, None for nothing. WrongHistogram where it contradicts the one before."""
    return _cumulative(kept, point) if point.is_cumulative else _delta(kept, point)


def _cumulative(kept: str | None, point: Point) -> New | None:
    whole = New(point.histogram.counts, _total(point.requests), _total(point.rows), _state(point))
    if kept is None:
        is_known = 0 < point.start_ns < point.time_ns <= point.start_ns + _LONGEST_BEFORE_NS
        return whole if is_known else New({}, None, None, whole.kept)
    state = json.loads(kept)
    if point.time_ns <= state["time_ns"]:
        return None
    layout = Layout(tuple(state["bounds"]), state["scale"], state["zero_seconds"])
    earlier = Histogram(layout, {int(index): count for index, count in state["counts"].items()})
    new = point.histogram.since(earlier)
    if new is None:
        if point.start_ns:
            raise WrongHistogram("its counts fell although its start stayed")
        return whole  # nobody said when it began: it has begun again
    requests = _since(whole.requests, state["requests"])
    return New(new, requests, _since(whole.rows, state["rows"]), whole.kept)


def _delta(kept: str | None, point: Point) -> New | None:
    starts: list[int] = [] if kept is None else json.loads(kept)["starts"]
    start = point.start_ns or point.time_ns  # without a start, the end is all that tells it from others
    if start in starts or (len(starts) >= INTERVALS_KEPT and start < starts[0]):
        return None
    remembered = sorted([*starts, start])[-INTERVALS_KEPT:]
    state = json.dumps({"starts": remembered})
    return New(point.histogram.counts, _total(point.requests), _total(point.rows), state)


def _state(point: Point) -> str:
    layout = point.histogram.layout
    return json.dumps(
        {
            "time_ns": point.time_ns,
            "bounds": layout.bounds,
            "scale": layout.scale,
            "zero_seconds": layout.zero_seconds,
            "counts": dict(point.histogram.counts),
            "requests": _total(point.requests),
            "rows": _total(point.rows),
        }
    )


def _total(sizes: object) -> int | None:
    return getattr(sizes, "total", None)


def _since(after: int | None, before: int | None) -> int | None:
    """What a sum grew by; None where it is not known."""
    return after - before if after is not None and before is not None and after >= before else None
