"""Puts versions in force: deploys a compiled set, goes back, tries a set on a share of the executions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, overload

from piql.client.version_in_force import VersionInForce
from piql.compiler.result import Compilation
from piql.errors import InvalidParameter, kind_of
from piql.runtime.arguments import names_in
from piql.runtime.deployment import NOBODY, Deployer, Deployment
from piql.versions.change.build import EAGER, Build, backfill_rate, known_share
from piql.versions.change.state import Canary
from piql.versions.deploy import begin_deploy, begin_rollback, deploy, open_build, rollback


class Deploying(VersionInForce):
    """The part of a `Database` that changes which version is in force."""

    _build: Build | None = None  # one that was started here

    @overload
    def deploy(
        self, compilation: Compilation, forget: Iterable[str] = (), *, background: Literal[False] = False
    ) -> Deployment: ...

    @overload
    def deploy(
        self,
        compilation: Compilation,
        forget: Iterable[str] = (),
        *,
        background: Literal[True],
        rows_per_second: float | None = None,
    ) -> Build: ...

    def deploy(
        self,
        compilation: Compilation,
        forget: Iterable[str] = (),
        *,
        background: bool = False,
        rows_per_second: float | None = None,
    ) -> Deployment | Build:
        """Add the tables, indexes and queries of a set, or replace them by name; no row of a table is dropped.

        Queries and views deployed earlier stay, those named in `forget` excepted. Raises CompilationRefused when the
        set has errors or does not fit the data; the version in force then stays as it is. With `background`, indexes
        are built while this returns a `Build` to follow, pause, resume or cancel.
        """
        forgotten = names_in("forget", forget)
        if background:
            return self._started(begin_deploy(self._store, compilation, forgotten, backfill_rate(rows_per_second)))
        deployment = deploy(self._store, compilation, forgotten)
        self._prepared = self._load()
        return deployment

    @overload
    def rollback(self, *, background: Literal[False] = False) -> Deployment: ...

    @overload
    def rollback(self, *, background: Literal[True], rows_per_second: float | None = None) -> Build: ...

    def rollback(self, *, background: bool = False, rows_per_second: float | None = None) -> Deployment | Build:
        """Put the version before in force again, as a new version.

        All rows stay as they are, columns and tables that only the other version knows included. Raises
        CompilationRefused where there is no version before, or the rows no longer fit it.
        """
        if background:
            return self._started(begin_rollback(self._store, backfill_rate(rows_per_second)))
        deployment = rollback(self._store)
        self._prepared = self._load()
        return deployment

    @property
    def build(self) -> Build | None:
        """Return the version that is on its way, whoever began it; None when there is none."""
        build = self._build
        if build is not None and not build.progress.is_done:
            return build
        build = open_build(self._store)
        return build if build is None else build.followed_by(self._look_at_once)

    def try_out(
        self, compilation: Compilation, share: float, forget: Iterable[str] = (), deployer: Deployer = NOBODY
    ) -> Build:
        """Try a set beside the version in force, on a share of the executions from 0 to 1, and return its build.

        When this returns, its indexes are filled, and databases that were opened with `canary` execute that share of
        their executions in it. `promote` of the build puts it in force, `cancel` withdraws it, `set_share` changes the
        share. Raises CompilationRefused as `deploy`, and where the two versions cannot share rows or callers.
        """
        forgotten, canary = names_in("forget", forget), Canary(known_share(share))
        if not isinstance(deployer, Deployer):
            raise InvalidParameter(f"deployer is {kind_of(deployer)}: give a Deployer")
        build = begin_deploy(self._store, compilation, forgotten, EAGER, deployer, canary=canary)
        build.followed_by(self._look_at_once).run_to_canary()
        self._refresh()
        return build

    def _started(self, build: Build) -> Build:
        """Start a build in a thread, unless it is over already, and follow it."""
        self._build = build.followed_by(self._look_at_once)
        if not build.progress.is_done:
            build.start()
        return build

    def _stop_build(self) -> None:
        """Let a build that runs here rest until somebody resumes it."""
        if self._build is not None:
            self._build.stop()
