"""The program behind `make e2e` hands on what it is given, so that one journey can be run alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "e2e.sh"


@pytest.mark.parametrize("name", ["e2e", "two-servers"])
def test_filters_and_options_reach_playwright_and_the_report_has_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "e2e").mkdir()
    shutil.copy(SCRIPT, tmp_path / "tools")
    _program(tmp_path / "tools" / "setup-chromium.sh", "exit 0")
    _program(tmp_path / "bin" / "npx", 'printf "%s\\n" "$PLAYWRIGHT_JSON_OUTPUT_FILE" "$@"')
    here = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    here |= {} if name == "e2e" else {"PIQL_E2E_REPORT": name}
    command = (tmp_path / "tools" / "e2e.sh", "2-predict", "--grep", "two words")
    run = subprocess.run(command, env=here, capture_output=True, text=True, check=True)
    report, *given = run.stdout.splitlines()
    assert report == str(tmp_path / ".test-results" / f"{name}.json")
    assert given[-3:] == ["2-predict", "--grep", "two words"]


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
