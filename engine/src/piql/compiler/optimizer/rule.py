"""What a rule of Phase I is: a function from a plan to a plan, the same object when it does not apply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from piql.compiler.logical.operators import LogicalNode
from piql.compiler.optimizer.analysis.effort import Cost


@dataclass(slots=True)
class RuleContext:
    """What a rule may ask of a plan while it runs, and the sentences in which it says what it did.

    One context serves all rules in turn; `begin` makes it that of the next.
    """

    is_bounded: Callable[[LogicalNode], bool] = lambda plan: False  # whether a subquery has a bound of its own
    cost_after: Callable[[LogicalNode, int], Cost | None] = lambda plan, following: None  # see `cost`
    notes: list[str] = field(default_factory=list)
    following: int = 0  # the number of the first rule after this one

    def begin(self, following: int) -> None:
        """Serve the rule before number `following`, which has said nothing yet."""
        self.following = following
        if self.notes:
            self.notes = []

    def cost(self, plan: LogicalNode) -> Cost | None:
        """Return what a whole plan takes at most once all rules after this one are applied; None: it has no bound."""
        return self.cost_after(plan, self.following)

    def is_cheaper(self, changed: LogicalNode, plan: LogicalNode) -> bool:
        """Whether a plan is bounded once it is changed, and takes less than as it was, if that is bounded."""
        before, after = self.cost(plan), self.cost(changed)
        return after is not None and (before is None or after < before)

    def note(self, text: str) -> None:
        """Add a sentence about what the rule did, once."""
        if text not in self.notes:
            self.notes.append(text)


Rule: TypeAlias = Callable[[LogicalNode, RuleContext], LogicalNode]
