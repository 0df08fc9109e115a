"""A workbench that deploys in a process of its own, and is killed at a step of that: of the store or its history."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from dulwich.refs import DiskRefsContainer
from piql.store.base import Transaction
from piql.store.embedded.store import EmbeddedStore
from piql_backend.data_folder.layout import environment_folder
from piql_backend.database.connection import Cursor, Database
from piql_backend.deploy_requests.schemas import (
    DeployRequestCreate,
    RequestDeploymentCreate,
    ReviewCreate,
    TextWrite,
)
from piql_backend.deployments.schemas import BuildCreate, DeploymentCreate, RollbackCreate
from piql_backend.settings import Settings
from piql_backend.web.schemas import SourceFile
from piql_backend.workbench import Workbench

NEVER = sys.maxsize


def store_url_of(settings: Settings) -> str:
    """The URL of the store that is deployed to."""
    return f"embedded:{environment_folder(settings.data, 'scadr', 'development') / 'store'}"


class Steps:
    """Counts what is done to either file; at the last step that is left the process is killed."""

    def __init__(self) -> None:
        self.left = NEVER
        self.made = 0

    def step(self) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        self.made += 1


class _Counted:
    """Counts each call of what it stands for."""

    def __init__(self, behind: Any, steps: Steps) -> None:
        self._behind = behind
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        self._steps.step()
        return getattr(self._behind, name)


def count_steps(steps: Steps) -> None:
    """Make a step of each transaction of the store and of DuckDB, its calls, its begin and its end.

    So are the begin and the end of each move of a name in the history of the files.
    """
    begin, write = EmbeddedStore.transaction, Database.write

    @contextmanager
    def transaction(self: EmbeddedStore) -> Iterator[Transaction]:
        steps.step()
        with begin(self) as behind:
            yield _Counted(behind, steps)
            steps.step()
        steps.step()

    @contextmanager
    def written(self: Database) -> Iterator[Cursor]:
        steps.step()
        behind: AbstractContextManager[Cursor] = write(self)
        with behind as cursor:
            yield _Counted(cursor, steps)  # type: ignore[misc]
            steps.step()
        steps.step()

    EmbeddedStore.transaction = transaction  # type: ignore[method-assign,assignment]
    Database.write = written  # type: ignore[method-assign]
    for moved in ("add_if_new", "set_if_equals"):
        _count_calls(DiskRefsContainer, moved, steps)


def _count_calls(container: type, name: str, steps: Steps) -> None:
    """Make the begin and the end of each call of a method a step."""
    behind = getattr(container, name)

    @wraps(behind)
    def counted(*arguments: Any, **more: Any) -> Any:
        steps.step()
        answer = behind(*arguments, **more)
        steps.step()
        return answer

    setattr(container, name, counted)


def life(target: Callable[..., None], arguments: tuple[Any, ...], kill_at: int, told: Path) -> tuple[str | None, int]:
    """Let a process act until it is killed; give what it acknowledged, if anything, and the steps that it made."""
    told.unlink(missing_ok=True)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest", "piql_backend.workbench"])
    process = context.Process(target=target, args=(*arguments, kill_at, told))
    process.start()
    process.join()
    assert process.exitcode in (0, -9), process.exitcode
    if not told.exists():
        return None, 0
    acknowledged, steps = told.read_text().split()
    return acknowledged, int(steps)


def deploy(settings: Settings, how: str, texts: dict[str, str], kill_at: int, told: Path) -> None:
    """Open the workbench and deploy, roll back or cancel; what is acknowledged is written to a file, with the steps."""
    live(settings, lambda workbench: _deployed(workbench, how, texts), kill_at, told)


def live(settings: Settings, act: Callable[[Workbench], str], kill_at: int, told: Path) -> None:
    """Open the workbench and act; what is acknowledged is written to a file, with the steps that it took."""
    steps = Steps()
    count_steps(steps)

    async def life() -> None:
        workbench = Workbench(settings)
        await workbench.open()
        steps.left, steps.made = kill_at, 0
        acknowledged = await asyncio.to_thread(act, workbench)
        with told.open("w") as file:
            file.write(f"{acknowledged} {steps.made}")
            file.flush()
            os.fsync(file.fileno())
        os._exit(0)

    asyncio.run(life())


def _deployed(workbench: Workbench, how: str, texts: dict[str, str]) -> str:
    files = [SourceFile(path=path, text=text) for path, text in texts.items()]
    (environment,) = workbench.environments.open_ones.values()
    version = environment.deployments.live("live").read.version
    if how == "rollback":
        return environment.deployments.rollback(RollbackCreate(base_version=version)).id
    if how == "deployment":
        request = DeploymentCreate(files=files, base_version=version)
        return environment.deployments.deploy(request).id
    if how == "cancel":
        request = BuildCreate(files=files, base_version=version, rows_per_second=40)
        if environment.deployments.begin(request).deployment_id is None:  # it was not live at once
            environment.deployments.building.cancel()
        return environment.deployments.live("live").read.id
    if how == "request":
        requests = environment.deploy_requests
        number = requests.open_request(
            DeployRequestCreate(title="Kill", text=TextWrite(files=files)), "dev", None
        ).number
        requests.review(number, ReviewCreate(revision=1, verdict="approve"), "rev")
        read = requests.deploy(number, RequestDeploymentCreate(revision=1, rows_per_second=800), "dot")
    else:
        request = BuildCreate(files=files, base_version=version, rows_per_second=800)
        read = environment.deployments.begin(request)
    while read.deployment_id is None:
        assert read.phase not in ("refused", "cancelled"), read.reason
        found = environment.deployments.building.read()
        assert found is not None
        read = found
    return read.deployment_id
