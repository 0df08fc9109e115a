"""Folders that go with their process, also when it is killed."""

import subprocess
import sys
from pathlib import Path

from piql_profiler.measure.scratch import scratch_folder


def test_a_folder_goes_with_its_context(tmp_path: Path) -> None:
    with scratch_folder("mine_", tmp_path / "new") as folder:
        (folder / "rows").write_text("many")
        assert folder.parent == tmp_path / "new"
    assert list((tmp_path / "new").iterdir()) == []


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in (f"mine_{ended.pid}_abc", "mine_1_abc", "mine_notes", f"other_{ended.pid}_abc"):
        (tmp_path / name).mkdir()
    with scratch_folder("mine_", tmp_path):
        left = {entry.name for entry in tmp_path.iterdir()}
    assert {"mine_1_abc", "mine_notes", f"other_{ended.pid}_abc"} < left
    assert f"mine_{ended.pid}_abc" not in left
