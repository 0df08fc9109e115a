"""What the probes answer: whether the workbench is alive, whether it is ready, and counts of what it has done."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from piql.telemetry.exposition import Family, Sample, text_of

from piql_backend.applications.repository import Applications
from piql_backend.data_folder.disk import problem_of_disk
from piql_backend.environments.environment import Environment
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.executions.tallies import Tally
from piql_backend.probes.exposition import histogram, reported_histogram, single
from piql_backend.probes.of_process import process_families
from piql_backend.probes.schemas import ProbeRead
from piql_backend.reports.tallies import ReportedTally
from piql_backend.workers.pool import WorkerPool


class Probes:
    """There is one for each start of the backend; `requests` counts answers by method and status."""

    def __init__(self, data: Path, applications: Applications, environments: Environments, workers: WorkerPool) -> None:
        self._data = data
        self._applications = applications
        self._environments = environments
        self._workers = workers
        self.requests: Counter[tuple[str, int]] = Counter()

    def live(self) -> ProbeRead:
        """Whether everything that was started still runs; if not, only a restart helps."""
        environments = self._environments.open_ones.items()
        ended = [name for name, environment in environments if not environment.observations.is_running]
        problems = [f"{name}: the thread that writes observations has ended" for name in ended]
        return ProbeRead(is_well=not problems, problems=problems)

    async def ready(self) -> ProbeRead:
        """Whether the process can serve requests: what was started still runs, and its data folder is there.

        The problems of environments are named too: all for which their own health answers 503. They do not count
        here, because the requests of other environments are served, and so are those that mend this one.
        """
        live = self.live()
        is_well = live.is_well and self._data.is_dir()
        disk = problem_of_disk(self._data)
        of_disk = [] if disk is None else [disk[0]]
        of_files = await asyncio.to_thread(self._applications.problems)
        unread = [problem.message for problem in of_files if not problem.is_over]
        opened = self._environments.open_ones.items()
        of_open = itertools.chain(*await asyncio.gather(*(_problems(*item) for item in opened)))
        of_closed = [f"{name}: {problem}" for name, problem in self._environments.problems.items()]
        return ProbeRead(is_well=is_well, problems=[*live.problems, *of_open, *of_closed, *of_disk, *unread])

    async def metrics(self) -> str:
        """All counts in Prometheus' text format."""
        environments = self._environments.open_ones
        thresholds = {
            name: await asyncio.to_thread(environment.slos.thresholds_seconds)
            for name, environment in environments.items()
        }
        tallies: dict[tuple[tuple[str, str], ...], Tally] = {
            (("application", name.application), ("environment", name.environment), ("query", query)): tally
            for name, environment in environments.items()
            for query, tally in environment.observations.tallies.read().items()
        }
        waiting = sum(environment.observations.waiting for environment in environments.values())
        requests, *of_process = process_families(self.requests, self._workers)
        failed = [Sample(tally.failed, dict(labels)) for labels, tally in tallies.items()]
        return text_of(
            (
                requests,
                histogram("piql_execution_seconds", "Time of executions, by query.", tallies),
                Family("piql_executions_failed_total", "counter", "Executions that failed, by query.", failed),
                *_reported(environments, thresholds),
                single("piql_observations_waiting", "gauge", "Observations to be written.", waiting),
                *of_process,
            )
        )


def _reported(
    environments: Mapping[EnvironmentName, Environment], thresholds: Mapping[EnvironmentName, Mapping[str, float]]
) -> Iterator[Family]:
    """What applications reported since the start, by application, environment and query."""
    tallies: dict[tuple[tuple[str, str], ...], tuple[ReportedTally, float | None]] = {
        (("application", name.application), ("environment", name.environment), ("query", query)): (
            tally,
            thresholds[name].get(query),
        )
        for name, environment in environments.items()
        for query, tally in environment.reports.tallies.read().items()
    }
    yield reported_histogram("piql_reported_execution_seconds", "Time of executions that were reported.", tallies)
    outcomes = [
        Sample(count, dict(labels) | {"outcome": outcome})
        for labels, (tally, _) in tallies.items()
        for outcome, count in sorted(tally.outcomes.items())
    ]
    yield Family("piql_reported_executions_total", "counter", "Executions that were reported.", outcomes)
    failed = [Sample(tally.failed, dict(labels)) for labels, (tally, _) in tallies.items()]
    yield Family("piql_reported_failed_total", "counter", "Executions that failed; refusals are none.", failed)
    over_bound = [Sample(tally.over_bound, dict(labels)) for labels, (tally, _) in tallies.items()]
    yield Family("piql_reported_over_bound_total", "counter", "Executions that passed their bound.", over_bound)


async def _problems(name: EnvironmentName, environment: Environment) -> list[str]:
    """A sentence for each problem of one environment that is not over."""
    _, problems = await asyncio.to_thread(environment.read_problems)
    return [f"{name}: {problem.message}" for problem in problems if not problem.is_over]
