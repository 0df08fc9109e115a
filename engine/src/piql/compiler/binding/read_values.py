"""Values of an INSERT that are read first: subqueries in VALUES, which stand for one value each.

    INSERT INTO line (cart, item, price) VALUES ([cart], [item], 2 * (SELECT price FROM item WHERE id = [item]))
    → Insert(line, price: 2 * [(value 1)], given_by: SELECT (SELECT price FROM item …) AS "(value 1)", without FROM)

The query that gives the values has one row, whatever the subqueries find: a value that is not there is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from piql.compiler.binding.expressions import QueryContext
from piql.compiler.binding.one_row import row_without_table
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.text.source import Span
from piql.trees.node import Node


def outside_of_subqueries(expression: Node) -> Iterator[Node]:
    """Yield the parts of an expression, subqueries themselves, but nothing in these."""
    yield expression
    if not isinstance(expression, bound.ScalarSubquery | bound.InSubquery | bound.Exists):
        for part in expression.children():
            yield from outside_of_subqueries(part)


@dataclass(slots=True)
class ReadValues:
    """Collects the subqueries of one INSERT, and gives each value the name of a parameter that no text can have."""

    context: QueryContext
    outputs: list[logical.Output] = field(default_factory=list)

    def replaced(self, assignments: Sequence[logical.Assignment]) -> tuple[logical.Assignment, ...]:
        """Return assignments with what is read in place of their subqueries."""
        return tuple(
            replace(assignment, value=self._without_subqueries(assignment.value)) for assignment in assignments
        )

    def given_by(self, span: Span) -> logical.LogicalNode | None:
        """Return the query of one row that reads all values; None where nothing is read."""
        tables = [node.table for output in self.outputs for node in output.find(logical.Relation)]
        if not tables:
            return None
        row = row_without_table(self.context, tables[0], span)
        return logical.Projection(outputs=tuple(self.outputs), input=row, span=span)

    def _without_subqueries(self, expression: bound.Expression) -> bound.Expression:
        def change(node: Node) -> Node:
            if not isinstance(node, bound.ScalarSubquery):
                return node.map_children(change)
            name = f"(value {len(self.outputs) + 1})"
            self.outputs.append(logical.Output(name=name, expression=node))
            return bound.Parameter(name=name, type=node.type, is_read=True, span=node.span)

        return change(expression)  # type: ignore[return-value]
