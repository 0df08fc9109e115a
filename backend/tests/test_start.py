from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from piql_backend.settings import Settings

COMMAND = [sys.executable, "-m", "piql_backend"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answer(url: str) -> Any:
    return httpx.get(url, timeout=PATIENCE).json()


def started(port: int, data: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "--port", str(port), "--data", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PROFILE_RUNNER": "local"},
    )


def test_a_started_workbench_says_where_it_is_and_ends_at_sigterm(settings: Settings) -> None:
    port = free_port()
    process = started(port, settings.data)
    assert process.stdout is not None
    assert process.stdout.readline() == f"PIQL Workbench: http://127.0.0.1:{port}\n"
    health = answer(f"http://127.0.0.1:{port}/api/health")
    assert health["status"] == "ok"
    workspaces = answer(f"http://127.0.0.1:{port}/api/workspaces")["items"]
    assert [workspace["id"] for workspace in workspaces] == ["scadr"]

    taken = subprocess.run([*COMMAND, "--port", str(port)], capture_output=True, text=True, check=False)
    assert taken.returncode == 1
    assert re.fullmatch(rf"piql serve: 127.0.0.1:{port} cannot be used: .*\n", taken.stderr)

    command = [*COMMAND, "--port", str(free_port()), "--data", str(settings.data)]
    in_use = subprocess.run(command, capture_output=True, text=True, check=False)
    assert in_use.returncode == 1
    assert re.fullmatch(r"piql serve: the data folder .* is used by another workbench\n", in_use.stderr)

    body = {"interval_seconds": 600, "intervals": 1, "grid": {"row_bytes": [40], "scan_rows": [1]}}
    run_id = httpx.post(f"http://127.0.0.1:{port}/api/profile-runs", json=body, timeout=PATIENCE).json()["id"]
    deadline = time.monotonic() + PATIENCE
    while answer(f"http://127.0.0.1:{port}/api/profile-runs/{run_id}")["state"] != "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with httpx.stream("GET", f"http://127.0.0.1:{port}/api/profile-runs/{run_id}/events", timeout=PATIENCE) as events:
        next(events.iter_lines())
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 0  # long before the run of ten minutes would have ended
    left = subprocess.run(["pgrep", "-f", run_id], capture_output=True, text=True, check=False).stdout
    assert left == ""


def killed_within_its_first_start(port: int, data: Path) -> bool:
    """Kill a first start as soon as its mark is seen, and say whether it was still under way."""
    mark = data / ".first-start-under-way"
    process = started(port, data)
    deadline = time.monotonic() + PATIENCE
    while not mark.exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.001)
    process.kill()
    process.wait()
    return mark.exists()


def test_an_interrupted_first_start_is_done_anew(tmp_path: Path) -> None:
    port = free_port()
    mark = tmp_path / "data" / ".first-start-under-way"
    for _ in range(5):  # a busy machine may look too late, when all is loaded
        if killed_within_its_first_start(port, tmp_path / "data"):
            break
        shutil.rmtree(tmp_path / "data")
    assert mark.exists()

    process = started(port, tmp_path / "data")
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        assert not mark.exists()
        url = f"http://127.0.0.1:{port}/api/deployments"
        assert [item["id"] for item in answer(url)["items"]] == ["d1"]
        sample = answer(f"{url}/live/queries/findUser/sample-parameters")
        assert "first 1000 rows" in sample["sources"]["username"]
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("arguments", [["--port", "99999"], ["--port", "x"], ["--none"]])
def test_wrong_arguments_are_told_in_the_usual_way(arguments: list[str]) -> None:
    ended = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "usage: piql serve" in ended.stderr


def test_what_is_kept_is_for_its_user_alone_and_a_password_belongs_into_the_environment(settings: Settings) -> None:
    settings.data.chmod(0o755)
    command = [*COMMAND, "--port", str(free_port()), "--data", str(settings.data)]
    command += ["--profile-store", "cql://me:s3cr3t@db/none"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        created = [settings.data, settings.data / ".lock", settings.data / "workbench.duckdb.wal"]
        modes = {path.name: path.stat().st_mode & 0o077 for path in created if path.exists()}
        process.terminate()
        said = process.communicate()[1]
    assert modes[settings.data.name] == 0
    assert modes.get("workbench.duckdb.wal", 0) == 0
    assert "put a URL with a password into the environment" in said
    assert "s3cr3t" not in said
