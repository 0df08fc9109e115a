"""Lint says the same of a clone that a workbench has been started in, and finds code that nobody uses."""

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


def test_code_that_only_tests_use_is_listed_but_fields_that_a_screen_reads_are_not(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    engine, backend = "engine/src/piql", "backend/src/piql_backend"
    for folder in (engine, "engine/tests", "service", "profiler", backend, "tools", "sample-apps", "frontend/src"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / engine / "plans.py").write_text("def forgotten():\n    pass\n\n\ndef tested():\n    pass\n")
    (tmp_path / "engine" / "tests" / "test_plans.py").write_text("from piql.plans import tested\n\ntested()\n")
    (tmp_path / backend / "schemas.py").write_text("class Answer:\n    shown: int\n    unread: int\n\n\nAnswer()\n")
    (tmp_path / "frontend" / "src" / "panel.ts").write_text("export const text = (answer) => answer.shown\n")
    (tmp_path / "frontend" / "src" / "schema.d.ts").write_text("type Answer = { shown: number; unread: number }\n")
    command = (sys.executable, str(ROOT / "tools" / "dead_code.py"))
    check = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert check.returncode == 1
    assert check.stdout.splitlines() == [
        f"{backend}/schemas.py:3: unused variable 'unread' (60% confidence)",
        f"{engine}/plans.py:1: unused function 'forgotten' (60% confidence)",
        f"{engine}/plans.py:5: unused function 'tested' (60% confidence)",
    ], check.stderr
