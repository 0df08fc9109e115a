"""The tables of alerts: what began to be wrong and when it was over, to whom that has to be told, and silences."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from piql_backend.alerts.conditions import Condition, Kind
from piql_backend.database.connection import Cursor, Database

MOST_SILENCES = 100  # at a time
LONGEST_WAIT = timedelta(hours=1)  # between two attempts to tell an alert
_MOMENT = timedelta(microseconds=1)
_COLUMNS = "id, kind, query, state, message, changed_at"
_NEWEST, _OLDEST = "ORDER BY changed_at DESC, state DESC", "ORDER BY changed_at"
_PAST = f"""
    SELECT {_COLUMNS}, silence IS NOT NULL,
           coalesce(list(destination ORDER BY destination) FILTER (WHERE delivered_at IS NOT NULL), []),
           coalesce(list(destination ORDER BY destination) FILTER (WHERE next_try_at IS NOT NULL), [])
    FROM {{alerts}} LEFT JOIN alert_deliveries ON alert = id
    GROUP BY ALL {{order}}, kind, query
"""
_FIRING = f"""
    SELECT kind, query, id, message, silence FROM alerts
    QUALIFY row_number() OVER (PARTITION BY kind, query {_NEWEST}) = 1 AND state = 'firing'
"""
_LAST_CHANGES = "SELECT kind, query, max(changed_at) FROM alerts GROUP BY ALL"
_WAITING = f"""
    SELECT destination, attempts, next_try_at, {_COLUMNS} FROM alerts JOIN alert_deliveries ON alert = id
    WHERE next_try_at IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY destination, kind, query ORDER BY changed_at, state) = 1
"""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that began to be wrong (`firing`) or is over (`resolved`)."""

    id: str
    kind: str
    query: str
    state: str
    message: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Delivery:
    """An alert that has to be told to one destination, and how often that was tried."""

    alert: Alert
    destination: str
    attempts: int


@dataclass(frozen=True, slots=True)
class PastAlert(Alert):
    """An alert of the history: whether a silence kept it, who has it, and who is still to be told."""

    is_silenced: bool
    delivered_to: list[str]
    waits_for: list[str]


@dataclass(frozen=True, slots=True)
class Silence:
    """Until when nothing is told of a kind and a query, why, and by whom; None for all kinds, and all queries."""

    id: str
    kind: str | None
    query: str | None
    reason: str
    person: str | None
    since: datetime
    until: datetime

    def covers(self, kind: str, query: str) -> bool:
        return self.kind in (None, kind) and self.query in (None, query)


