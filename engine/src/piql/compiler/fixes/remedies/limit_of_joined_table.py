"""Remedy: a CARDINALITY LIMIT on another table of the join, so that the query can begin with the rows of that one.

… FROM statuses s JOIN follows f ON f.target = s.author WHERE f.owner = [me] AND s.visibility = 0 ORDER BY s.id LIMIT 20
→ CREATE TABLE follows (…, CARDINALITY LIMIT 100 (owner))

Offered where the table that grows fixes no columns that a limit of its own could stand on, or only such to which an
equality carries the value: of e.room = f.room AND f.room = [room] the limit on f is offered first.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.compiler.fixes.remedies.cardinality_limit import limit_on
from piql.compiler.fixes.remedy import LimitLine, RefusedQuery, Remedy
from piql.compiler.physical.planner.join_starts import JoinStart
from piql.compiler.physical.planner.unbounded import Gap


def limit_joined_table(query: RefusedQuery) -> list[Remedy]:
    """Return the limits on the other tables of each join in which a gap has no columns to limit that the text names."""
    remedies: dict[LimitLine, Remedy] = {}
    for gap in query.gaps:
        for start in _better_starts(gap):
            remedy = limit_on(start.table, start.columns)
            if remedy is not None and remedy.line is not None:
                remedies.setdefault(remedy.line, remedy)
    return list(remedies.values())


def _better_starts(gap: Gap) -> Sequence[JoinStart]:
    """Return where the join could begin rather than with the table that grows."""
    if gap.words:
        return ()
    if not gap.limit_columns:
        return gap.starts
    written = [start for start in gap.starts if start.is_written]
    is_written = any((start.table, start.columns) == (gap.table, gap.limit_columns) for start in written)
    return () if is_written else written
