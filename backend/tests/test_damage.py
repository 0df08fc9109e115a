"""A damaged or lost history, and a full disk: said in words, and got over where that is possible."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path

import duckdb
import httpx
import piql_backend.applications.repository as applications
import pytest
from piql.runtime.execution.observation import Observation
from piql.store.embedded.connections import Connection, DatabaseFile
from piql_backend.data_folder import disk
from piql_backend.database import opening
from piql_backend.database.connection import Database, now
from piql_backend.database.opening import open_database
from piql_backend.environments.environment import Environment
from piql_backend.executions.observations import Observations, ObservedExecution
from piql_backend.profile_runs.repository import ProfileRunFiles
from piql_backend.settings import Settings
from piql_profiler.measure.grid import GRIDS
from piql_profiler.runs.run_files import RunDirectory, RunSettings

from .conftest import DEVELOPMENT, folder_of

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "not a database": lambda whole: b"-- not a database\n" * 100,
    "empty": lambda whole: b"",
    "truncated": lambda whole: whole[: len(whole) // 2],
    "zeros": lambda whole: bytes(len(whole)),
    "a broken header": lambda whole: whole[:4096] + bytes(8192) + whole[12288:],
}


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_damaged_history_is_set_aside_and_made_from_the_store(
    settings: Settings, running: Running, damage: str
) -> None:
    async with running(settings) as client:
        before = (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"]
    file = folder_of(settings) / "workbench.duckdb"
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    async with running(settings) as client:
        assert (await client.get(f"{DEVELOPMENT}/deployments")).json()["items"] == before
        ran = await client.post(
            f"{DEVELOPMENT}/deployments/live/queries/findUser/executions", json={"parameters": {"username": "nobody"}}
        )
        assert ran.status_code == 200
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        (problem,) = health["problems"]
        assert (health["status"], problem["what"], problem["is_over"]) == ("ok", "history", True)
        (aside,) = folder_of(settings).glob("workbench.duckdb.damaged-*")
        assert aside.name in problem["message"]
    async with running(settings) as client:
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []


def test_what_can_be_read_of_a_damaged_file_is_taken_over(tmp_path: Path) -> None:
    file = tmp_path / "workbench.duckdb"
    database, _ = open_database(file)
    with database.write() as cursor:
        cursor.execute("INSERT INTO slos VALUES ('findUser', 0.99, 20, 600, now()::TIMESTAMP)")
        cursor.execute("INSERT INTO deploy_requests VALUES ('1', 1, 'Kept', '', NULL, now()::TIMESTAMP, NULL, NULL)")
        cursor.execute(
            "INSERT INTO observations BY NAME SELECT 1 AS version, 'q' || hash(i) AS query,"
            " now()::TIMESTAMP AS started_at, random() AS elapsed_ms, 1 AS operations,"
            " 1 AS bound, false AS failed FROM range(200000) AS r(i)"
        )
    database.close()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] + random.Random(1).randbytes(4096) + whole[len(whole) // 2 + 4096 :])
    database, aside = open_database(file)
    assert aside is not None
    assert aside.lost == ["observations"]
    assert "the observations are lost, and observing begins anew at " in aside.message
    with database.read() as cursor:
        assert cursor.execute("SELECT query FROM slos").fetchall() == [("findUser",)]
        assert cursor.execute("SELECT title FROM deploy_requests").fetchall() == [("Kept",)]
    database.close()


async def test_a_history_that_is_gone_is_said_and_observing_begins_anew(settings: Settings, running: Running) -> None:
    latency = f"{DEVELOPMENT}/latency/live"
    async with running(settings) as client:
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []
        assert (await client.get(latency)).json()["observed_since"] is None
    (folder_of(settings) / "workbench.duckdb").unlink()
    async with running(settings) as client:
        (problem,) = (await client.get(f"{DEVELOPMENT}/health")).json()["problems"]
        assert (problem["what"], problem["is_over"]) == ("history", True)
        assert problem["message"].startswith("workbench.duckdb was gone: the history was made from the store, ")
        began = (await client.get(latency)).json()["observed_since"]
        assert f"{began[:10]} {began[11:16]} UTC" in problem["message"]
    async with running(settings) as client:
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []
        assert (await client.get(latency)).json()["observed_since"] == began


@pytest.mark.parametrize("is_gone", [True, False])
async def test_a_store_that_was_emptied_is_said_until_something_is_deployed(
    settings: Settings, running: Running, is_gone: bool
) -> None:
    store = folder_of(settings) / "store"
    if is_gone:
        store.unlink()
    else:
        store.write_bytes(b"")
    async with running(settings) as client:
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        (problem,) = health["problems"]
        assert (health["status"], problem["what"], problem["is_over"]) == ("degraded", "deployments", False)
        assert "although version 1 was deployed from here: it was emptied, or its file is gone" in problem["message"]
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()["problems"]) == (200, [f"scadr/development: {problem['message']}"])
        files = (await client.get("/api/applications/scadr")).json()["files"]
        texts = [{"path": file["path"], "text": file["text"]} for file in files]
        made = await client.post(f"{DEVELOPMENT}/deployments", json={"files": texts})
        assert made.status_code == 201, made.text
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []
        assert (await client.get("/readyz")).status_code == 200


@pytest.mark.parametrize("damage", [*(name for name in DAMAGE if name != "empty")])
async def test_a_damaged_store_is_said_and_stays_as_it_is(settings: Settings, running: Running, damage: str) -> None:
    store = folder_of(settings) / "store"
    store.write_bytes(DAMAGE[damage](store.read_bytes()))
    damaged = store.read_bytes()
    async with running(settings) as client:
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        assert (health["status"], health["problems"][0]["what"]) == ("degraded", "store")
        assert health["problems"][0]["message"].endswith("is damaged, or is not a store")
        assert health["problems"][0]["help"] == "Replace its file with an intact copy."
        ready = await client.get("/readyz")
        assert ready.status_code == 200
        assert "is damaged, or is not a store" in ready.json()["problems"][0]
    assert store.read_bytes() == damaged


@pytest.mark.parametrize("damage", ["empty", "truncated", "zeros"])
@pytest.mark.parametrize("is_measured", [True, False])
async def test_a_damaged_state_of_a_profile_run_is_set_aside_and_made_from_what_was_measured(
    settings: Settings, running: Running, damage: str, is_measured: bool
) -> None:
    folder = folder_of(settings) / "profile-runs" / "run-1"
    settings_asked = RunSettings("embedded:", GRIDS["small"], interval_seconds=7.0, intervals=2)
    run = RunDirectory(folder / "measurements", settings_asked, "before the damage")
    run.end("cancelled")
    files = ProfileRunFiles(folder.parent)
    state = folder / "state.json"
    state.write_text("none")
    (whole,) = files.load_all()
    state.write_bytes(DAMAGE[damage](state.read_bytes()))
    for aside in folder.glob("state.json.damaged-*"):
        aside.unlink()
    if not is_measured:
        (folder / "measurements" / "run.json").write_text("{")
    async with running(settings) as client:
        runs = (await client.get(f"{DEVELOPMENT}/profile-runs")).json()["items"]
        assert runs == ([whole.read.model_dump(mode="json")] if is_measured else [])
        health = (await client.get(f"{DEVELOPMENT}/health")).json()
        (problem,) = health["problems"]
        (aside,) = folder.glob("state.json.damaged-*")
        assert (health["status"], problem["what"], problem["is_over"]) == ("ok", "profile-runs", True)
        assert f"state.json of the profile run run-1 was damaged and is now {aside.name}: " in problem["message"]
        assert ("was made from its measurements" in problem["message"]) == is_measured
    if is_measured:
        read = whole.read
        assert (read.label, read.state, read.settings.interval_seconds) == ("before the damage", "cancelled", 7.0)
        async with running(settings) as client:
            assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []
            assert (await client.get(f"{DEVELOPMENT}/profile-runs")).json()["items"] == runs


@pytest.mark.parametrize("damage", ["empty", "truncated", "zeros", "another shape", "gone"])
@pytest.mark.parametrize("has_copy", [True, False])
async def test_what_is_said_of_an_application_is_set_aside_and_made_from_what_is_known(
    settings: Settings, running: Running, damage: str, has_copy: bool
) -> None:
    file = settings.data / "applications" / "scadr" / "application.json"
    copy = settings.data / "histories" / "scadr.json"
    async with running(settings) as client:
        await client.patch("/api/applications/scadr", json={"title": "My Twitter", "is_archived": True})
    if not has_copy:
        copy.unlink()
    content = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(b'{"title": 5}' if damage == "another shape" else DAMAGE[damage](content))
    async with running(settings) as client:
        (application,) = (await client.get("/api/applications")).json()["items"]
        health = (await client.get("/api/health")).json()
        asides = [*file.parent.glob("application.json.damaged-*")]
        if damage == "gone" and not has_copy:  # a folder that was made by hand looks the same
            assert (application["title"], health["problems"], file.exists()) == ("scadr", [], False)
            return
        known = ("My Twitter", True) if has_copy else ("SCADr", False)
        assert (application["title"], application["is_archived"]) == known
        (problem,) = health["problems"]
        assert (health["status"], problem["what"], problem["is_over"]) == ("ok", "application", True)
        assert f"its title {known[0]} is from the copy" in problem["message"] or not has_copy
        assert all(aside.name in problem["message"] for aside in asides)
        assert len(asides) == (damage != "gone")
    async with running(settings) as client:
        assert (await client.get("/api/applications")).json()["items"] == [application]
        assert (await client.get("/api/health")).json()["problems"] == []


async def test_a_title_that_cannot_be_read_is_said_as_long_as_it_is_so_and_is_not_replaced(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = settings.data / "applications" / "scadr" / "application.json"
    async with running(settings) as client:
        await client.get("/api/applications")
        content = file.read_bytes()
        with monkeypatch.context() as patched:
            read = Path.read_bytes

            def refused(path: Path) -> bytes:
                if path == file:
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
                return read(path)

            patched.setattr(Path, "read_bytes", refused)
            assert [app["title"] for app in (await client.get("/api/applications")).json()["items"]] == ["SCADr"]
            health = (await client.get(f"{DEVELOPMENT}/health")).json()
            assert (health["status"], health["problems"][0]["what"]) == ("degraded", "application")
            said = "application.json of scadr cannot be read: Permission denied."
            assert (await client.get("/readyz")).json()["problems"] == [said]
            renamed = await client.patch("/api/applications/scadr", json={"title": "Another"})
            assert (renamed.status_code, renamed.json()["message"]) == (503, said)
        assert file.read_bytes() == content
        assert (await client.get(f"{DEVELOPMENT}/health")).json()["problems"] == []


def test_a_folder_that_never_had_a_history_misses_none(tmp_path: Path) -> None:
    database, new = open_database(tmp_path / "workbench.duckdb")
    assert new is None
    database.close()


def leave_a_log(file: Path) -> None:
    """Write an SLO into a history, and one more that its process leaves in the log when it is killed."""
    slo = "c.execute(\"INSERT INTO slos VALUES ('{}', 0.99, 20, 600, now()::TIMESTAMP)\")"
    script = f"import duckdb, os; c = duckdb.connect({str(file)!r}); {slo.format('first')}; c.execute('CHECKPOINT');"
    subprocess.run([sys.executable, "-c", f"{script} {slo.format('second')}; os._exit(0)"], check=True)


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_start_that_dies_while_it_makes_a_new_file_loses_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_gone: bool
) -> None:
    """The process dies before it renames its first file, then before its second, and so on."""
    outcomes = []
    for renames in range(5):
        file = tmp_path / str(renames) / "workbench.duckdb"
        open_database(file)[0].close()
        leave_a_log(file)
        if is_gone:
            file.unlink()
        else:
            monkeypatch.setattr(opening, "_opened", always_damaged)
        with monkeypatch.context() as patched:
            dies_at(patched, renames)
            with suppress(ProcessLookupError):
                open_database(file, is_expected=True)[0].close()
        monkeypatch.undo()
        database, _ = open_database(file, is_expected=True)
        with database.read() as cursor:
            slos = {query for (query,) in cursor.execute("SELECT query FROM slos").fetchall()}
            beginnings = cursor.execute("SELECT count(*) FROM beginnings").fetchone()
        database.close()
        outcomes.append((slos, beginnings))
    expected = (set(), (1,)) if is_gone else ({"first", "second"}, (0,))
    assert outcomes == [expected] * 5


def always_damaged(path: Path) -> Database:
    raise duckdb.SerializationException("a block cannot be read")


def dies_at(patched: pytest.MonkeyPatch, renames: int) -> None:
    """Let the process die, as far as others can tell, where it would rename another file after so many."""
    rename, left = Path.rename, iter(range(renames))

    def counted(file: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise ProcessLookupError
        return rename(file, target)

    patched.setattr(Path, "rename", counted)


def test_a_file_that_is_in_use_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    file = tmp_path / "workbench.duckdb"
    script = f"import duckdb; c = duckdb.connect({str(file)!r}); print('open', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(duckdb.IOException, match="lock"):
            open_database(file)
        other.communicate(b"\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["workbench.duckdb"]


async def test_a_save_on_a_full_disk_is_said_in_words(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))

    monkeypatch.setattr(applications, "write_atomically", full)
    made = await client.post("/api/applications/scadr/files", json={"path": "new.piql", "text": "-- new"})
    assert (made.status_code, made.json()["code"]) == (507, "disk-full")
    assert made.json()["message"] == "The disk is full: nothing was written."
    assert "Free some space" in made.json()["help"]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS])
async def test_a_save_that_is_refused_by_the_disk_is_said_in_words(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(file: Path, text: str) -> None:
        raise OSError(number, os.strerror(number), "/srv/piql/applications/scadr/.new.tmp")

    monkeypatch.setattr(applications, "write_atomically", refused)
    made = await client.post("/api/applications/scadr/files", json={"path": "new.piql", "text": "-- new"})
    assert (made.status_code, made.json()["code"]) == (507, "disk-not-writable")
    assert made.json()["message"] == (
        f"/srv/piql/applications/scadr may not be written ({os.strerror(number)}): nothing was saved."
    )
    assert made.json()["help"] == disk.LET_WRITE


async def test_a_deployment_into_a_store_that_may_not_be_written_says_what_to_do(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = DatabaseFile.open

    def read_only(file: DatabaseFile) -> Connection:
        connection = opened(file)
        connection.execute("PRAGMA query_only = TRUE")  # root may write to any folder, but not so
        return connection

    monkeypatch.setattr(DatabaseFile, "open", read_only)
    async with running(settings) as client:
        files = (await client.get("/api/applications/scadr")).json()["files"]
        texts = [
            {"path": file["path"], "text": file["text"]} for file in files if file["path"] != "queries/findUser.piql"
        ]
        wish = {"base_version": 1, "files": texts}
        for url in (f"{DEVELOPMENT}/deployments", f"{DEVELOPMENT}/deployments/builds"):
            refused = await client.post(url, json=wish)
            assert (refused.status_code, refused.json()["code"]) == (507, "disk-not-writable"), refused.text
            assert refused.json()["message"] == "the embedded store may not be written to"
            assert refused.json()["help"] == "Allow this user to write its file and the folder of the file."
        assert (await client.get(f"{DEVELOPMENT}/deployments/live")).json()["version"] == 1


async def test_health_says_which_folder_may_not_be_written(
    client: httpx.AsyncClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = settings.data / "applications"
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != locked and may(path, mode))
    health = (await client.get("/api/health")).json()
    assert [(problem["message"], problem["help"]) for problem in health["problems"]] == [
        (f"{locked} may not be written: nothing that needs it is saved.", disk.LET_WRITE)
    ]


def test_a_data_folder_that_is_gone_is_called_so(tmp_path: Path) -> None:
    assert disk.problem_of_disk(tmp_path / "away") == (
        f"The data folder {tmp_path / 'away'} is gone: nothing is saved.",
        disk.PUT_BACK,
    )


def test_what_is_observed_on_a_full_disk_is_said_once_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(table: str, columns: object) -> None:
        raise disk.disk_full("a write-ahead log")

    database = Database(tmp_path / "workbench.duckdb")
    monkeypatch.setattr(database, "append", full)
    observations = Observations(database)
    observations.add(ObservedExecution(Observation("q", 1, now(), 1.0, 1, 1, 0), bound=1))
    for _ in range(3):
        observations.flush()
    assert observations.waiting == 1
    database.close()
    assert [record.name for record in caplog.records].count("piql_backend.executions.observations") == 1


async def test_health_says_that_the_disk_is_full(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "free_bytes", lambda folder: 2_500_000)
    health = (await client.get(f"{DEVELOPMENT}/health")).json()
    assert health["status"] == "degraded"
    assert [(problem["what"], problem["message"]) for problem in health["problems"]] == [
        ("disk", "The disk of the data folder is full: 2.5 MB are left.")
    ]
    ready = await client.get("/readyz")
    assert ready.json() == {"is_well": True, "problems": ["The disk of the data folder is full: 2.5 MB are left."]}


async def test_an_environment_that_a_full_disk_keeps_closed_says_what_to_do(
    settings: Settings, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(environment: Environment) -> None:
        raise disk.disk_full("a write-ahead log")

    monkeypatch.setattr(Environment, "open", full)
    async with running(settings) as client:
        health = await client.get(f"{DEVELOPMENT}/health")
        (problem,) = health.json()["problems"]
        assert (problem["what"], problem["help"]) == ("environment", disk.FREE_SOME)
        assert "cannot be opened" in problem["message"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_disk_that_takes_nothing_below_the_history_is_one_below_everything(tmp_path: Path, number: int) -> None:
    database = Database(tmp_path / "workbench.duckdb")
    with pytest.raises(OSError) as raised, database.write():  # noqa: PT011 (its number is looked at)
        raise duckdb.IOException(f'IO Error: Could not write file "workbench.duckdb": {os.strerror(number)}')
    assert raised.value.errno == number
    with suppress(OSError), database.write() as cursor:
        assert cursor.execute("SELECT count(*) FROM deployments").fetchone() == (0,)
    database.close()
