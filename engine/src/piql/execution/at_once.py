"""A query that is one scan of records: its requests all go at once, and nothing is left to settle afterwards.

On a store without transactions this is a read of a primary index with nothing above it but the edge. Records are as
they are: no entry led to them, none is in doubt, and the execution never begins again.
"""

from __future__ import annotations

from typing import Any

from piql.execution.operators.base import Operator
from piql.execution.operators.index_scan import IndexScan
from piql.execution.strategy import Work, exceeded
from piql.store.base import Batch, Consistency, Store


class AtOnce:
    """Runs such a query without the steps that others are driven by."""

    def __init__(self, scan: IndexScan, store: Store, bound: int) -> None:
        self._scan, self._read, self._arguments = scan, scan.read, scan.plain_arguments
        self._read_many, self._read_one = store.read_many, store.read_one
        self._bound = bound

    def __call__(self, parameters: list[Any], consistency: Consistency | None) -> Work:
        arguments = self._arguments(parameters)
        operations = len(arguments)
        if operations > self._bound:
            raise exceeded(self._bound, operations)
        if operations == 1:
            return Work(self._read_one(self._read, arguments[0], consistency), 1, 1)
        if not operations:
            return Work([], 0, 0)
        answers = self._read_many([Batch(self._read, arguments, self._scan)], consistency)
        return Work(self._scan.rows_of(answers, parameters), operations, 1)


def at_once(top: Operator, store: Store, bound: int) -> AtOnce | None:
    """Give the short way to run a query on the store behind the settling, None where it has to go the long one."""
    if isinstance(top, IndexScan) and top.is_of_records and top.is_always_plain:
        return AtOnce(top, store, bound)
    return None
