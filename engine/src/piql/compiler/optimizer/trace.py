"""What the optimizer records of each rule that changed the plan."""

from __future__ import annotations

from dataclasses import dataclass

from piql.compiler.logical.operators import LogicalNode


@dataclass(frozen=True, slots=True)
class RuleApplication:
    """One rule that changed the plan: its name, a sentence that says what it did, and the plan after it."""

    rule: str
    note: str
    plan: LogicalNode
