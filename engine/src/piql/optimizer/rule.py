"""What a rule of Phase I is: a function from a plan to a plan, the same object when it does not apply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from piql.logical.operators import LogicalNode


@dataclass(slots=True)
class RuleContext:
    """Where a rule says in a sentence what it did, and may ask whether a subquery can be read first."""

    notes: list[str] = field(default_factory=list)
    is_bounded: Callable[[LogicalNode], bool] = lambda plan: False  # whether a subquery has a bound of its own

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


Rule: TypeAlias = Callable[[LogicalNode, RuleContext], LogicalNode]
