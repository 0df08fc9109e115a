"""Whether the backend and its store are well."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime

from piql_backend import __version__
from piql_backend.health.schemas import HealthRead
from piql_backend.store import StoreConnection
from piql_backend.workspaces.repository import Workspaces


class Health:
    """One start of the backend."""

    def __init__(self, store: StoreConnection, workspaces: Workspaces) -> None:
        self._store = store
        self._workspaces = workspaces
        self._instance_id = secrets.token_hex(8)
        self._started_at = datetime.now(UTC)

    async def read(self) -> HealthRead:
        store = await asyncio.to_thread(self._store.read_health)
        return HealthRead(
            status="ok" if store.healthy else "degraded",
            version=__version__,
            instance_id=self._instance_id,
            started_at=self._started_at,
            store=store,
            workspace_ids=await asyncio.to_thread(self._workspaces.ids),
        )
