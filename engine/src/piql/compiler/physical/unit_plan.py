"""The physical plan of a unit: the plans of its writes, in the order in which they are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from piql.compiler.logical.operators import Output
from piql.compiler.physical.operators import PhysicalNode
from piql.compiler.physical.write_plan import WritePlan
from piql.text.source import Span
from piql.trees.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPlan(Node):
    """Writes that become visible together or not at all: one transaction of the store.

    Each sees what those before it have written. A condition of one that does not hold, or a constraint that one breaks,
    refuses all of them. A LET is a plan that reads one row; those behind it use its values as parameters.
    """

    statements: tuple[WritePlan | PhysicalNode, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def returning(self) -> tuple[Output, ...]:
        """The columns of the rows that an execution returns: those of the one statement with RETURNING."""
        return next((write.returning for write in self.writes if write.returning), ())

    @property
    def writes(self) -> tuple[WritePlan, ...]:
        """The statements that write, in their order."""
        return tuple(statement for statement in self.statements if isinstance(statement, WritePlan))


QueryPlan: TypeAlias = PhysicalNode | WritePlan | UnitPlan
"""What the compiler makes of a query, a write or a unit."""
