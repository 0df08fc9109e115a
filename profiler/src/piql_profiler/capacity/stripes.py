"""How many stripes a view needs for so many writes a second to its hottest group, and what reads then cost.

    view, writes a second, model  ──▶  StripeDial: for 1, 2, 4, … stripes the requests and p99 of a read, p99 of a write

No profile measures how many conditional writes a second one partition bears. It measures how long one takes, a `Write`
of one record in the size of the view's rows: a read and a conditional put, as a change of a group is. A partition is
taken as a server that makes one after the other, so it bears 1 / mean time. Writes arrive at random and go to the
stripes evenly. Writes that lose a race and repeat their requests are taken for such that wait their turn: the least
that they can cost. So the stripes that are needed keep each partition busy for `MOST_BUSY` of the time at most.

A store with transactions makes one write after the other, whatever its partition. There stripes do not help.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from statistics import median_low

from piql.compiler.physical.write_plan import ViewUpkeep, WritePlan
from piql.compiler.result import Compilation, CompiledQuery
from piql.schema.catalog import Table

from piql_profiler.capacity.demand import DemandsInTurn
from piql_profiler.capacity.load import with_wait
from piql_profiler.capacity.waiting import FULLEST, Jobs, wait_at
from piql_profiler.measure.grid import Operator, Point
from piql_profiler.predictor.cardinalities import RemoteWork, Work, bytes_of, work_of
from piql_profiler.predictor.composition import Leaf, quantile_us
from piql_profiler.predictor.model import Model, NotMeasured, NotPredictable
from piql_profiler.predictor.predict import composed, correlation_of, predict_work

MOST_BUSY = 0.5  # of the time of one partition: at more, writes lose races more often than not
MOST_STRIPES = 256  # that the language allows
_SHOWN = (1, 2, 4, 8, 16, 32, 64)
_US_A_SECOND = 1e6


class NoSuchView(NotPredictable):
    """The set has no view of this name, or no write keeps it."""


@dataclass(frozen=True, slots=True)
class StripeStep:
    """One number of stripes: which share of its time a partition is `busy`, and what a read and a write take.

    A read of one group makes `read_requests` in one round trip. p99s are estimates in ms of the profile's median
    interval. `read_ms` is None beyond what was measured; `write_ms` is that of `StripeDial.write` with its wait for the
    partition, and None where the wait has no end.
    """

    stripes: int
    busy: float
    read_requests: int
    read_ms: float | None
    write_ms: float | None


@dataclass(frozen=True, slots=True)
class StripeDial:
    """What a view takes at so many writes a second to its hottest group, by its number of stripes.

    `change_ms` is the mean time of one change of a group, and `partition_bears` how many a second one partition makes.
    `needed` is the fewest stripes that bear the rate; None where no number does. `is_in_turn`: the store makes one
    write after the other, so stripes do not help. `write` names the query whose p99 is told.
    """

    view: str
    stripes: int
    per_second: float
    change_ms: float
    partition_bears: float
    is_in_turn: bool
    needed: int | None
    write: str
    steps: tuple[StripeStep, ...]
    warnings: tuple[str, ...]


def stripe_dial(
    compilation: Compilation, view: str, per_second: float, model: Model, also: Collection[int] = ()
) -> StripeDial:
    """Tell what a view takes by its number of stripes; `also` are numbers to tell beside the usual ones.

    Raises NoSuchView, and NotMeasured where the profile has no writes of the size of the view's rows.
    """
    table = compilation.tables.get(view)
    if table is None or table.view is None:
        raise NoSuchView(f"there is no view {view}")
    write, work, upkeep = _dearest_write(compilation, view, model)
    change = Point(Operator.WRITE, 1 + 2 * len(upkeep.indexes), 1, _row_bytes(table))
    queue = _Queue(work, 0 if model.has_transactions else _place_of(work, change), model)
    now = table.view.stripes.count if table.view.stripes is not None else 1
    fewest = max(1, math.ceil(per_second * queue.mean_s / MOST_BUSY - 1e-9))
    needed = fewest if not model.has_transactions and fewest <= MOST_STRIPES else None
    numbers = sorted({*_SHOWN, now, *also, *((needed,) if needed is not None else ())})
    steps: list[StripeStep] = []
    warnings = list(predict_work(work, model).warnings)
    for stripes in numbers:
        rate = per_second / (1 if model.has_transactions else stripes)
        try:
            read = predict_work(_read(table, stripes), model)
        except NotMeasured:
            read_ms = None
        else:
            read_ms = read.typical_ms
            warnings += read.warnings if stripes in (now, needed, *also) else ()
        steps.append(StripeStep(stripes, rate * queue.mean_s, stripes, read_ms, queue.p99_ms(rate)))
    return StripeDial(
        view,
        now,
        per_second,
        1000 * queue.mean_s,
        1 / queue.mean_s,
        model.has_transactions,
        needed,
        write.name,
        tuple(steps),
        tuple(dict.fromkeys(warnings)),
    )


class _Queue:
    """A write of which one operator waits for its turn: that of the whole store, or of one partition."""

    def __init__(self, work: Work, at: int, model: Model) -> None:
        self._work = work
        self._at = at
        self._model = model
        self._demand = DemandsInTurn(model).of(work.operators[at].point)
        self.mean_s = self._demand.mean_us / _US_A_SECOND

    def p99_ms(self, per_second: float) -> float | None:
        """The p99 of the write in ms, in the median interval, at so many a second; None where the wait has no end."""
        busy = per_second * self.mean_s
        if busy >= FULLEST:
            return None
        mean_us, work, model = self._demand.mean_us, self._work, self._model
        wait = wait_at([Jobs(per_second, mean_us, mean_us**2 * (1 + self._demand.variability))], busy, cores=1)
        curves = [model.curves(operator.point) for operator in work.operators]
        curves[self._at] = with_wait(curves[self._at], wait, 1.0)
        latencies_us = quantile_us(composed(work, model), curves, 0.99, correlation=correlation_of(work, model))
        return median_low(map(float, latencies_us)) / 1000


def _dearest_write(compilation: Compilation, view: str, model: Model) -> tuple[CompiledQuery, Work, ViewUpkeep]:
    """Return the write that keeps the view and has the longest p99, with its work and its upkeep of the view."""
    reason: NotPredictable = NoSuchView(f"no write of the set keeps {view}")
    predicted: list[tuple[float, str, CompiledQuery, Work, ViewUpkeep]] = []
    for query, plan, upkeep in _writes_of(compilation, view):
        try:
            work = work_of(plan, is_stepped=not model.has_transactions)
            predicted.append((predict_work(work, model).typical_ms, query.name, query, work, upkeep))
        except NotPredictable as error:
            reason = error
    if not predicted:
        raise reason
    _, _, write, work, upkeep = max(predicted, key=lambda entry: entry[:2])
    return write, work, upkeep


def _writes_of(compilation: Compilation, view: str) -> Iterator[tuple[CompiledQuery, WritePlan, ViewUpkeep]]:
    for query in compilation.queries.values():
        if isinstance(query.plan, WritePlan):
            for upkeep in query.plan.views:
                if upkeep.view.name == view:
                    yield query, query.plan, upkeep


def _read(view: Table, stripes: int) -> Work:
    """The read of one group: a get of each of its stripes, all of them together."""
    columns = max(1, len(view.columns) - len(view.primary_key))
    point = Point(Operator.INDEX_FK_JOIN, stripes, 1, _row_bytes(view), columns)
    return Work((RemoteWork((), "IndexScan", point),), Leaf(0), stripes)


def _place_of(work: Work, change: Point) -> int:
    """Which operator of a write changes the group: the parts of views stand behind the others."""
    return max(at for at, operator in enumerate(work.operators) if operator.point == change)


def _row_bytes(view: Table) -> int:
    return max(1, sum(bytes_of(column.type) for column in view.columns))
