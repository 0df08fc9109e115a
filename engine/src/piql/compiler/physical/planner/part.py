"""A planned section (`Part`), what is asked of one (`Want`), and the operators that any section may get on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import Count, SortKey
from piql.compiler.optimizer.analysis.predicates import ColumnKey, key_of
from piql.compiler.physical.operators import Dereference, LocalSelection, LocalSort, PassingRows, PhysicalNode, inputs
from piql.schema.catalog import Index, Table
from piql.trees.node import Node

WORST = 10**12  # the rows of a section that nothing bounds; such a plan is never shown


@dataclass(frozen=True, slots=True)
class Pending:
    """A relation read from a keys-only index whose records are still to be fetched."""

    table: Table
    alias: str
    index: Index


class Part(NamedTuple):
    """A planned section: its operators, and what operators above may rely on."""

    plan: PhysicalNode
    rows: int  # at most; only to choose between plans, since `bounds` proves the number from the finished plan
    order: tuple[SortKey, ...] = ()  # a total order of its rows; empty: none is known
    keys: tuple[Expression, ...] = ()  # together they tell each row from the others, if `is_unique`
    fixed: Mapping[ColumnKey, Expression] = MappingProxyType({})  # the columns with one value in all rows
    is_stopped: bool = False  # the stop wanted has been applied exactly
    pending: tuple[Pending, ...] = ()  # records to be fetched once a column of them is needed
    is_unique: bool = True  # False where equal rows may stand for different ones

    def on(self, plan: PhysicalNode) -> Part:
        """Return the same section with another operator at its top."""
        return self._replace(plan=plan)


def total_order(keys: tuple[SortKey, ...], part: Part) -> tuple[SortKey, ...]:
    """Complete an order by what tells rows apart, in the direction of its last key: no two rows are equal in it."""
    ascending = keys[-1].ascending if keys else True
    order: list[SortKey] = []
    seen: set[Expression] = set()
    for key in (*keys, *(SortKey(expression=expression, ascending=ascending) for expression in part.keys)):
        expression = key.expression
        if expression in seen or (isinstance(expression, ColumnRef) and key_of(expression) in part.fixed):
            continue
        seen.add(expression)
        order.append(key)
    return tuple(order)


def is_in_order(part: Part, order: tuple[SortKey, ...]) -> bool:
    """Whether a section's rows come in this order already."""
    return bool(part.order) and part.order[: len(order)] == order


def with_columns(part: Part, expressions: Iterable[Node]) -> Part:
    """Fetch the records behind keys-only entries where these expressions need more than the entries hold."""
    if not part.pending:
        return part
    read = {key_of(node) for expression in expressions for node in expression.walk() if isinstance(node, ColumnRef)}
    for pending_read in part.pending:
        if any(alias == pending_read.alias and name not in pending_read.index.held_columns for alias, name in read):
            part = _fetch(part, pending_read)
    return part


def fetched(part: Part) -> Part:
    """Fetch all records still to be fetched."""
    for pending_read in part.pending:
        part = _fetch(part, pending_read)
    return part


def _fetch(part: Part, pending_read: Pending) -> Part:
    plan = Dereference(child=part.plan, table=pending_read.table, alias=pending_read.alias)
    pending = tuple(read for read in part.pending if read is not pending_read)
    return part._replace(plan=plan, pending=pending)


def selected(
    part: Part, predicates: Iterable[Expression], predicate: Expression | None, passing: PassingRows | None = None
) -> Part:
    """Test a predicate on a section's rows; `passing` limits how many pass it."""
    if predicate is None:
        return part
    part = with_columns(part, predicates)
    selection = LocalSelection(child=part.plan, predicate=predicate, passing=passing, span=predicate.span)
    return part._replace(plan=selection, is_stopped=False)


def depth_of(section: PhysicalNode, plan: PhysicalNode) -> int:
    """Return how many levels `section` is below a new operator on `plan`, along first inputs; 0 if it is not there."""
    depth = 1
    while plan != section:
        below = inputs(plan)
        if not below:
            return 0
        depth, plan = depth + 1, below[0]
    return depth


def sorted_by(part: Part, order: tuple[SortKey, ...]) -> Part:
    """Sort a section's rows, unless they come in that order."""
    if not order or is_in_order(part, order):
        return part
    part = with_columns(part, order)
    return part._replace(plan=LocalSort(child=part.plan, keys=order), order=order)


@dataclass(frozen=True, slots=True)
class Want:
    """What the operators above ask of a section; it may give the order or the stop, and its Part says if it does."""

    keys: tuple[SortKey, ...] = ()  # the order; empty: any
    count: Count | None = None  # the stop; None: all rows are needed
    is_page: bool = False  # the stop is a PAGINATE
    must_cover: bool = False  # one entry more than `count` may be read: a dereference of it would be one too many
    is_of_each: bool = False  # `count` rows of each read are enough, in any order of the reads
    is_exact: bool = False  # no more than `count` rows may come of each read

    def without_stop(self) -> Want:
        """Return what is asked of a section that the stop cannot pass to: the order alone."""
        return Want(self.keys, must_cover=self.must_cover)


NOTHING = Want()
