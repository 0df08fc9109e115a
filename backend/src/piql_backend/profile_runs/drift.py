"""How a store compares with its profile, as the workbench shows it: from the looks that measured a few points again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from piql_profiler.drift.judge import stale_operators
from piql_profiler.drift.look import read_looks
from piql_profiler.runs.run_files import UnreadableRun

from piql_backend.profile_runs.schemas import DriftRead


def drift_of(measurements: Path) -> DriftRead | None:
    """The ratio of the last look, and the operators that are stale; None where nobody looked."""
    try:
        looks = read_looks(measurements)
    except UnreadableRun:
        return None
    if not looks:
        return None
    ratio = looks[-1].ratio
    return DriftRead(
        looked_at=datetime.fromtimestamp(looks[-1].at, UTC),
        looks=len(looks),
        factor=ratio.factor,
        low=ratio.low,
        high=ratio.high,
        stale_operators=[operator.value for operator in stale_operators(looks)],
    )
