"""The way into PIQL at run time: connect to a store, deploy a compiled set, load rows, execute queries by name.

with piql.connect("embedded:scadr.db") as db:
    db.deploy(piql.compile(Path("scadr")))
    page = db.execute("thoughtstream", {"me": "ada", "count": 10})
"""

from __future__ import annotations

from piql.client.database import Database
from piql.client.reported import ReportedDatabase
from piql.client.watched import Watched, WatchedDatabase, WatchedReportedDatabase
from piql.errors import InvalidParameter, kind_of
from piql.reporting.address import report_address
from piql.reporting.reporter import Reporter
from piql.runtime.arguments import refuse_uncallable
from piql.runtime.execution.observation import Observer
from piql.runtime.execution.strategy import Strategy
from piql.runtime.execution.supplied import Now, utc_now
from piql.store.base import Consistency
from piql.store.open import open_store
from piql.telemetry.exporter import PrometheusExporter
from piql.telemetry.opting_in import is_wanted, telemetry


def connect(
    url: str,
    observer: Observer | None = None,
    strategy: Strategy = "parallel",
    consistency: Consistency | None = None,
    version: int | None = None,
    now: Now | None = None,
    report: str | None = None,
    token: str | None = None,
    otel: bool | None = None,
    exporter: PrometheusExporter | None = None,
    canary: bool = False,
) -> Database:
    """Open a database: `embedded:` for a temporary one, `embedded:PATH` a file, `cql://HOST/KEYSPACE` a cluster.

    `s3://BUCKET/PREFIX` is a store in a bucket.

    `observer` is called after each execution with its `Observation`, in the thread that executed. `strategy` says how
    the requests of a read are sent, `consistency` how fresh reads are, where a call does not say so itself; None is
    what the address says. With the number of a `version`, the connection keeps to the queries of that version, also
    when the next one is in force; NotDeployed where it is neither in force nor the one before. `now` returns the time,
    with its time zone, that CURRENT_TIMESTAMP and the like are: a test may give a clock of its own. `report` is the
    address at which a workbench takes reports of executions, `token` what it may ask for; without them they are those
    of PIQL_REPORT and PIQL_REPORT_TOKEN. An empty `report` means none. With `otel`, OpenTelemetry is told of
    executions; for None, PIQL_OTEL decides. An `exporter` counts them for Prometheus. With `canary`, the share of
    the executions that somebody has set for a new version goes to it, drawn at random; without, all go to the one in
    force.
    Raises StoreUnavailable where the store does not answer, NotAStore for the file of another program.
    """
    refuse_uncallable("observer", observer)
    refuse_uncallable("now", now)
    if exporter is not None and not isinstance(exporter, PrometheusExporter):
        raise InvalidParameter(f"exporter is {kind_of(exporter)}: give a piql.PrometheusExporter", "exporter")
    spans, instruments = telemetry() if is_wanted(otel) else (None, None)
    is_watched = spans is not None or exporter is not None
    address = report_address(report, token)
    store = open_store(url)
    try:
        database: Database
        if address is None:
            plain = WatchedDatabase if is_watched else Database
            database = plain(store, observer, strategy, consistency, version=version, now=now or utc_now, canary=canary)
        else:
            reported = WatchedReportedDatabase if is_watched else ReportedDatabase
            reporter = Reporter(address)
            database = reported(store, observer, strategy, consistency, version, now or utc_now, reporter, canary)
    except BaseException:
        store.close()
        raise
    if isinstance(database, Watched):
        database.watch(spans, instruments, exporter)
    return database
