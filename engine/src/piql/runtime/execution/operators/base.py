"""What all operators have in common: its run yields requests, is sent their answers, and returns rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from piql.runtime.execution.execution import Execution, OperatorRun, RunReturning
from piql.runtime.execution.preparation import Fields
from piql.store.base import Batch, Row


class Operator(ABC):
    """A prepared operator; `path` is its place in the plan (child numbers from the root)."""

    path: tuple[int, ...] = ()
    fields: Fields = ()

    @abstractmethod
    def run(self, execution: Execution) -> OperatorRun:
        """Return all rows, making every request that can be made at once together."""


class Streaming(Operator):
    """An operator whose rows for some child rows do not depend on the others: a lazy execution feeds it one by one."""

    child: Operator

    def run(self, execution: Execution) -> OperatorRun:
        rows = yield from self.child.run(execution)
        return (yield from self.expand(execution, rows))

    @abstractmethod
    def expand(self, execution: Execution, rows: list[Row]) -> OperatorRun:
        """Return the rows for some child rows."""


class StreamingLocal(Streaming):
    """One that makes no requests."""

    def run(self, execution: Execution) -> OperatorRun:
        return self.change(execution, (yield from self.child.run(execution)))

    def expand(self, execution: Execution, rows: list[Row]) -> OperatorRun:
        yield from ()
        return self.change(execution, rows)

    @abstractmethod
    def change(self, execution: Execution, rows: list[Row]) -> list[Row]:
        """Return the rows for some child rows."""


def together(execution: Execution, children: Sequence[Operator]) -> RunReturning[list[list[Row]]]:
    """Return the rows of operators that do not depend on each other, asking for all that they need at the same time."""
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
        first, still = 0, []
        for at, run, batches in waiting:
            run_answers = answers[first : first + len(batches)]
            first += len(batches)
            try:
                still.append((at, run, run.send(run_answers)))
            except StopIteration as done:
                results[at] = done.value
        waiting = still
    return results
