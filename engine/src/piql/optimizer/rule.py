"""What a rule of Phase I is: a function from a plan to a plan, the same object when it does not apply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from piql.logical.operators import LogicalNode


@dataclass(slots=True)
class RuleContext:
    """Where a rule says in a sentence what it did, for those who step through the plan."""

    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


Rule: TypeAlias = Callable[[LogicalNode, RuleContext], LogicalNode]
