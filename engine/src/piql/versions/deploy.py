"""Puts a compiled set into a store as its next version; a change that would lose or break data is refused.

    texts of the set + deployed texts whose names the set does not have ──compile──▶ one set ──▶ next version

A small change is made in one transaction. A larger one goes on step by step, while readers and writers work (`change`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from secrets import token_hex
from time import sleep
from typing import Literal

from piql.compiler.result import Compilation
from piql.errors import CompilationRefused, DeployedMeanwhile, DeploymentInProgress
from piql.runtime.deployment import NOBODY, Deployer, Deployment, Origin
from piql.runtime.execution.seals import signing_key
from piql.store.base import Store
from piql.versions.change.build import BACKGROUND, EAGER, BackfillRate, Build, collect, is_driven, new_driver
from piql.versions.change.canary_rules import refuse_untriable
from piql.versions.change.composition import owners_after, refuse_errors, refuse_incompatible, with_earlier
from piql.versions.change.progress import Progress, read_progress
from piql.versions.change.state import Canary, SchemaState, compiled, deployment_of, load_deployment, read_state
from piql.versions.change.steps import NextVersion, SchemaSteps, Stand, announce, keep

__all__ = ["begin_deploy", "begin_rollback", "deploy", "load_deployment", "open_build", "rollback", "versions"]

_LOOK_SECONDS = 0.05  # between two looks at a change that another process is about to finish


def deploy(
    store: Store,
    compilation: Compilation,
    forget: Iterable[str] = (),
    pace: BackfillRate = EAGER,
    deployer: Deployer = NOBODY,
) -> Deployment:
    """Put a compiled set in force, and return the new deployment.

    Queries and views that `forget` names are left out. Raises as `begin_deploy` does.
    """
    return begin_deploy(store, compilation, forget, pace, deployer, is_background=False).run()


def begin_deploy(
    store: Store,
    compilation: Compilation,
    forget: Iterable[str] = (),
    pace: BackfillRate = BACKGROUND,
    deployer: Deployer = NOBODY,
    *,
    is_background: bool = True,
    canary: Canary | None = None,
) -> Build:
    """Announce the version that makes a set executable; a small change is in force when this returns.

    With a `canary`, it is tried on a share of the executions first. CompilationRefused then also says what the two
    versions cannot share.

    Raises CompilationRefused when the set has errors or does not fit the data, DeploymentInProgress when another
    change is on its way, DeployedMeanwhile when another version is in force than the deployer has seen. If the same
    texts are in force already, they are deployed again only for another deployer, or with other details.
    """
    refuse_errors(compilation)
    forgotten = frozenset(forget)

    def compose(state: SchemaState, current: Deployment) -> NextVersion:
        texts, whole_set = with_earlier(compilation, current, forgotten)
        if canary is not None and dict(texts) == dict(state.in_force.texts):
            raise CompilationRefused(f"not tried: version {current.version} has the same texts and is in force")
        refuse_incompatible(current, whole_set, store, is_rollback=False)
        if canary is not None:
            refuse_untriable(current, whole_set, by_steps=store.row_writes is not None)
        owners = owners_after(compilation, whole_set, current, deployer.name)
        return NextVersion(texts, whole_set, Origin(token_hex(8), deployer.name, deployer.details, owners))

    return _begin(store, compose, pace, is_background, deployer, canary)


def rollback(store: Store, pace: BackfillRate = EAGER, deployer: Deployer = NOBODY) -> Deployment:
    """Put the version before in force again, as a new version; all rows stay, with all their columns."""
    return begin_rollback(store, pace, deployer, is_background=False).run()


def begin_rollback(
    store: Store, pace: BackfillRate = BACKGROUND, deployer: Deployer = NOBODY, *, is_background: bool = True
) -> Build:
    """Announce the return to the version before, which keeps the name of who deployed it.

    It keeps its details, too, but for those that the deployer gives, of which an empty one takes its namesake away.

    Raises as `begin_deploy` does, and CompilationRefused where there is no version before.
    """

    def compose(state: SchemaState, current: Deployment) -> NextVersion:
        if state.before is None:
            raise CompilationRefused("not rolled back: there is no version before")
        before = compiled(state.before, state)
        refuse_incompatible(current, before.compilation, store, is_rollback=True)
        given = {**before.origin.details, **deployer.details}
        details = {name: value for name, value in given.items() if value}
        return NextVersion(before.texts, before.compilation, replace(before.origin, id=token_hex(8), details=details))

    return _begin(store, compose, pace, is_background, deployer)


def open_build(store: Store, pace: BackfillRate = BACKGROUND) -> Build | None:
    """Return the change that is on its way, whoever began it; None when there is none."""
    progress = read_progress(store)
    return None if progress is None or progress.outcome is not None else Build(store, progress.id, pace)


@dataclass(frozen=True, slots=True)
class LivingVersion:
    """A version whose indexes are kept up to date; a rollback returns to the one `before`.

    A `canary` is how the coming one is tried, or will be.
    """

    deployment: Deployment
    state: Literal["coming", "in force", "before"]
    canary: Canary | None = None


def versions(store: Store) -> list[LivingVersion]:
    """Return the living versions of a store, the newest first: three at most."""
    state = read_state(store)
    living = []
    if state.change is not None:
        living.append(LivingVersion(compiled(state.change.version, state), "coming", state.change.canary))
    if state.in_force.number:
        living.append(LivingVersion(compiled(state.in_force, state), "in force"))
    return living + ([LivingVersion(compiled(state.before, state), "before")] if state.before else [])


def _begin(
    store: Store,
    compose: Callable[[SchemaState, Deployment], NextVersion],
    pace: BackfillRate,
    is_background: bool,
    deployer: Deployer,
    canary: Canary | None = None,
) -> Build:
    """Announce the next version, which `compose` makes from the version in force, and take the first steps.

    If another process is changing the version, or deploys at this moment, the next version is composed again from the
    state afterwards.
    """
    driver = new_driver()
    while True:
        state = read_state(store)
        _refuse_unseen(state, deployer)
        coming = compose(state, deployment_of(state, store))
        if state.is_before_held or (state.change is not None and state.change.is_closing):
            _finish_change(store, pace)
            continue
        if state.change is not None:
            abandoned = _taken_over(store, state, coming, pace)
            if abandoned is not None:
                return abandoned
            continue
        if dict(coming.texts) == dict(state.in_force.texts) and not _is_of_another(deployer, state.in_force.origin):
            return _in_force_already(store, state)
        signing_key(store)
        with store.transaction() as transaction:
            if transaction.version() != state.epoch:
                continue  # somebody else deployed meanwhile: begin again from what is there now
            stand = announce(transaction, store, state, coming, is_background=is_background, canary=canary)
            steps = SchemaSteps(store, stand.state)
            while stand.progress.outcome is None and stand.progress.rows_done < pace.first_rows:
                if stand.is_tried or steps.needs_others(stand):
                    break
                stand = steps.advance(transaction, stand, pace.step_rows)
            if stand.progress.outcome == "refused":
                raise CompilationRefused(stand.progress.reason or "not deployed")
            if stand.progress.outcome is None and not stand.is_tried:
                stand = Stand(stand.state, replace(stand.progress, driver=driver))
            keep(transaction, state, stand)
        if stand.progress.outcome is None:
            return Build(store, stand.progress.id, pace, driver)
        collect(store)
        return Build(store, stand.progress.id, pace, driver, stand.progress)


def _refuse_unseen(state: SchemaState, deployer: Deployer) -> None:
    """Raise DeployedMeanwhile if the version in force is not the one that the deployer has seen."""
    if deployer.seen is not None and deployer.seen != state.in_force.origin.id:
        by = f" by {state.in_force.origin.by}" if state.in_force.origin.by else ""
        raise DeployedMeanwhile(f"not deployed: version {state.in_force.number} was deployed meanwhile{by}")


def _is_of_another(deployer: Deployer, origin: Origin) -> bool:
    """Return whether a named deployer, or the details that it gives, differ from those of a version."""
    return deployer.name != "" and (deployer.name, dict(deployer.details)) != (origin.by, dict(origin.details))


def _in_force_already(store: Store, state: SchemaState) -> Build:
    """Return a build with nothing to do, for texts that are in force already (each of many servers deploys them)."""
    version = state.in_force
    assert version.deployed_at is not None
    started_at = version.deployed_at.isoformat()
    end = Progress(version.origin.id, version.number, started_at, is_background=False, outcome="in force")
    return Build(store, end.id, end=end)


def _finish_change(store: Store, pace: BackfillRate) -> None:
    """Take the last step of a change now: constraints of the version before, or indexes of a canary, are kept no more.

    If another process drives the change, wait a moment instead.
    """
    progress = read_progress(store)
    if progress is None or progress.outcome is not None:
        return
    if is_driven(progress):
        sleep(_LOOK_SECONDS)
        return
    build = Build(store, progress.id, pace)
    with suppress(DeploymentInProgress, CompilationRefused):  # somebody else does, or it ended a canary
        if progress.is_paused:
            build.unpause()
        build.run()


def _taken_over(store: Store, state: SchemaState, coming: NextVersion, pace: BackfillRate) -> Build | None:
    """Handle a change that another process began; return its build if it has the same texts and nobody drives it.

    A short change that is driven is given a moment to end, and one that nobody drives is cancelled. Then the result is
    None: read the state again. Raises DeploymentInProgress for a change in the background.
    """
    progress = read_progress(store)
    if progress is None or progress.outcome is not None:
        return None
    build = Build(store, progress.id, pace)
    assert state.change is not None
    if not is_driven(progress) and dict(state.change.version.texts) == dict(coming.texts):
        if progress.is_paused:
            build.unpause()
        return build
    if progress.is_background:
        raise DeploymentInProgress(
            f"version {progress.version} is on its way ({build.words()}): wait for it, resume it or cancel it first"
        )
    if is_driven(progress):
        sleep(_LOOK_SECONDS)
    else:
        build.cancel()
    return None
