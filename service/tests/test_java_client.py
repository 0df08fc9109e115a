"""The generated Java client: javac takes it with all warnings on, and it does what it should with a real service."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from piql_service.commands.client import client

from .applications import APPLICATIONS, USES, run, served

WRONG = "//! "  # before a line of a program that must not compile


@pytest.mark.parametrize("name", APPLICATIONS)
def test_java_passes_javac_refuses_wrong_types_and_does_what_it_should(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = "Use" + "".join(part.capitalize() for part in name.split("_"))
    assert client(["--lang", "java", "--app", str(APPLICATIONS[name]), str(tmp_path)]) == 0
    for file in ("Check.java", f"{program}.java"):
        shutil.copy(USES / file, tmp_path)
    run(tmp_path, "javac", "-Xlint:all", "-Werror", "-d", "classes", "PiqlClient.java", "Check.java", f"{program}.java")

    text = (USES / f"{program}.java").read_text()
    wrong = {number for number, line in enumerate(text.splitlines(), 1) if WRONG in line}
    (tmp_path / f"{program}.java").write_text(text.replace(WRONG, ""))
    refused = subprocess.run(
        ("javac", "-cp", "classes", "-d", "wrong", f"{program}.java"), cwd=tmp_path, capture_output=True, text=True
    )
    assert {int(line) for line in re.findall(r"^\S+\.java:(\d+): error", refused.stderr, re.MULTILINE)} == wrong
    assert wrong

    with served(name, tmp_path, capsys) as arguments:
        run(tmp_path, "java", "-cp", "classes", program, *arguments)
