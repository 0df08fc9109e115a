"""Samples of a window, held against what is predicted for the sizes that were observed in it."""

from __future__ import annotations

from collections.abc import Mapping

from piql.reporting.cells import class_of
from piql_profiler.predictor.sizes import Size

from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.latency.comparing import largest_of, smallest_of
from piql_backend.latency.seen import SizeTotals
from piql_backend.latency.service import NO_SIZES, Latency, SizesSeen
from piql_backend.latency.shared_reads import SharedReads
from piql_backend.latency.sources import Source
from piql_backend.operator_times.blame import NEEDED
from piql_backend.operator_times.calibration import Estimates, SizeKey
from piql_backend.operator_times.reading import blame_read, calibration_read
from piql_backend.operator_times.repository import OperatorTimesTable
from piql_backend.operator_times.schemas import OperatorTimesRead


class OperatorTimes:
    """Where the time of the queries of an environment goes."""

    def __init__(self, table: OperatorTimesTable, latency: Latency) -> None:
        self._table = table
        self._latency = latency
        self._shared = SharedReads[OperatorTimesRead](table.version)

    def read(self, deployment_id: str, window_seconds: float, source: Source) -> OperatorTimesRead:
        """What samples say of each query of a deployment; ApiError 404 for an unknown one."""
        deployment = self._latency.deployment(deployment_id)
        asked = (deployment.id, window_seconds, source)
        return self._shared.read(asked, lambda: self._read(deployment, window_seconds, source))

    def _read(self, deployment: DeploymentDetailRead, window_seconds: float, source: Source) -> OperatorTimesRead:
        span, since = self._latency.span(deployment, window_seconds)
        rows = self._table.read(span, since, source)
        # What was predicted is held against samples alone, and few executions are samples.
        seen = self._latency.sizes(deployment, span, since, window_seconds, source) if rows else NO_SIZES
        at_limits = {name: estimate.operators for name, (_, estimate) in seen.at_limits.items()}
        samples, blame = blame_read(rows, at_limits)
        kinds, cells, cells_in_all = calibration_read(rows, _estimates(seen))
        return OperatorTimesRead(
            deployment_id=deployment.id,
            window_seconds=window_seconds,
            source=source,
            samples=samples,
            samples_needed=NEEDED,
            blame=blame,
            kinds=kinds,
            cells=cells,
            cells_in_all=cells_in_all,
        )


def _estimates(seen: SizesSeen) -> Mapping[SizeKey, Estimates]:
    """The estimates for the operators of each class of sizes; several sizes of one class are taken together."""
    classes: dict[SizeKey, list[SizeTotals]] = {}
    for query, sizes in seen.sizes.items():
        for totals in sizes:
            key = SizeKey(query, class_of(totals.requests), class_of(totals.rows))
            classes.setdefault(key, []).append(totals)
    estimates = {}
    for key, members in classes.items():
        smallest = seen.estimates.get((key.query, min(map(smallest_of, members), key=_order)))
        largest = seen.estimates.get((key.query, max(map(largest_of, members), key=_order)))
        if smallest is not None and largest is not None:
            estimates[key] = Estimates(smallest.operators, largest.operators)
    return estimates


def _order(size: Size) -> tuple[int, int]:
    return size.requests, size.rows
