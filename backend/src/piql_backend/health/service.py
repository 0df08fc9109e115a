"""The health check: problems of the backend and its disk, and those of one environment with its store and history."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class EnvironmentState:
    """How an environment is, without the problems of histories, of which each sees those of their own applications."""

    store: StoreRead
    of_store: Sequence[ProblemRead]
    others: Sequence[ProblemRead]
    is_open: bool = True


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
        return self.as_seen(await self.look_at(application, environment), sees)

    async def look_at(self, application: str, environment: str) -> EnvironmentState:
        """What is the same for all who ask for the health of an environment; ApiError 404 as `read_environment`."""
        try:
            async with self._environments.using(application, environment) as opened:
                return await asyncio.to_thread(self._state_of, application, opened)
        except ApiError as error:
            if error.status != 503:
                raise
            store = StoreRead(url="", kind=EMBEDDED, healthy=False, message=error.body.message, cluster=None)
            problem = ProblemRead(what="environment", message=error.body.message, help=error.body.help)
            others = await asyncio.to_thread(self._applications.problems, [application])
            return EnvironmentState(store, [problem], others, is_open=False)

    def as_seen(self, state: EnvironmentState, sees: Sees) -> EnvironmentHealthRead:
        """The health of an environment for somebody who sees some applications."""
        of_histories = self._histories.problems(sees) if state.is_open else []
        problems = [*state.of_store, *of_histories, *state.others]
        return EnvironmentHealthRead(**self._health_of(problems).model_dump(), store=state.store)

    def _state_of(self, application: str, environment: Environment) -> EnvironmentState:
        store, reported = environment.read_problems()
        of_store = [problem for problem in reported if problem.what == "store"]
        others = [*self._problems_of_disk(), *self._applications.problems([application])]
        return EnvironmentState(
            store, of_store, [*others, *(problem for problem in reported if problem.what != "store")]
        )

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
        yield from self._problems_of_disk()

    def _problems_of_disk(self) -> Iterator[ProblemRead]:
        problem = problem_of_disk(self._data)
        if problem is not None:
            message, advice = problem
            yield ProblemRead(what="disk", message=message, help=advice)
