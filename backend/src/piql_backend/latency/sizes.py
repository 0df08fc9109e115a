"""A query's p99 over the size of the data that it read: is it as fast for those who have much?

what ran of a query, by class of sizes  →  the ranks that enclose its p99  →  p99 with its interval and the prediction

A class has the executions whose requests, and whose rows, are of one power of two: 1, 2 to 3, 4 to 7 and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from piql_profiler.measure.precision import ranks_around
from piql_profiler.predictor.sizes import Size
from piql_profiler.validation.compliance import samples_needed

from piql_backend.latency.comparing import largest_of, smallest_of
from piql_backend.latency.schemas import OverSizeRead, SizeClassRead
from piql_backend.latency.seen import ClassTotals, P99Ranks, P99Times, Seen
from piql_backend.predictions.questions import SizeEstimate
from piql_backend.predictions.schemas import EstimateRead

_QUANTILE = 0.99
_FEWEST = samples_needed(_QUANTILE)


def classes_of(seen: Seen, query: str) -> tuple[Sequence[ClassTotals], Mapping[tuple[int, int], P99Times]]:
    """The classes of sizes of a query, the smallest first, and the p99 of those that ran often enough to show one."""
    totals = sorted(seen.classes(query), key=lambda total: (total.requests, total.rows))
    often = [total for total in totals if total.executions >= _FEWEST]
    ranks = [
        P99Ranks(total.requests_class, total.rows_class, *ranks_around(total.executions, _QUANTILE)) for total in often
    ]
    return totals, seen.p99_of(query, ranks)


def over_size(
    query: str,
    totals: Sequence[ClassTotals],
    times: Mapping[tuple[int, int], P99Times],
    estimates: Mapping[tuple[str, Size], SizeEstimate | None],
) -> OverSizeRead:
    """The classes as an answer, each beside what is predicted for its smallest and its largest size."""
    return OverSizeRead(
        samples_needed=_FEWEST,
        classes=[
            _class(
                total,
                times.get((total.requests_class, total.rows_class)),
                _predicted(estimates.get((query, smallest_of(total)))),
                _predicted(estimates.get((query, largest_of(total)))),
            )
            for total in totals
        ],
    )


def _class(
    total: ClassTotals, p99: P99Times | None, smallest: EstimateRead | None, largest: EstimateRead | None
) -> SizeClassRead:
    return SizeClassRead(
        least_requests=total.least_requests,
        requests=total.requests,
        least_rows=total.least_rows,
        rows=total.rows,
        executions=total.executions,
        p99_ms=None if p99 is None else p99.p99_ms,
        p99_low_ms=None if p99 is None else p99.low_ms,
        p99_high_ms=None if p99 is None else p99.high_ms,
        predicted_least=smallest,
        predicted=largest,
    )


def _predicted(estimate: SizeEstimate | None) -> EstimateRead | None:
    return None if estimate is None else estimate.p99
