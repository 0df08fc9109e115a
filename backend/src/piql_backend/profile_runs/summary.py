"""The summary of a run that is done: how long each operator took, over all its points and intervals."""

from __future__ import annotations

import logging
from pathlib import Path

from piql_profiler.measure.histogram import Histogram
from piql_profiler.runs.run_files import UnreadableRun, load

from piql_backend.profile_runs.schemas import OperatorSummaryRead

log = logging.getLogger(__name__)


def summary_of(folder: Path) -> list[OperatorSummaryRead]:
    """A summary of each operator; empty when the run cannot be read."""
    try:
        measurements = load(folder)
    except (UnreadableRun, OSError) as error:
        log.warning("the measurements in %s cannot be summed up: %s", folder, error)
        return []
    summaries = []
    for operator, counts in measurements.operators.items():
        histogram = Histogram(counts.counts.sum(axis=(0, 1)))
        summaries.append(
            OperatorSummaryRead(
                operator=operator.value,
                points=len(counts.points),
                samples=histogram.total,
                p50_ms=histogram.quantile_us(0.5) / 1000,
                p99_ms=histogram.quantile_us(0.99) / 1000,
            )
        )
    return summaries
