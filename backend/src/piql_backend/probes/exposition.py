"""The families of the workbench's counts, for `piql.telemetry.exposition`, which writes them as Prometheus' text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from piql.telemetry.exposition import Family, Sample, edge_text, histogram_samples

from piql_backend.executions.tallies import BUCKETS_SECONDS, Tally
from piql_backend.reports.tallies import ReportedTally


def single(name: str, kind: Literal["counter", "gauge"], help: str, value: float) -> Family:
    """A family of one number without labels."""
    return Family(name, kind, help, [Sample(value, {})])


def histogram(name: str, help: str, tallies: Mapping[tuple[tuple[str, str], ...], Tally]) -> Family:
    """The times of executions, by their labels."""
    samples = [
        sample
        for pairs, tally in tallies.items()
        for sample in histogram_samples(dict(pairs), BUCKETS_SECONDS, tally.counts, tally.seconds)
    ]
    return Family(name, "histogram", help, samples)


def reported_histogram(
    name: str, help: str, tallies: Mapping[tuple[tuple[str, str], ...], tuple[ReportedTally, float | None]]
) -> Family:
    """The times that applications reported, by their labels; each query has a bucket that ends at its SLO, if any."""
    samples = []
    for pairs, (tally, threshold) in tallies.items():
        labels = dict(pairs)
        for edge in sorted({*BUCKETS_SECONDS, *(() if threshold is None else (threshold,))}):
            samples.append(Sample(tally.within(edge), labels | {"le": edge_text(edge)}, "_bucket"))
        count = tally.buckets.total()
        samples.append(Sample(count, labels | {"le": "+Inf"}, "_bucket"))
        samples.append(Sample(tally.seconds, labels, "_sum"))
        samples.append(Sample(count, labels, "_count"))
    return Family(name, "histogram", help, samples)
