"""Which operator the slowest executions of a query spend their time in, beside typical ones. Pure.

    slowest    the slowest 1 of 100 samples, or SLOWEST of them if that is more; buckets of times are not divided, so
               it may be up to MOST_TIMES as many, or half as many
    typical    the half of the samples in the middle

An operator's time in each is a mean, and so is what is left of the whole: no request waits then, and the engine works.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql.reporting.operator_cells import WHOLE, edges_ms

from piql_backend.operator_times.repository import TimedRow

NEEDED = 100  # samples, before anything is said
SLOWEST = 20
MOST_TIMES = 4


@dataclass(frozen=True, slots=True)
class Spent:
    """The mean time of one operator in the slowest and in typical executions, and the requests that it made there.

    `operator` is empty for what was spent outside of all operators.
    """

    path: str
    operator: str
    slow_ms: float
    typical_ms: float
    slow_requests: float
    typical_requests: float


@dataclass(frozen=True, slots=True)
class Blame:
    """How the time of a query is divided, the operator with the most time in the slowest executions first."""

    samples: int
    slowest: int
    slow_from_ms: float
    spent: tuple[Spent, ...]


@dataclass(slots=True)
class _Sums:
    microseconds: int = 0
    operations: int = 0


def blame_of(rows: Sequence[TimedRow]) -> Blame | None:
    """Divide the time of one query; None where there are too few samples."""
    counts = Counter[int]()
    for row in rows:
        if row.operator == WHOLE:
            counts[row.whole_bucket] += row.samples
    samples = counts.total()
    if samples < NEEDED:
        return None
    slow = _slowest(counts, max(SLOWEST, -(-samples // 100)))
    typical = _middle(counts)
    slow_sums, typical_sums = _sums(rows, slow), _sums(rows, typical)
    slowest, of_middle = (sum(counts[bucket] for bucket in buckets) for buckets in (slow, typical))
    nothing = _Sums()

    def spent(path: str, operator: str) -> Spent:
        in_slow, in_typical = (sums.get((path, operator), nothing) for sums in (slow_sums, typical_sums))
        return Spent(
            path,
            operator,
            in_slow.microseconds / slowest / 1000,
            in_typical.microseconds / of_middle / 1000,
            in_slow.operations / slowest,
            in_typical.operations / of_middle,
        )

    operators = [spent(*name) for name in {**slow_sums, **typical_sums} if name[1] != WHOLE]
    whole = spent("", WHOLE)
    rest = Spent(
        "",
        WHOLE,
        max(0.0, whole.slow_ms - sum(operator.slow_ms for operator in operators)),
        max(0.0, whole.typical_ms - sum(operator.typical_ms for operator in operators)),
        0.0,
        0.0,
    )
    order = sorted([*operators, rest], key=lambda part: (-part.slow_ms, part.path, part.operator))
    return Blame(samples, slowest, edges_ms(min(slow))[0], tuple(order))


def _slowest(counts: Mapping[int, int], wanted: int) -> frozenset[int]:
    """The buckets of the longest times that hold about as many samples as are wanted."""
    buckets, samples = set[int](), 0
    for bucket in sorted(counts, reverse=True):
        if 2 * samples >= wanted and samples + counts[bucket] > MOST_TIMES * wanted:
            break
        buckets.add(bucket)
        samples += counts[bucket]
        if samples >= wanted:
            break
    return frozenset(buckets)


def _middle(counts: Mapping[int, int]) -> frozenset[int]:
    """The buckets that hold the second and the third quarter of the samples."""
    total, until, buckets = sum(counts.values()), 0, set[int]()
    for bucket in sorted(counts):
        before, until = until, until + counts[bucket]
        if until > total / 4 and before < total * 3 / 4:
            buckets.add(bucket)
    return frozenset(buckets)


def _sums(rows: Sequence[TimedRow], buckets: frozenset[int]) -> Mapping[tuple[str, str], _Sums]:
    sums: dict[tuple[str, str], _Sums] = defaultdict(_Sums)
    for row in rows:
        if row.whole_bucket in buckets:
            of_operator = sums[row.path, row.operator]
            of_operator.microseconds += row.microseconds
            of_operator.operations += row.operations
    return sums
