"""Lint says the same of a clone that a workbench has been started in."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_data_folder_of_a_workbench_is_no_module_of_a_sample(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "app").mkdir()
    shutil.copy(ROOT / "sample-apps" / "scadr" / "app.py", tmp_path / "app")
    (tmp_path / "data").mkdir()
    command = (sys.executable, "-m", "ruff", "check", "--no-cache", "--select", "I", ".")
    lint = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert lint.returncode == 0, lint.stdout
