"""What an execution reports when somebody listens; it stores nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class OperatorTiming:
    """The requests of one remote operator; `path` is its place in the plan (child numbers from the root)."""

    path: tuple[int, ...]
    operator: str
    operations: int
    rows: int
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Observation:
    """One execution of a deployed query that gave its rows."""

    query: str
    deployment: int
    started_at: datetime
    elapsed_ms: float
    operations: int
    round_trips: int
    rows: int
    operators: tuple[OperatorTiming, ...] = ()


Observer: TypeAlias = Callable[[Observation], None]
