"""Remedy: a CARDINALITY LIMIT on another table of the join, so that the query can begin with the rows of that one.

… FROM statuses s JOIN follows f ON f.target = s.author WHERE f.owner = [me] AND s.visibility = 0 ORDER BY s.id LIMIT 20
→ CREATE TABLE follows (…, CARDINALITY LIMIT 100 (owner))

Offered where the table that grows fixes no columns that a limit of its own could stand on.
"""

from __future__ import annotations

from piql.compiler.fixes.remedies.cardinality_limit import limit_on
from piql.compiler.fixes.remedy import LimitLine, RefusedQuery, Remedy


def limit_joined_table(query: RefusedQuery) -> list[Remedy]:
    """Return the limits on the other tables of each join in which a gap has no columns to limit."""
    remedies: dict[LimitLine, Remedy] = {}
    for gap in query.gaps:
        for start in () if gap.words or gap.limit_columns else gap.starts:
            remedy = limit_on(start.table, start.columns)
            if remedy is not None and remedy.line is not None:
                remedies.setdefault(remedy.line, remedy)
    return list(remedies.values())
