"""What a health check says."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from piql_backend.schema import Read


class StoreRead(Read):
    """The store behind the workbench; passwords in its URL are left out."""

    url: str
    kind: Literal["embedded", "cql"]
    healthy: bool
    message: str | None


class HealthRead(Read):
    """`instance_id` is new at each start, so a page sees that the backend was restarted."""

    status: Literal["ok", "degraded"]
    version: str
    instance_id: str
    started_at: datetime
    store: StoreRead
    workspace_ids: list[str]
