"""The tests that start Ray: whole runs, on one machine and on two, and runs that are stopped or lose a client."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import pytest
from patience import PATIENCE
from piql_profiler.measure.grid import Grid
from piql_profiler.measure.measurements import Measurements
from piql_profiler.runs import cluster
from piql_profiler.runs.cluster import RayRunner
from piql_profiler.runs.processes import descendants
from piql_profiler.runs.profile_run import Progress, run_profile
from piql_profiler.runs.run_files import RunInfo, RunSettings, load, read_cells, read_info
from piql_profiler.runs.runner import MeasuringStopped

pytestmark = pytest.mark.ray

TINY = Grid.product(
    "tiny", row_bytes=(60,), scan_rows=(1, 20), fk_child_rows=(5,), sorted_child_rows=(5,), sorted_rows=(4,)
)
TINY_JSON = (
    '{"row_bytes": [60], "scan_rows": [1, 20], "fk_child_rows": [5], "sorted_child_rows": [5], "sorted_rows": [4]}'
)


@dataclass
class WholeRun:
    info: RunInfo
    measurements: Measurements
    progress: list[Progress]
    started: set[int]
    left: set[int]


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> WholeRun:
    folder = tmp_path_factory.mktemp("cluster")
    progress: list[Progress] = []
    started: set[int] = set()

    def report(state: Progress) -> None:
        progress.append(state)
        started.update(descendants())

    before = descendants()
    settings = RunSettings(f"embedded:{folder}/shop.db", TINY, interval_seconds=0.5, intervals=2, clients=1)
    info = run_profile(settings, folder / "run", RayRunner(1), report)
    return WholeRun(info, load(folder / "run"), progress, started - before, descendants() - before)


def test_a_run_on_ray_measures_every_point_in_every_interval(whole_run: WholeRun) -> None:
    assert (whole_run.info.state, whole_run.info.message) == ("done", None)
    assert whole_run.measurements.intervals == 2
    assert set(whole_run.measurements.operators) == {point.operator for point in TINY.points}
    for operator in whole_run.measurements.operators.values():
        assert (operator.counts.sum(axis=-1) >= 20).all()


def test_its_progress_counts_the_measurements(whole_run: WholeRun) -> None:
    total = 2 * len(TINY.points)
    running = [progress for progress in whole_run.progress if progress.state == "running"]
    assert [progress.points_done for progress in running] == list(range(total + 1))
    assert all(progress.points_total == total for progress in whole_run.progress)


def test_it_leaves_no_process_behind(whole_run: WholeRun) -> None:
    assert len(whole_run.started) > 2
    assert whole_run.left == set()


def test_a_cancelled_run_ends_at_once_is_cancelled_and_leaves_no_process_behind(tmp_path: Path) -> None:
    process = _start(tmp_path, "ray")
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["points_done"] > 0:
                break
        assert _of_session(process.pid) > {process.pid}
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait(timeout=PATIENCE) == 130
        last = json.loads(rest.splitlines()[-1])
        assert last["state"] == "cancelled"
        assert last["points_done"] < last["points_total"] / 2  # it did not measure to the end first
        assert read_info(tmp_path / "run").state == "cancelled"
        assert _of_session(process.pid) == set()
    finally:
        process.kill()


def test_a_killed_run_is_seen_as_failed(tmp_path: Path) -> None:
    process = _start(tmp_path, "local")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["state"] == "running":
            break
    process.kill()
    process.wait()
    info = read_info(tmp_path / "run")
    assert (info.state, info.message) == ("failed", "the process that measured ended before the run did")


def test_a_run_killed_after_an_interval_is_readable_and_goes_on_to_its_end(tmp_path: Path) -> None:
    process = _start(tmp_path, "local", intervals=2)
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["points_done"] > len(TINY.points):
            break
    process.kill()
    process.wait()
    assert load(tmp_path / "run", is_partial_allowed=True).intervals == 1
    resumed = _profile("--resume", "--out", str(tmp_path / "run"))
    assert json.loads(resumed.stdout.splitlines()[0])["points_done"] == len(TINY.points)
    info = read_info(tmp_path / "run")
    assert (resumed.returncode, info.state, info.complete_intervals) == (0, "done", 2)


def test_nothing_of_ray_outlives_a_run_that_is_killed(tmp_path: Path) -> None:
    process = _start(tmp_path, "ray")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["points_done"] > 0:
            break
    assert any("raylet" in _command(process) for process in _of_session(process.pid))
    process.kill()
    process.wait()
    until = time.monotonic() + PATIENCE
    while (left := _commands_of_session(process.pid)) and time.monotonic() < until:
        time.sleep(0.2)
    assert left == {}


def test_a_client_that_is_killed_is_said_and_its_block_measured_again(tmp_path: Path) -> None:
    """It is killed between two intervals, when it has nothing to do and will be asked for the next block."""
    runner = RayRunner(1)
    said: list[str] = []
    killed: list[int] = []

    def report(progress: Progress) -> None:
        said.extend([progress.message] if progress.message else [])
        if progress.points_done == len(TINY.points) and not killed:
            killed.append(int(runner.places[0].rpartition(" ")[2]))
            os.kill(killed[0], signal.SIGKILL)

    settings = RunSettings(f"embedded:{tmp_path}/shop.db", TINY, interval_seconds=0.5, intervals=3, clients=1)
    info = run_profile(settings, tmp_path / "run", runner, report)
    assert (info.state, info.message) == ("done", None)
    assert [message for message in said if "client 1 died while it measured" in message and "another one" in message]
    assert len(info.notes["lost_clients"]) == 1
    assert load(tmp_path / "run").intervals == 3
    assert len({(cell.point, cell.interval) for cell in read_cells(tmp_path / "run")}) == 3 * len(TINY.points)


@pytest.mark.long  # that another client goes on where one has died is held above, on one machine
def test_clients_on_two_machines_share_a_run_and_one_goes_on_when_the_other_machine_is_gone(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster  # two nodes of Ray, each with one processor, as two machines would be

    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = machines.add_node(num_cpus=1)
    said: list[str] = []

    def report(progress: Progress) -> None:
        said.extend([progress.message] if progress.message else [])
        if progress.points_done == 2:
            machines.remove_node(second, allow_graceful=False)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RAY_ADDRESS", machines.address)
            runner = RayRunner(2)
            settings = RunSettings(f"embedded:{tmp_path}/shop.db", TINY, interval_seconds=4.0, intervals=2, clients=2)
            info = run_profile(settings, tmp_path / "run", runner, report)
    finally:
        machines.shutdown()
    assert (info.state, info.message) == ("done", None)
    assert len(set(info.notes["clients"])) == 2
    assert [message for message in said if "died while it measured" in message], said
    assert len({(cell.point, cell.interval) for cell in read_cells(tmp_path / "run")}) == 2 * len(TINY.points)


def test_a_store_that_vanishes_is_said_by_a_client_in_its_own_process(tmp_path: Path) -> None:
    """Where nobody listens, a client finds what it finds when a cluster goes away under it."""
    settings = RunSettings("cql://127.0.0.1:1/gone?timeout=2", TINY, 0.5, 1, 1)
    run = run_profile(settings, tmp_path / "run", RayRunner(1), lambda progress: None, prepare=lambda *_: None)
    assert run.state == "failed"
    assert run.message is not None
    assert run.message.startswith("the store does not answer: ")
    assert run.message.endswith("; resume the run when it answers again")


def test_more_clients_than_ray_has_processors_are_refused() -> None:
    ray = SimpleNamespace(cluster_resources=lambda: {"CPU": 1.0})
    with pytest.raises(MeasuringStopped, match="Ray has 1 processors, too few for 3 clients"):
        cluster._Team(ray, 3, Pipe()[0])


def _commands_of_session(session: int) -> dict[int, str]:
    """What runs of a session; what has ended, and waits for its parent to ask how, has no command."""
    return {process: command for process in _of_session(session) if (command := _command(process))}


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _profile(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "piql_profiler.commands", "profile", *arguments, "--progress", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _start(folder: Path, runner: str, intervals: int = 50) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "piql_profiler.commands", "profile", "--store", f"embedded:{folder}/shop.db"),
            *("--grid", TINY_JSON, "--interval", "2", "--intervals", str(intervals), "--out", str(folder / "run")),
            *("--progress", "json", "--runner", runner),
        ],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _of_session(session: int) -> set[int]:
    """The processes that belong to a session or descend from its leader."""
    pids = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == session or f"/{session}/" in _ancestors(int(entry.name)):
                    pids.add(int(entry.name))
            except OSError:
                continue
    return pids


def _ancestors(process: int) -> str:
    path = "/"
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        path += f"{process}/"
    return path


class SlowRay:
    """Stands for Ray on a machine that is too busy for it, the first few times."""

    def __init__(self, failures: int, message: str) -> None:
        self.failures = failures
        self.message = message
        self.starts = self.ends = 0

    def init(self, **settings: object) -> None:
        self.starts += 1
        if self.starts <= self.failures:
            raise Exception(self.message)  # as Ray does

    def shutdown(self) -> None:
        self.ends += 1


def test_ray_is_started_again_where_the_machine_was_too_busy_for_it(tmp_path: Path) -> None:
    ray = SlowRay(2, "The current node timed out during startup.")
    cluster.start_node(ray, 1, str(tmp_path))
    assert (ray.starts, ray.ends) == (3, 2)


@pytest.mark.parametrize(
    ("failures", "message", "starts"), [(9, "The current node timed out during startup.", 4), (1, "no such folder", 1)]
)
def test_ray_that_cannot_start_is_told_in_its_own_words(
    tmp_path: Path, failures: int, message: str, starts: int
) -> None:
    ray = SlowRay(failures, message)
    with pytest.raises(Exception, match=message):
        cluster.start_node(ray, 1, str(tmp_path))
    assert ray.starts == starts
