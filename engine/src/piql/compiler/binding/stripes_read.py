"""What a SELECT reads of stripes: which columns are parts of a sum, and which of its aggregates and columns take them.

    FROM likesOfPost v                              v.n is a part of the likes, v.post is that of the group
    FROM (SELECT post, n FROM likesOfPost …) x      so are x.n and x.post
    … LEFT JOIN likesOfPost v … WHERE v.n IS NULL   there is no stripe, as there is no group
    … HAVING COUNT(*) > 0                           a group has a row where it has a stripe

A column that is never NULL in a stripe is NULL for a whole group or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from piql.compiler.binding.scope import ScopeRelation
from piql.compiler.binding.sums_of_stripes import adds_up
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Table
from piql.schema.view_stripes import STRIPE
from piql.trees.node import Node

_ABOVE = logical.Projection | logical.Sort | logical.GroupBy | logical.Selection
_ROW_BY_ROW = logical.Relation | logical.Selection | logical.Join | logical.Sort


@dataclass(frozen=True, slots=True)
class BoundSelect:
    """A SELECT, its relations, and what it is bound to.

    Where `are_rows_counted` it matters how often a row comes: not in EXISTS, with DISTINCT, in a UNION or in groups.
    """

    node: ast.Select
    relations: Sequence[ScopeRelation]
    plan: logical.LogicalNode
    aggregates: tuple[bound.Aggregate, ...]
    are_rows_counted: bool

    @property
    def derived(self) -> Iterator[logical.Derived]:
        """The derived tables of FROM, without those inside them."""
        waiting: list[Node] = [self.plan]
        while waiting:
            match waiting.pop():
                case logical.Derived() as derived:
                    yield derived
                case logical.Join(left=left, right=right):
                    waiting += (left, right)
                case logical.Projection() | logical.Sort() | logical.GroupBy() | logical.Selection() as node:
                    waiting.append(node.input)


@dataclass(frozen=True, slots=True)
class StripesRead:
    """A relation whose rows are stripes: `sums` are parts of a sum; of them `nullable` may be NULL in some stripes."""

    alias: str
    sums: frozenset[str]
    nullable: frozenset[str]

    def is_sum(self, column: bound.ColumnRef) -> bool:
        """Return whether a column has another value in each stripe of a group."""
        return column.relation == self.alias and column.name in self.sums

    def may_be_null(self, column: bound.ColumnRef) -> bool:
        """Return whether a sum may be NULL in some stripes of a group, and not in others."""
        return column.name in self.nullable

    def is_never_null(self, expression: bound.Expression) -> bool:
        """Return whether an expression is a column that no stripe lacks."""
        return isinstance(expression, bound.ColumnRef) and self.is_sum(expression) and not self.may_be_null(expression)

    def columns(self, node: Node) -> Iterator[bound.ColumnRef]:
        """Yield the columns that are read outside of aggregates, and by more than whether there is a stripe."""
        match node:
            case bound.ColumnRef():
                yield node
            case bound.IsNull(operand=operand) if self.is_never_null(operand):
                pass
            case bound.Aggregate() | logical.Derived():
                pass
            case _:
                for child in node.children():
                    yield from self.columns(child)


def of_view(alias: str, table: Table) -> StripesRead:
    """Return what the rows of a view with stripes hold under an alias."""
    sums = [column for column in table.columns if column.name not in table.primary_key]
    nullable = frozenset(column.name for column in sums if column.nullable)
    return StripesRead(alias, frozenset(column.name for column in sums), nullable)


def of_derived(derived: logical.Derived) -> StripesRead | None:
    """Return what a derived table hands on of the stripes of one view; None where it does more than that."""
    plan = derived.input
    if not isinstance(plan, logical.Projection):
        return None
    nodes = [node for node in plan.input.walk() if isinstance(node, logical.LogicalNode)]
    views = [node for node in nodes if isinstance(node, logical.Relation) and _has_stripes(node.table)]
    if len(views) != 1 or not all(isinstance(node, _ROW_BY_ROW) for node in nodes):
        return None
    view = of_view(views[0].alias, views[0].table)
    below = plan.input.input if isinstance(plan.input, logical.Sort) else plan.input
    if any(view.is_sum(column) for column in view.columns(below)):
        return None  # a condition compares the parts
    sums: list[str] = []
    nullable: list[str] = []
    for output in plan.outputs:
        columns = list(bound.columns_in(output.expression))
        if any(column.relation == view.alias and column.name == STRIPE for column in columns):
            return None
        if any(view.is_sum(column) for column in columns):
            if not adds_up(output.expression, view.is_sum, view.may_be_null):
                return None
            sums.append(output.name)
            nullable += [output.name] if any(map(view.may_be_null, columns)) else []
    return StripesRead(derived.alias, frozenset(sums), frozenset(nullable))


def _has_stripes(table: Table) -> bool:
    return table.view is not None and table.view.stripes is not None


def is_anti_join(plan: logical.LogicalNode, stripes: StripesRead) -> bool:
    """Return whether WHERE keeps the rows alone for which a joined view has no group."""
    node: Node = plan
    while isinstance(node, _ABOVE):
        if isinstance(node, logical.Selection) and not isinstance(node.input, logical.GroupBy):
            parts = node.predicate.operands if isinstance(node.predicate, bound.And) else (node.predicate,)
            if any(isinstance(part, bound.IsNull) and stripes.is_never_null(part.operand) for part in parts):
                return True
        node = node.input
    return False


def taken_aggregates(plan: logical.LogicalNode, aggregates: Sequence[bound.Aggregate]) -> Iterator[bound.Aggregate]:
    """Yield the aggregates that are taken for more than whether a group has a row or a value."""
    taken = set(_beside_tests(plan))
    for aggregate in aggregates:
        if aggregate in taken or aggregate.function != "COUNT":
            yield aggregate


def _beside_tests(node: Node) -> Iterator[bound.Aggregate]:
    match node:
        case bound.Aggregate():
            yield node
        case bound.Comparison() if _asks_for_some(node):
            pass
        case logical.GroupBy(keys=keys):
            for key in keys:
                yield from _beside_tests(key)
        case logical.Derived():
            pass
        case _:
            for child in node.children():
                yield from _beside_tests(child)


def _asks_for_some(test: bound.Comparison) -> bool:
    """Return whether a test asks of a COUNT only whether it is 0."""
    match test:
        case bound.Comparison(left=bound.Aggregate() as aggregate, right=bound.Constant(value=value)):
            operator: str = test.operator
        case bound.Comparison(left=bound.Constant(value=value), right=bound.Aggregate() as aggregate):
            operator = _TURNED.get(test.operator, test.operator)
        case _:
            return False
    is_of_rows = aggregate.operand is None or isinstance(aggregate.operand, bound.ColumnRef)
    return aggregate.function == "COUNT" and is_of_rows and (operator, value) in _WHETHER_SOME


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_WHETHER_SOME = {(">", 0), (">=", 1), ("<>", 0), ("=", 0), ("<", 1), ("<=", 0)}
