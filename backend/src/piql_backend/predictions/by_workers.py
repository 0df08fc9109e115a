"""Lets worker processes predict, within their limits of time and memory, so that executions need not wait.

question  →  PredictionJob: the question, the run, its folder  →  a worker, in `service.py`  →  the answer
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from fastapi import Response
from piql_profiler.predictor.sizes import Size

from piql_backend.predictions.questions import ForAll, ForQuantiles, ForSizes, SizeEstimates
from piql_backend.predictions.service import Runs
from piql_backend.web.schemas import SourceFile
from piql_backend.workers.pool import WorkerPool
from piql_backend.workers.protocol import PredictionJob


class OfRun(Protocol):
    """A question that names the run to predict from."""

    @property
    def run_id(self) -> str: ...


class OfFiles(OfRun, Protocol):
    """A question about files, as the API receives it."""

    @property
    def files(self) -> list[SourceFile]: ...


class PredictionsByWorkers:
    """Hands questions to workers; ApiError 404 or 409 for a run that cannot be used, 503 when too much waits already.

    `answer` is for the event loop; the other methods block the thread that calls them until the worker has answered.
    """

    def __init__(self, workers: WorkerPool, runs: Runs) -> None:
        self._workers = workers
        self._runs = runs

    async def answer(self, job: str, request: OfFiles) -> Response:
        """The JSON that a job makes of a request."""
        return await self._workers.answer(job, self._job(request), request.files)

    def for_all(self, texts: Mapping[str, str], run_id: str) -> tuple[str, dict[str, float]]:
        """The model's name and the estimated p99 in ms of every query that it can predict."""
        answer: tuple[str, dict[str, float]] = self._asked("predict_all", ForAll(texts, run_id))
        return answer

    def for_quantiles(
        self, texts: Mapping[str, str], quantiles: Mapping[str, float], run_id: str
    ) -> dict[str, tuple[float, float]]:
        """Predict a quantile of each named query, in ms, of the median and of the worst interval.

        Queries that cannot be predicted are left out.
        """
        answer: dict[str, tuple[float, float]] = self._asked("quantiles", ForQuantiles(texts, run_id, quantiles))
        return answer

    def for_sizes(
        self,
        texts: Mapping[str, str],
        sizes: Mapping[str, list[Size]],
        thresholds_ms: Mapping[str, float],
        run_id: str,
    ) -> dict[str, SizeEstimates]:
        """Predict executions of each named query: at its limits, and of each size."""
        answer: dict[str, SizeEstimates] = self._asked("sizes", ForSizes(texts, run_id, sizes, thresholds_ms))
        return answer

    def _asked(self, job: str, question: ForAll | ForQuantiles | ForSizes) -> Any:
        return self._workers.submit(job, self._job(question), question.texts).result()

    def _job(self, question: OfRun) -> PredictionJob:
        measurements = self._runs.measurements_of(question.run_id).resolve()
        return PredictionJob(question, self._runs.read(question.run_id), measurements)
