"""What was decided about canaries, and what looks at them have shown, in DuckDB."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from piql_profiler.validation.two_versions import Verdicts

from piql_backend.canaries.schemas import Act, CanaryEventRead
from piql_backend.database.connection import Database, aware, now

_MOST_EVENTS = 100  # that are shown


@dataclass(frozen=True, slots=True)
class Event:
    """A decision about one version that is tried; `change` is the store's id of it, `request` that of its request."""

    change: str
    version: int
    request: str | None
    person: str | None
    act: Act
    share: float
    why: str = ""

    @property
    def is_last(self) -> bool:
        return self.act in ("promoted", "withdrawn")


@dataclass(frozen=True, slots=True)
class Look:
    """The tests that were made at one time, at so many executions of the tried version since it got its share."""

    number: int
    made_at: datetime
    executions: int
    verdicts: Verdicts


class CanaryTable:
    """The canaries of one environment. Who writes holds the lock of the service."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, event: Event) -> None:
        """Add a decision, behind those about the same version."""
        newest = "SELECT coalesce(max(number), 0) + 1 FROM canary_events WHERE change = ?"
        with self._database.write() as cursor:
            row = cursor.execute(newest, [event.change]).fetchone()
            assert row is not None
            values = [event.change, row[0], event.version, event.request, now(), event.person, event.act]
            cursor.execute(
                "INSERT INTO canary_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [*values, event.share, event.why]
            )

    def newest(self) -> Event | None:
        """The last decision about any version."""
        sql = """
            SELECT change, version, request, person, act, share, why FROM canary_events
            ORDER BY made_at DESC, number DESC LIMIT 1
        """
        with self._database.read() as cursor:
            row = cursor.execute(sql).fetchone()
        return None if row is None else Event(*row)

    def number_of(self, request: str) -> int | None:
        """The number of a deploy request."""
        with self._database.read() as cursor:
            row = cursor.execute("SELECT number FROM deploy_requests WHERE id = ?", [request]).fetchone()
        return None if row is None else row[0]

    def of_change(self, change: str) -> Sequence[CanaryEventRead]:
        """What was decided about one version, the oldest first."""
        return self._events("change = ?", change)

    def of_request(self, request: str) -> Sequence[CanaryEventRead]:
        """What was decided about all versions that a deploy request was tried as, the oldest first."""
        return self._events("request = ?", request)

    def _events(self, condition: str, value: str) -> Sequence[CanaryEventRead]:
        sql = f"""
            SELECT version, made_at, person, act, share, why FROM canary_events WHERE {condition}
            ORDER BY made_at DESC, number DESC LIMIT {_MOST_EVENTS}
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, [value]).fetchall()
        return [
            CanaryEventRead(version=version, made_at=aware(made_at), person=person, act=act, share=share, why=why)
            for version, made_at, person, act, share, why in reversed(rows)
        ]

    def add_look(self, change: str, number: int, executions: int, verdicts: Verdicts) -> None:
        """Keep what a look has shown."""
        values: list[Any] = [change, number, now(), executions, json.dumps({**verdicts})]
        with self._database.write() as cursor:
            cursor.execute("INSERT INTO canary_looks VALUES (?, ?, ?, ?, ?)", values)

    def looks(self, change: str) -> Sequence[Look]:
        """The looks at one version, the oldest first."""
        sql = "SELECT number, made_at, executions, verdicts FROM canary_looks WHERE change = ? ORDER BY number"
        with self._database.read() as cursor:
            rows = cursor.execute(sql, [change]).fetchall()
        return [
            Look(number, aware(made_at), executions, json.loads(verdicts))
            for number, made_at, executions, verdicts in rows
        ]
