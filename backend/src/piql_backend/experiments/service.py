"""The experiments of the papers: one runs at a time, each as a process; its files are in a folder of its own.

never-run  →  running  →  done
                 ↓     →  failed       the process failed; the result before stays
             cancelling                 the result before stays
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from piql_profiler.experiments.experiment import Experiment
from piql_profiler.experiments.files import FIGURE, PAGE, read_result
from piql_profiler.experiments.papers import BY_NAME, EXPERIMENTS

from piql_backend.experiments.schemas import (
    ExperimentClaimRead,
    ExperimentRead,
    ExperimentResultRead,
    ExperimentState,
)
from piql_backend.measuring.process import MeasuringProcess
from piql_backend.web.background_work import BackgroundWork
from piql_backend.web.errors import ApiError, NotFound

log = logging.getLogger(__name__)


class Experiments:
    """All experiments by name. Everything here happens on the event loop, so nothing needs a lock."""

    def __init__(self, root: Path, samples: Path) -> None:
        self._root = root
        self._samples = samples
        self._running: str | None = None
        self._is_cancelled = False
        self._messages: dict[str, str] = {}
        self._process: MeasuringProcess | None = None
        self._work = BackgroundWork()

    async def close(self) -> None:
        """End the process under way, also one that is just being started."""
        self._is_cancelled = True
        await self._end_process()
        await self._work.wait()

    async def list(self) -> list[ExperimentRead]:
        """All experiments, in the order of the papers."""
        results = await asyncio.to_thread(lambda: {name: read_result(self._root / name) for name in BY_NAME})
        return [self._read(experiment, results[experiment.name]) for experiment in EXPERIMENTS]

    async def read(self, name: str) -> ExperimentRead:
        """One experiment; ApiError 404 for none."""
        experiment = _known(name)
        return self._read(experiment, await asyncio.to_thread(read_result, self._root / name))

    async def result(self, name: str) -> ExperimentResultRead:
        """What the last run found; ApiError 409 where there was none."""
        content = await asyncio.to_thread(read_result, self._root / _known(name).name)
        if content is None:
            raise _without_result(name)
        columns = content["columns"]
        return ExperimentResultRead(
            how=content["how"], columns=columns, rows=[[row[column] for column in columns] for row in content["rows"]]
        )

    async def page(self, name: str) -> str:
        """The page of the last run; ApiError 409 where there was none."""
        return await self._file(name, PAGE)

    async def figure(self, name: str) -> str:
        """The figure of the last run, as SVG; ApiError 409 where there is none."""
        return await self._file(name, FIGURE)

    async def start(self, name: str, store: str | None = None) -> ExperimentRead:
        """Run an experiment, with a URL on that store; ApiError 409 while one runs, 422 for one that takes no store."""
        experiment = _known(name)
        if store is not None and experiment.not_on_stores is not None:
            message = f"“{experiment.title}” takes no store: {experiment.not_on_stores}."
            raise ApiError(422, "experiment-takes-no-store", message, "Run it without one.")
        if self._running is not None:
            other = BY_NAME[self._running].title
            raise ApiError(409, "experiment-under-way", f"“{other}” runs.", "Wait for it, or cancel it.")
        self._running, self._is_cancelled = name, False
        self._messages.pop(name, None)
        self._work.begin(self._carry_out(name, store))
        return self._read(experiment, await asyncio.to_thread(read_result, self._root / name))

    async def cancel(self, name: str) -> ExperimentRead:
        """Stop an experiment; what it found before stays. ApiError 409 where it does not run."""
        experiment = _known(name)
        if self._running != name:
            raise ApiError(409, "run-ended", "The experiment does not run.")
        if not self._is_cancelled:
            self._is_cancelled = True
            self._work.begin(self._end_process())
        return self._read(experiment, await asyncio.to_thread(read_result, self._root / name))

    async def _end_process(self) -> None:
        if self._process is not None:
            await self._process.cancel()

    async def _carry_out(self, name: str, store: str | None) -> None:
        """Run the command into a folder beside the last result, which it replaces once it is whole."""
        folder = self._root / ".running"
        try:
            await asyncio.to_thread(_emptied, folder)
            arguments = [name, "--out", str(folder.resolve()), "--samples", str(self._samples.resolve())]
            arguments.append("--end-with-parent")  # also where this process is killed
            if store is not None:
                arguments.append("--store")  # alone: the URL is in the environment, where nobody else sees it
            self._process = await MeasuringProcess.start("experiment", arguments, folder, store or "")
            if self._is_cancelled:
                await self._process.cancel()
            code, complaint = await self._process.follow(lambda line: None)
            if code == 0:
                await asyncio.to_thread(_put, folder / name, self._root / name)
            elif not self._is_cancelled:
                self._messages[name] = complaint or f"The command ended with {code}."
        except Exception:
            log.exception("experiment %s", name)
            self._messages[name] = "The backend failed while it supervised this run."
        finally:
            self._process = self._running = None

    async def _file(self, name: str, file: str) -> str:
        path = self._root / _known(name).name / file
        try:
            return await asyncio.to_thread(path.read_text, "utf-8")
        except FileNotFoundError:
            raise _without_result(name) from None

    def _read(self, experiment: Experiment, content: dict[str, Any] | None) -> ExperimentRead:
        return ExperimentRead(
            name=experiment.name,
            paper=experiment.paper,
            title=experiment.title,
            about=experiment.about,
            minutes=experiment.minutes,
            state=self._state_of(experiment.name, content is not None),
            message=self._messages.get(experiment.name),
            verdict=None if content is None else content["verdict"],
            claims=[] if content is None else [ExperimentClaimRead(**claim) for claim in content["claims"]],
            ended_at=None if content is None else datetime.fromtimestamp(content["ended_at"], UTC),
            seconds=None if content is None else content["seconds"],
            has_figure=content is not None and content["chart"] is not None,
            store=None if content is None else content.get("store"),
            not_on_stores=experiment.not_on_stores,
        )

    def _state_of(self, name: str, has_result: bool) -> ExperimentState:
        if self._running == name:
            return "cancelling" if self._is_cancelled else "running"
        if name in self._messages:
            return "failed"
        return "done" if has_result else "never-run"


def _known(name: str) -> Experiment:
    if name not in BY_NAME:
        raise NotFound("unknown-experiment", f"There is no experiment {name[:60]}.")
    return BY_NAME[name]


def _without_result(name: str) -> ApiError:
    return ApiError(409, "experiment-without-result", f"{name} has not been run to its end.", "Run it first.")


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _put(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    source.rename(target)
