"""Rule: every ORDER BY tells any two rows apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from piql.compiler.binding.outputs import output_columns
from piql.compiler.logical.expressions import ColumnRef, Comparison, Constant, Expression, IsNull, Parameter
from piql.compiler.logical.operators import (
    Derived,
    LogicalNode,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    SortKey,
    map_inputs,
)
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.one_row import gives_one_row
from piql.compiler.optimizer.analysis.predicates import ColumnKey, equated_columns, key_of, relations_of
from piql.compiler.optimizer.analysis.region import Leg, Region, is_region, read_region
from piql.compiler.optimizer.rule import RuleContext
from piql.schema.catalog import Table


def complete_order(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Complete a sort by the primary keys of the joined tables, in the order of FROM and the direction of its last key.

        Sort t.posted DESC                             Sort t.posted DESC, s.target DESC
          Join t.owner = s.target                        Join t.owner = s.target
            Selection s.owner = [me]                       Selection s.owner = [me]
              Relation s                        →            Relation s
            Relation t                                     Relation t

    Columns that earlier keys determine are left out: s.owner has one value, t.owner equals s.target, and t.posted
    is already a key. With a total order, a LIMIT gives the same rows whatever plan is chosen, and the place where a
    page ends is one value of each key. A derived table adds all its columns. The planner completes the sorts of groups
    and unions. Needs predicates where `push_selection_down` left them, and relations in the order written.
    """

    def visit(node: LogicalNode) -> LogicalNode:
        node = map_inputs(node, visit)
        return _complete(node, context) if isinstance(node, Sort) and not node.is_total else node

    return visit(plan)


def _complete(sort: Sort, context: RuleContext) -> Sort:
    """Return a sort as a total order; the same object where its rows are not those of a join part."""
    below = sort.input
    while not is_region(below) and isinstance(below, SemiJoin | Selection):
        below = below.left if isinstance(below, SemiJoin) else below.input
    if not is_region(below):
        return sort
    region = read_region(below)
    if not all(isinstance(leg.input, Relation | Derived) for leg in region.legs):
        return sort
    keys = _completed(sort.keys, region)
    ties = [key.expression for key in keys if key not in sort.keys]
    if ties:
        columns = ", ".join(f"{tie.relation}.{tie.name}" for tie in ties if isinstance(tie, ColumnRef))
        context.note(f"ties in the order are broken by {columns}")
    return replace(sort, keys=keys, is_total=True)


def _completed(keys: tuple[SortKey, ...], region: Region) -> tuple[SortKey, ...]:
    """Return sort keys with those of the primary keys that they do not determine, and without needless ones."""
    ascending = keys[-1].ascending
    primary = (SortKey(expression=column, ascending=ascending) for leg in region.legs for column in _row_key(leg))
    determined = Determined(region)
    completed: list[SortKey] = []
    for key in (*keys, *primary):
        if determined.holds(key.expression):
            continue
        completed.append(key)
        determined.add(key.expression)
    return tuple(completed)


def _row_key(leg: Leg) -> tuple[ColumnRef, ...]:
    """Return the columns that tell the rows of a leg apart: a primary key, or all columns of a derived table."""
    if leg.first:
        return ()
    if leg.relation is not None:
        return leg.relation.columns(leg.relation.table.primary_key)
    assert isinstance(leg.input, Derived)
    if gives_one_row(leg.input):
        return ()
    alias = leg.input.alias
    return tuple(
        ColumnRef(relation=alias, name=column.name, type=column.type, nullable=column.nullable)
        for column in output_columns(leg.input.input)
    )


