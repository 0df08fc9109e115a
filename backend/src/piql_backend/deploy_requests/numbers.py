"""What a request changes, in three numbers: queries, the worst bound, and SLOs at risk."""

from __future__ import annotations

from piql.compiler.result import Compilation

from piql_backend.comparisons.schemas import ChangesRead
from piql_backend.deploy_requests.schemas import NumbersRead, WorstBoundRead


def numbers_of(
    changes: ChangesRead, wanted: Compilation, live: Compilation | None, slos_at_risk: int | None
) -> NumbersRead:
    """What a set changes of what is live, as numbers; `live` is None where nothing is deployed."""
    return NumbersRead(
        queries=len(changes.added) + len(changes.changed) + len(changes.removed),
        worst_bound=_worst_bound(wanted, live),
        slos_at_risk=slos_at_risk,
    )


def _worst_bound(wanted: Compilation, live: Compilation | None) -> WorstBoundRead | None:
    """The most expensive query of the set beside that of what is live; None for a set without bounds."""
    worst, now = _most_expensive(wanted), None if live is None else _most_expensive(live)
    if worst is None:
        return None
    return WorstBoundRead(
        query=worst[0],
        operations=worst[1],
        live_query=None if now is None else now[0],
        live_operations=None if now is None else now[1],
    )


def _most_expensive(compilation: Compilation) -> tuple[str, int] | None:
    bounds = [(query.name, query.bound.operations) for query in compilation.queries.values() if query.bound is not None]
    return max(bounds, key=lambda bound: bound[1], default=None)
