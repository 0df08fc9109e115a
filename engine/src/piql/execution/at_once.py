"""A query that is one scan of records: its requests all go at once, and nothing is left to settle afterwards.

On a store without transactions this is a read of a primary index with nothing above it but the edge. Records are as
they are: no entry led to them, none is in doubt, and the execution never begins again.
"""

from __future__ import annotations

from typing import Any

from piql.execution.operators.base import Operator
from piql.execution.operators.index_scan import IndexScan
from piql.execution.strategy import Work, exceeded
from piql.store.base import Consistency, Store


class AtOnce:
    """Runs such a query without the steps that others are driven by."""

    def __init__(self, scan: IndexScan, store: Store, bound: int) -> None:
        self._scan = scan
        self._read_many = store.read_many
        self._bound = bound

    def __call__(self, parameters: list[Any], consistency: Consistency | None) -> Work:
        scan = self._scan
        batches = scan.plain_batches(parameters)
        if not batches:
            return Work([], 0, 0)
        operations = len(batches[0].arguments)
        if operations > self._bound:
            raise exceeded(self._bound, operations)
        return Work(scan.rows_of(self._read_many(batches, consistency), parameters), operations, 1)


def at_once(top: Operator, store: Store, bound: int) -> AtOnce | None:
    """Give the short way to run a query on the store behind the settling, None where it has to go the long one."""
    if isinstance(top, IndexScan) and top.is_of_records and top.is_always_plain:
        return AtOnce(top, store, bound)
    return None
