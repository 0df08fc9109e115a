"""The health check: problems of the backend and its disk, and those of one environment with its store and history."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from piql.store.schemes import EMBEDDED

from piql_backend import __version__
from piql_backend.applications.repository import Applications
from piql_backend.data_folder.disk import problem_of_disk
from piql_backend.environments.environment import Environment
from piql_backend.environments.registry import Environments
from piql_backend.file_history.service import FileHistories
from piql_backend.health.schemas import EnvironmentHealthRead, HealthRead
from piql_backend.stores.schemas import StoreRead
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import ProblemRead
from piql_backend.web.visitor import Sees


class Health:
    """Reads the health of the workbench; there is one for each start of the backend."""

    def __init__(
        self, data: Path, applications: Applications, environments: Environments, histories: FileHistories
    ) -> None:
        self._data = data
        self._applications = applications
        self._environments = environments
        self._histories = histories
        self._instance_id = secrets.token_hex(8)
        self._started_at = datetime.now(UTC)

    async def read(self, sees: Sees) -> HealthRead:
        """The health of what all environments share, and of the files of the applications that one sees."""

        def problems() -> list[ProblemRead]:
            seen = [application for application in self._applications.ids() if sees(application)]
            return [*self._shared_problems(sees), *self._applications.problems(seen)]

        return self._health_of(await asyncio.to_thread(problems))

    async def read_environment(self, application: str, environment: str, sees: Sees) -> EnvironmentHealthRead:
        """The health of one environment, also of one that cannot be opened; ApiError 404 for none of that name."""
        try:
            async with self._environments.using(application, environment) as opened:
                return await self._read_open(application, opened, sees)
        except ApiError as error:
            if error.status != 503:
                raise
            store = StoreRead(url="", kind=EMBEDDED, healthy=False, message=error.body.message, cluster=None)
            problem = ProblemRead(what="environment", message=error.body.message, help=error.body.help)
            problems = [problem, *await asyncio.to_thread(self._applications.problems, [application])]
            return EnvironmentHealthRead(**self._health_of(problems).model_dump(), store=store)

    async def _read_open(self, application: str, environment: Environment, sees: Sees) -> EnvironmentHealthRead:
        store, reported = await asyncio.to_thread(environment.read_problems)
        shared = await asyncio.to_thread(
            lambda: [*self._shared_problems(sees), *self._applications.problems([application])]
        )
        of_store = [problem for problem in reported if problem.what == "store"]
        problems = [*of_store, *shared, *(problem for problem in reported if problem.what != "store")]
        return EnvironmentHealthRead(**self._health_of(problems).model_dump(), store=store)

    def _health_of(self, problems: Sequence[ProblemRead]) -> HealthRead:
        return HealthRead(
            status="ok" if all(problem.is_over for problem in problems) else "degraded",
            version=__version__,
            instance_id=self._instance_id,
            started_at=self._started_at,
            problems=list(problems),
        )

    def _shared_problems(self, sees: Sees) -> Iterator[ProblemRead]:
        yield from self._histories.problems(sees)
        problem = problem_of_disk(self._data)
        if problem is not None:
            message, advice = problem
            yield ProblemRead(what="disk", message=message, help=advice)
