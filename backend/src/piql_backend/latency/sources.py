"""What ran, as one relation in SQL: a row for executions that are counted together, with how many they are.

    workbench      a row for each execution that the workbench made, with its own time and size
    applications   a row for each cell that an application reported: a minute, a bucket of times, classes of sizes

A time lies between `at_least_ms` and `elapsed_ms`, the edges of its bucket: 2.2 % apart where it was reported, further
where it came as a histogram over OTLP, equal where the workbench measured it. `requests_key` and `rows_key` say which
sizes count as one. They are the numbers themselves where only the workbench's executions are read, and classes of
powers of two where reports are among them.

Errors that refuse a request, such as a wrong parameter, are no failures of a query: the workbench does not keep them,
and those that were reported are left out.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from piql_backend.reports.in_sql import FAILED, IS_EXECUTION, LEAST_BUCKET, lower_edge

Source: TypeAlias = Literal["workbench", "applications", "both"]

_COLUMNS = "query, version, started_at, at_least_ms, elapsed_ms, least_requests, most_requests, over_bound"
_COLUMNS += ", failed, least_rows, most_rows, requests_key, rows_key, executions"
UNTIL_NOW = "started_at <= make_timestamp(epoch_us(now()))"
"""A window ends now: what ran while the clock was ahead is not in it, until the clock gets there."""

_OBSERVED = f"""
    SELECT query, version, started_at, elapsed_ms AS at_least_ms, elapsed_ms, operations AS least_requests,
           operations AS most_requests, (operations > bound)::BIGINT AS over_bound, failed, rows_given AS least_rows,
           rows_given AS most_rows, {{requests}} AS requests_key, {{rows}} AS rows_key, 1::BIGINT AS executions
    FROM observations WHERE {UNTIL_NOW}
"""


def classed(size: str) -> str:
    """The class of a size in SQL, as `piql.reporting.cells.class_of` has it."""
    return f"CASE WHEN {size} = 0 THEN 0 ELSE length(bin({size}::BIGINT)) END"


_REPORTED = f"""
    SELECT query, version, make_timestamp(minute::BIGINT * 60000000), {lower_edge(LEAST_BUCKET)},
           {lower_edge("bucket + 1")}, least_operations, most_operations, over_bound,
           {FAILED}, least_rows, most_rows, requests_class::INTEGER, rows_class::INTEGER, executions
    FROM {{reported}} WHERE {IS_EXECUTION}
"""


def executed(source: Source, reported: str) -> str:
    """The relation of what ran, as a SELECT in brackets with the columns `_COLUMNS`; `over_bound` counts executions.

    `reported` are the cells that are read, as a SELECT in brackets with a column `over_bound` (`reports/widths.py`).
    """
    if source == "workbench":
        return f"({_OBSERVED.format(requests='operations', rows='rows_given')})"
    if source == "applications":
        return f"(SELECT * FROM ({_REPORTED.format(reported=reported)}) AS reports({_COLUMNS}))"
    observed = _OBSERVED.format(requests=classed("operations"), rows=classed("rows_given"))
    return f"({observed} UNION ALL {_REPORTED.format(reported=reported)})"
