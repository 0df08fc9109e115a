"""What operators need when a query is prepared: the store, the parameters' positions, the indexes as deployed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from piql.compiler.logical.expressions import ColumnRef, Expression, FunctionCall
from piql.compiler.logical.operators import Count, SortKey
from piql.compiler.optimizer.analysis.predicates import replace_columns
from piql.compiler.physical.operators import LocalProjection, LocalStop, PhysicalNode, RecursiveUnion
from piql.runtime.execution.expressions import ExpressionCompiler
from piql.runtime.execution.incidents import Watch
from piql.schema.catalog import Index
from piql.store.base import Store

Fields = Sequence[Any]
"""What the rows of an operator hold: the expression of each position."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """Passed to every operator of a query, from the root down.

    slots         the position of each parameter in the list of values of an execution
    deployed      turns an index of the plan into that index as the store keeps it
    page_order    the order of a page in the columns of this part of the plan; empty for a query without pages
    watches       what to look for in the answers to an operator's requests; None where nobody looks
    work_tables   the path of each recursive union in whose step this part of the plan stands, by its name
    """

    store: Store
    slots: Mapping[str, int]
    deployed: Callable[[Index], Index]
    page_order: tuple[SortKey, ...] = ()
    watches: dict[object, Watch] | None = None
    work_tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def in_branch(self, branch: PhysicalNode) -> Preparation:
        """Return the preparation of a union's branch: with the page's order in terms of the branch's columns."""
        if not self.page_order or not isinstance(branch, LocalProjection):
            return self
        meanings = {(branch.alias, output.name): _unconverted(output.expression) for output in branch.outputs}
        order = (replace(key, expression=replace_columns(key.expression, meanings)) for key in self.page_order)
        return replace(self, page_order=tuple(order))

    def in_case(self, case: PhysicalNode) -> Preparation:
        """Return the preparation of the plan for a case of the parameters: with its own order of the page."""
        return replace(self, page_order=page_order(case) or ())

    def in_step(self, union: RecursiveUnion, path: tuple[int, ...]) -> Preparation:
        """Return the preparation of the step of the recursive union at `path`."""
        return replace(self, work_tables={**self.work_tables, union.name: path})

    def over(self, fields: Fields, row: str = "r") -> ExpressionCompiler:
        """Return a compiler of expressions over rows with these fields."""
        return self.over_sources({field: f"{row}[{at}]" for at, field in reversed(list(enumerate(fields)))})

    def over_pair(self, left: Fields, right: Fields) -> ExpressionCompiler:
        """Return a compiler of expressions over a row `l` of one input and `r` of another."""
        sources = {field: f"r[{at}]" for at, field in enumerate(right)}
        return self.over_sources(sources | {field: f"l[{at}]" for at, field in enumerate(left)})

    def over_sources(self, sources: Mapping[Any, str]) -> ExpressionCompiler:
        """Return a compiler of expressions over fields, given the Python source of each."""
        return ExpressionCompiler(sources, self.slots, self.store.codec)

    def count(self, count: Count) -> Callable[[list[Any]], int]:
        """Return a function from the parameters to how many rows a LIMIT lets through."""
        most = count.max
        if count.parameter is None:
            return lambda parameters: most
        slot = self.slots[count.parameter]
        return lambda parameters: min(parameters[slot], most)

    def count_source(self, count: Count) -> str:
        """Return the source of how many rows a LIMIT lets through, from the parameters `p`."""
        return str(count.max) if count.parameter is None else f"min(p[{self.slots[count.parameter]}], {count.max})"


def page_order(plan: PhysicalNode) -> tuple[SortKey, ...] | None:
    """Return the order of the page of a PAGINATE query, None for other queries."""
    return next((node.order for node in plan.find(LocalStop) if node.is_page), None)


def _unconverted(expression: Expression) -> Expression:
    """Return an expression without its conversion to the type of a union; equal values are stored alike."""
    match expression:
        case FunctionCall(name="COALESCE", arguments=(only,)):
            return only
        case _:
            return expression


def column_names(fields: Fields, alias: str) -> tuple[str, ...]:
    """Return the columns of one relation among fields, in order."""
    return tuple(field.name for field in fields if isinstance(field, ColumnRef) and field.relation == alias)


def own_columns(fields: Fields, alias: str) -> tuple[Expression, ...]:
    """Return the column references of one relation among fields, in order."""
    return tuple(field for field in fields if isinstance(field, ColumnRef) and field.relation == alias)
