"""Incidents: executions that found what must not be, by query and kind, whose they were, and since when.

    over-bound        more requests than the bound
    limit-passed      a group with more rows than its CARDINALITY LIMIT allows
    dangling-entry    an index entry without its record

The last two are what the library says of an execution (`piql.runtime.execution.incidents`): reports have them as their
outcome, the workbench's own observations as `incident`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from piql.compiler.physical.operators import Dereference, IndexScan, SortedIndexJoin
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.runtime.execution.incidents import IncidentKind, watch_of

from piql_backend.database.connection import Database, aware
from piql_backend.latency.schemas import IncidentRead
from piql_backend.latency.sources import UNTIL_NOW, Source
from piql_backend.reports.in_sql import OVER_BOUND, WITH_INCIDENT
from piql_backend.reports.widths import cells, first_minute, kept

_RAN_HERE = f"""
    SELECT query, kind, 'workbench', count(*), list(DISTINCT version ORDER BY version), min(started_at)
    FROM (
        SELECT *, unnest(list_filter([CASE WHEN operations > bound THEN 'over-bound' END, incident],
                                     lambda kind: kind IS NOT NULL)) AS kind
        FROM observations WHERE (operations > bound OR incident IS NOT NULL) AND {UNTIL_NOW}
    )
    WHERE version <= $version AND started_at >= $since GROUP BY query, kind
"""
_REPORTED = f"""
    SELECT query, kind, 'applications', sum(count)::BIGINT, list(DISTINCT version ORDER BY version),
           min(make_timestamp(minute::BIGINT * 60000000))
    FROM (
        SELECT query, version, minute,
               unnest(['over-bound', outcome]) AS kind,
               unnest([over_bound, CASE WHEN {WITH_INCIDENT} THEN executions ELSE 0 END]) AS count
        FROM (SELECT *, {OVER_BOUND} AS over_bound FROM {{cells}})
        WHERE (over_bound > 0 OR {WITH_INCIDENT}) AND version <= $version AND minute >= {{first}}
    )
    WHERE count > 0 GROUP BY query, kind
"""


def incidents_of(
    database: Database, version: int, since: datetime, source: Source, width: int
) -> Mapping[str, list[IncidentRead]]:
    """The incidents of each query over all versions up to one, in a window that begins at the begin of `width`."""
    with database.read() as cursor:
        cursor.begin()
        first = first_minute(since)
        reported = _REPORTED.format(cells=cells(width, first, kept(cursor).until), first=first)
        sql = {"workbench": _RAN_HERE, "applications": reported, "both": f"{_RAN_HERE} UNION ALL {reported}"}[source]
        parameters = {"version": version} | ({} if source == "applications" else {"since": since})
        rows = cursor.execute(sql, parameters).fetchall()
    incidents: dict[str, list[IncidentRead]] = defaultdict(list)
    for query, kind, by, executions, versions, began in sorted(rows):
        incident = IncidentRead(
            kind=kind, source=by, executions=executions, versions=versions, since=aware(began), relied_on=[]
        )
        incidents[query].append(incident)
    return dict(incidents)


def relied_on(query: CompiledQuery, kind: IncidentKind) -> Sequence[str]:
    """What of the data a plan relies on: the limits that bound its reads, or the tables whose entries it follows."""
    plan = query.plan
    if plan is None or isinstance(plan, WritePlan | UnitPlan):
        return ()
    nodes: tuple[IndexScan | SortedIndexJoin | Dereference, ...] = (
        *plan.find(IndexScan),
        *plan.find(SortedIndexJoin),
        *plan.find(Dereference),
    )
    watches = [watch for node in nodes if (watch := watch_of(node, has_moments=True)) is not None]
    texts = [
        watch.incident.table if watch.incident.limit is None else f"{watch.incident.limit} of {watch.incident.table}"
        for watch in watches
        if watch.incident.kind == kind
    ]
    return tuple(dict.fromkeys(texts))
