"""The applications that clients are made of in tests, served for a program that uses the client."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import piql
import pytest
from piql_service.commands.service_token import service_token
from tpcw.data import generate

from .conftest import SCADR, serving

ROOT = SCADR.parents[1]
USES = Path(__file__).with_name("clients")
EVERY_TYPE = USES / "every_type.piql"
APPLICATIONS = {"scadr": SCADR, "tpcw": SCADR.with_name("tpcw"), "every_type": EVERY_TYPE}


def run(folder: Path, *command: str) -> None:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@contextmanager
def served(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[list[str]]:
    """Serve an application; yield the arguments for what uses it: the address, and tokens of SCADr's."""
    store = f"embedded:{folder / 'store.db'}"
    with piql.connect(store) as database:
        database.deploy(piql.compile(APPLICATIONS[name]))
        for table, rows in generate(customers=3, items=4).items() if name == "tpcw" else ():
            database.load(table, rows)
    options, tokens = [], []
    if name == "scadr":
        options = ["--tokens", str(folder / "tokens")]
        capsys.readouterr()
        for arguments in (["rich"], ["poor", "--budget", "2"]):
            assert service_token([options[1], *arguments]) == 0
        tokens = capsys.readouterr().out.split()
    with serving(store, *options) as (_, address):
        yield [address, *tokens]
