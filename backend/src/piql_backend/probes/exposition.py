"""Prometheus' text format: families of samples come in, and the text that its server reads goes out.

# HELP piql_executions_total Executions that ended.
# TYPE piql_executions_total counter
piql_executions_total{query="findUser"} 12
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from piql_backend.executions.tallies import BUCKETS_SECONDS, Tally
from piql_backend.reports.tallies import ReportedTally

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Sample:
    """One number; `suffix` is added to the family's name: `_bucket`, `_sum` and `_count` of a histogram."""

    value: float
    labels: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """The samples of one name."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: Sequence[Sample]


def single(name: str, kind: Literal["counter", "gauge"], help: str, value: float) -> Family:
    """A family of one number without labels."""
    return Family(name, kind, help, [Sample(value, {})])


def histogram(name: str, help: str, tallies: Mapping[tuple[tuple[str, str], ...], Tally]) -> Family:
    """The times of executions, by their labels; in this format a bucket also counts what all smaller ones count."""
    samples = []
    for pairs, tally in tallies.items():
        labels = dict(pairs)
        edges = [*(f"{seconds:g}" for seconds in BUCKETS_SECONDS), "+Inf"]
        for edge, count in zip(edges, accumulate(tally.counts), strict=True):
            samples.append(Sample(count, labels | {"le": edge}, "_bucket"))
        samples.append(Sample(tally.seconds, labels, "_sum"))
        samples.append(Sample(sum(tally.counts), labels, "_count"))
    return Family(name, "histogram", help, samples)


def reported_histogram(
    name: str, help: str, tallies: Mapping[tuple[tuple[str, str], ...], tuple[ReportedTally, float | None]]
) -> Family:
    """The times that applications reported, by their labels; each query has a bucket that ends at its SLO, if any."""
    samples = []
    for pairs, (tally, threshold) in tallies.items():
        labels = dict(pairs)
        for edge in sorted({*BUCKETS_SECONDS, *(() if threshold is None else (threshold,))}):
            samples.append(Sample(tally.within(edge), labels | {"le": f"{edge:g}"}, "_bucket"))
        count = tally.buckets.total()
        samples.append(Sample(count, labels | {"le": "+Inf"}, "_bucket"))
        samples.append(Sample(tally.seconds, labels, "_sum"))
        samples.append(Sample(count, labels, "_count"))
    return Family(name, "histogram", help, samples)


def text_of(families: Sequence[Family]) -> str:
    """The families as lines."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels.items())
        number = str(sample.value) if isinstance(sample.value, int) else repr(float(sample.value))
        yield f"{family.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {number}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
