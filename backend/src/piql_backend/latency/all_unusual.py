"""Looks once an hour which queries of a version are unlike their own past: what lists and alerts tell.

A look reads eight weeks of each query that ran in the last day, which takes 0.1 to 0.2 s for each. So a thread does
it, and whoever asks meanwhile is answered with the look before. An hour is looked at when it has been over for a while:
reports of its last minutes are there by then.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from piql_profiler.validation.baseline import WINDOWS

from piql_backend.database.connection import now
from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.latency.repository import ObservationTable
from piql_backend.latency.schemas import AnomalyRead, UnusualQueriesRead, UnusualQueryRead
from piql_backend.latency.sources import Source
from piql_backend.latency.unusual import last_whole_hour, unusual_of

log = logging.getLogger(__name__)

SETTLED = timedelta(minutes=5)  # how long an hour has been over before it is looked at
_MOST_KEPT = 8  # versions and sources


@dataclass(frozen=True, slots=True)
class _Asked:
    version: int
    queries: tuple[str, ...]
    source: Source


class AllUnusual:
    """The last look at each version that somebody asked for."""

    def __init__(self, table: ObservationTable, flush: Callable[[], None]) -> None:
        self._table = table
        self._flush = flush
        self._lock = threading.Lock()
        self._looks: dict[_Asked, UnusualQueriesRead] = {}
        self._looking: set[_Asked] = set()

    def read(self, deployment: DeploymentDetailRead, source: Source) -> UnusualQueriesRead:
        """The last look, at once; a newer one is begun where an hour has passed. Without any, `until` is null."""
        asked = _asked(deployment, source)
        with self._lock:
            look = self._looks.get(asked)
            if not _is_new(look) and asked not in self._looking:
                self._looking.add(asked)
                threading.Thread(target=self._look_aside, args=[asked], name="unusual", daemon=True).start()
        return look or UnusualQueriesRead(until=None, queries=[])

    def looked(self, deployment: DeploymentDetailRead, source: Source) -> UnusualQueriesRead:
        """The look at the last hour; waits for it where nobody has looked yet."""
        asked = _asked(deployment, source)
        with self._lock:
            look = self._looks.get(asked)
        return look if look is not None and _is_new(look) else self._look(asked)

    def _look_aside(self, asked: _Asked) -> None:
        try:
            self._look(asked)
        except Exception:
            log.exception("queries could not be held against their past")
        finally:
            with self._lock:
                self._looking.discard(asked)

    def _look(self, asked: _Asked) -> UnusualQueriesRead:
        self._flush()
        until = _hour()
        since = datetime.fromtimestamp((until - WINDOWS[-1]) * 3600, UTC).replace(tzinfo=None)
        ran = self._table.ran_since(asked.version, since, asked.source)
        queries = [query for query in asked.queries if query in ran]
        unusual = [
            UnusualQueryRead(query=query, anomalies=anomalies)
            for query in queries
            if (anomalies := self._anomalies(asked, query, len(queries), until))
        ]
        look = UnusualQueriesRead(until=datetime.fromtimestamp(until * 3600, UTC), queries=unusual)
        with self._lock:
            self._looks.pop(asked, None)
            self._looks[asked] = look
            for oldest in list(self._looks)[:-_MOST_KEPT]:
                del self._looks[oldest]
        return look

    def _anomalies(self, asked: _Asked, query: str, queries: int, until: int) -> list[AnomalyRead]:
        return unusual_of(self._table, query, asked.version, asked.source, queries, until).anomalies


def _asked(deployment: DeploymentDetailRead, source: Source) -> _Asked:
    return _Asked(deployment.version, tuple(query.name for query in deployment.queries), source)


def _hour() -> int:
    """The end of the last hour that is looked at."""
    return last_whole_hour(now() - SETTLED)


def _is_new(look: UnusualQueriesRead | None) -> bool:
    return look is not None and look.until is not None and look.until.timestamp() // 3600 >= _hour()
