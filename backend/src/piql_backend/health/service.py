"""Whether the backend, its store, its history and its disk are well."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from piql_backend import __version__
from piql_backend.disk import FREE_SOME, LEAST_FREE_BYTES, free_bytes
from piql_backend.health.schemas import HealthRead, ProblemRead, StoreRead
from piql_backend.store import StoreConnection

_BYTES_A_MB = 1_000_000


class Health:
    """One start of the backend; `ask` gives what other parts know to be the matter."""

    def __init__(
        self,
        store: StoreConnection,
        data: Path,
        ask: Callable[[], Sequence[ProblemRead]],
    ) -> None:
        self._store = store
        self._data = data
        self._ask = ask
        self._instance_id = secrets.token_hex(8)
        self._started_at = datetime.now(UTC)

    async def read(self) -> HealthRead:
        store = await asyncio.to_thread(self._store.read_health)
        problems = await asyncio.to_thread(lambda: list(self._problems(store)))
        return HealthRead(
            status="ok" if all(problem.is_over for problem in problems) else "degraded",
            version=__version__,
            instance_id=self._instance_id,
            started_at=self._started_at,
            store=store,
            problems=problems,
        )

    def _problems(self, store: StoreRead) -> Iterator[ProblemRead]:
        if not store.healthy:
            yield ProblemRead(
                what="store", message=store.message or "The store does not answer.", help="Check that it is running."
            )
        free = free_bytes(self._data)
        if free < LEAST_FREE_BYTES:
            message = f"The disk of the data folder is full: {free / _BYTES_A_MB:.1f} MB are left."
            yield ProblemRead(what="disk", message=message, help=FREE_SOME)
        yield from (problem for problem in self._ask() if store.healthy or problem.what != "deployments")
