"""SQL expressions over the cells of reports: how many executions of a cell failed, passed their bound, kept an SLO.

A cell counts executions of one minute that are alike; `piql.reporting.cells` shows one, and has the same in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from piql.errors import OUR_FAULT, PiqlError
from piql.reporting.cells import BUCKETS_PER_OCTAVE, GAVE_ROWS, TICKS_PER_SECOND
from piql.runtime.execution.incidents import INCIDENT_KINDS


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


OVER_BOUND = """
    CASE WHEN least_operations > bound OR outcome = 'BoundExceeded' THEN executions
         WHEN most_operations > bound THEN 1 ELSE 0 END
"""
"""How many executions of a cell passed their bound; at least one where it holds both kinds."""

FAILED = f"outcome NOT IN ({_listed(GAVE_ROWS)})"
WITH_INCIDENT = f"outcome IN ({_listed(INCIDENT_KINDS)})"
"""Whether the executions of a cell found something that must not be in the store; they gave their rows."""


LEAST_BUCKET = "bucket - spread"
"""The lowest bucket that the times of a cell may belong to; `bucket` is the highest."""


def lower_edge(bucket: str) -> str:
    """The shortest time of a bucket in ms, as `lower_edge_ms` has it."""
    return f"(power(2.0, ({bucket}) / {float(BUCKETS_PER_OCTAVE)}) - 1.0) / {TICKS_PER_SECOND} * 1000.0"


def _refusals(kind: type[PiqlError] = PiqlError) -> Iterator[str]:
    """The names of the errors that refuse the request of a user."""
    for narrower in kind.__subclasses__():
        if not issubclass(narrower, OUR_FAULT):
            yield narrower.__name__
            yield from _refusals(narrower)


REFUSED = frozenset(_refusals())
"""The outcomes of requests that were refused, such as for a wrong parameter."""

IS_EXECUTION = f"outcome NOT IN ({_listed(sorted(REFUSED))})"
"""Whether a cell counts as executions: errors that refuse a request, such as a wrong parameter, do not."""

KEPT = f"CASE WHEN NOT {FAILED} AND {lower_edge('bucket + 1')} <= threshold_ms THEN executions ELSE 0 END"
"""How many executions of a cell kept the threshold of an SLO: none where its buckets hold the threshold."""

UNSURE = f"""
    CASE WHEN NOT {FAILED} AND {lower_edge(LEAST_BUCKET)} <= threshold_ms AND {lower_edge("bucket + 1")} > threshold_ms
         THEN executions ELSE 0 END
"""
"""How many more of them may have kept it: all where its buckets hold the threshold."""
