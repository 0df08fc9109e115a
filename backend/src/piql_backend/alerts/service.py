"""Looks at the dashboard once a minute, and tells a webhook what is wrong and what is over.

What has to be told is on disk before it is sent: it is sent once more after a kill, under the same id. An alert that is
not taken is sent again after 30 seconds, then after twice as long each time, at most an hour; after a day no more.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import duckdb
from piql.errors import PiqlError

from piql_backend.alerts.conditions import conditions_of
from piql_backend.alerts.destination import Destination
from piql_backend.alerts.repository import Alert, AlertTable
from piql_backend.alerts.sending import send
from piql_backend.database.connection import aware, now
from piql_backend.latency.schemas import LatencyRead
from piql_backend.web.errors import ApiError

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 60.0
_FIRST_WAIT, _LONGEST_WAIT, _GIVEN_UP_AFTER = timedelta(seconds=30), timedelta(hours=1), timedelta(days=1)

Send = Callable[[Destination, bytes, int], str | None]


class Alerts:
    """The alerts of one environment; `read` gives its dashboard. Without a destination nothing is done."""

    def __init__(
        self,
        environment: tuple[str, str],
        table: AlertTable,
        read: Callable[[], LatencyRead],
        destination: Destination | None,
        send: Send = send,
    ) -> None:
        self._environment = environment
        self._table = table
        self._read = read
        self._destination = destination
        self._send = send
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="alerts", daemon=True)
        self.problem: str | None = None  # why alerts wait

    def open(self) -> None:
        if self._destination is not None:
            self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        """Write down what is wrong and what is over; where nothing is deployed, nothing is wrong."""
        try:
            conditions = {(condition.kind, condition.query): condition for condition in conditions_of(self._read())}
        except ApiError as error:
            if error.status != 404:
                raise
            conditions = {}
        self._table.record(conditions, now())

    def tell(self) -> None:
        """Send what is due."""
        if self._destination is None:
            return
        for alert in self._table.due(now()):
            if self._stopped.is_set():
                return
            problem = self._send(self._destination, self._body(alert), int(aware(now()).timestamp()))
            if problem is None:
                self._table.delivered(alert, now())
                self.problem = None
            else:
                self._table.failed(alert, _next_try(alert, now()))
                if problem != self.problem:
                    log.warning("alerts wait: %s", problem)
                self.problem = problem

    def _body(self, alert: Alert) -> bytes:
        application, environment = self._environment
        content = {
            "id": alert.id,
            "application": application,
            "environment": environment,
            "kind": alert.kind,
            "query": alert.query,
            "state": alert.state,
            "message": alert.message,
            "at": aware(alert.at).isoformat(),
        }
        return json.dumps(content).encode()

    def _run(self) -> None:
        while not self._stopped.wait(_SECONDS_BETWEEN_LOOKS):
            try:
                self.look()
                self.tell()
            except Exception as error:  # whatever it is, the next look comes: without it nobody would be told any more
                expected = isinstance(error, (duckdb.Error, OSError, PiqlError, ApiError))
                log.error("alerts could not be checked: %s", error, exc_info=None if expected else error)
                self.problem = str(error)


def _next_try(alert: Alert, at: datetime) -> datetime | None:
    """When to send an alert again that was not taken; None for no more."""
    if at - alert.at >= _GIVEN_UP_AFTER:
        return None
    wait: timedelta = _FIRST_WAIT * 2 ** min(alert.attempts, 10)
    return at + min(_LONGEST_WAIT, wait)
