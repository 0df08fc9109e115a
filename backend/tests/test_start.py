"""`piql serve` as a process: it starts, says where it is, and ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from piql_backend.settings import Settings

from .conftest import DEVELOPMENT, folder_of

COMMAND = [sys.executable, "-m", "piql_backend"]


def answer(url: str) -> Any:
    return httpx.get(url, timeout=PATIENCE).json()


def started(data: Path, command: Sequence[str] = COMMAND, **variables: str) -> subprocess.Popen[str]:
    """Start a workbench on a free port, which it names in its first line."""
    return subprocess.Popen(
        [*command, "--port", "0", "--data", str(data)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PROFILE_RUNNER": "local"} | variables,
    )


def address_of(process: subprocess.Popen[str]) -> str:
    """Wait until a workbench is ready, and return the address that it names."""
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"PIQL Workbench: (http://127\.0\.0\.1:[0-9]+)\n", line)
    assert found, line
    return found[1]


def test_a_started_workbench_says_where_it_is_and_ends_at_sigterm(settings: Settings) -> None:
    process = started(settings.data)
    url = address_of(process)
    health = answer(f"{url}{DEVELOPMENT}/health")
    assert health["status"] == "ok"
    applications = answer(f"{url}/api/applications")["items"]
    assert [application["id"] for application in applications] == ["scadr"]

    port = url.rpartition(":")[2]
    taken = subprocess.run([*COMMAND, "--port", port], capture_output=True, text=True, check=False)
    assert taken.returncode == 1
    assert re.fullmatch(rf"piql serve: 127.0.0.1:{port} cannot be used: .*\n", taken.stderr)

    command = [*COMMAND, "--port", "0", "--data", str(settings.data)]
    in_use = subprocess.run(command, capture_output=True, text=True, check=False)
    assert in_use.returncode == 1
    assert re.fullmatch(r"piql serve: the data folder .* is used by another workbench\n", in_use.stderr)

    body = {"interval_seconds": 600, "intervals": 1, "grid": {"row_bytes": [40], "scan_rows": [1]}}
    run_id = httpx.post(f"{url}{DEVELOPMENT}/profile-runs", json=body, timeout=PATIENCE).json()["id"]
    deadline = time.monotonic() + PATIENCE
    while answer(f"{url}{DEVELOPMENT}/profile-runs/{run_id}")["state"] != "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with httpx.stream("GET", f"{url}{DEVELOPMENT}/profile-runs/{run_id}/events", timeout=PATIENCE) as events:
        next(events.iter_lines())
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 0  # long before the run of ten minutes would have ended
    left = subprocess.run(["pgrep", "-f", run_id], capture_output=True, text=True, check=False).stdout
    assert left == ""


STOPS_AT_THE_LOAD = """
import sys
import piql
from piql_backend.commands.serve import serve

def load(*given, **named):
    print("it loads", flush=True)
    sys.stdin.read()

piql.Database.load = load
sys.exit(serve())
"""


def test_an_interrupted_first_start_is_done_anew(tmp_path: Path) -> None:
    data, few = tmp_path / "data", {"SAMPLE_USERS": "40"}
    mark = data / "environments" / "scadr" / "development" / "sample.json"
    with started(data, [sys.executable, "-c", STOPS_AT_THE_LOAD], **few) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "it loads\n"
        assert mark.exists()
        process.kill()

    with started(data, **few) as process:
        try:
            url = f"{address_of(process)}{DEVELOPMENT}/deployments"
            assert not mark.exists()
            assert [item["id"] for item in answer(url)["items"]] == ["d1"]
            sample = answer(f"{url}/live/queries/findUser/sample-parameters")
            assert "first 40 rows" in sample["sources"]["username"]
        finally:
            process.terminate()


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_file_in_the_place_of_the_data_folder_is_told_in_a_line(tmp_path: Path, below: str) -> None:
    file = tmp_path / "a-file"
    file.write_text("somebody's")
    command = [*COMMAND, "--port", "0", "--data", str(file / below)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    told = f"piql serve: there can be no folder {file / below}: a file is in the way. Give another one with --data.\n"
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", told)
    assert file.read_text() == "somebody's"


@pytest.mark.parametrize("arguments", [["--port", "99999"], ["--port", "x"], ["--none"]])
def test_wrong_arguments_are_told_in_the_usual_way(arguments: list[str]) -> None:
    ended = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "usage: piql serve" in ended.stderr


def test_what_is_kept_is_for_its_user_alone_and_a_password_belongs_into_the_environment(settings: Settings) -> None:
    settings.data.chmod(0o755)
    command = [*COMMAND, "--port", "0", "--data", str(settings.data)]
    command += ["--profile-store", "cql://me:s3cr3t@db/none"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        created = [settings.data, settings.data / ".lock", folder_of(settings) / "workbench.duckdb.wal"]
        modes = {path.name: path.stat().st_mode & 0o077 for path in created if path.exists()}
        process.terminate()
        said = process.communicate()[1]
    assert modes[settings.data.name] == 0
    assert modes.get("workbench.duckdb.wal", 0) == 0
    assert "put a URL with a password into the environment" in said
    assert "s3cr3t" not in said
