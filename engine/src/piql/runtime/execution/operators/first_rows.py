"""How a lazy execution reads the first rows of a plan: one request at a time, until there are enough rows.

The streaming operators below a stop are its stages, the operator below them is the source. Each row of the source goes
through all stages before the next one does, so no request is made for a row that is not needed.
"""

from __future__ import annotations

from collections.abc import Callable

from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.operators.base import Operator, Streaming
from piql.runtime.execution.operators.index_scan import IndexScan
from piql.runtime.execution.operators.sorted_index_join import SortedIndexJoin
from piql.store.base import Batch
from piql.store.rows import Row

Kept = Callable[[Execution, list[Row]], list[Row]]
"""Returns those of some rows that belong to the page; the others stand on pages before it."""


def first_rows(top: Operator, execution: Execution, count: int, kept: Kept) -> OperatorRun:
    """Return at least `count` rows of `top` that `kept` keeps, or all there are."""
    stages: list[Streaming] = []
    source = top
    while isinstance(source, Streaming) and not (isinstance(source, SortedIndexJoin) and source.is_merged):
        stages.insert(0, source)
        source = source.child
    rows_so_far: list[Row] = []
    if isinstance(source, IndexScan) and not source.is_merged:
        for batch in source.batches(execution):
            for argument in batch.arguments:
                answers = yield [Batch(batch.read, [argument], batch.operator)]
                yield from _push(execution, stages, answers[0][0], rows_so_far, count, kept)
                if len(rows_so_far) >= count:
                    return rows_so_far
        return rows_so_far
    rows = yield from source.run(execution)
    yield from _push(execution, stages, rows, rows_so_far, count, kept)
    return rows_so_far


def _push(
    execution: Execution, stages: list[Streaming], rows: list[Row], rows_so_far: list[Row], count: int, kept: Kept
) -> OperatorRun:
    """Send rows through the stages one by one and add the results to `rows_so_far`, until there are `count`."""
    if not stages:
        rows_so_far.extend(kept(execution, rows))
        return rows_so_far
    for row in rows:
        expanded = yield from stages[0].expand(execution, [row])
        yield from _push(execution, stages[1:], expanded, rows_so_far, count, kept)
        if len(rows_so_far) >= count:
            break
    return rows_so_far
