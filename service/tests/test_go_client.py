"""The generated Go client: vet takes it, wrong types do not compile, and it does what it should with a real service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from piql_service.commands.client import client

from .applications import APPLICATIONS, USES, run, served

GO = str(Path(sys.executable).with_name("go"))
WRONG = "//! "  # before a line of a program that must not compile


@pytest.mark.parametrize("name", APPLICATIONS)
def test_go_passes_vet_refuses_wrong_types_and_does_what_it_should(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOTOOLCHAIN", "local")  # and no other one is fetched
    assert client(["--lang", "go", "--app", str(APPLICATIONS[name]), str(tmp_path / "piqlclient")]) == 0
    (tmp_path / "go.mod").write_text("module example\n\ngo 1.23\n")
    shutil.copy(USES / "check.go", tmp_path)
    shutil.copy(USES / f"use_{name}.go", tmp_path / "main.go")
    run(tmp_path, GO, "vet", "-composites=false", "./...")
    run(tmp_path, GO, "build", "-o", "program", ".")

    text = (tmp_path / "main.go").read_text()
    wrong = {number for number, line in enumerate(text.splitlines(), 1) if WRONG in line}
    (tmp_path / "main.go").write_text(text.replace(WRONG, ""))
    refused = subprocess.run((GO, "build", "-gcflags=-e", "."), cwd=tmp_path, capture_output=True, text=True)
    assert {int(line) for line in re.findall(r"^\./main\.go:(\d+):", refused.stderr, re.MULTILINE)} == wrong
    assert wrong

    with served(name, tmp_path, capsys) as arguments:
        run(tmp_path, os.fspath(tmp_path / "program"), *arguments)
