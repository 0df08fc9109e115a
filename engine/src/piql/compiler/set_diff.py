"""What changes between two compiled query sets: bound and policy of each query, and the indexes that come and go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from piql.compiler.result import Compilation, CompiledQuery

Effect = Literal["added", "removed", "refused", "accepted", "dearer", "cheaper", "mixed", "same"]

REGRESSIONS: frozenset[Effect] = frozenset({"refused", "dearer", "mixed"})


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query before and after; None where the set does not have it."""

    name: str
    before: CompiledQuery | None
    after: CompiledQuery | None

    @property
    def effect(self) -> Effect:
        """Say what the change is to whoever runs the query; `refused` is a query that has no bound any more."""
        if self.after is None:
            return "removed"
        if self.after.bound is None:
            return "same" if self.before is not None and self.before.bound is None else "refused"
        if self.before is None:
            return "added"
        if self.before.bound is None:
            return "accepted"
        before, after = _costs(self.before), _costs(self.after)
        rises = any(new > old for old, new in zip(before, after, strict=True))
        falls = any(new < old for old, new in zip(before, after, strict=True))
        return "mixed" if rises and falls else "dearer" if rises else "cheaper" if falls else "same"

    @property
    def is_regression(self) -> bool:
        return self.effect in REGRESSIONS

    @property
    def policies(self) -> tuple[str, str] | None:
        """Return the policies before and after, `none` where the text has none; None where they are the same."""
        if self.before is None or self.after is None:
            return None
        before, after = _policy(self.before), _policy(self.after)
        return None if before == after else (before, after)


@dataclass(frozen=True, slots=True)
class SetChanges:
    """All queries of either set, those of the later set first and in its order; indexes by name."""

    queries: tuple[QueryChange, ...]
    added_indexes: tuple[str, ...]
    removed_indexes: tuple[str, ...]

    @property
    def regressions(self) -> tuple[QueryChange, ...]:
        return tuple(query for query in self.queries if query.is_regression)


def compare(before: Compilation, after: Compilation) -> SetChanges:
    """Match the queries and indexes of two sets by name."""
    names = dict.fromkeys((*after.queries, *before.queries))
    old, new = before.indexes, after.indexes
    return SetChanges(
        tuple(QueryChange(name, before.queries.get(name), after.queries.get(name)) for name in names),
        tuple(name for name in new if name not in old),
        tuple(name for name in old if name not in new),
    )


def _policy(query: CompiledQuery) -> str:
    if query.read is not None:
        return f"reads {query.read}"
    return "none" if query.write is None else f"writes {query.write}"


def _costs(query: CompiledQuery) -> tuple[int, int, int]:
    """Return what is compared of a bound: requests, round trips, rows."""
    bound = query.bound
    assert bound is not None
    return bound.operations, bound.round_trips, bound.rows
