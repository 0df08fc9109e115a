"""Observations of executions: collected in memory, and appended to DuckDB in batches by a thread of its own.

    any thread  →  add  →  waiting, in memory  →  every half second  →  the table `observations`

When DuckDB cannot be written, they wait longer, and `problem` says why; beyond MOST_WAITING new ones are dropped.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from dataclasses import dataclass

import duckdb
import numpy as np
from piql.client.database import Observation
from piql.reporting.operator_cells import OperatorCells, cells_of, join
from piql.runtime.execution.incidents import IncidentKind

from piql_backend.data_folder.disk import advice_on
from piql_backend.database.connection import Database, now
from piql_backend.executions.tallies import Tallies
from piql_backend.reports.operator_samples import add_samples, columns_of
from piql_backend.reports.widths import minute_of

log = logging.getLogger(__name__)

SECONDS_BETWEEN_FLUSHES = 0.5
MOST_WAITING = 200_000


@dataclass(frozen=True, slots=True)
class ObservedExecution:
    """One execution by the backend: the engine's `Observation`, the bound in requests, and whether it failed.

    `incident` is what it found in the store that must not be there.
    The observation's `deployment` is the version in the history, its `started_at` is UTC without a zone.
    """

    observation: Observation
    bound: int
    failed: bool = False
    incident: IncidentKind | None = None


@dataclass(slots=True)
class _Query:
    """A query, as samples name it."""

    name: str
    version: int
    bound: int


class Observations:
    """Takes observations from any thread; a clean end writes all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.problem: str | None = None  # why what was observed is not written
        self.advice = ""  # what to do about the problem
        self._waiting: list[ObservedExecution] = []
        self._adding = threading.Lock()
        self._flushing = threading.Lock()
        self._stopped = threading.Event()
        self.tallies = Tallies()
        self._thread = threading.Thread(target=self._run, name="observations", daemon=True)

    def open(self) -> None:
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the thread that writes is alive."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """How many observations are not written yet."""
        return len(self._waiting)

    @property
    def is_settled(self) -> bool:
        """Whether all that was added is written; what is being written no longer waits, so that is asked first."""
        return not self._waiting and not self._flushing.locked()

    def add(self, execution: ObservedExecution) -> None:
        """Count an execution, and let it be written soon."""
        self.tallies.add(execution.observation.query, execution.observation.elapsed_ms / 1000, execution.failed)
        with self._adding:
            if len(self._waiting) < MOST_WAITING:
                self._waiting.append(execution)

    def flush(self) -> None:
        """Append everything that waits now; when this returns, it can be read from DuckDB, or `problem` is set."""
        with self._flushing:
            with self._adding:
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                self._database.append("observations", _columns(batch))
                self.problem = None
                self._add_samples(batch)
            except (duckdb.Error, OSError) as error:
                if self.problem is None:  # said once, and not twice a second onto a disk that may be full
                    log.error("observations wait until they can be written: %s", error)
                self.problem = f"{len(batch)} observations wait to be written: {error}"
                self.advice = advice_on(error) or "See the log."
                with self._adding:
                    self._waiting = (batch + self._waiting)[:MOST_WAITING]

    def _add_samples(self, batch: list[ObservedExecution]) -> None:
        """Keep where the time of executions with several operators went; what cannot be kept is a sample the less."""
        cells: OperatorCells = {}
        minute = minute_of(now())
        for execution in batch:
            observation = execution.observation
            if observation.operators:
                query = _Query(observation.query, observation.deployment, execution.bound)
                join(cells, cells_of(query, observation, minute))
        if cells:
            with suppress(duckdb.Error, OSError), self._database.write(is_observed=True) as cursor:
                add_samples(cursor, columns_of(cells), "workbench")

    def close(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self.flush()

    def _run(self) -> None:
        while not self._stopped.wait(SECONDS_BETWEEN_FLUSHES):
            self.flush()


def _columns(batch: list[ObservedExecution]) -> dict[str, np.ndarray]:
    """The rows of a batch as an array for each column of the table, in its order."""
    observations = [execution.observation for execution in batch]
    return {
        "version": np.array([observation.deployment for observation in observations], dtype=np.int32),
        "query": np.array([observation.query for observation in observations], dtype=object),
        "started_at": np.array([observation.started_at for observation in observations], dtype="datetime64[us]"),
        "elapsed_ms": np.array([observation.elapsed_ms for observation in observations], dtype=np.float64),
        "operations": np.array([observation.operations for observation in observations], dtype=np.int32),
        "bound": np.array([execution.bound for execution in batch], dtype=np.int32),
        "failed": np.array([execution.failed for execution in batch], dtype=np.bool_),
        "rows_given": np.array([observation.rows for observation in observations], dtype=np.int32),
        "incident": np.array([execution.incident for execution in batch], dtype=object),
    }
