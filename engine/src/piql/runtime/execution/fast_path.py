"""The fast path: a query that is one scan of a primary index runs as one generated function, without a `drive` loop.

Such a query sends all its requests together, and nothing is left to settle afterwards: on a store without transactions
a record is never in doubt (only index entries are). On a store with transactions the query makes at most one request,
because several would need a snapshot. `PreparedQuery` decides which queries qualify.

The whole way from the parameters to the page is one function, because the code after an answer runs with cold caches,
where a function call costs more than the work inside it (figures: docs/decisions/0028). For a get it reads:

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
from piql.runtime.execution.incidents import Incident, Watch, distinct
from piql.runtime.execution.operators.base import Operator
from piql.runtime.execution.operators.index_scan import IndexScan
from piql.runtime.execution.parameters import ParameterChecks
from piql.runtime.execution.strategy import exceeded
from piql.store.base import Batch, Consistency, Store
from piql.store.rows import Row

FastExecute: TypeAlias = Callable[["Mapping[str, object] | None"], Any]
"""Takes the parameters as the user gave them, and returns the Page. Raises InvalidParameter, NumberOutOfRange."""

_EXECUTE = """
def execute(given):
    started = clock()
    {check}{supply}
    try:
        {read}
        dicts = []
        for r in rows:
            dicts.append({shown})
    except ArithmeticError:
        raise out_of_range() from None
    trips = 1 if operations else 0
    elapsed = (clock() - started) * 1000
    return new(Page, (dicts, None, operations, trips, operations, 0, elapsed, statements, None, {incidents}))
"""
_ONE = """if {limit}:
            operations = 1
            rows, statements = read({request})
        else:
            rows, operations, statements = (), 0, 0"""
_ONE_WATCHED = """
        incidents = ()
        if len(rows) > {most}:
            rows, incidents = rows[:{most}], passed"""
_MANY = "rows, operations, statements, incidents = read(p)"


@dataclass(frozen=True, slots=True)
class FastPath:
    """What the function of a query is generated from.

    bound    the most requests that the query may make
    checks   the check of its parameters, as source
    watch    what to look for in the answers; None where nothing can be found
    supply   returns the values that the execution gives itself; None where the query has none
    edge     compiles expressions over the scan's rows
    shown    the source of a result dict, from a row `r` and the parameters `p`
    names    what that source and the template refer to: Page, clock, out_of_range
    """

    scan: IndexScan
    store: Store
    bound: int
    checks: ParameterChecks
    edge: ExpressionCompiler
    shown: str
    names: dict[str, Any]
    watch: Watch | None = None
    supply: Callable[[], list[Any]] | None = None

    def generate(self, consistency: Consistency | None) -> FastExecute:
        """Generate the function that runs the query with this consistency; the store may prepare a statement now."""
        request = self.scan.only_request(self.edge)
        if request is None:
            read: Any = self._read_many(consistency)
            source, incidents = _MANY, "incidents"
        else:
            read = self.store.reader(self.scan.read, consistency)
            source, incidents = _ONE.format(request=request.arguments, limit=request.limit), "()"
            if self.watch is not None:
                source, incidents = source + _ONE_WATCHED.format(most=self.watch.most_rows), "incidents"
        names = self.checks.names | self.edge.names | self.names | {"read": read, "new": tuple.__new__}
        names["passed"] = None if self.watch is None else (self.watch.incident,)
        names["supply"] = self.supply
        supply = "" if self.supply is None else "\n    p += supply()"
        parts = {"check": self.checks.source, "supply": supply, "read": source, "shown": self.shown}
        exec(_EXECUTE.format(**parts, incidents=incidents), names)
        function: FastExecute = names["execute"]
        return function

    def _read_many(self, consistency: Consistency | None) -> Callable[[list[Any]], tuple[Any, ...]]:
        """Return a function from the parameters to the rows, the numbers of requests and statements, and incidents.

        It raises BoundExceeded before it makes more requests than the bound.
        """
        scan, bound, watch = self.scan, self.bound, self.watch
        arguments_of, read_many = scan.plain_arguments, self.store.read_many
        statements_sent = self.store.statements_sent

        def run(parameters: list[Any]) -> tuple[list[Row], int, int, tuple[Incident, ...]]:
            arguments = arguments_of(parameters)
            operations = len(arguments)
            if operations > bound:
                raise exceeded(bound, operations)
            if not operations:
                return [], 0, 0, ()
            before = statements_sent()
            answers = read_many([Batch(scan.read, arguments, scan)], consistency)
            statements = statements_sent() - before
            incidents: list[Incident] = []
            if watch is not None:
                answers = [watch.checked(answers[0], incidents)]
            return scan.rows_of(answers, parameters), operations, statements, distinct(incidents)

        return run


def only_scan(top: Operator) -> IndexScan | None:
    """Return the scan of a query that is one scan of records without ranges or resumed pages; None for others."""
    return top if isinstance(top, IndexScan) and top.is_of_records and top.is_always_plain else None
