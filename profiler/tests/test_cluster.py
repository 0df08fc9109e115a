"""The tests that start Ray: one whole run, and one that is stopped half way."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from piql_profiler.cluster import RayRunner
from piql_profiler.grid import Grid, Operator
from piql_profiler.measurements import Measurements
from piql_profiler.processes import descendants
from piql_profiler.profile_run import Progress, run_profile
from piql_profiler.run_files import RunInfo, RunSettings, load, read_info

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

    def report(each: Progress) -> None:
        progress.append(each)
        started.update(descendants())

    before = descendants()
    settings = RunSettings(f"embedded:{folder}/shop.db", TINY, interval_seconds=0.5, intervals=2, clients=1)
    info = run_profile(settings, folder / "run", RayRunner(1), report)
    return WholeRun(info, load(folder / "run"), progress, started - before, descendants() - before)


def test_a_run_on_ray_measures_every_point_in_every_interval(whole_run: WholeRun) -> None:
    assert (whole_run.info.state, whole_run.info.message) == ("done", None)
    assert whole_run.measurements.intervals == 2
    assert set(whole_run.measurements.operators) == set(Operator)
    for operator in whole_run.measurements.operators.values():
        assert (operator.counts.sum(axis=-1) >= 20).all()


def test_its_progress_counts_the_measurements(whole_run: WholeRun) -> None:
    total = 2 * len(TINY.points)
    running = [each for each in whole_run.progress if each.state == "running"]
    assert [each.points_done for each in running] == list(range(total + 1))
    assert all(each.points_total == total for each in whole_run.progress)


def test_it_leaves_no_process_behind(whole_run: WholeRun) -> None:
    assert len(whole_run.started) > 2
    assert whole_run.left == set()


def test_a_cancelled_run_ends_within_five_seconds_is_cancelled_and_leaves_no_process_behind(tmp_path: Path) -> None:
    process = _start(tmp_path, "ray")
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["points_done"] > 0:
                break
        assert _of_session(process.pid) > {process.pid}
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait(timeout=10) == 130
        assert time.monotonic() - began < 5.0
        assert json.loads(rest.splitlines()[-1])["state"] == "cancelled"
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


def test_a_ray_worker_that_is_killed_is_replaced_or_the_run_says_so_and_goes_on(tmp_path: Path) -> None:
    process = _start(tmp_path, "ray", intervals=2)
    try:
        assert process.stdout is not None
        killed: list[int] = []
        for line in process.stdout:
            if json.loads(line)["points_done"] >= 1 and not killed:  # between two tasks there is none: then at the next
                killed = [each for each in _of_session(process.pid) if _command(each).startswith("ray::_run")][:1]
                for worker in killed:
                    os.kill(worker, signal.SIGKILL)
        assert killed
        code = process.wait(timeout=60)
    finally:
        process.kill()
    if code != 0:
        assert read_info(tmp_path / "run").message
        assert _profile("--resume", "--out", str(tmp_path / "run")).returncode == 0
    assert load(tmp_path / "run").intervals == 2


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
    """Give the processes that belong to a session or descend from its leader."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == session or f"/{session}/" in _ancestors(int(entry.name)):
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


def _ancestors(process: int) -> str:
    path = "/"
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        path += f"{process}/"
    return path
