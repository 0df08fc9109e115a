"""Also plans a query as if a limit were not declared, and takes the cheaper plan: a limit must not make a query dearer.

A limit bounds a read that nothing bounded before, and rules that look for another bound then have no reason to. So a
query that reads many rows by a limit is planned without it, too, and without all that would take its place. The
cheapest plan is taken. The same holds for a limit or UNIQUE whose rows are tested and then lead to other reads: the
tests, or each branch of an OR, may name a key. It also holds for a large limit that Phase I relied on and no read of
the plan does: a section may have been read in its way, which was so dear that another way of the query was taken. And
it holds for a query that is refused: by a limit an order of joins may have looked better than one that a stop bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple, TypeAlias, TypeVar, cast

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, InList, Or, conjuncts
from piql.compiler.logical.operators import DataStop, GroupBy, LogicalNode, Relation, Stop
from piql.compiler.logical.operators import inputs as logical_inputs
from piql.compiler.optimizer.analysis.effort import REQUEST, ROUND_TRIP, ROW, Effort
from piql.compiler.optimizer.analysis.predicates import all_conjuncts, holds_subquery
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    LocalDistinct,
    LocalGroupBy,
    LocalJoin,
    LocalSelection,
    LocalStop,
    LocalTop,
    PassingRows,
    PhysicalNode,
    SortedIndexJoin,
    inputs,
)
from piql.compiler.physical.planner.joins import is_limited_as_a_whole
from piql.schema.catalog import CardinalityLimit, ForeignKey, Table, UniqueKey
from piql.trees.node import Node, kinds_of

N = TypeVar("N", bound=Node)
LeftOut: TypeAlias = tuple[tuple[str, CardinalityLimit | UniqueKey | ForeignKey], ...]  # each with its table's name
_WORTH_MANY_PLANS = 100_000_000  # nanoseconds: a query that takes longer is worth a plan for each foreign key
_ROWS_OF_A_ROUND_TRIP = ROUND_TRIP // ROW  # so many are read in one request while another would be waited for
_WITH_TABLE = (Relation, IndexScan, IndexFKJoin, SortedIndexJoin, Dereference, PassingRows)


def may_do_without(plan: LogicalNode) -> bool:
    """Whether something else than limits could bound a query: a stop, the end of a group, an OR, or a subquery."""
    kinds = kinds_of(plan)
    return Stop in kinds or GroupBy in kinds or Or in kinds or holds_subquery(plan)


def dear_limits(plan: PhysicalNode, time: int, *, is_otherwise_bounded: bool) -> tuple[LeftOut, ...]:
    """Return what is worth leaving out of what bounds the reads of a plan, each time together.

    - Each limit by which a read takes longer than a round trip, or gives many more rows than a stop above a join wants
      or another key finds: alone, and with all that would bound the read in its place. `time` is that of the plan, in
      nanoseconds.
    - Each limit of a table that is limited as a whole: any of them may end the search for a better one.
    - Each limit or UNIQUE whose rows are tested for what another key might find, if other reads follow.
    - Each UNIQUE behind whose entry the record is fetched: an index for the order may hold all that is asked for.

    What can be saved of another read is not worth planning a query twice. Where nothing but keys could bound a query
    otherwise (not `is_otherwise_bounded`), only reads whose rows are tested for another key count.
    """
    groups: dict[LeftOut, None] = {}
    for place in _places(plan, _Above()):
        name, because = place.read.table.name, place.read.limit.because
        is_found = place.may_be_found()
        if not isinstance(because, CardinalityLimit | UniqueKey) or not (is_otherwise_bounded or is_found):
            continue
        if isinstance(because, CardinalityLimit):
            if is_limited_as_a_whole(place.read.table):
                groups |= {((name, limit),): None for limit in place.read.table.limits}
                groups[place.all_that_bound()] = None
            elif place.is_dear() or place.saves_of(time):
                groups |= {((name, because),): None, place.all_that_bound(): None}
        is_fetched = isinstance(because, UniqueKey) and place.is_dereferenced
        if is_otherwise_bounded and (is_fetched or (is_found and place.leads_to_reads)):
            groups[((name, because),)] = None
    return tuple(groups)


def limits_of_whole_tables(logical: LogicalNode) -> tuple[LeftOut, ...]:
    """Return the limits of the tables of a query that are limited as a whole, each alone.

    Such a limit makes an order of joins look good that reads its table early, though no read of the plan relies on it.
    """
    tables = {node.table.name: node.table for node in logical.find(Relation)}
    limited = ((name, table) for name, table in tables.items() if is_limited_as_a_whole(table))
    return tuple(((name, limit),) for name, table in limited for limit in table.limits if not limit.columns)


def unused_limits(logical: LogicalNode, plan: PhysicalNode) -> tuple[LeftOut, ...]:
    """Return the large limits that bound a section in Phase I, and no read of the plan, each alone."""
    large = [stop for stop in _data_stops(logical) if stop.limit > _ROWS_OF_A_ROUND_TRIP]
    if not large:
        return ()
    relied_on = {place.read.limit.because for place in _places(plan, _Above())}
    return _each_alone(stop for stop in large if stop.because not in relied_on)


def limits_relied_on(logical: LogicalNode) -> tuple[LeftOut, ...]:
    """Return all limits that bound a section in Phase I, each alone.

    For a refused query: a limit may have made an order of joins look better than the one that a stop bounds.
    """
    return _each_alone(_data_stops(logical))


def foreign_keys(logical: LogicalNode, time: int) -> tuple[LeftOut, ...]:
    """Return the foreign keys of the tables of a query that takes long, each alone; `time` is in nanoseconds.

    By a foreign key a stop seems to stand lower, in an order of joins that is dearer where a later rule holds it up.
    """
    if time <= _WORTH_MANY_PLANS:
        return ()
    tables = {node.table.name: node.table for node in logical.find(Relation)}
    return tuple(((name, key),) for name, table in tables.items() for key in table.foreign_keys)


def _each_alone(stops: Iterable[DataStop]) -> tuple[LeftOut, ...]:
    groups: dict[LeftOut, None] = {}
    for stop in stops:
        if isinstance(stop.because, CardinalityLimit):
            groups[((_relation_below(stop).table.name, stop.because),)] = None
    return tuple(groups)


def _data_stops(node: LogicalNode) -> list[DataStop]:
    stops: list[DataStop] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, DataStop):
            stops.append(node)
        waiting += logical_inputs(node)
    return stops


def _relation_below(node: LogicalNode) -> Relation:
    """Return the relation that a data-stop is about."""
    while not isinstance(node, Relation):
        (node,) = logical_inputs(node)
    return node


@dataclass(frozen=True, slots=True)
class _Place:
    """A read where it stands in a plan."""

    read: IndexScan | SortedIndexJoin
    tests: tuple[Expression, ...]  # on its rows, in the operators above
    is_dereferenced: bool  # the records behind its entries are fetched
    leads_to_reads: bool  # others follow that take values of its rows
    stop: int | None  # the count of a stop above a join in memory of its rows

    def is_dear(self) -> bool:
        """Whether it takes longer than a round trip."""
        rows = _most_rows(self.read)
        return Effort(rows if self.is_dereferenced else 1, rows).nanoseconds > ROUND_TRIP + REQUEST

    def saves_of(self, time: int) -> bool:
        """Whether a tenth of a time would be saved if no row more were read than the stop wants, or a key finds."""
        wanted = 1 if self.may_be_found() else self.stop
        if wanted is None:
            return False
        rows = _most_rows(self.read) - wanted
        return Effort(rows if self.is_dereferenced else 0, rows).nanoseconds > time // 10

    def may_be_found(self) -> bool:
        """Whether the tests might be a key: an OR, or equalities on all columns of another key or limit."""
        if any(Or in kinds_of(test) for test in self.tests):
            return True
        tested, fixed, table = self._tested(), self._fixed(), self.read.table
        keys = [table.primary_key]
        keys += [limit.columns for limit in table.limits]
        keys += [key.columns for key in table.unique_keys]
        relied_on = getattr(self.read.limit.because, "columns", ())
        return any(
            columns != relied_on and not tested.isdisjoint(columns) and fixed.issuperset(columns) for columns in keys
        )

    def all_that_bound(self) -> LeftOut:
        """Return all limits on columns that the read fixes or the tests equate."""
        table, fixed = self.read.table, self._fixed()
        return tuple(
            (table.name, limit)
            for limit in table.limits
            if limit == self.read.limit.because or (not limit.is_token and fixed.issuperset(limit.columns))
        )

    def _fixed(self) -> frozenset[str]:
        return self._tested().union(part.column for part in self.read.prefix)

    def _tested(self) -> frozenset[str]:
        """Return the columns that a test equates to something."""
        tested: set[str] = set()
        for test in self.tests:
            match test:
                case Comparison(operator="=", left=left, right=right):
                    tested |= {
                        side.name
                        for side in (left, right)
                        if isinstance(side, ColumnRef) and side.relation == self.read.alias
                    }
                case InList(operand=ColumnRef(relation=self.read.alias, name=name)):
                    tested.add(name)
                case _:
                    pass
        return frozenset(tested)


class _Above(NamedTuple):
    """What stands above an operator, as far as it matters for the reads below."""

    tests: tuple[Expression, ...] = ()
    leads_to_reads: bool = False
    stop: int | None = None  # the nearest, unless rows are grouped below it
    joined: int | None = None  # the stop, once a join in memory stands below it

    def over(self, node: PhysicalNode) -> _Above:
        """Return what stands above the inputs of an operator."""
        if isinstance(node, LocalSelection):
            return self._replace(tests=(*self.tests, *conjuncts(node.predicate)))
        if isinstance(node, LocalJoin):
            return self._replace(tests=(*self.tests, *all_conjuncts((node.condition,))), joined=self.stop)
        if isinstance(node, LocalStop | LocalTop):
            return self._replace(stop=node.count.max)
        if isinstance(node, LocalGroupBy | LocalDistinct):
            return self._replace(stop=None, joined=None)
        if isinstance(node, Dereference | IndexFKJoin | SortedIndexJoin):
            return self._replace(leads_to_reads=True)
        return self


def _places(node: PhysicalNode, above: _Above, *, is_dereferenced: bool = False) -> Iterator[_Place]:
    """Yield the reads of ranges in a plan."""
    if isinstance(node, IndexScan | SortedIndexJoin):
        yield _Place(node, above.tests, is_dereferenced, above.leads_to_reads, above.joined)
    above = above.over(node)
    is_dereferenced = isinstance(node, Dereference) or (is_dereferenced and isinstance(node, LocalStop))
    for below in inputs(node):
        yield from _places(below, above, is_dereferenced=is_dereferenced)


def _most_rows(node: PhysicalNode) -> int:
    """Return how many rows leave an operator at most, as its reads alone tell: stops above them are not counted."""
    rows = node.limit.max * _keys(node) if isinstance(node, IndexScan | SortedIndexJoin) else 1
    return rows * prod(_most_rows(below) for below in inputs(node))


def _keys(read: IndexScan | SortedIndexJoin) -> int:
    """Return how many keys a read names at most, for one row of the child."""
    return prod(sum(getattr(value, "max_items", None) or 1 for value in part.values) for part in read.prefix)


def without(tables: Mapping[str, Table], left_out: LeftOut) -> dict[str, Table]:
    """Return tables as though some of their limits, UNIQUEs or foreign keys were not declared."""
    changed: dict[str, Table] = {}
    for name, limit in left_out:
        table = changed.get(name, tables[name])
        changed[name] = replace(
            table,
            unique_keys=tuple(declared for declared in table.unique_keys if declared != limit),
            limits=tuple(declared for declared in table.limits if declared != limit),
            foreign_keys=tuple(declared for declared in table.foreign_keys if declared != limit),
        )
    return changed


def with_tables(node: N, tables: Mapping[str, Table]) -> N:
    """Return a plan that reads other tables of the same names."""

    def change(below: Node) -> Node:
        if isinstance(below, _WITH_TABLE) and below.table.name in tables:
            return replace(below, table=tables[below.table.name])
        return below

    return cast("N", node.transform_up(change))
