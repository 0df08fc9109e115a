"""The log of the process: a line where a store goes away, one where it is back, and nothing that its driver repeats."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from io import StringIO
from pathlib import Path

import httpx
import piql
import pytest
from cassandra.cluster import NoHostAvailable
from piql_backend.data_folder.disk import FREE_SOME, disk_full
from piql_backend.deployments.history import History
from piql_backend.settings import Settings
from piql_backend.starting.process_log import to_stderr
from piql_backend.stores.connection import StoreConnection
from piql_backend.workers.pool import WorkerPool

from .conftest import DEVELOPMENT, settings_for
from .test_environments import SCADR, opened

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
ADVICE = "Check that the store is running; requests work again then."


@pytest.fixture
def log() -> Iterator[Callable[[], list[str]]]:
    """Gives the lines that a process would have logged until now; those of the test's own client are left out."""
    handler, written, root = to_stderr(), StringIO(), logging.getLogger()
    handler.setStream(written)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield lambda: [line for line in written.getvalue().splitlines() if "httpx" not in line]
    root.removeHandler(handler)
    root.setLevel(level)


async def test_a_cluster_that_is_away_at_the_first_start_is_one_line_that_says_what_to_do(
    tmp_path: Path, running: Running, log: Callable[[], list[str]]
) -> None:
    url = "cql://127.0.0.1:1/none?timeout=1"
    async with running(replace(settings_for(tmp_path / "data"), store=url)) as client:
        for _ in range(3):
            assert (await client.get(f"{DEVELOPMENT}/health")).status_code == 503
    of_store, of_sample = log()
    assert of_store.startswith(f"ERROR piql_backend.deployments.history: the store {url}: the cluster")
    assert of_store.endswith(f". {ADVICE}")
    assert "the sample is not loaded" in of_sample


async def test_a_store_that_goes_away_and_comes_back_is_logged_once_each(
    settings: Settings, workers: WorkerPool, log: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: StoreConnection) -> piql.Database:
        raise piql.StoreUnavailable(f"no answer, {next(numbers)}")

    numbers = iter(range(1_000_000))
    async with opened(settings, workers) as environments:
        history = (await environments.opened(SCADR)).deployments.history
        history.close()  # only the test looks
        for _ in range(2):
            with monkeypatch.context() as patched:
                patched.setattr(StoreConnection, "database", away)
                for _ in range(3):
                    history.look()
            for _ in range(2):
                history.look()
    lines = [line.partition(": ")[2] for line in log()]
    assert len(lines) == 4
    for left, back in (lines[:2], lines[2:]):
        assert "no answer" in left
        assert left.endswith(ADVICE)
        assert back.startswith("the store embedded:")
        assert back.endswith("answers again")


@pytest.mark.parametrize(("failure", "advice"), [(disk_full("a log"), FREE_SOME), (KeyError("a fault"), None)])
async def test_a_history_that_cannot_be_written_is_logged_once_and_a_full_disk_in_one_line(
    settings: Settings,
    workers: WorkerPool,
    log: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
    advice: str | None,
) -> None:
    def fail(_: History) -> None:
        raise failure

    async with opened(settings, workers) as environments:
        history = (await environments.opened(SCADR)).deployments.history
        history.close()  # only the test looks
        monkeypatch.setattr(History, "_follow", fail)
        for _ in range(3):
            history.look()
        assert history.advice == advice
    lines = log()
    assert len([line for line in lines if "does not follow the store" in line]) == 1
    assert len([line for line in lines if line.startswith("Traceback")]) == (advice is None)


def test_what_the_driver_raises_as_well_is_not_logged_and_its_own_faults_once(log: Callable[[], list[str]]) -> None:
    driver = logging.getLogger("cassandra.cluster")
    driver.warning("[control connection] Error connecting")
    for failure in (ConnectionRefusedError("refused"), NoHostAvailable("nobody", {})):
        driver.error("Control connection failed to connect", exc_info=failure)
    for _ in range(3):
        driver.error("Unexpected failure", exc_info=KeyError("a fault"))
    lines = log()
    assert lines[0] == "ERROR cassandra.cluster: Unexpected failure"
    assert lines[-1] == "KeyError: 'a fault'"
    assert len([line for line in lines if line.startswith("ERROR")]) == 1
