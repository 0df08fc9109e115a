"""What the optimizer leaves behind of each rule that changed something."""

from __future__ import annotations

from dataclasses import dataclass

from piql.compiler.logical.operators import LogicalNode


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the optimizer: the rule's name, what it did in a sentence, and the plan after it."""

    rule: str
    note: str
    plan: LogicalNode
