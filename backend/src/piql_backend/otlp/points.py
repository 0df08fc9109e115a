"""What the data points of one request say of executions. Others, and wrong ones, are refused with a reason.

The library sends three histograms with the same attributes (`piql.telemetry.instruments`). Time is the one that counts
executions. The other two add the sizes of the same executions, where they come in the same request.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AggregationTemporality,
    DataPointFlags,
    ExponentialHistogramDataPoint,
    HistogramDataPoint,
    Metric,
)
from piql.reporting.cells import MOST_OUTCOME

from piql_backend.otlp.histograms import ZERO, Histogram, Layout, WrongHistogram

DURATION, ROWS, REQUESTS = (
    "db.client.operation.duration",
    "db.client.response.returned_rows",
    "piql.client.operation.requests",
)
MOST_POINTS = 20_000  # of executions, in one request
_MOST_BUCKETS = 2_000
_MOST_NAME = 1_000
_MOST_NUMBER = 2**31 - 1
_MOST_TIME_NS = 2**63 - 1
_NOT_OURS = "they are not of PIQL: no db.client.operation.duration with db.system.name = piql"

DataPoint: TypeAlias = HistogramDataPoint | ExponentialHistogramDataPoint
_Key: TypeAlias = tuple[str, int]
"""What points of several metrics about the same executions have in common: their attributes, and the how manieth it is.

Their times are not exactly the same, since each metric is read by itself.
"""


@dataclass(frozen=True, slots=True)
class Labels:
    """What the executions of a point have in common, as a cell of reports has it."""

    query: str
    version: int
    bound: int
    outcome: str
    requests_class: int
    rows_class: int
    is_over_bound: bool


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sum of the sizes of some executions; the smallest and the largest, where they are known."""

    total: int
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Point:
    """Executions between two times, or since a start; `series` is the name of what the point is the next one of."""

    series: str
    labels: Labels
    is_cumulative: bool
    start_ns: int
    time_ns: int
    histogram: Histogram
    least_seconds: float
    most_seconds: float
    requests: Sizes | None
    rows: Sizes | None


@dataclass(slots=True)
class Points:
    """The points of a request, and for what reasons how many others were refused."""

    taken: list[Point] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


def points_of(request: ExportMetricsServiceRequest) -> Points:
    """Return what a request says of executions."""
    points = Points()
    for of_resource in request.resource_metrics:
        resource = _text_of(of_resource.resource.attributes)
        for of_scope in of_resource.scope_metrics:
            metrics: Sequence[Metric] = of_scope.metrics
            scope = f"{of_scope.scope.name}\n{of_scope.scope.version}\n{_text_of(of_scope.scope.attributes)}"
            sizes = {name: _sizes(metric for metric in metrics if metric.name == name) for name in (REQUESTS, ROWS)}
            numbered: Counter[str] = Counter()
            for metric in metrics:
                if metric.name == DURATION:
                    _take(metric, f"{resource}\n{scope}", numbered, sizes, points)
                elif metric.name not in (REQUESTS, ROWS):
                    points.refused[_NOT_OURS] += _count(metric)
    return points


def _take(
    metric: Metric, origin: str, numbered: Counter[str], sizes: Mapping[str, Mapping[_Key, Sizes]], points: Points
) -> None:
    try:
        data = _data_of(metric)
    except WrongHistogram as wrong:
        points.refused[str(wrong)] += _count(metric)
        return
    is_cumulative = data.aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
    for point in data.data_points:
        attributes, key = _values_of(point.attributes), _numbered(point, numbered)
        if point.flags & DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK:
            continue
        if attributes.get("db.system.name") != "piql":
            points.refused[_NOT_OURS] += 1
        elif len(points.taken) >= MOST_POINTS:
            points.refused[f"a request may have {MOST_POINTS:,} data points"] += 1
        else:
            try:
                of_point = sizes[REQUESTS].get(key), sizes[ROWS].get(key)
                series = hashlib.sha256(f"{origin}\n{key[0]}".encode()).hexdigest()[:32]
                points.taken.append(_point(point, series, _labels(attributes), is_cumulative, of_point))
            except WrongHistogram as wrong:
                points.refused[str(wrong)] += 1


def _data_of(metric: Metric):  # type: ignore[no-untyped-def]  # the two messages have no common type
    """The data points of a metric of times, with their temporality."""
    kind = metric.WhichOneof("data")
    if kind not in ("histogram", "exponential_histogram"):
        raise WrongHistogram(f"{DURATION} is no histogram")
    if metric.unit not in ("s", ""):
        raise WrongHistogram(f"the unit of {DURATION} is not s")
    data = getattr(metric, kind)
    if data.aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_UNSPECIFIED:
        raise WrongHistogram("nothing says whether it is cumulative or delta")
    return data


