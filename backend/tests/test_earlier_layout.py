"""A data folder of the earlier layout, with one environment for all, becomes one of today's, whenever it is killed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from piql_backend.environments.sample import is_to_be_filled
from piql_backend.settings import ROOT, Settings
from piql_backend.starting import earlier_layout
from piql_backend.starting.earlier_layout import move_earlier_layout

from .conftest import DEVELOPMENT, application_ids, folder_of

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
SAMPLES = ROOT / "sample-apps"
FILES = ("store", "store-wal", "workbench.duckdb", "workbench.duckdb.wal", "workbench.duckdb.damaged-20260101T000000.0")


class Killed(BaseException):
    """Stands for a process that ends here."""


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A data folder of the earlier layout with two workspaces; each file holds its own path."""
    data = tmp_path / "earlier"
    paths = [*FILES, "profile-runs/run-1/state.json", "workspaces/scadr/schema.piql", "workspaces/shop/schema.piql"]
    for path in paths:
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        (data / path).write_text(path)
    (data / "store-of-mine.db").write_text("mine")
    return data


def contents(data: Path) -> dict[str, str]:
    return {path.relative_to(data).as_posix(): path.read_text() for path in data.rglob("*") if path.is_file()}


def moved(name: str) -> str:
    return f"environments/scadr/development/{name}"


EXPECTED = {
    **{moved(name): name for name in FILES},
    moved("profile-runs/run-1/state.json"): "profile-runs/run-1/state.json",
    "applications/scadr/schema.piql": "workspaces/scadr/schema.piql",
    "applications/shop/schema.piql": "workspaces/shop/schema.piql",
    "store-of-mine.db": "mine",
}


def test_everything_has_its_place_and_nothing_else_is_touched(earlier: Path) -> None:
    move_earlier_layout(earlier, SAMPLES)
    after = contents(earlier)
    assert json.loads(after.pop(moved("environment.json"))) == {"store": {"kind": "served"}}
    assert after == EXPECTED
    move_earlier_layout(earlier, SAMPLES)
    assert contents(earlier).keys() == {*EXPECTED, moved("environment.json")}


@pytest.mark.parametrize("is_before", [True, False])
def test_a_move_that_is_killed_at_any_step_goes_on(
    earlier: Path, monkeypatch: pytest.MonkeyPatch, is_before: bool
) -> None:
    """The process dies before its first step, then before its second, and so on; or just after it."""
    steps = 0
    while True:
        data = earlier.with_name(f"killed-{steps}")
        shutil.copytree(earlier, data)
        with monkeypatch.context() as patched:
            left = kill_after(patched, steps, is_before=is_before)
            with suppress(Killed):
                move_earlier_layout(data, SAMPLES)
        move_earlier_layout(data, SAMPLES)
        after = contents(data)
        del after[moved("environment.json")]
        assert after == EXPECTED
        if left:
            break
        steps += 1
    assert steps == len(FILES) + 3  # the workspaces, the runs, and environment.json


def kill_after(patched: pytest.MonkeyPatch, steps: int, *, is_before: bool) -> list[int]:
    """Let the process die at a step; what is left in the list at the end are steps that it did not need."""
    rename, write, left = Path.rename, earlier_layout.write_settings, list(range(steps + 1))

    def step(action: Callable[[], object]) -> None:
        is_last = len(left) == 1
        left.pop()
        if is_last and is_before:
            raise Killed
        action()
        if is_last:
            raise Killed

    patched.setattr(Path, "rename", lambda path, target: step(lambda: rename(path, target)))
    patched.setattr(earlier_layout, "write_settings", lambda *given: step(lambda: write(*given)))
    return left


def test_what_stands_in_the_new_place_is_not_replaced(earlier: Path) -> None:
    there = earlier / moved("store")
    there.parent.mkdir(parents=True)
    there.write_text("there")
    move_earlier_layout(earlier, SAMPLES)
    assert (there.read_text(), (earlier / "store").read_text()) == ("there", "store")


def test_without_scadr_the_store_is_that_of_the_first_application(earlier: Path) -> None:
    shutil.rmtree(earlier / "workspaces" / "scadr")
    move_earlier_layout(earlier, SAMPLES)
    assert (earlier / "environments/shop/development/store").read_text() == "store"


@pytest.mark.parametrize("step", ["files", "store"])
def test_an_interrupted_first_start_goes_on_in_the_new_layout(earlier: Path, step: str) -> None:
    (earlier / ".first-start-under-way").write_text(json.dumps({"token": "t", "step": step}))
    move_earlier_layout(earlier, SAMPLES)
    assert is_to_be_filled(earlier / "environments/scadr/development")
    files = {path.name for path in (earlier / "applications/scadr").rglob("*.piql")}
    assert ("thoughtstream.piql" in files) == (step == "files")
    assert not (earlier / ".first-start-under-way").exists()


async def test_a_workbench_starts_on_a_folder_of_the_earlier_layout(
    settings: Settings, running: Running, tmp_path: Path
) -> None:
    slo = {"quantile": 0.99, "threshold_ms": 7, "interval_seconds": 60}
    async with running(settings) as client:
        await client.put(f"{DEVELOPMENT}/slos/findUser", json=slo)
        before = (await client.get(f"{DEVELOPMENT}/deployments")).json()
    data = tmp_path / "earlier"
    shutil.copytree(folder_of(settings), data, ignore=shutil.ignore_patterns("environment.json", ".*"))
    shutil.copytree(settings.data / "applications", data / "workspaces")
    (data / "workspaces" / "scadr" / "application.json").unlink()
    (data / "workspaces" / "second").mkdir()
    (data / "workspaces" / "second" / "schema.piql").write_text("CREATE TABLE t (id INT PRIMARY KEY);")
    async with running(replace(settings, data=data)) as client:
        assert await application_ids(client) == ["scadr", "second"]
        assert (await client.get(f"{DEVELOPMENT}/deployments")).json() == before
        assert [read["threshold_ms"] for read in (await client.get(f"{DEVELOPMENT}/slos")).json()["items"]] == [7]
        url = f"{DEVELOPMENT}/deployments/live/queries/findUser/executions"
        ran = await client.post(url, json={"parameters": {"username": "ada_bell"}})
        assert len(ran.json()["rows"]) == 1
        second = await client.get(f"{DEVELOPMENT.replace('scadr', 'second')}/deployments")
        assert second.json()["items"] == []
