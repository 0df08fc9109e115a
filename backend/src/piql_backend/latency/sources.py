"""What ran, as one relation in SQL: a row for executions that are counted together, with how many they are.

    workbench      a row for each execution that the workbench made, with its own time and size
    applications   a row for each cell that an application reported: a minute, a bucket of times, classes of sizes

A time lies between `at_least_ms` and `elapsed_ms`, the edges of its bucket: 2.2 % apart where it was reported, equal
where the workbench measured it. `requests_key` and `rows_key` say which sizes count as one. They are the numbers
themselves where only the workbench's executions are read, and classes of powers of two where reports are among them.

Errors that refuse a request, such as a wrong parameter, are no failures of a query: the workbench does not keep them,
and those that were reported are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from piql.errors import PiqlError
from piql.reporting.cells import BUCKETS_PER_OCTAVE, OK, TICKS_PER_SECOND

from piql_backend.executions.service import OUR_FAULT
from piql_backend.reports.repository import OVER_BOUND

Source: TypeAlias = Literal["workbench", "applications", "both"]

_COLUMNS = "query, version, started_at, at_least_ms, elapsed_ms, least_requests, most_requests, over_bound"
_COLUMNS += ", failed, least_rows, most_rows, requests_key, rows_key, executions"
_OBSERVED = """
    SELECT query, version, started_at, elapsed_ms AS at_least_ms, elapsed_ms, operations AS least_requests,
           operations AS most_requests, (operations > bound)::BIGINT AS over_bound, failed, rows_given AS least_rows,
           rows_given AS most_rows, {requests} AS requests_key, {rows} AS rows_key, 1::BIGINT AS executions
    FROM observations
"""


def _classed(size: str) -> str:
    """The class of a size, as `piql.reporting.cells.class_of` has it."""
    return f"CASE WHEN {size} = 0 THEN 0 ELSE length(bin({size}::BIGINT)) END"


def _edge(bucket: str) -> str:
    """The shortest time of a bucket in ms, as `piql.reporting.cells.lower_edge_ms` has it."""
    return f"(power(2.0, ({bucket}) / {float(BUCKETS_PER_OCTAVE)}) - 1.0) / {TICKS_PER_SECOND} * 1000.0"


def _refusals(kind: type[PiqlError] = PiqlError) -> Iterator[str]:
    """The names of the errors that refuse the request of a user."""
    for narrower in kind.__subclasses__():
        if not issubclass(narrower, OUR_FAULT):
            yield narrower.__name__
            yield from _refusals(narrower)


_REPORTED = f"""
    SELECT query, version, make_timestamp(minute::BIGINT * 60000000), {_edge("bucket")}, {_edge("bucket + 1")},
           least_operations, most_operations,
           {OVER_BOUND},
           outcome <> '{OK}', least_rows, most_rows, requests_class::INTEGER, rows_class::INTEGER, executions
    FROM reported WHERE outcome NOT IN ({", ".join(f"'{name}'" for name in sorted(_refusals()))})
"""


def executed(source: Source) -> str:
    """The relation of what ran, as a SELECT in brackets with the columns `_COLUMNS`; `over_bound` counts executions."""
    if source == "workbench":
        return f"({_OBSERVED.format(requests='operations', rows='rows_given')})"
    if source == "applications":
        return f"(SELECT * FROM ({_REPORTED}) AS reports({_COLUMNS}))"
    observed = _OBSERVED.format(requests=_classed("operations"), rows=_classed("rows_given"))
    return f"({observed} UNION ALL {_REPORTED})"
