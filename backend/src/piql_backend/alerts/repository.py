"""The table `alerts`: a row for each time that something began to be wrong, and for each time that it was over."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from piql_backend.alerts.conditions import Condition, Kind
from piql_backend.database.connection import Database

_COLUMNS = "id, kind, query, state, message, changed_at, attempts"
_FIRING = """
    SELECT kind, query, message FROM alerts
    QUALIFY row_number() OVER (PARTITION BY kind, query ORDER BY changed_at DESC, state DESC) = 1 AND state = 'firing'
"""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that began to be wrong (`firing`) or is over (`resolved`); `attempts` says how often it was sent."""

    id: str
    kind: str
    query: str
    state: str
    message: str
    at: datetime
    attempts: int


class AlertTable:
    """The alerts of one environment; they are kept as their history."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, conditions: Mapping[tuple[Kind, str], Condition], at: datetime) -> None:
        """Write down what is wrong that was not, and what was wrong and is not any more, each to be sent."""
        with self._database.write() as cursor:
            rows = cursor.execute(_FIRING).fetchall()
            firing = {(kind, query): message for kind, query, message in rows}
            changes = [(*key, "firing", conditions[key].message) for key in conditions.keys() - firing.keys()]
            changes += [(*key, "resolved", firing[key]) for key in firing.keys() - conditions.keys()]
            for kind, query, state, message in sorted(changes):
                values = [uuid.uuid4().hex, kind, query, state, message, at, at]
                cursor.execute("INSERT INTO alerts VALUES (?, ?, ?, ?, ?, ?, 0, ?, NULL)", values)

    def due(self, at: datetime) -> Sequence[Alert]:
        """The alerts that are to be sent now, the oldest first."""
        sql = f"SELECT {_COLUMNS} FROM alerts WHERE next_try_at <= ? ORDER BY changed_at, kind, query, state DESC"
        with self._database.read() as cursor:
            return [Alert(*row) for row in cursor.execute(sql, [at]).fetchall()]

    def delivered(self, alert: Alert, at: datetime) -> None:
        """Write down that an alert was taken."""
        sql = "UPDATE alerts SET attempts = attempts + 1, next_try_at = NULL, delivered_at = ? WHERE id = ?"
        with self._database.write() as cursor:
            cursor.execute(sql, [at, alert.id])

    def failed(self, alert: Alert, next_try_at: datetime | None) -> None:
        """Write down that an alert was not taken, and when to try again: never, for None."""
        with self._database.write() as cursor:
            sql = "UPDATE alerts SET attempts = attempts + 1, next_try_at = ? WHERE id = ?"
            cursor.execute(sql, [next_try_at, alert.id])
