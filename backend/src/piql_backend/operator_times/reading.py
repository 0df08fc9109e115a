"""Where the time of queries goes, and how well their operators are predicted, as the API sends it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from piql.reporting.operator_cells import WHOLE

from piql_backend.operator_times.blame import Blame, Spent, blame_of
from piql_backend.operator_times.calibration import Calibrated, Estimates, Line, SizeKey, calibrated, lines_of
from piql_backend.operator_times.repository import TimedRow
from piql_backend.operator_times.schemas import (
    BlameRead,
    OperatorCellRead,
    OperatorKindRead,
    OperatorOutcomesRead,
    SpentRead,
)
from piql_backend.predictions.questions import OperatorEstimate

MOST_CELLS = 100  # in one answer


def blame_read(
    rows: Sequence[TimedRow], at_limits: Mapping[str, Sequence[OperatorEstimate]]
) -> tuple[int, list[BlameRead]]:
    """How many samples there are, and how the time of each query with enough of them is divided."""
    by_query: dict[str, list[TimedRow]] = defaultdict(list)
    for row in rows:
        by_query[row.query].append(row)
    samples = sum(row.samples for row in rows if row.operator == WHOLE)
    blames = [(query, blame_of(of_query)) for query, of_query in sorted(by_query.items())]
    return samples, [_blame(query, blame, at_limits.get(query, ())) for query, blame in blames if blame is not None]


def calibration_read(
    rows: Sequence[TimedRow], estimates: Mapping[SizeKey, Estimates]
) -> tuple[list[OperatorKindRead], list[OperatorCellRead], int]:
    """The kinds of operators, the operators that are farthest off, and how many there are in all."""
    cells = calibrated(rows, estimates)
    return [_kind(line) for line in lines_of(cells)], [_cell(cell) for cell in cells[:MOST_CELLS]], len(cells)


def _blame(query: str, blame: Blame, predicted: Sequence[OperatorEstimate]) -> BlameRead:
    parts = {estimate.path: estimate.part_of_p99_ms for estimate in predicted}
    return BlameRead(
        query=query,
        samples=blame.samples,
        slowest=blame.slowest,
        slow_from_ms=blame.slow_from_ms,
        spent=[_spent(part, None if part.operator == WHOLE else parts.get(part.path)) for part in blame.spent],
    )


def _spent(part: Spent, predicted_ms: float | None) -> SpentRead:
    return SpentRead(
        path=part.path,
        operator=part.operator,
        slow_ms=part.slow_ms,
        typical_ms=part.typical_ms,
        slow_requests=part.slow_requests,
        typical_requests=part.typical_requests,
        predicted_ms=predicted_ms,
    )


def _kind(line: Line) -> OperatorKindRead:
    return OperatorKindRead(
        operator=line.operator,
        least_requests=1 << line.requests_class >> 1,
        most_requests=(1 << line.requests_class) - 1,
        samples=line.samples,
        outcomes=OperatorOutcomesRead(
            slower=line.outcomes.get("slower", 0),
            faster=line.outcomes.get("faster", 0),
            agrees=line.outcomes.get("agrees", 0),
            undecided=line.outcomes.get("undecided", 0),
            too_few=line.outcomes.get("too few", 0),
        ),
        ratio=line.ratio,
        least_ratio=line.least_ratio,
        most_ratio=line.most_ratio,
    )


def _cell(cell: Calibrated) -> OperatorCellRead:
    return OperatorCellRead(**cell._asdict(), ratio=cell.ratio)
