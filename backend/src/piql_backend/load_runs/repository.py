"""Load runs on disk, a folder each.

load-20260101-120000-3f2a/state.json     what was asked for, and how it ended; written by the backend
load-20260101-120000-3f2a/result.json    what came of it, as `piql load-test --out` writes it
load-20260101-120000-3f2a/run.hlog       its histograms, as `--hlog` writes them
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piql_profiler.load_runs.hdr_log import write_log
from piql_profiler.load_runs.result_file import UnreadableResult, read_result
from pydantic import ValidationError

from piql_backend.data_folder.files import write_atomically
from piql_backend.load_runs.schemas import LoadRunRead

log = logging.getLogger(__name__)


class LoadRunFiles:
    """The folders below one root."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, run_id: str) -> Path:
        return self._root / run_id

    def result(self, run_id: str) -> Path:
        return self._root / run_id / "result.json"

    def has_result(self, run_id: str) -> bool:
        """Whether there is a result that can be read: a process that is killed may leave a part of a file."""
        try:
            read_result(self.result(run_id))
        except UnreadableResult:
            return False
        return True

    def take_result(self, run_id: str, content: Mapping[str, Any]) -> None:
        """Keep the result of a run that was reported, with its histograms; UnreadableResult for what is none."""
        part = self.result(run_id).with_suffix(".part")
        part.write_text(json.dumps(content) + "\n", encoding="utf-8")
        try:
            write_log(self.log(run_id), read_result(part))
            part.replace(self.result(run_id))
        finally:
            part.unlink(missing_ok=True)

    def log(self, run_id: str) -> Path:
        return self._root / run_id / "run.hlog"

    def save(self, run: LoadRunRead) -> None:
        """Write the state of a run in one step."""
        write_atomically(self.folder(run.id) / "state.json", run.model_dump_json(indent=2) + "\n")

    def load_all(self) -> list[LoadRunRead]:
        """Every run whose state can be read; the log names the others, and their files stay where they are."""
        runs = []
        for file in sorted(self._root.glob("*/state.json")):
            try:
                runs.append(LoadRunRead.model_validate_json(file.read_bytes()))
            except (OSError, ValidationError) as damage:
                log.error("%s cannot be read, and its load run is not listed: %s", file, damage)
        return runs

    def delete(self, run_id: str) -> None:
        shutil.rmtree(self.folder(run_id), ignore_errors=True)
