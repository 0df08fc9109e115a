"""Joins each child row with the first rows of an index range that it names.

Child row 'ann' reads the first 10 posts of 'ann', child row 'bob' those of 'bob', and so on. Where the plan says so,
the joined rows are merged by an order; otherwise they follow each other in the order of the child rows.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from piql.compiler.physical import operators as physical
from piql.runtime.execution.execution import Execution, OperatorRun, RunReturning
from piql.runtime.execution.keys import prefix_per_row, prefixes
from piql.runtime.execution.operators.base import Operator, Streaming
from piql.runtime.execution.operators.matching import Matching
from piql.runtime.execution.ordering import sorter
from piql.runtime.execution.preparation import Preparation
from piql.runtime.execution.range_read import RangeRead
from piql.store.rows import Row


class SortedIndexJoin(Streaming):
    """Makes one request for each distinct key, or several where a key has an IN list or the index has buckets."""

    def __init__(self, node: physical.SortedIndexJoin, child: Operator, preparation: Preparation) -> None:
        self.child = child
        self.fields = node.fields
        index = preparation.deployed(node.index)
        self._prefixes = prefixes(node.table, index, node.prefix, preparation.over(child.fields), preparation)
        self._prefix_per_row = prefix_per_row(
            node.table, index, node.prefix, preparation.over(child.fields), preparation
        )
        self._read = RangeRead(node, index, child.fields, preparation)
        self._matching = Matching(node, child.fields, preparation)
        self._sort = sorter(node.order, node.fields, preparation) if node.is_merged else None

    @property
    def is_merged(self) -> bool:
        return self._sort is not None

    def expand(self, execution: Execution, rows: list[Row]) -> OperatorRun:
        if not rows:
            return []
        parameters = execution.parameters
        keys = self._only_keys(rows, parameters) if self._read.is_plain(execution) else None
        if keys is not None:
            matches = yield from self._matches_of_one_key(execution, keys)
        else:
            matches = yield from self._matches(execution, rows, [self._prefixes(row, parameters) for row in rows])
        joined = self._matching.joined(rows, matches, parameters)
        return self._sort(joined, parameters) if self._sort else joined

    def _matches_of_one_key(self, execution: Execution, keys: list[Row]) -> RunReturning[list[list[Row]]]:
        """Return the rows read for each child row, where each has one key and no range: the usual case, made quick."""
        limit = self._read.limit(execution.parameters)
        if not limit:
            return [[] for _ in keys]
        if not execution.is_lazy and len(set(keys)) == len(keys):  # nothing is known yet, and nothing is asked twice
            (matches,) = yield [self._read.plain_batch(keys, limit, self)]
            return matches
        rows_by_key = execution.known(self)
        asked = [key for key in dict.fromkeys(keys) if key not in rows_by_key]
        if asked:
            (answers,) = yield [self._read.plain_batch(asked, limit, self)]
            rows_by_key.update(zip(asked, answers, strict=True))
        return [rows_by_key[key] for key in keys]

    def _only_keys(self, rows: list[Row], parameters: list[Any]) -> list[Row] | None:
        """Return the one key of each row; None where a row has none (a NULL) or may have several."""
        if self._prefix_per_row is None:
            return None
        keys = self._prefix_per_row(rows, parameters)
        return None if None in chain.from_iterable(keys) else keys

    def _matches(self, execution: Execution, rows: list[Row], keys: list[list[Row]]) -> RunReturning[list[list[Row]]]:
        """Return the rows read for each child row, which may need any number of requests: `keys` has a list for each.

        `pairs` holds what is asked, one after the other, and `owners` the number of the child row that each is for.
        """
        pairs: list[tuple[Row | None, Row]] = []
        owners: list[int] = []
        for number, (row, row_keys) in enumerate(zip(rows, keys, strict=True)):
            pairs.extend((row, key) for key in row_keys)
            owners.extend([number] * len(row_keys))
        rows_by_request = execution.known(self)
        requests = self._read.requests(execution, pairs)
        asked = [
            request for request in dict.fromkeys(requests) if request is not None and request not in rows_by_request
        ]
        if asked:
            batches, positions = self._read.batches(asked, self)
            answers = yield batches
            rows_by_request.update(
                (request, answers[batch][number]) for request, (batch, number) in zip(asked, positions, strict=True)
            )
        matches: list[list[Row]] = [[] for _ in rows]
        for owner, request in zip(owners, requests, strict=True):
            if request is not None:
                row_matches = rows_by_request[request]
                matches[owner] = matches[owner] + row_matches if matches[owner] else row_matches
        return matches
