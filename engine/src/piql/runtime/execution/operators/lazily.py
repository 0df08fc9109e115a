"""How a lazy execution finds the first rows: child rows go up one at a time, until there are enough."""

from __future__ import annotations

from collections.abc import Callable

from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, Streaming
from piql.runtime.execution.operators.index_scan import IndexScan
from piql.runtime.execution.operators.sorted_index_join import SortedIndexJoin
from piql.store.base import Batch, Row

Kept = Callable[[Execution, list[Row]], list[Row]]


def first_rows(top: Operator, execution: Execution, count: int, kept: Kept) -> OperatorRun:
    """Return at least `count` rows of `top` if there are so many; only rows that `kept` leaves in are counted."""
    stages: list[Streaming] = []
    source = top
    while isinstance(source, Streaming) and not (isinstance(source, SortedIndexJoin) and source.is_merged):
        stages.insert(0, source)
        source = source.child
    found: list[Row] = []
    if isinstance(source, IndexScan) and not source.is_merged:
        for batch in source.batches(execution):
            for argument in batch.arguments:
                answers = yield [Batch(batch.read, [argument], batch.operator)]
                yield from _push(execution, stages, answers[0][0], found, count, kept)
                if len(found) >= count:
                    return found
        return found
    rows = yield from source.run(execution)
    yield from _push(execution, stages, rows, found, count, kept)
    return found


def _push(
    execution: Execution, stages: list[Streaming], rows: list[Row], found: list[Row], count: int, kept: Kept
) -> OperatorRun:
    if not stages:
        found.extend(kept(execution, rows))
        return found
    for row in rows:
        made = yield from stages[0].expand(execution, [row])
        yield from _push(execution, stages[1:], made, found, count, kept)
        if len(found) >= count:
            break
    return found
