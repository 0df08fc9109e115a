"""The remote operators of a physical plan and their sizes, as a function of the limits that bound the plan.

    thoughtstream under {"subscriptions.owner": 10, "count": 5}
    ──▶  IndexScan of 10 rows, then SortedIndexJoin with 10 requests of 5 rows

A limit has a symbol: `subscriptions.owner` for a cardinality limit, the parameter's name for `LIMIT [count] MAX 50`
and `IN [friends] MAX 20`, and `LIMIT` or `PAGINATE` for a literal one. `axes` lists the limits of a query; `work_of`
returns the operators with their points under any values of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from piql.compiler.bounds.other_limits import with_numbers
from piql.compiler.bounds.queries import bound_of, section_cost
from piql.compiler.logical.expressions import ColumnRef, Parameter
from piql.compiler.logical.operators import Count
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    Local,
    LocalCases,
    LocalJoin,
    LocalSemiJoin,
    LocalStop,
    LocalUnion,
    PhysicalNode,
    RecursiveUnion,
    SortedIndexJoin,
    inputs,
)
from piql.compiler.physical.unit_plan import QueryPlan, UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.schema.catalog import CardinalityLimit, SqlType, Table
from piql.schema.types import has_size, value_bytes
from piql.text.source import Span
from piql.trees.node import Node, kinds_of

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.predictor.composition import Composition, Leaf, Parallel, Serial, behind
from piql_profiler.predictor.model import NotPredictable
from piql_profiler.predictor.writes import limits_of_write, write_points

_UNDECLARED_BYTES = 256  # assumed of a TEXT or BLOB, which has no declared length


@dataclass(frozen=True, slots=True)
class Axis:
    """A limit that a heatmap can vary: its symbol, its name for people, its value now, and where its number stands.

    A limit that is written several times has a span for each; whoever changes its number changes it in all of them.
    """

    symbol: str
    label: str
    current: int
    spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RemoteWork:
    """One remote operator of a plan; `path` has the child numbers that lead to it from the root.

    In the step of a recursive union it runs once for each level, and `level` counts these runs from 0.
    """

    path: tuple[int, ...]
    operator: str
    point: Point
    level: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """All remote operators of a plan, in the order they run, and how they run together; `rows` come out at the end."""

    operators: tuple[RemoteWork, ...]
    composition: Composition
    rows: int = 0


def axes(query: CompiledQuery) -> tuple[Axis, ...]:
    """The limits that decide how much a query reads, in the order of the plan; none of a write, or without a plan."""
    if query.plan is None or isinstance(query.plan, WritePlan | UnitPlan):
        return ()
    return tuple(_limits_of_read(query.plan).values())


def _limits_of_read(plan: PhysicalNode) -> Mapping[str, Axis]:
    numbers = _Numbers({}, _stop_symbols(plan))
    with_numbers(plan, numbers)
    return numbers.axes


def limits_of(query: CompiledQuery, *, is_stepped: bool = True) -> tuple[Axis, ...]:
    """The limits that decide how much a query or a write does: those of a write are of the groups that it enters."""
    match query.plan:
        case WritePlan() as plan:
            return tuple(_limits_of_write(plan, is_stepped).values())
        case UnitPlan() as plan:
            return tuple(_limits_of_unit(plan, is_stepped).values())
        case _:
            return axes(query)


def _limits_of_unit(plan: UnitPlan, is_stepped: bool) -> Mapping[str, Axis]:
    by_statement = (_limits_of_statement(statement, is_stepped) for statement in plan.statements)
    return {symbol: axis for limits in by_statement for symbol, axis in limits.items()}


def _limits_of_statement(plan: WritePlan | PhysicalNode, is_stepped: bool) -> Mapping[str, Axis]:
    return _limits_of_write(plan, is_stepped) if isinstance(plan, WritePlan) else _limits_of_read(plan)


def _limits_of_write(plan: WritePlan, is_stepped: bool) -> Mapping[str, Axis]:
    limit_axes = (_axis_of(plan.table, limit) for limit in limits_of_write(plan, is_stepped=is_stepped))
    return {axis.symbol: axis for axis in limit_axes}


def work_of(plan: QueryPlan, values: Mapping[str, int] | None = None, *, is_stepped: bool = True) -> Work:
    """The point of every remote operator of a plan when its limits have these values, by their symbols.

    `is_stepped`: the store has no transactions, so a write is made by steps. Raises NotPredictable for an unknown
    symbol, and for a plan without requests.
    """
    return PlanWork(plan, is_stepped=is_stepped).under(values or {})


class PlanWork:
    """A plan whose work is computed under many values of its limits; see `work_of`."""

    def __init__(self, plan: QueryPlan, *, is_stepped: bool = True) -> None:
        self._plan = plan
        self._is_stepped = is_stepped
        self._stops = _stop_symbols(plan)

    def under(self, values: Mapping[str, int]) -> Work:
        """The work when the limits have these values: the most requests that the plan is proved to make."""
        if isinstance(self._plan, WritePlan):
            return self._of_write(self._plan, values)
        if isinstance(self._plan, UnitPlan):
            return self._of_unit(self._plan, values)
        return self._of_read(self._plan, self._stops, values)

    def _of_read(self, plan: PhysicalNode, stops: Mapping[Count, str], values: Mapping[str, int]) -> Work:
        numbers = _Numbers(values, stops)
        plan = with_numbers(plan, numbers)
        if unknown := sorted(set(values) - set(numbers.axes)):
            names = ", ".join(numbers.axes) or "none"
            raise NotPredictable(f"the plan has no limit {unknown[0]!r}; it has {names}")
        bound = bound_of(plan)
        walk = _Walk({term.path: term.by_level or (term.operations,) for term in bound.by_operator})
        composition = walk.visit(*_dearest(plan))
        if composition is None:
            raise NotPredictable("the plan makes no request")
        return Work(tuple(walk.operators), composition, bound.rows)

    def _of_write(self, plan: WritePlan, values: Mapping[str, int]) -> Work:
        limits = _limits_of_write(plan, self._is_stepped)
        if unknown := sorted(set(values) - set(limits)):
            of_it = f"it is a write, of {', '.join(limits)}" if limits else "it is a write"
            raise NotPredictable(f"the plan has no limit {unknown[0]!r}: {of_it}")

        if plan.section is not None:
            raise NotPredictable(
                "it writes the rows that it reads, one after another: only writes of one row are predicted"
            )

        if plan.given_by is not None:
            raise NotPredictable("it reads values from other tables first: only writes without are predicted")

        def value_of(limit: CardinalityLimit) -> int:
            axis = _axis_of(plan.table, limit)
            return max(1, values.get(axis.symbol, axis.current))

        points = write_points(plan, _row_bytes, is_stepped=self._is_stepped, value_of=value_of)
        operators = tuple(RemoteWork(*point) for point in points)
        return Work(operators, Serial(tuple(map(Leaf, range(len(operators))))) if len(operators) > 1 else Leaf(0))

    def _of_unit(self, plan: UnitPlan, values: Mapping[str, int]) -> Work:
        """The work of all statements, one after another."""
        limits = _limits_of_unit(plan, self._is_stepped)
        if unknown := sorted(set(values) - set(limits)):
            of_it = f"it is a unit, of {', '.join(limits)}" if limits else "it is a unit"
            raise NotPredictable(f"the plan has no limit {unknown[0]!r}: {of_it}")
        operators: list[RemoteWork] = []
        parts: list[Composition] = []
        for number, statement in enumerate(plan.statements):
            known = _limits_of_statement(statement, self._is_stepped)
            of_statement = {symbol: value for symbol, value in values.items() if symbol in known}
            try:
                if isinstance(statement, WritePlan):
                    work = self._of_write(statement, of_statement)
                elif bound_of(statement).operations:
                    work = self._of_read(statement, _stop_symbols(statement), of_statement)
                else:
                    continue  # a LET that is computed
            except NotPredictable as reason:
                raise NotPredictable(f"statement {number + 1}: {reason}") from None
            parts.append(behind(work.composition, len(operators)))
            operators += (replace(operator, path=(number, *operator.path)) for operator in work.operators)
        return Work(tuple(operators), Serial(tuple(_flat(parts))) if len(parts) > 1 else parts[0])


def _stop_symbols(plan: Node) -> Mapping[Count, str]:
    """The symbol of each stop of a plan: its parameter, or LIMIT or PAGINATE, numbered where there are several."""
    if Count not in kinds_of(plan):
        return {}
    pages = {stop.count for stop in plan.find(LocalStop) if stop.is_page}
    symbols: dict[Count, str] = {}
    for count in plan.find(Count):
        if count in symbols:
            continue
        is_page = count in pages or (count.span is not None and count.span.text.upper().startswith("PAGINATE"))
        word = count.parameter or ("PAGINATE" if is_page else "LIMIT")
        earlier_stops = sum(symbol == word or symbol.startswith(f"{word}#") for symbol in symbols.values())
        symbols[count] = f"{word}#{earlier_stops + 1}" if earlier_stops else word
    return symbols


class _Numbers:
    """Says which number each limit of a plan has, for `with_numbers`: a value that was set, or its own.

    `axes` collects the limits that were asked for.
    """

    def __init__(self, values: Mapping[str, int], stops: Mapping[Count, str]) -> None:
        self.axes: dict[str, Axis] = {}
        self._values = values
        self._stops = stops

    def of_stop(self, count: Count) -> int:
        if count.max == 0:  # LIMIT 0 reads nothing
            return 0
        symbol = self._stops[count]
        label = f"LIMIT [{count.parameter}] MAX" if count.parameter else symbol
        return self._value(Axis(symbol, label, count.max, _known(count.max_span)))

    def of_limit(self, table: Table, limit: CardinalityLimit) -> int:
        return self._value(_axis_of(table, limit))

    def of_list(self, parameter: Parameter) -> int:
        most = parameter.max_items or 0
        return self._value(Axis(parameter.name, f"IN [{parameter.name}] MAX", most, parameter.max_spans))

    def _value(self, axis: Axis) -> int:
        earlier = self.axes.setdefault(axis.symbol, axis)
        spans = tuple(dict.fromkeys((*earlier.spans, *axis.spans)))
        if spans != earlier.spans:
            self.axes[axis.symbol] = replace(earlier, spans=spans)
        return max(1, self._values.get(axis.symbol, axis.current))


class _Walk:
    """Goes through a plan from the leaves up, and makes a point of each remote operator.

    `requests` are the bounds of the operators by their paths, one for each time that the operator runs; a run without
    any is left out.
    """

    def __init__(self, requests: Mapping[tuple[int, ...], Sequence[int]]) -> None:
        self.operators: list[RemoteWork] = []
        self._requests = requests
        self._runs: Counter[tuple[int, ...]] = Counter()

    def visit(self, node: PhysicalNode, path: tuple[int, ...]) -> Composition | None:
        """How the remote operators at and below a node run together; None where there is none."""
        children = list(enumerate(inputs(node)))
        if isinstance(node, RecursiveUnion):
            children = [(0, node.anchor), *[(1, node.step)] * node.levels]
        below = (self.visit(child, (*path, at)) for at, child in children)
        parts = [part for part in below if part is not None]
        match node:
            case LocalJoin() | LocalSemiJoin() | LocalUnion() | LocalCases():
                return _side_by_side(parts)
            case IndexScan() | IndexFKJoin() | SortedIndexJoin() | Dereference():
                level = self._runs[path]
                self._runs[path] += 1
                requests = self._requests[path][level]
                if requests:
                    self.operators.append(RemoteWork(path, type(node).__name__, _point(node, requests), level))
                    parts.append(Leaf(len(self.operators) - 1))
            case Local():
                pass
            case _:
                assert_never(node)
        return Serial(tuple(_flat(parts))) if len(parts) > 1 else parts[0] if parts else None


def _dearest(plan: PhysicalNode) -> tuple[PhysicalNode, tuple[int, ...]]:
    """The case of a query that takes most, with its path; the whole plan where there are no cases."""
    if not isinstance(plan, LocalCases):
        return plan, ()
    costs = [section_cost(case, {}) for case in plan.inputs]
    at = max(range(len(costs)), key=costs.__getitem__)
    return plan.inputs[at], (at,)


def _axis_of(table: Table, limit: CardinalityLimit) -> Axis:
    """The axis of a cardinality limit, under the symbol that bounds name it by."""
    columns = ",".join(limit.columns)
    symbol = f"{table.name}.token({columns})" if limit.is_token else f"{table.name}.{columns}"
    label = f"{table.name} per {'word in ' if limit.is_token else ''}{' and '.join(limit.columns)}"
    return Axis(symbol, label, limit.limit, _known(limit.limit_span))


def _known(span: Span | None) -> tuple[Span, ...]:
    return () if span is None else (span,)


def _side_by_side(parts: Sequence[Composition]) -> Composition | None:
    """The inputs of a local join or union are read at the same time."""
    return Parallel(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None


def _flat(parts: Sequence[Composition]) -> list[Composition]:
    return [inner for part in parts for inner in (part.parts if isinstance(part, Serial) else (part,))]


def _point(node: IndexScan | IndexFKJoin | SortedIndexJoin | Dereference, requests: int) -> Point:
    match node:
        case IndexScan():
            return _fan_out(node, requests)
        case SortedIndexJoin():
            return Point(_sorted_join(node), requests, max(1, node.limit.max), *_width(node))
        case IndexFKJoin():
            return Point(Operator.INDEX_FK_JOIN, requests, 1, *_width(node))
        case Dereference():
            return Point(Operator.DEREFERENCE, requests, 1, *_width(node))
        case _:
            assert_never(node)


def _fan_out(node: IndexScan, requests: int) -> Point:
    """A scan of one range is a scan; one of several ranges is like a join, which reads a range for each child row.

    A scan that names a whole key is a get, like those of a foreign-key join: the store has no range to search.
    """
    is_get = len(node.prefix) == len(node.index.columns) and node.range is None
    rows = max(1, node.limit.max)
    if requests == 1 and not is_get:
        return Point(Operator.INDEX_SCAN, 1, rows, *_width(node))
    if rows == 1 or is_get:
        return Point(Operator.INDEX_FK_JOIN, requests, 1, *_width(node))
    return Point(_sorted_join(node), requests, rows, *_width(node))


def _sorted_join(node: IndexScan | SortedIndexJoin) -> Operator:
    """The operator of several ranges, by the direction in which they are read."""
    return Operator.FORWARD_JOIN if node.is_ascending else Operator.SORTED_INDEX_JOIN


def _width(node: IndexScan | IndexFKJoin | SortedIndexJoin | Dereference) -> tuple[int, int]:
    """The bytes and the columns of one row that the operator fetches, as `Point` counts them.

    The bytes are those of declared lengths (a character counts one byte). The store goes through all columns of a row,
    and the client through those that are sent: columns that are not read count half.
    """
    sizes = {column.name: bytes_of(column.type) for column in node.table.columns}
    read = {field.name for field in node.fields if isinstance(field, ColumnRef) and field.relation == node.alias}
    held_columns, keys = set(sizes), set(node.table.primary_key)
    if not isinstance(node, Dereference) and not node.index.is_primary:
        held_columns = set(node.index.held_columns)
        keys |= held_columns - set(node.index.covering)
    read = read & held_columns or held_columns
    row_bytes = sum(sizes[name] for name in held_columns) + sum(sizes[name] for name in read)
    columns = len(held_columns - keys) + len(read - keys)
    return max(1, math.ceil(row_bytes / 2)), max(1, math.ceil(columns / 2))


def _row_bytes(table: Table) -> int:
    return max(1, sum(bytes_of(column.type) for column in table.columns))


def bytes_of(type: SqlType) -> int:
    """The bytes that a value of a declared type is assumed to have."""
    return type.length or (value_bytes(type) if has_size(type) else _UNDECLARED_BYTES)
