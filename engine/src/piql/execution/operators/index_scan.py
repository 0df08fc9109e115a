"""Reads one range of an index for each combination of key values."""

from __future__ import annotations

from piql.execution.execution import Execution, Steps
from piql.execution.keys import prefixes
from piql.execution.operators.base import Operator
from piql.execution.ordering import sorter
from piql.execution.preparation import Preparation
from piql.execution.range_read import RangeRead
from piql.physical import operators as physical
from piql.store.base import Batch


class IndexScan(Operator):
    def __init__(self, node: physical.IndexScan, preparation: Preparation) -> None:
        self.fields = node.fields
        index = preparation.deployed(node.index)
        self._prefixes = prefixes(node.table, index, node.prefix, preparation.over(()), preparation)
        self._read = RangeRead(node, index, (), preparation)
        self._sort = sorter(node.order, node.fields, preparation) if node.is_merged else None

    @property
    def is_merged(self) -> bool:
        return self._sort is not None

    def batches(self, execution: Execution) -> list[Batch]:
        """Give the requests, those of equal shape together."""
        keys = self._prefixes(None, execution.parameters)
        if not keys:
            return []
        if self._read.is_plain(execution):
            limit = self._read.limit(execution.parameters)
            return [self._read.plain_batch(keys, limit, self)] if limit else []
        return self._read.batches(execution, [(None, key) for key in keys], self)[0]

    def run(self, execution: Execution) -> Steps:
        batches = self.batches(execution)
        if not batches:
            return []
        answers = yield batches
        if len(answers) == 1 and len(answers[0]) == 1:
            return answers[0][0]
        rows = [row for batch in answers for rows in batch for row in rows]
        return self._sort(rows, execution.parameters) if self._sort else rows