def _point(
    point: DataPoint, series: str, labels: Labels, is_cumulative: bool, sizes: tuple[Sizes | None, Sizes | None]
) -> Point:
    start_ns, time_ns = point.start_time_unix_nano, point.time_unix_nano
    if not 0 < time_ns <= _MOST_TIME_NS or start_ns > time_ns:
        raise WrongHistogram("its times are none, or the start comes after the end")
    histogram = _histogram(point)
    if histogram.total != point.count:
        raise WrongHistogram("its buckets do not add up to its count")
    if histogram.total > 2**53:
        raise WrongHistogram("its count is too large")
    least = point.min if point.HasField("min") and 0 <= point.min < math.inf else 0.0
    most = point.max if point.HasField("max") and point.max >= least else math.inf
    return Point(series, labels, is_cumulative, start_ns, time_ns, histogram, least, most, *sizes)


def _histogram(point: DataPoint) -> Histogram:
    """The counts of a point that are not 0; WrongHistogram where they cannot be right."""
    if isinstance(point, HistogramDataPoint):
        bounds, counts = tuple(point.explicit_bounds), list(point.bucket_counts)
        if not counts and not bounds:
            counts = [point.count]
        if len(counts) != len(bounds) + 1 or len(counts) > _MOST_BUCKETS:
            raise WrongHistogram("it has not one bucket more than bounds, or too many")
        if not all(map(math.isfinite, bounds)) or any(a >= b for a, b in pairwise(bounds)):
            raise WrongHistogram("its bounds do not grow")
        return Histogram(Layout(bounds), {index: count for index, count in enumerate(counts) if count})
    if any(point.negative.bucket_counts):
        raise WrongHistogram("it has times under 0")
    if not -30 <= point.scale <= 30 or not 0 <= point.zero_threshold < math.inf:
        raise WrongHistogram("its scale or its zero threshold is none")
    if len(point.positive.bucket_counts) > _MOST_BUCKETS:
        raise WrongHistogram("it has too many buckets")
    layout = Layout(scale=point.scale, zero_seconds=point.zero_threshold)
    counted = {point.positive.offset + at: count for at, count in enumerate(point.positive.bucket_counts) if count}
    if point.zero_count:
        counted[ZERO] = point.zero_count
    for index in (min(counted, default=0), max(counted, default=0)):
        layout.edges(index)
    return Histogram(layout, counted)


def _labels(attributes: Mapping[str, object]) -> Labels:
    query, outcome = attributes.get("piql.query", ""), attributes.get("piql.outcome", "")
    if not isinstance(query, str) or len(query) > _MOST_NAME:
        raise WrongHistogram("piql.query is no name of a query")
    if not isinstance(outcome, str) or not 0 < len(outcome) <= MOST_OUTCOME:
        raise WrongHistogram("piql.outcome says nothing")
    names = ("piql.version", "piql.bound", "piql.requests_class", "piql.rows_class")
    most = (_MOST_NUMBER, _MOST_NUMBER, 31, 31)
    version, bound, requests, rows = (
        _number(attributes, name, largest) for name, largest in zip(names, most, strict=True)
    )
    return Labels(query, version, bound, outcome, requests, rows, attributes.get("piql.over_bound") is True)


def _number(attributes: Mapping[str, object], name: str, most: int) -> int:
    number = attributes.get(name, 0)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
        raise WrongHistogram(f"{name} is no number that it can be")
    return number


def _sizes(metrics: Iterator[Metric]) -> Mapping[_Key, Sizes]:
    """The sizes that a metric says, of the points that could be right."""
    sizes = {}
    numbered: Counter[str] = Counter()
    for metric in metrics:
        kind = metric.WhichOneof("data")
        if kind in ("histogram", "exponential_histogram"):
            for point in getattr(metric, kind).data_points:
                key = _numbered(point, numbered)
                if 0 <= point.sum <= 2**53:
                    least = _whole(point.min) if point.HasField("min") else None
                    most = _whole(point.max) if point.HasField("max") else None
                    sizes[key] = Sizes(round(point.sum), least, most)
    return sizes


def _numbered(point: DataPoint, numbered: Counter[str]) -> _Key:
    text = _text_of(point.attributes)
    numbered[text] += 1
    return text, numbered[text]


def _whole(number: float) -> int | None:
    return round(number) if 0 <= number <= _MOST_NUMBER else None


def _count(metric: Metric) -> int:
    kind = metric.WhichOneof("data")
    return 0 if kind is None else len(getattr(metric, kind).data_points)


def _values_of(attributes: Sequence[KeyValue]) -> dict[str, object]:
    return {attribute.key: _value_of(attribute.value) for attribute in attributes}


def _value_of(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    return None if kind is None else getattr(value, kind)


def _text_of(attributes: Sequence[KeyValue]) -> str:
    """The attributes as text, the same in whatever order they come."""
    return "\n".join(sorted(f"{attribute.key}={attribute.value.SerializeToString().hex()}" for attribute in attributes))
