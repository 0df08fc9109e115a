"""What a health check says."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from piql_backend.stores.schemas import StoreRead
from piql_backend.web.schemas import ProblemRead, Read


class HealthRead(Read):
    """`status` is degraded while there is a problem that is not over.

    `instance_id` is new at each start, so a page sees that the backend was restarted.
    """

    status: Literal["ok", "degraded"]
    version: str
    instance_id: str
    started_at: datetime
    problems: list[ProblemRead]


class EnvironmentHealthRead(HealthRead):
    """The workbench as it serves one environment."""

    store: StoreRead
