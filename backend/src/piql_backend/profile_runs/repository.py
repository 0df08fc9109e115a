"""Profile runs on disk: a folder each, with `state.json` by the backend and `measurements/` by the profiler."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from piql_profiler.measure.store_urls import has_password, without_password

from piql_backend.files import write_atomically
from piql_backend.profile_runs.schemas import ProfileRunCreate, ProfileRunRead


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is kept: what was asked, and how far it came."""

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
        content = {
            "run": run.read.model_dump(mode="json"),
            "request": run.request.model_dump(mode="json"),
        }
        write_atomically(self.folder(run.read.id) / "state.json", json.dumps(content, indent=2) + "\n")

    def load_all(self) -> list[StoredRun]:
        """Every run whose state can be read; folders without one are left alone.

        Files of earlier versions held passwords, which are taken out of them.
        """
        if not self._root.is_dir():
            return []
        found = []
        for file in sorted(self._root.glob("*/state.json")):
            try:
                text = file.read_text()
                if has_password(text):
                    text = without_password(text)
                    write_atomically(file, text)
                content = json.loads(text)
                found.append(
                    StoredRun(
                        ProfileRunRead.model_validate(content["run"]),
                        ProfileRunCreate.model_validate(content["request"]),
                    )
                )
            except (OSError, ValueError, KeyError):
                continue
        return found

    def delete(self, run_id: str) -> None:
        shutil.rmtree(self.folder(run_id), ignore_errors=True)

    def delete_store(self, run_id: str) -> None:
        """Remove the rows that were made for measuring, also what a killed profiler left; the measurements are kept."""
        if not self.folder(run_id).is_dir():
            return
        for left in self.folder(run_id).iterdir():
            if left.name in ("state.json", "measurements"):
                continue
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
