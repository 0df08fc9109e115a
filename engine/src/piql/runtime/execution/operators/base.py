"""The base classes of operators, which differ in how their rows depend on those of their child.

Operator          needs all rows of its children before it returns the first, as a sort does
Streaming         can return the rows for some child rows before it has the others, as a join does
StreamingLocal    the same, without requests to the store, as a filter does

How a run yields requests and is sent their answers is told in `execution.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from piql.runtime.execution.execution import Execution, OperatorRun, RunReturning
from piql.runtime.execution.preparation import Fields
from piql.store.base import Batch
from piql.store.rows import Row


class Operator(ABC):
    """A prepared operator, shared by all executions of a query: a run changes nothing in it.

    path      its position in the plan: the child numbers from the root, such as (0, 1)
    fields    the columns and expressions that its rows hold
    """

    path: tuple[int, ...] = ()
    fields: Fields = ()

    @abstractmethod
    def run(self, execution: Execution) -> OperatorRun:
        """Return all rows, yielding at once all requests that do not depend on each other's answers."""


class Streaming(Operator):
    """An operator whose rows for one child row do not depend on the others; a lazy execution feeds it row by row."""

    child: Operator

    def run(self, execution: Execution) -> OperatorRun:
        rows = yield from self.child.run(execution)
        return (yield from self.expand(execution, rows))

    @abstractmethod
    def expand(self, execution: Execution, rows: list[Row]) -> OperatorRun:
        """Return the rows for some child rows."""


class StreamingLocal(Streaming):
    """A streaming operator that makes no requests: it is written as one function, `change`."""

    def run(self, execution: Execution) -> OperatorRun:
        return self.change(execution, (yield from self.child.run(execution)))

    def expand(self, execution: Execution, rows: list[Row]) -> OperatorRun:
        yield from ()
        return self.change(execution, rows)

    @abstractmethod
    def change(self, execution: Execution, rows: list[Row]) -> list[Row]:
        """Return the rows for some child rows."""


def together(execution: Execution, children: Sequence[Operator]) -> RunReturning[list[list[Row]]]:
    """Run operators that do not depend on each other side by side, and return the rows of each.

    Every round trip holds the next requests of all operators that have not returned yet.
    """
    results: list[list[Row]] = [[] for _ in children]
    waiting: list[tuple[int, OperatorRun, list[Batch]]] = []
    for at, child in enumerate(children):
        run = child.run(execution)
        try:
            waiting.append((at, run, next(run)))
        except StopIteration as done:
            results[at] = done.value
    while waiting:
        answers = yield [batch for _, _, batches in waiting for batch in batches]
        first, still_waiting = 0, []
        for at, run, batches in waiting:
            run_answers = answers[first : first + len(batches)]
            first += len(batches)
            try:
                still_waiting.append((at, run, run.send(run_answers)))
            except StopIteration as done:
                results[at] = done.value
        waiting = still_waiting
    return results
