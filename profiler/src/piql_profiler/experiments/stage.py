"""Where an experiment runs: a simulated store, or the user's; and the sample applications that it takes.

Without `--store` databases are embedded, and those whose times are simulated are so on a clock that nobody waits for.
With it each of them is a new one on the user's store, beside what is there, and all times are those of its answers.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import piql
from piql.client.database import Database
from piql.store.embedded.store import EmbeddedStore
from piql.store.open import open_store, without_login
from piql.store.schemes import CQL, S3, TEMPORARY_STORE, scheme_of

from piql_profiler.experiments.law import STATED, Law
from piql_profiler.experiments.simulated_store import SimulatedStore
from piql_profiler.measure.clock import REAL, Clock, VirtualClock

SEED = 20261130


class SamplesMissing(Exception):
    """A folder has no sample applications; the message says which."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A database whose requests are counted, with its clock: what passes on it is what an execution took.

    The clock is the computer's where the user has named a store.
    """

    db: Database
    store: SimulatedStore
    clock: Clock

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
    store: str | None = None  # the URL that the user has given

    def number(self, whole: int, short: int) -> int:
        """Return how often to repeat: the whole number, or the one of a short run."""
        return short if self.is_short else whole

    @contextmanager
    def simulated(self) -> Iterator[Simulated]:
        """Open an empty database on a simulated store, which is removed at the end, or on the user's."""
        if self.store is not None:
            counting = SimulatedStore(open_store(_new_beside(self.store)), None, None, self.seed)
            with Database(counting) as db:
                yield Simulated(db, counting, REAL)
            return
        clock = VirtualClock()
        store = SimulatedStore(EmbeddedStore(synchronous="NORMAL"), self.law, clock, self.seed)
        with Database(store, clock=clock.now) as db:
            yield Simulated(db, store, clock)

    @contextmanager
    def embedded(self) -> Iterator[Database]:
        """Open an empty database, embedded or on the user's store: its times are those of this machine."""
        with piql.connect(TEMPORARY_STORE if self.store is None else _new_beside(self.store)) as db:
            yield db

    def said(self, otherwise: str) -> str:
        """Return the user's store as a sentence says it, or what an experiment runs on otherwise."""
        if self.store is None:
            return otherwise
        return f"The store {shown_store(self.store)}, reached from this machine, on its own clock"

    def law_said(self) -> str:
        """Return the law of simulated requests as a sentence; nothing where times are those of a store."""
        return self.law.said() if self.store is None else "Times are those of its answers."

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


def shown_store(url: str) -> str:
    """Return the address of a store as results show it: without a login, and without options."""
    return without_login(url).partition("?")[0]


def _new_beside(url: str) -> str:
    """Return the URL of a database that nobody has yet: another file, prefix of a bucket, or prefix of tables."""
    name = f"x{uuid4().hex[:8]}"
    address, mark, options = url.partition("?")
    match scheme_of(url):
        case scheme if scheme == CQL:
            return f"{address}?{options}{'&' if options else ''}prefix={name}_"
        case scheme if scheme == S3:
            return f"{address.rstrip('/')}/{name}{mark}{options}"
    return url if address == TEMPORARY_STORE else f"{address}.{name}{mark}{options}"