class AlertTable:
    """The alerts of one environment; they are kept as their history."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(
        self,
        conditions: Mapping[tuple[Kind, str], Condition],
        undecided: Collection[tuple[Kind, str]],
        at: datetime,
        destinations: Sequence[str],
    ) -> None:
        """Write down what is wrong that was not, and what was wrong and is not any more, to be told to destinations.

        What is undecided is not over. Each change of a kind and a query is later than the one before, also where the
        clock was set back: the last one says what is wrong. What a silence covers is told when the silence is over, if
        it is still wrong. That something is over is told where it was told that it is wrong.
        """
        with self._database.write() as cursor:
            silences = _silences(cursor, at)
            firing = {(kind, query): rest for kind, query, *rest in cursor.execute(_FIRING).fetchall()}
            after = {(kind, query): last + _MOMENT for kind, query, last in cursor.execute(_LAST_CHANGES).fetchall()}
            for key in sorted(conditions.keys() - firing.keys()):
                silence = next((silence.id for silence in silences if silence.covers(*key)), None)
                changed_at = max(at, after.get(key, at))
                alert = _add(cursor, (*key, "firing", conditions[key].message, changed_at, silence))
                if silence is None:
                    _deliver(cursor, alert, at, destinations)
            for key in sorted(firing.keys() - conditions.keys() - set(undecided)):
                _, message, silence = firing[key]
                alert = _add(cursor, (*key, "resolved", message, max(at, after[key]), silence))
                if silence is None:
                    _deliver(cursor, alert, at, destinations)
            for key in sorted(firing.keys() & conditions.keys()):
                alert, _, silence = firing[key]
                if silence is not None and not any(silence.covers(*key) for silence in silences):
                    cursor.execute("UPDATE alerts SET silence = NULL WHERE id = ?", [alert])
                    _deliver(cursor, alert, at, destinations)

    def due(self, at: datetime) -> Sequence[Delivery]:
        """What is to be told now, the oldest first; that something is over waits for what says that it is wrong.

        What waits for longer than it ever should was written before the clock was set back.
        """
        sql = f"""
            SELECT * EXCLUDE next_try_at FROM ({_WAITING}) WHERE next_try_at <= ? OR next_try_at > ?
            ORDER BY changed_at, kind, query, destination
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, [at, at + LONGEST_WAIT]).fetchall()
        return [Delivery(Alert(*alert), destination, attempts) for destination, attempts, *alert in rows]

    def is_settled(self) -> bool:
        """Whether nothing is wrong, and nothing waits to be told."""
        with self._database.read() as cursor:
            return not cursor.execute(f"SELECT 1 FROM ({_FIRING}) UNION ALL SELECT 1 FROM ({_WAITING})").fetchall()

    def delivered(self, delivery: Delivery, at: datetime) -> None:
        """Write down that an alert was taken."""
        self._tried(delivery, None, at)

    def failed(self, delivery: Delivery, next_try_at: datetime | None) -> None:
        """Write down that an alert was not taken, and when to try again: never, for None."""
        self._tried(delivery, next_try_at, None)

    def history(self, most: int) -> Sequence[PastAlert]:
        """The last alerts, the newest first."""
        sql = f"{_PAST.format(alerts='alerts', order=_NEWEST)} LIMIT ?"
        with self._database.read() as cursor:
            rows = cursor.execute(sql, [most]).fetchall()
        return [PastAlert(*row) for row in rows]

    def firing(self) -> Sequence[PastAlert]:
        """What is not over, however many alerts began since, the longest first."""
        sql = _PAST.format(alerts=f"(SELECT * FROM alerts WHERE id IN (SELECT id FROM ({_FIRING})))", order=_OLDEST)
        with self._database.read() as cursor:
            return [PastAlert(*row) for row in cursor.execute(sql).fetchall()]

    def silences(self, at: datetime) -> Sequence[Silence]:
        """The silences that are not over, the one that ends first first."""
        with self._database.read() as cursor:
            return _silences(cursor, at)

    def add_silence(self, silence: Silence) -> bool:
        """Add one; return False where MOST_SILENCES are not over."""
        with self._database.write() as cursor:
            if len(_silences(cursor, silence.since)) >= MOST_SILENCES:
                return False
            values = [silence.id, silence.kind, silence.query, silence.reason, silence.person]
            cursor.execute("INSERT INTO silences VALUES (?, ?, ?, ?, ?, ?, ?)", [*values, silence.since, silence.until])
            return True

    def end_silence(self, id: str, at: datetime) -> bool:
        """End a silence now; return whether there was one."""
        sql = "UPDATE silences SET until = ? WHERE id = ? AND until > ? RETURNING id"
        with self._database.write() as cursor:
            return bool(cursor.execute(sql, [at, id, at]).fetchall())

    def _tried(self, delivery: Delivery, next_try_at: datetime | None, delivered_at: datetime | None) -> None:
        sql = """
            UPDATE alert_deliveries SET attempts = attempts + 1, next_try_at = ?, delivered_at = ?
            WHERE alert = ? AND destination = ?
        """
        with self._database.write() as cursor:
            cursor.execute(sql, [next_try_at, delivered_at, delivery.alert.id, delivery.destination])


def _silences(cursor: Cursor, at: datetime) -> list[Silence]:
    rows = cursor.execute("SELECT * FROM silences WHERE until > ? ORDER BY until, id", [at]).fetchall()
    return [Silence(*row) for row in rows]


def _add(cursor: Cursor, values: tuple[str, str, str, str, datetime, str | None]) -> str:
    """Add an alert: kind, query, state, message, time, and the silence that keeps it from being told; its id."""
    alert = uuid.uuid4().hex
    cursor.execute("INSERT INTO alerts VALUES (?, ?, ?, ?, ?, ?, ?)", [alert, *values])
    return alert


def _deliver(cursor: Cursor, alert: str, at: datetime, destinations: Sequence[str]) -> None:
    for destination in destinations:
        cursor.execute("INSERT INTO alert_deliveries VALUES (?, ?, 0, ?, NULL)", [alert, destination, at])
