"""What is tried now: its share is changed here, it is promoted or withdrawn, and compared with the live version.

store's document (version 8 is tried on 5 %)  →  _standing  →  read, and what `watching` looks at

Whoever decides changes the store first; the event is written after it. An event that is missing, since the process was
killed between the two or a program decided, is added at the next look, then without a person.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

from piql.errors import DeploymentInProgress
from piql.runtime.deployment import Deployment
from piql.versions.change.build import Build
from piql.versions.change.progress import read_progress
from piql.versions.change.state import Canary
from piql.versions.deploy import open_build, versions
from piql_profiler.validation.agreement import ERROR
from piql_profiler.validation.two_versions import due_at

from piql_backend.canaries.counting import Side, Sides, count_sides
from piql_backend.canaries.repository import CanaryTable, Event, Look
from piql_backend.canaries.schemas import (
    CanaryEventRead,
    CanaryRead,
    ComparedRead,
    DecisionWrite,
    LooksRead,
    ShareWrite,
    SideRead,
    ThresholdsRead,
    ThresholdsWrite,
    VerdictRead,
)
from piql_backend.canaries.thresholds import burn_of
from piql_backend.database.connection import Database
from piql_backend.deployments.schemas import PERSON, REQUEST, DeploymentRead
from piql_backend.deployments.service import Deployments
from piql_backend.executions.observations import Observations
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloRead
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError, NotFound

_THRESHOLDS, _WHY = "thresholds", "why"  # details that the store keeps of a canary


def canary_of(share: float, thresholds: ThresholdsWrite, why: str) -> Canary:
    """What the store is to keep of a version that is tried."""
    return Canary(share, {_THRESHOLDS: thresholds.model_dump_json(), _WHY: why})


@dataclass(frozen=True, slots=True)
class Standing:
    """The version that the store says is tried, or will be, or was until a moment ago."""

    deployment: Deployment
    canary: Canary

    @property
    def id(self) -> str:
        return self.deployment.origin.id

    @property
    def request(self) -> str | None:
        return self.deployment.origin.details.get(REQUEST) or None

    @property
    def thresholds(self) -> ThresholdsRead:
        text = self.canary.details.get(_THRESHOLDS, "{}")
        return ThresholdsRead.model_validate(ThresholdsWrite.model_validate_json(text))


class Canaries:
    """The canaries of one environment; what changes one takes turns."""

    def __init__(
        self,
        table: CanaryTable,
        database: Database,
        slos: SloTable,
        deployments: Deployments,
        observations: Observations,
        store: StoreConnection,
    ) -> None:
        self.table = table
        self._database = database
        self._slos = slos
        self._deployments = deployments
        self._observations = observations
        self._store = store
        self.deciding = threading.Lock()

    def read(self) -> CanaryRead | None:
        """What is tried, and how it compares; None where nothing is."""
        standing = self.standing()
        if standing is None:
            return None
        live, canary, slos = self._deployments.live_version(), standing.canary, self.slos()
        counted = self.counted(standing)
        looks = self.table.looks(standing.id)
        return CanaryRead(
            version=standing.deployment.version,
            base_version=live,
            request=None if standing.request is None else self.table.number_of(standing.request),
            stage=canary.stage,
            share=canary.share,
            since=canary.since,
            thresholds=standing.thresholds,
            queries=self._compared(standing, counted, slos, looks),
            looks=LooksRead(
                count=len(looks),
                next_at=due_at(looks_since(looks, canary)),
                error=ERROR,
            ),
            events=list(self.table.of_change(standing.id)),
        )

    def of_request(self, request: str) -> Sequence[CanaryEventRead]:
        """What was decided about the versions that a deploy request was tried as."""
        return self.table.of_request(request)

    def set_share(self, wish: ShareWrite, person: str | None) -> CanaryRead:
        """Try the version on another share; ApiError 404 where none is tried, 409 for another one than was seen."""
        with self.deciding:
            standing, build = self._seen(wish.version)
            build.set_share(wish.share)
            self._add(standing, "share", wish.share, person, wish.why)
        return self._still()

    def promote(self, wish: DecisionWrite, person: str | None) -> DeploymentRead:
        """Make the version live that is tried; raises as `set_share`."""
        with self.deciding:
            standing, build = self._seen(wish.version)
            build.promote()
            self._add(standing, "promoted", 1.0, person, wish.why)
        self._deployments.history.reconcile()
        return self._deployments.short_of(standing.id)

    def withdraw(self, wish: DecisionWrite, person: str | None) -> Sequence[CanaryEventRead]:
        """Let no more executions go to the version that is tried: it never is live. Raises as `set_share`."""
        with self.deciding:
            standing, build = self._seen(wish.version)
            self.end(standing, build, person, wish.why)
        return self.table.of_change(standing.id)

    def end(self, standing: Standing, build: Build, person: str | None, why: str) -> None:
        """Withdraw a version; the lock is held."""
        build.cancel(why or None)
        self._add(standing, "withdrawn", 0.0, person, why)

    def standing(self) -> Standing | None:
        """What the store says is tried now; None where nothing is."""
        for living in versions(self._store.database().store):
            if living.canary is not None:
                return Standing(living.deployment, living.canary)
        return None

    def counted(self, standing: Standing) -> Mapping[str, Sides]:
        """The executions of both versions since the present share."""
        since = standing.canary.since
        if since is None:
            return {}
        self._observations.flush()
        live = self._deployments.live_version()
        return count_sides(
            self._database, live, standing.deployment.version, since.astimezone(UTC).replace(tzinfo=None)
        )

    def slos(self) -> Mapping[str, SloRead]:
        return {slo.query: slo for slo in self._slos.list()}

    def build_of(self, standing: Standing) -> Build | None:
        """The build of what is tried; None where it has ended meanwhile."""
        build = open_build(self._store.database().store)
        return build if build is not None and build.id == standing.id else None

    def complete(self, standing: Standing | None) -> None:
        """Write the events that nobody has written; the lock is held."""
        newest = self.table.newest()
        if newest is not None and not newest.is_last and (standing is None or standing.id != newest.change):
            self.table.add(self._end_of(newest))
        if standing is None or standing.canary.stage == "closing":
            return
        if newest is None or newest.change != standing.id:
            details = standing.deployment.origin.details
            self._add(standing, "began", standing.canary.share, details.get(PERSON), standing.canary.details.get(_WHY))
        elif newest.share != standing.canary.share and not newest.is_last:
            self._add(standing, "share", standing.canary.share, None, "")

    def _end_of(self, event: Event) -> Event:
        """How a version ended that was tried: it is live, or was, or the store says why not."""
        if self._deployments.has_deployed(event.change):
            return Event(event.change, event.version, event.request, None, "promoted", 1.0)
        progress = read_progress(self._store.database().store)
        ended = progress.of(event.change) if progress is not None else None
        if ended is not None and ended.outcome == "in force":
            return Event(event.change, event.version, event.request, None, "promoted", 1.0)
        why = (ended.reason if ended is not None else None) or ""
        return Event(event.change, event.version, event.request, None, "withdrawn", 0.0, why)

    def _seen(self, version: int) -> tuple[Standing, Build]:
        """What is tried, which has to be the version that was seen."""
        standing = self.standing()
        build = None if standing is None else self.build_of(standing)
        if standing is None or build is None:
            raise NotFound("nothing-tried", "No version is tried now.", "Look again.")
        if standing.deployment.version != version:
            message = f"Nothing was changed: version {standing.deployment.version} is tried, and not {version}."
            raise ApiError(409, "canary-changed", message, "Look at it again.")
        if standing.canary.stage == "closing":
            raise ApiError(409, "canary-over", f"Version {version} was withdrawn.", "Look again.")
        self.complete(standing)
        return standing, build

    def _add(self, standing: Standing, act: str, share: float, person: str | None, why: str | None) -> None:
        number = standing.deployment.version
        event = Event(standing.id, number, standing.request, person or None, act, share, why or "")  # type: ignore[arg-type]
        self.table.add(event)

    def _still(self) -> CanaryRead:
        read = self.read()
        if read is None:
            raise DeploymentInProgress("it has ended meanwhile")
        return read

    def _compared(
        self,
        standing: Standing,
        counted: Mapping[str, Sides],
        slos: Mapping[str, SloRead],
        looks: Sequence[Look],
    ) -> list[ComparedRead]:
        """Each query of the tried version, those first that were executed most in it."""
        live = self._deployments.history.live
        live_queries = live.compilation.queries if live is not None else {}
        verdicts = looks[-1].verdicts if looks and looks_since(looks, standing.canary) else {}
        reads = []
        for query in standing.deployment.compilation.queries:
            sides, slo = counted.get(query, Sides()), slos.get(query)
            verdict = verdicts.get(query, {})
            reads.append(
                ComparedRead(
                    query=query,
                    live=_side(sides.live or Side(), slo) if query in live_queries else None,
                    tried=_side(sides.tried or Side(), slo),
                    verdict=VerdictRead(
                        p99=verdict.get("p99", "too few"),
                        errors=verdict.get("errors", "too few"),
                        requests=verdict.get("requests", "too few"),
                    ),
                    slo_quantile=None if slo is None else slo.quantile,
                    slo_ms=None if slo is None else slo.threshold_ms,
                    burn=None if slo is None else burn_of(sides, slo),
                )
            )
        return sorted(reads, key=lambda read: (-read.tried.executions, read.query))


def looks_since(looks: Sequence[Look], canary: Canary) -> int:
    """How many of the looks were made at the present share."""
    return sum(canary.since is not None and look.made_at >= canary.since for look in looks)


def _side(side: Side, slo: SloRead | None) -> SideRead:
    ran = side.ran
    return SideRead(
        executions=ran.executions,
        failures=ran.failures,
        p99_ms=side.p99_ms,
        most_requests=side.most_requests,
        kept=None if slo is None or not ran.executions else 1 - side.broke / ran.executions,
    )
