"""Profile runs on disk, a folder each.

run-20260101-120000-3f2a/state.json      what was asked for, and how far it is; written by the backend
run-20260101-120000-3f2a/measurements/   what was measured; written by the profiler
run-20260101-120000-3f2a/store/          rows for measuring an embedded store; removed when the run has ended
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from piql_profiler.measure.store_urls import has_password, without_password

from piql_backend.data_folder.files import write_atomically
from piql_backend.profile_runs.schemas import ProfileRunCreate, ProfileRunRead


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is kept: what was asked for, and how far it is."""

    read: ProfileRunRead
    request: ProfileRunCreate


class ProfileRunFiles:
    """The folders below one root."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, run_id: str) -> Path:
        return self._root / run_id

    def measurements(self, run_id: str) -> Path:
        return self._root / run_id / "measurements"

    def store(self, run_id: str) -> Path:
        return self._root / run_id / "store"

    def save(self, run: StoredRun) -> None:
        """Write the state of a run in one step."""
        content = {
            "run": run.read.model_dump(mode="json"),
            "request": run.request.model_dump(mode="json"),
        }
        write_atomically(self.folder(run.read.id) / "state.json", json.dumps(content, indent=2) + "\n")

    def load_all(self) -> list[StoredRun]:
        """Every run whose state can be read; other folders are ignored.

        Earlier versions wrote passwords into the files; they are removed now.
        """
        if not self._root.is_dir():
            return []
        runs = []
        for file in sorted(self._root.glob("*/state.json")):
            try:
                text = file.read_text()
                if has_password(text):
                    text = without_password(text)
                    write_atomically(file, text)
                content = json.loads(text)
                runs.append(
                    StoredRun(
                        ProfileRunRead.model_validate(content["run"]),
                        ProfileRunCreate.model_validate(content["request"]),
                    )
                )
            except (OSError, ValueError, KeyError):
                continue
        return runs

    def delete(self, run_id: str) -> None:
        shutil.rmtree(self.folder(run_id), ignore_errors=True)

    def delete_store(self, run_id: str) -> None:
        """Remove the rows that were made for measuring, also what a killed profiler left; the measurements are kept."""
        if not self.folder(run_id).is_dir():
            return
        for entry in self.folder(run_id).iterdir():
            if entry.name in ("state.json", "measurements"):
                continue
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
