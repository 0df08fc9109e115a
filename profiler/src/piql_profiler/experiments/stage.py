"""Where an experiment runs: a simulated store, or the user's; and the sample applications that it takes."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import piql
from piql.client.database import Database
from piql.store.embedded.store import EmbeddedStore
from piql.store.schemes import TEMPORARY_STORE

from piql_profiler.experiments.law import STATED, Law
from piql_profiler.experiments.simulated_store import SimulatedStore
from piql_profiler.measure.clock import VirtualClock

SEED = 20261130


class SamplesMissing(Exception):
    """A folder has no sample applications; the message says which."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A database on a simulated store, with its clock: what passes on it is what an execution took."""

    db: Database
    store: SimulatedStore
    clock: VirtualClock

    def trips_of(self, query: str, parameters: Mapping[str, object]) -> list[tuple[int, int]]:
        """Execute a query, and return the requests and the rows of each of its round trips."""
        trips: list[tuple[int, int]] = []
        with self.store.watched(lambda requests, rows: trips.append((requests, rows))):
            self.db.execute(query, parameters)
        return trips


@dataclass(frozen=True, slots=True)
class Stage:
    """The folder of the sample applications, the law of simulated stores, and whether to run as short as tests do."""

    samples: Path
    law: Law = STATED
    seed: int = SEED
    is_short: bool = False

    def number(self, whole: int, short: int) -> int:
        """Return how often to repeat: the whole number, or the one of a short run."""
        return short if self.is_short else whole

    @contextmanager
    def simulated(self) -> Iterator[Simulated]:
        """Open an empty database on a simulated store; it is in this process and removed at the end."""
        clock = VirtualClock()
        store = SimulatedStore(EmbeddedStore(synchronous="NORMAL"), self.law, clock, self.seed)
        with Database(store, clock=clock.now) as db:
            yield Simulated(db, store, clock)

    @contextmanager
    def embedded(self) -> Iterator[Database]:
        """Open an empty embedded database, whose times are those of this machine."""
        with piql.connect(TEMPORARY_STORE) as db:
            yield db

    def folder(self, application: str) -> Path:
        """Return the folder of a sample application."""
        folder = self.samples / application
        if not (folder / "schema.piql").is_file() and not any(folder.glob("*.piql")):
            raise SamplesMissing(
                f"{self.samples} has no sample application {application}: say with --samples where it is"
            )
        return folder

    def rows(self, application: str, **sizes: int) -> Mapping[str, list[dict[str, Any]]]:
        """Return the rows of a sample application by table, as its `data.py` makes them."""
        module = runpy.run_path(str(self.folder(application) / "data.py"))
        rows: Mapping[str, list[dict[str, Any]]] = module["generate"](**sizes)
        return rows
