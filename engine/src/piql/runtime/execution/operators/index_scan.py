"""Reads one range of an index for each combination of key values.

A request is called plain if its arguments are just its key and the limit: no range ends, and no page to resume. The
fast path (`fast_path.py`) asks for the parts of a scan of which every request is plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.keys import only_prefix, prefixes
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.ordering import sorter
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.range_read import RangeRead, RequestSource
from piql.store.base import Answers, Batch
from piql.store.rows import PreparedRead, Row


class IndexScan(Operator):
    """A scan; where the plan says so, the lists of its ranges are merged by an order."""

    def __init__(self, node: physical.IndexScan, preparation: Preparation) -> None:
        self.fields = node.fields
        index = preparation.deployed(node.index)
        self.is_of_records = index.is_primary
        self._prefixes = prefixes(node.table, index, node.prefix, preparation.over(()), preparation)
        self._node, self._index, self._preparation = node, index, preparation
        self._read = RangeRead(node, index, (), preparation)
        self._plain_arguments = self.plain_arguments
        self._sort = sorter(node.order, node.fields, preparation) if node.is_merged else None

    @property
    def is_merged(self) -> bool:
        return self._sort is not None

    @property
    def is_always_plain(self) -> bool:
        """Return whether every request is just its key and the limit, whichever page is read."""
        return self._read.is_always_plain

    def batches(self, execution: Execution) -> list[Batch]:
        """Return the requests, those of equal shape together."""
        if self._read.is_plain(execution):
            arguments = self._plain_arguments(execution.parameters)
            return [Batch(self.read, arguments, self)] if arguments else []
        keys = self._prefixes(None, execution.parameters)
        requests = self._read.requests(execution, [(None, key) for key in keys])
        return self._read.batches([request for request in requests if request is not None], self)[0]

    @property
    def plain_arguments(self) -> Callable[[list[Any]], Sequence[Row]]:
        """Return a function from the parameters to the arguments of all requests, where all are plain."""
        keys_of, read = self._prefixes, self._read
        if read.is_always_get:
            return partial(keys_of, None)
        return lambda parameters: read.plain_arguments(keys_of(None, parameters), read.limit(parameters))

    def only_request(self, compiler: ExpressionCompiler) -> RequestSource | None:
        """Return the sources of the one plain request, from the parameters `p`; None if there may be more requests."""
        key = only_prefix(self._node.table, self._index, self._node.prefix, compiler, self._preparation)
        if key is None:
            return None
        request = self._read.plain_source(key.values, self._preparation)
        tests = [request.limit, *(f"{name} is not None" for name in key.nullable)]
        return request._replace(limit=" and ".join(tests))

    @property
    def read(self) -> PreparedRead:
        """Return the prepared read of plain requests."""
        return self._read.read

    def run(self, execution: Execution) -> OperatorRun:
        batches = self.batches(execution)
        if not batches:
            return []
        answers = yield batches
        return self.rows_of(answers, execution.parameters)

    def rows_of(self, answers: Answers, parameters: list[Any]) -> list[Row]:
        """Return the rows from the answers to all batches, merged where the plan says so."""
        if len(answers) == 1 and len(answers[0]) == 1:
            return answers[0][0]
        rows = [row for batch in answers for rows in batch for row in rows]
        return self._sort(rows, parameters) if self._sort else rows
