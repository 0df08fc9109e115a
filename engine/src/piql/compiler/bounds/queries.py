"""The bound of a SELECT, read off its physical plan: `bound_of`, and `section_cost` for the planner.

A `_Reader` walks the plan from its leaves. `requests`, `rows` and `bytes` say what one operator adds; here it is added
up, and the facts that prove it are gathered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from piql.compiler.bounds.bound import Bound, OperatorBound, Term
from piql.compiler.bounds.bytes import row_bytes, usual_row_bytes
from piql.compiler.bounds.facts import proofs_of_row_limit
from piql.compiler.bounds.formula import ONE, ZERO, Formula, smaller
from piql.compiler.bounds.requests import is_zero, requests_of, round_trips, rows_fetched
from piql.compiler.bounds.rows import rows_out, rows_passing
from piql.compiler.optimizer.analysis.effort import Cost, cost_of
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalSelection,
    PhysicalNode,
    RemoteOperator,
    RowLimit,
    SortedIndexJoin,
    inputs,
)
from piql.schema.catalog import UniqueKey


def bound_of(plan: PhysicalNode) -> Bound:
    """Return the bound of a plan: the sums over its operators of what each may request, fetch and return."""
    reader = _Reader({})
    rows = reader.read(plan, ())
    terms = dict.fromkeys((*reader.operations.terms, *rows.terms, *reader.fetched.terms, *reader.proofs))
    return Bound(
        operations=reader.operations.value,
        round_trips=round_trips(plan),
        rows=rows.value,
        bytes=sum(operator.bytes for operator in reader.by_operator),
        formula=str(reader.operations),
        rows_formula=str(rows),
        rows_fetched=reader.fetched.value,
        terms=tuple(terms),
        by_operator=tuple(sorted(reader.by_operator, key=lambda operator: operator.path)),
        reads=reader.operations.value,
    )


def section_cost(plan: PhysicalNode, uses: Mapping[str, Iterable[str]]) -> Cost:
    """Return what a section takes at most, to compare it with an alternative.

    `uses` names the columns that the query reads of each alias; a whole plan that is laid out needs none.
    """
    reader = _Reader(uses)
    rows = reader.read(plan, ())
    return cost_of(reader.operations.value, reader.fetched.value, reader.usual_bytes, round_trips(plan), rows.value)


class _Reader:
    """Walks a plan from its leaves, gathering what each operator adds; `rows` leave each operator, by its path."""

    def __init__(self, uses: Mapping[str, Iterable[str]]) -> None:
        self.uses = uses
        self.usual_bytes = 0
        self.operations = ZERO
        self.fetched = ZERO
        self.by_operator: list[OperatorBound] = []
        self.proofs: dict[Term, None] = {}
        self.rows: dict[tuple[int, ...], Formula] = {}

    def read(self, node: PhysicalNode, path: tuple[int, ...], *, is_idle: bool = False) -> Formula:
        """Add the operator at `path` and all below it; return the rows that leave it.

        With `is_idle` a LIMIT 0 stands above: nothing is requested.
        """
        is_idle_below = is_idle or is_zero(node)
        for at, source in enumerate(inputs(node)):
            self.read(source, (*path, at), is_idle=is_idle_below)
        requests, rows = requests_of(node, path, self.rows), rows_out(node, path, self.rows)
        if isinstance(node, LocalDistinct | LocalGroupBy) and node.depth:
            rows = smaller(rows, self.rows[(*path, *(0,) * node.depth)])
        passing = node.passing if isinstance(node, LocalSelection | SortedIndexJoin | LocalJoin) else None
        if passing is not None and passing.limit is not None:
            self.proofs.update(dict.fromkeys(proofs_of_row_limit(passing.table, passing.limit)))
        if passing is not None and isinstance(node, LocalSelection):
            before = self.rows[(*path, *(0,) * passing.depth)] if passing.depth else ONE
            rows = smaller(before * rows_passing(passing), rows)
        if is_idle:
            requests, rows = ZERO, ZERO
        self.rows[path] = rows
        fetched_bytes = 0
        if isinstance(node, RemoteOperator):
            fetched = ZERO if is_idle else rows_fetched(node, requests)
            fetched_bytes = fetched.value * row_bytes(node)
            self.usual_bytes += fetched.value * usual_row_bytes(node, self.uses)
            self.operations = self.operations + requests
            self.fetched = self.fetched + fetched
            self._prove(node)
        self.by_operator.append(
            OperatorBound(
                path, type(node).__name__, requests.value, str(requests), rows.value, str(rows), fetched_bytes
            )
        )
        return rows

    def _prove(self, node: RemoteOperator) -> None:
        """Note the keys that limit the reads of an operator to one row."""
        match node:
            case IndexScan() | SortedIndexJoin():
                self.proofs.update(dict.fromkeys(proofs_of_row_limit(node.table, node.limit)))
            case IndexFKJoin():
                key = None if node.index.is_primary else _unique_key(node)
                self.proofs.update(dict.fromkeys(proofs_of_row_limit(node.table, RowLimit(max=1, because=key))))
            case Dereference():
                pass
            case _:
                assert_never(node)


def _unique_key(node: IndexFKJoin) -> UniqueKey | None:
    """Return the UNIQUE key whose columns the join fixes."""
    fixed = {part.column for part in node.prefix}
    return next((key for key in node.table.unique_keys if set(key.columns) <= fixed), None)
