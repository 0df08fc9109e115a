"""The bound of a SELECT, read off its physical plan: `bound_of`, and `section_cost` for the planner.

A `_Reader` walks the plan from its leaves. `requests`, `rows` and `bytes` say what one operator adds; here it is added
up, and the facts that prove it are gathered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import assert_never

from piql.compiler.bounds.bound import MOST, Bound, OperatorBound, Term
from piql.compiler.bounds.bytes import row_bytes, usual_row_bytes
from piql.compiler.bounds.facts import named_level, of_levels, proofs_of_row_limit
from piql.compiler.bounds.formula import ONE, ZERO, Formula, number, smaller, total
from piql.compiler.bounds.requests import is_zero, requests_of, round_trips, rows_fetched
from piql.compiler.bounds.rows import rows_out, rows_passing
from piql.compiler.optimizer.analysis.effort import Cost, cost_of
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    LocalCases,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalSelection,
    PhysicalNode,
    RecursiveUnion,
    RemoteOperator,
    RowLimit,
    SortedIndexJoin,
    WorkTableScan,
    inputs,
)
from piql.schema.catalog import UniqueKey
from piql.trees.caches import Cached


def bound_of(plan: PhysicalNode) -> Bound:
    """Return the bound of a plan: the sums over its operators of what each may request, fetch and return."""
    reader, rows = _reading(plan)
    terms = dict.fromkeys((*reader.operations.terms, *rows.terms, *reader.fetched.terms, *reader.proofs))
    return Bound(
        operations=reader.operations.value,
        round_trips=round_trips(plan),
        rows=rows.value,
        bytes=reader.bytes,
        formula=str(reader.operations),
        rows_formula=str(rows),
        rows_fetched=reader.fetched.value,
        terms=tuple(terms),
        by_operator=tuple(sums.as_bound(path) for path, sums in sorted(reader.by_operator.items())),
        reads=reader.operations.value,
    )


def requests_and_rows(plan: PhysicalNode) -> tuple[Formula, Formula]:
    """Return the requests of a plan and the rows that it returns, as formulas."""
    reader, rows = _reading(plan)
    return reader.operations, rows


def section_cost(plan: PhysicalNode, uses: Mapping[str, Iterable[str]]) -> Cost:
    """Return what a section takes at most, to compare it with an alternative.

    `uses` names the columns that the query reads of each alias; a whole plan that is laid out needs none. Of the cases
    of a query the dearest counts: its time is not that of one case's requests with the rows of another.
    """
    reader, rows = _read_whole(plan, uses) if uses else _reading(plan)
    if not isinstance(plan, LocalCases):
        return _cost_of_section(plan, reader, rows)
    cases = [
        _cost_of_section(case, of_case, reader.rows[at,])
        for at, (case, of_case) in enumerate(zip(plan.inputs, reader.cases, strict=True))
    ]
    return Cost(*map(max, zip(*cases, strict=True)))


def _cost_of_section(plan: PhysicalNode, reader: _Reader, rows: Formula) -> Cost:
    requests = reader.operations.value
    waits = min(round_trips(plan), requests)  # under LIMIT 0 a read makes no request, and nothing waits for it
    return cost_of(requests, reader.fetched.value, reader.usual_bytes, waits, rows.value)


def _reading(plan: PhysicalNode) -> tuple[_Reader, Formula]:
    """Return what a walk over a laid out plan gathers, and the rows that it returns.

    The planner asks for the cost of the plan whose bound is read off next, so the last ones are cached.
    """
    return _readings.recall((plan,), lambda: _read_whole(plan, {}))


def _read_whole(plan: PhysicalNode, uses: Mapping[str, Iterable[str]]) -> tuple[_Reader, Formula]:
    reader = _Reader(uses)
    return reader, reader.read(plan, ())


@dataclass(slots=True)
class _Sums:
    """What one operator adds, over all levels of the recursive unions in whose step it stands."""

    operator: str
    requests: Formula
    rows: Formula
    bytes: int
    by_level: tuple[int, ...]

    def as_bound(self, path: tuple[int, ...]) -> OperatorBound:
        requests, rows, by_level = self.requests, self.rows, self.by_level if len(self.by_level) > 1 else ()
        return OperatorBound(
            path, self.operator, requests.value, str(requests), rows.value, str(rows), self.bytes, by_level
        )


class _Reader:
    """Walks a plan from its leaves, gathering what each operator adds; `rows` leave each operator, by its path."""

    def __init__(self, uses: Mapping[str, Iterable[str]]) -> None:
        self.uses = uses
        self.bytes = 0
        self.usual_bytes = 0
        self.operations = ZERO
        self.fetched = ZERO
        self.by_operator: dict[tuple[int, ...], _Sums] = {}
        self.proofs: dict[Term, None] = {}
        self.rows: dict[tuple[int, ...], Formula] = {}
        self.cases: list[_Reader] = []  # of the parameters; only one of them is read

    def read(self, node: PhysicalNode, path: tuple[int, ...], *, is_idle: bool = False) -> Formula:
        """Add the operator at `path` and all below it; return the rows that leave it.

        With `is_idle` a LIMIT 0 stands above: nothing is requested.
        """
        is_idle_below = is_idle or is_zero(node)
        if isinstance(node, RecursiveUnion):
            self._read_levels(node, path, is_idle=is_idle)
        elif isinstance(node, LocalCases):
            self._read_cases(node, path)
        else:
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
            self.bytes += fetched_bytes
            self.usual_bytes += fetched.value * usual_row_bytes(node, self.uses)
            self.operations = self.operations + requests
            self.fetched = self.fetched + fetched
            self._prove(node)
        by_level = (requests.value,) if isinstance(node, RemoteOperator) else ()
        self.by_operator[path] = _Sums(type(node).__name__, requests, rows, fetched_bytes, by_level)
        return rows

    def _read_levels(self, node: RecursiveUnion, path: tuple[int, ...], *, is_idle: bool) -> None:
        """Add the anchor of a recursive union once, and its step once for each level, over the rows of the one before.

        Where a level has as many rows as the one before it, so have all further ones, and they are not read one by one.
        """
        level = self.read(node.anchor, (*path, 0), is_idle=is_idle)
        below, left = (*path, 1), node.levels
        levels: list[tuple[_Reader, Formula]] = []  # each with how many there are of it
        rows_of_levels: list[Formula] = []
        while left and level.value <= MOST:  # one that is larger is refused, whatever follows
            reader = _Reader(self.uses)
            reader.rows = self.rows
            self.rows.update(dict.fromkeys(_scans_of(node.name, node.step, below), level))
            rows = reader.read(node.step, below, is_idle=is_idle)
            times = ONE
            if rows.value == level.value:
                times = of_levels(node) if left == node.levels else number(left)
            levels.append((reader, times))
            rows_of_levels.append(rows * times)
            left -= times.value
            level = named_level(node, node.levels - left, rows)
        self._add(levels)
        self.rows[below] = total(rows_of_levels)
        self.proofs.update(dict.fromkeys(of_levels(node).terms))

    def _read_cases(self, node: LocalCases, path: tuple[int, ...]) -> None:
        """Add the most that one of the cases takes, for each number by itself: only one of them is read."""
        cases = self.cases
        for at, case in enumerate(node.inputs):
            reader = _Reader(self.uses)
            self.rows[*path, at] = reader.read(case, (*path, at))
            self.by_operator.update(reader.by_operator)
            self.proofs.update(reader.proofs)
            cases.append(reader)
        self.operations = max((case.operations for case in cases), key=_value)
        self.fetched = max((case.fetched for case in cases), key=_value)
        self.bytes = max(case.bytes for case in cases)
        self.usual_bytes = max(case.usual_bytes for case in cases)

    def _add(self, levels: Sequence[tuple[_Reader, Formula]]) -> None:
        """Add what was read of levels, each with how many there are of it."""
        self.operations = total((self.operations, *(level.operations * times for level, times in levels)))
        self.fetched = total((self.fetched, *(level.fetched * times for level, times in levels)))
        for level, times in levels:
            self.bytes += level.bytes * times.value
            self.usual_bytes += level.usual_bytes * times.value
            self.proofs.update(level.proofs)
        for path, sums in levels[0][0].by_operator.items() if levels else ():
            sums_of_levels = [(level.by_operator[path], times) for level, times in levels]
            self.by_operator[path] = _Sums(
                sums.operator,
                total(of_level.requests * times for of_level, times in sums_of_levels),
                total(of_level.rows * times for of_level, times in sums_of_levels),
                sum(of_level.bytes * times.value for of_level, times in sums_of_levels),
                tuple(chain.from_iterable(of_level.by_level * times.value for of_level, times in sums_of_levels)),
            )

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


_readings: Cached[tuple[_Reader, Formula]] = Cached(16)


def _value(formula: Formula) -> int:
    return formula.value


def _scans_of(name: str, step: PhysicalNode, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the paths of the scans of a work table, in the step of the union that has its name."""
    if isinstance(step, WorkTableScan) and step.name == name:
        yield path
    for at, source in enumerate(inputs(step)):
        yield from _scans_of(name, source, (*path, at))


def _unique_key(node: IndexFKJoin) -> UniqueKey | None:
    """Return the UNIQUE key whose columns the join fixes."""
    fixed = {part.column for part in node.prefix}
    return next((key for key in node.table.unique_keys if set(key.columns) <= fixed), None)