class Determined:
    """The columns with one value only, given the expressions added so far: a closure of functional dependencies.

    A column is determined by an equality with a value, by an equal column that is determined, or by a key of its row.
    """

    def __init__(self, region: Region) -> None:
        self._legs = [leg for leg in region.legs if leg.relation is not None]
        inner = [predicate for leg in self._legs if leg.kind == "inner" for predicate in leg.filters]
        self._equal = Equalities((*region.conditions, *inner))
        self._equated: dict[str, list[ColumnRef]] = {}  # by relation
        for column in chain.from_iterable(self._equal.classes()):
            self._equated.setdefault(column.relation, []).append(column)
        self._determined: set[ColumnKey] = set()
        self._whole: set[str] = set()  # relations of which one row is determined, and so all columns
        self._expressions: set[Expression] = set()
        for predicate in inner:
            fixed = _constant_column(predicate) or _null_column(predicate)
            if fixed is not None:
                self._learn(fixed)
        self._close()

    def holds(self, expression: Expression) -> bool:
        """Whether an expression can have one value only."""
        if expression in self._expressions:
            return True
        return all(self._is_known(key_of(node)) for node in expression.walk() if isinstance(node, ColumnRef))

    def add(self, expression: Expression) -> None:
        """Take an expression as known, and all that it determines."""
        self._expressions.add(expression)
        if isinstance(expression, ColumnRef):
            self._learn(expression)
            self._close()

    def _is_known(self, column: ColumnKey) -> bool:
        return column[0] in self._whole or column in self._determined

    def _learn(self, column: ColumnRef) -> None:
        """Take a column and all equal ones as determined."""
        self._determined.update(key_of(equal) for equal in self._equal.equal_to(column))

    def _close(self) -> None:
        """Add all columns of rows whose key is determined, until nothing changes."""
        while True:
            closed = [leg for leg in self._legs if not leg.relations <= self._whole and self._is_determined(leg)]
            if not closed:
                return
            for leg in closed:
                self._whole |= leg.relations
                if leg.kind == "inner":
                    for relation in leg.relations:
                        for column in self._equated.get(relation, ()):
                            self._learn(column)

    def _is_determined(self, leg: Leg) -> bool:
        """Whether the row of a leg is determined: by a key of it, or in a left join by the row that it is joined to."""
        assert leg.relation is not None
        alias, table = leg.relation.alias, leg.relation.table
        if all(self._is_known((alias, name)) for name in table.primary_key):
            return True
        if leg.kind == "inner":
            return any(
                all(self._is_known((alias, name)) for name in key) for key in _keys_without_null(leg.relation.table)
            )
        fixed = set(_columns_fixed(leg))
        reads = {
            key_of(node)
            for predicate in leg.on
            for node in predicate.walk()
            if isinstance(node, ColumnRef) and node.relation != alias
        }
        keys = (table.primary_key, *(key.columns for key in table.unique_keys))
        return all(map(self._is_known, reads)) and any(set(key) <= fixed for key in keys)


def _keys_without_null(table: Table) -> Iterable[tuple[str, ...]]:
    """Yield the unique keys without nullable columns."""
    for key in table.unique_keys:
        columns = (table.column(name) for name in key.columns)
        if all(column is not None and not column.nullable for column in columns):
            yield key.columns


def _columns_fixed(leg: Leg) -> Iterable[str]:
    """Yield the columns of a left-joined relation that its ON fixes for one row of the left."""
    assert leg.relation is not None
    alias = leg.relation.alias
    for predicate in (*leg.on, *leg.filters):
        column = _constant_column(predicate)
        if column is not None:
            yield column.name
        pair = equated_columns(predicate)
        for fixed, compared in (pair, pair[::-1]) if pair is not None else ():
            if fixed.relation == alias and relations_of(compared) != {alias}:
                yield fixed.name


def _null_column(predicate: Expression) -> ColumnRef | None:
    """Return the column of `column IS NULL`: one value, though no key counts the rows that have it."""
    return predicate.operand if isinstance(predicate, IsNull) and isinstance(predicate.operand, ColumnRef) else None


def _constant_column(predicate: Expression) -> ColumnRef | None:
    """Return the column that `column = value` fixes to one value."""
    match predicate:
        case Comparison(operator="=", left=ColumnRef() as column, right=Constant() | Parameter(max_items=None)):
            return column
        case Comparison(operator="=", left=Constant() | Parameter(max_items=None), right=ColumnRef() as column):
            return column
        case _:
            return None
