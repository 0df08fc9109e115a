"""A forked server is as one that was started: it answers, says so, and ends as its stand-in is told, or with it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

PROGRAM = Path(__file__).parent / "warm_servers.py"
FEW_ROWS = os.environ | {"SAMPLE_USERS": "10"}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("warm") / "socket"
    with subprocess.Popen([sys.executable, PROGRAM, path], stdout=subprocess.PIPE) as forking:
        assert forking.stdout is not None
        assert forking.stdout.readline() == b"ready\n"
        yield path
        forking.kill()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("folder")


@pytest.mark.parametrize(
    ("told", "status"),
    [(signal.SIGTERM, 0), (signal.SIGUSR1, 0), (signal.SIGKILL, -signal.SIGKILL)],
    ids=["ended", "killed", "without its stand-in"],
)
def test_a_server_answers_until_it_is_ended(warm: Path, folder: Path, told: signal.Signals, status: int) -> None:
    options = ("serve", "--port", "0", "--data", "data")
    command = (sys.executable, "-S", PROGRAM, warm, *options)
    with subprocess.Popen(command, cwd=folder, env=FEW_ROWS, stdout=subprocess.PIPE, text=True) as stand_in:
        assert stand_in.stdout is not None
        address = stand_in.stdout.readline().removeprefix("PIQL Workbench: ").strip()
        assert urlopen(f"{address}/api/health").status == 200
        assert (folder / "data").is_dir()
        stand_in.send_signal(told)
        assert stand_in.wait() == status
        assert stand_in.stdout.read().strip() == ""  # it is at its end once the server, too, has ended
    port = int(address.split(":")[-1])
    while is_open(port):  # an ending process closes one descriptor after the other
        time.sleep(0.01)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_what_a_server_refuses_is_said_by_its_stand_in(warm: Path) -> None:
    command = (sys.executable, "-S", PROGRAM, warm, "serve", "--port", "70000")
    said = subprocess.run(command, capture_output=True, text=True)
    assert "70000 is no port" in said.stderr
    assert "nanobind" not in said.stderr
