"""Counts of executions for Prometheus, in the memory of one process, and what an application mounts to show them.

    exporter = piql.PrometheusExporter(slos_ms={"findUser": 500})
    db = piql.connect("cql://…", exporter=exporter)
    app = DispatcherMiddleware(app, {"/metrics": exporter.wsgi})      or exporter.asgi, or exporter.text()

A query with an SLO has a bucket that ends exactly at it: an execution counts there if it took at most that time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from piql.errors import OUR_FAULT, InvalidParameter, PiqlError, kind_of
from piql.forking import RenewedLock, renew_in_children
from piql.telemetry.executed import Executed
from piql.telemetry.exposition import CONTENT_TYPE, Family, Sample, histogram_samples, text_of

BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
MOST_QUERIES = 10_000  # beyond, new ones are counted as ''
_HEADERS = [("Content-Type", CONTENT_TYPE), ("Cache-Control", "no-store")]


@dataclass(slots=True)
class _Tally:
    """The executions of one query; `counts` has one for each bucket, of those that gave their rows."""

    edges: tuple[float, ...]
    counts: list[int]
    seconds: float = 0.0
    failed: int = 0
    over_bound: int = 0
    requests: int = 0
    rows: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


class PrometheusExporter:
    """Counts the executions of the databases that are opened with it; may be used from any thread.

    `slos_ms` is the threshold of each query that has an SLO. A forked process begins anew.
    """

    def __init__(self, slos_ms: Mapping[str, float] | None = None) -> None:
        self._slos = {} if slos_ms is None else _seconds_of(slos_ms)
        self._counting = RenewedLock()
        self._by_query: dict[str, _Tally] = {}
        renew_in_children(self, PrometheusExporter._renew)

    def _renew(self) -> None:
        """Leave to the parent what it counted."""
        self._by_query.clear()

    def count(self, executed: Executed) -> None:
        """Count an execution."""
        query, seconds, page, failure = executed
        outcome = executed.outcome
        with self._counting.lock:
            tally = self._tally("" if query is None else query.name)
            tally.outcomes[outcome] += 1
            if page is None:
                tally.failed += isinstance(failure, OUR_FAULT) or not isinstance(failure, PiqlError)
                return
            tally.counts[bisect_left(tally.edges, seconds)] += 1
            tally.seconds += seconds
            tally.requests += page.operations
            tally.rows += len(page.rows)
            tally.over_bound += query is not None and page.operations > query.bound

    def _tally(self, query: str) -> _Tally:
        tally = self._by_query.get(query)
        if tally is None:
            if query and len(self._by_query) >= MOST_QUERIES:
                return self._tally("")
            slo = (self._slos[query],) if query in self._slos else ()
            edges = tuple(sorted({*BUCKETS_SECONDS, *slo}))
            tally = self._by_query[query] = _Tally(edges, [0] * (len(edges) + 1))
        return tally

    def text(self) -> str:
        """Return the counts in Prometheus' text format."""
        with self._counting.lock:
            return text_of(self._families())

    def wsgi(
        self, request: Mapping[str, Any], start_response: Callable[[str, list[tuple[str, str]]], object]
    ) -> Iterable[bytes]:
        """Answer a scrape: a WSGI application."""
        method = request["REQUEST_METHOD"]
        if method not in ("GET", "HEAD"):
            start_response("405 Method Not Allowed", [("Allow", "GET, HEAD")])
            return [b""]
        body = self.text().encode()
        start_response("200 OK", [*_HEADERS, ("Content-Length", str(len(body)))])
        return [b"" if method == "HEAD" else body]

    async def asgi(
        self,
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        """Answer a scrape: an ASGI application."""
        if scope["type"] != "http":
            raise RuntimeError("the exporter answers HTTP alone: mount it in an application that has the rest")
        is_right = scope["method"] in ("GET", "HEAD")
        body = self.text().encode() if is_right else b""
        headers = [*_HEADERS, ("Content-Length", str(len(body)))] if is_right else [("Allow", "GET, HEAD")]
        encoded = [(name.lower().encode(), value.encode()) for name, value in headers]
        await send({"type": "http.response.start", "status": 200 if is_right else 405, "headers": encoded})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    def _families(self) -> Iterator[Family]:
        labelled = [({"query": query}, tally) for query, tally in sorted(self._by_query.items())]

        def one_each(number: Callable[[_Tally], float]) -> list[Sample]:
            return [Sample(number(tally), labels) for labels, tally in labelled]

        times = [
            sample
            for labels, tally in labelled
            for sample in histogram_samples(labels, tally.edges, tally.counts, tally.seconds)
        ]
        yield Family("piql_client_execution_seconds", "histogram", "Time of executions that gave their rows.", times)
        outcomes = [
            Sample(count, {**labels, "outcome": outcome})
            for labels, tally in labelled
            for outcome, count in sorted(tally.outcomes.items())
        ]
        yield Family("piql_client_executions_total", "counter", "Executions that ended, by outcome.", outcomes)
        failed = one_each(lambda tally: tally.failed)
        yield Family("piql_client_failed_total", "counter", "Executions that failed; refusals are none.", failed)
        over_bound = one_each(lambda tally: tally.over_bound)
        yield Family("piql_client_over_bound_total", "counter", "Executions that passed their bound.", over_bound)
        requests = one_each(lambda tally: tally.requests)
        yield Family("piql_client_requests_total", "counter", "Requests to the store.", requests)
        rows = one_each(lambda tally: tally.rows)
        yield Family("piql_client_rows_total", "counter", "Rows that were given.", rows)


def _seconds_of(slos_ms: Mapping[str, float]) -> dict[str, float]:
    """The thresholds in seconds; InvalidParameter for what is none."""
    if not isinstance(slos_ms, Mapping):
        raise InvalidParameter(f"slos_ms is {kind_of(slos_ms)}: give the milliseconds of each query by its name")
    for query, threshold in slos_ms.items():
        is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
        if not isinstance(query, str) or not is_number or not 0 < threshold < float("inf"):
            raise InvalidParameter(f"slos_ms: {query!r} has no threshold in milliseconds: give a number over 0")
    return {query: threshold / 1000 for query, threshold in slos_ms.items()}
