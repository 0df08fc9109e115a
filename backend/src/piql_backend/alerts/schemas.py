"""Alerts, silences, and test messages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from piql_backend.alerts.conditions import Kind
from piql_backend.database.connection import aware
from piql_backend.web.schemas import Read, Write

_MOST_MINUTES = 30 * 24 * 60

_Moment = Annotated[datetime, AfterValidator(aware)]
"""A time of the tables, which have no zone."""


class AlertRead(Read):
    """Something that began to be wrong (`firing`) or is over (`resolved`).

    `is_silenced`: a silence keeps it from being told. `delivered_to` and `waits_for` are of `webhook` and `mail`.
    """

    id: str
    kind: str
    query: str
    state: str
    message: str
    at: _Moment
    is_silenced: bool
    delivered_to: list[str]
    waits_for: list[str]


class SilenceWrite(Write):
    """For how many minutes nothing is told, and why; without a kind of all kinds, without a query of all queries."""

    minutes: int = Field(ge=1, le=_MOST_MINUTES)
    reason: str = Field(min_length=1, max_length=500)
    kind: Kind | None = None
    query: Annotated[str, Field(max_length=1_000)] | None = None


class SilenceRead(Read):
    """A silence; `person` is null where nobody signs in."""

    id: str
    kind: str | None
    query: str | None
    reason: str
    person: str | None
    since: _Moment
    until: _Moment


class AlertsRead(Read):
    """Where alerts go, what is wrong now, the longest first, the last hundred, and the silences that are not over.

    Without a destination nothing is looked at: `firing` is then what was wrong when something was.
    """

    destinations: list[str]
    firing: list[AlertRead]
    alerts: list[AlertRead]
    silences: list[SilenceRead]


class TestedRead(Read):
    """Whether a destination took a test message: `problem` is null where it did."""

    destination: str
    problem: str | None
