"""Looks at the dashboard once a minute, and tells a webhook, a mailbox or both what is wrong and what is over.

What has to be told is on disk before it is sent: it is sent once more after a kill, under the same id. An alert that is
not taken is sent again after 30 seconds, then after twice as long each time, at most an hour; after a day no more. What
is over is told after what was wrong. Each destination is tried by itself.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

import duckdb
from piql.errors import PiqlError

from piql_backend.alerts.conditions import conditions_of, undecided_in, unusual_in
from piql_backend.alerts.destination import Destination
from piql_backend.alerts.mailbox import Mailbox
from piql_backend.alerts.mailing import mail
from piql_backend.alerts.repository import LONGEST_WAIT, MOST_SILENCES, Alert, AlertTable, Delivery, Silence
from piql_backend.alerts.schemas import AlertRead, AlertsRead, SilenceRead, SilenceWrite, TestedRead
from piql_backend.alerts.sending import send
from piql_backend.database.connection import aware, now
from piql_backend.latency.schemas import LatencyRead, UnusualQueriesRead
from piql_backend.web.errors import ApiError, NotFound

log = logging.getLogger(__name__)

MOST_SHOWN = 100
_SECONDS_BETWEEN_LOOKS = 60.0
_FIRST_WAIT = timedelta(seconds=30)
_MOST_ATTEMPTS = 31  # as many as fit into a day

Target: TypeAlias = Destination | Mailbox


class Alerts:
    """The alerts of one environment; `read` gives its dashboard, and `read_unusual` what is unlike its own past.

    Without a target nothing is done.
    """

    def __init__(
        self,
        environment: tuple[str, str],
        table: AlertTable,
        read: Callable[[], LatencyRead],
        read_unusual: Callable[[], UnusualQueriesRead],
        targets: Sequence[Target],
    ) -> None:
        self._environment = environment
        self._table = table
        self._read = read
        self._read_unusual = read_unusual
        self._targets = {target.name: target for target in targets}
        self._problems: dict[str, str] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="alerts", daemon=True)
        self._problem: str | None = None  # why the dashboard could not be looked at

    @property
    def problem(self) -> str | None:
        """Why alerts wait; None where none does."""
        return self._problem or next(iter(self._problems.values()), None)

    def open(self) -> None:
        if self._targets:
            self._thread.start()

    def is_settled(self) -> bool:
        """Whether nobody waits for an alert, or for the news that something is over."""
        return not self._targets or self._table.is_settled()

    def close(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        """Write down what is wrong and what is over; where nothing is deployed, nothing is wrong."""
        try:
            latency, unusual = self._read(), self._read_unusual()
        except ApiError as error:
            if error.status != 404:
                raise
            latency, unusual = LatencyRead.model_construct(queries=[]), UnusualQueriesRead(until=None, queries=[])
        wrong = [*conditions_of(latency), *unusual_in(unusual)]
        conditions = {(condition.kind, condition.query): condition for condition in wrong}
        self._table.record(conditions, undecided_in(latency), now(), list(self._targets))

    def tell(self) -> None:
        """Send what is due, and what is due then; a destination that takes nothing keeps no other waiting."""
        while deliveries := self._table.due(now()):
            for delivery in deliveries:
                if self._stopped.is_set():
                    return
                self._try(delivery)

    def _try(self, delivery: Delivery) -> None:
        target = self._targets.get(delivery.destination)
        if target is None:  # it was taken out of the settings
            self._table.failed(delivery, None)
            return
        problem = _send(target, self._content(delivery.alert))
        if problem is None:
            self._table.delivered(delivery, now())
            self._problems.pop(target.name, None)
            return
        self._table.failed(delivery, _next_try(delivery, now()))
        if problem != self._problems.get(target.name):
            log.warning("alerts wait: %s", problem)
        self._problems[target.name] = problem

    def test(self) -> Sequence[TestedRead]:
        """Send a message that says it is a test to each destination, at once and once."""
        message = "A test message of the workbench: nothing is wrong."
        alert = Alert(uuid.uuid4().hex, "test", "", "test", message, now())
        content = self._content(alert)
        return [
            TestedRead(destination=str(target), problem=_send(target, content)) for target in self._targets.values()
        ]

    def read(self) -> AlertsRead:
        """Where alerts go, what is wrong now, the last alerts, and the silences that are not over."""
        return AlertsRead(
            destinations=[str(target) for target in self._targets.values()],
            firing=[AlertRead.model_validate(past) for past in self._table.firing()],
            alerts=[AlertRead.model_validate(past) for past in self._table.history(MOST_SHOWN)],
            silences=[SilenceRead.model_validate(silence) for silence in self._table.silences(now())],
        )

    def silence(self, wish: SilenceWrite, person: str | None) -> SilenceRead:
        """Tell nothing of a kind and a query for a time; what is wrong is written down all the same."""
        until = now() + timedelta(minutes=wish.minutes)
        silence = Silence(uuid.uuid4().hex, wish.kind, wish.query, wish.reason, person, now(), until)
        if not self._table.add_silence(silence):
            raise ApiError(409, "too-many-silences", f"There are {MOST_SILENCES} silences.", "End one first.")
        return SilenceRead.model_validate(silence)

    def end_silence(self, id: str) -> None:
        """End a silence; ApiError 404 for one that is over or never was."""
        if not self._table.end_silence(id, now()):
            raise NotFound("unknown-silence", "That silence is over, or never was.", "List those that are not over.")

    def _content(self, alert: Alert) -> dict[str, str]:
        application, environment = self._environment
        return {
            "id": alert.id,
            "application": application,
            "environment": environment,
            "kind": alert.kind,
            "query": alert.query,
            "state": alert.state,
            "message": alert.message,
            "at": aware(alert.at).isoformat(),
        }

    def _run(self) -> None:
        while not self._stopped.wait(_SECONDS_BETWEEN_LOOKS):
            problems = [self._carried_out(self.look), self._carried_out(self.tell)]
            self._problem = next(filter(None, problems), None)

    def _carried_out(self, part: Callable[[], None]) -> str | None:
        """Why a part of a look failed, None where it did not.

        Whatever it is, the next part and the next look come: without them nobody would be told any more.
        """
        try:
            part()
        except Exception as error:
            if str(error) != self._problem:
                expected = isinstance(error, (duckdb.Error, OSError, PiqlError, ApiError))
                log.error("alerts could not be checked: %s", error, exc_info=None if expected else error)
            return str(error)
        return None


def _send(target: Target, content: Mapping[str, str]) -> str | None:
    """Send an alert; return why it was not taken, None where it was."""
    timestamp = int(aware(now()).timestamp())
    if isinstance(target, Mailbox):
        return mail(target, content, timestamp)
    return send(target, json.dumps(content).encode(), timestamp)


def _next_try(delivery: Delivery, at: datetime) -> datetime | None:
    """When to send an alert again that was not taken; None for no more."""
    if delivery.attempts + 1 >= _MOST_ATTEMPTS:
        return None
    wait: timedelta = _FIRST_WAIT * 2 ** min(delivery.attempts, 10)
    return at + min(LONGEST_WAIT, wait)
