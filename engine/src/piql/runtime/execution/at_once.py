"""A query that is one scan of records: its requests all go at once, and nothing is left to settle afterwards.

This is a read of a primary index with nothing above it but the edge. On a store without transactions records are as
they are: no entry led to them, none is in doubt, and the execution never begins again. On a store with transactions it
is one request at most, since several have to be of one moment.

From the parameters to the page it is one function, generated: what follows an answer runs with cold caches, where a
call of a function costs more than what it does. A get:

    p = [given["name"]]              the parameters, checked
    rows, statements = read((p[0],))
    for r in rows:
        dicts.append({"name": r[0], "age": r[1]})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.operators.index_scan import IndexScan
from piql.runtime.execution.parameters import ParameterChecks
from piql.runtime.execution.strategy import exceeded
from piql.store.base import Batch, Consistency, Row, Store

ShortWay: TypeAlias = Callable[["Mapping[str, object] | None"], Any]
"""From the parameters given to the page."""

_EXECUTE = """
def execute(given):
    started = clock()
    {check}
    try:
        {read}
        dicts = []
        for r in rows:
            dicts.append({shown})
    except ArithmeticError:
        raise out_of_range() from None
    trips = 1 if operations else 0
    return new(Page, (dicts, None, operations, trips, operations, 0, (clock() - started) * 1000, statements))
"""
_ONE = """if {limit}:
            operations = 1
            rows, statements = read({request})
        else:
            rows, operations, statements = (), 0, 0"""
_MANY = "rows, operations, statements = read(p)"


@dataclass(frozen=True, slots=True)
class AtOnce:
    """What such a query is made of; `shown` is the source of a dict out of a row `r` and the parameters `p`."""

    scan: IndexScan
    store: Store
    bound: int
    checks: ParameterChecks
    edge: ExpressionCompiler
    shown: str
    names: dict[str, Any]

    def way(self, consistency: Consistency | None) -> ShortWay:
        """Generate what runs the query, as fresh as is asked for; the store may be asked for what it prepares."""
        request = self.scan.only_request(self.edge)
        if request is None:
            read: Any = self.many(consistency)
            source = _MANY
        else:
            read = self.store.reader(self.scan.read, consistency)
            source = _ONE.format(request=request.arguments, limit=request.limit)
        names = self.checks.names | self.edge.names | self.names | {"read": read, "new": tuple.__new__}
        exec(_EXECUTE.format(check=self.checks.source, read=source, shown=self.shown), names)
        function: ShortWay = names["execute"]
        return function

    def many(self, consistency: Consistency | None) -> Callable[[list[Any]], tuple[list[Row], int, int]]:
        """Return what makes all requests; it gives their rows, how many they were, and of how many statements."""
        scan, bound = self.scan, self.bound
        arguments_of, read_many = scan.plain_arguments, self.store.read_many
        statements_sent = self.store.statements_sent

        def run(parameters: list[Any]) -> tuple[list[Row], int, int]:
            arguments = arguments_of(parameters)
            operations = len(arguments)
            if operations > bound:
                raise exceeded(bound, operations)
            if not operations:
                return [], 0, 0
            before = statements_sent()
            answers = read_many([Batch(scan.read, arguments, scan)], consistency)
            return scan.rows_of(answers, parameters), operations, statements_sent() - before

        return run


def only_scan(top: Operator) -> IndexScan | None:
    """Return the scan that such a query is, None for other queries."""
    return top if isinstance(top, IndexScan) and top.is_of_records and top.is_always_plain else None
