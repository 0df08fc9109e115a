"""Profile runs on disk, a folder each.

run-20260101-120000-3f2a/state.json      what was asked for, and how far it is; written by the backend; one that is
                                         damaged is set aside and made anew from the measurements
run-20260101-120000-3f2a/measurements/   what was measured; written by the profiler
run-20260101-120000-3f2a/imported.hlog   the log that a run is made of; removed when the run has ended
run-20260101-120000-3f2a/store/          rows for measuring an embedded store; removed when the run has ended
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from piql_profiler.measure.store_urls import has_password, without_password
from piql_profiler.runs.run_files import RunInfo, UnreadableRun, read_info

from piql_backend.data_folder.files import write_atomically
from piql_backend.profile_runs.drift import drift_of
from piql_backend.profile_runs.schemas import ProfileRunCreate, ProfileRunRead, ProfileSettingsRead
from piql_backend.profile_runs.summary import summary_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is kept: what was asked for, and how far it is."""

    read: ProfileRunRead
    request: ProfileRunCreate


class ProfileRunFiles:
    """The folders below one root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._damaged: list[str] = []

    @property
    def damaged(self) -> Sequence[str]:
        """What `load_all` says of each run whose state was damaged."""
        return self._damaged

    def folder(self, run_id: str) -> Path:
        return self._root / run_id

    def measurements(self, run_id: str) -> Path:
        return self._root / run_id / "measurements"

    def store(self, run_id: str) -> Path:
        return self._root / run_id / "store"

    def imported_log(self, run_id: str) -> Path:
        return self._root / run_id / "imported.hlog"

    def save(self, run: StoredRun) -> None:
        """Write the state of a run in one step."""
        content = {
            "run": run.read.model_dump(mode="json"),
            "request": run.request.model_dump(mode="json"),
        }
        write_atomically(self.folder(run.read.id) / "state.json", json.dumps(content, indent=2) + "\n")

    def load_all(self) -> list[StoredRun]:
        """Every run; one whose state is damaged is made from its measurements. Folders without a state are ignored.

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
            except (OSError, ValueError, KeyError, TypeError) as damage:
                log.error("%s cannot be read: %s", file, damage)
                run = self._made_from_measurements(file)
                runs += [] if run is None else [run]
        return runs

    def _made_from_measurements(self, file: Path) -> StoredRun | None:
        """Set a damaged state aside and write it anew; None where the measurements cannot be read either."""
        run_id = file.parent.name
        aside = file.with_name(f"{file.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}")
        what = f"state.json of the profile run {run_id} was damaged and is now {aside.name}"
        try:
            file.rename(aside)
            run = _stored_run(run_id, read_info(self.measurements(run_id)), self.measurements(run_id))
            self.save(run)
        except (OSError, UnreadableRun) as error:
            log.error("the profile run %s is not listed: %s", run_id, error)
            self._damaged.append(f"{what}: the run is not listed, because its measurements cannot be read either")
            return None
        self._damaged.append(f"{what}: the run was made from its measurements")
        return run

    def delete(self, run_id: str) -> None:
        shutil.rmtree(self.folder(run_id), ignore_errors=True)

    def delete_store(self, run_id: str) -> None:
        """Remove rows made for measuring, an imported log, and what a killed profiler left; measurements are kept."""
        if not self.folder(run_id).is_dir():
            return
        for entry in self.folder(run_id).iterdir():
            if entry.name in ("state.json", "measurements"):
                continue
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def _stored_run(run_id: str, info: RunInfo, measurements: Path) -> StoredRun:
    """A run as the profiler has written it down; of what was asked for, only a custom grid's levels are not known."""
    settings = info.settings
    name = settings.grid.name
    in_interval = len(settings.grid.measured)
    total, done = settings.intervals * in_interval, info.complete_intervals * in_interval
    began = datetime.fromtimestamp(info.started_at, UTC)
    read = ProfileRunRead(
        id=run_id,
        label=info.label or None,
        state=info.state,
        progress=1.0 if info.state == "done" else done / max(total, 1),
        points_done=total if info.state == "done" else done,
        points_total=total,
        eta_seconds=None,
        message=info.message,
        created_at=began,
        started_at=began,
        ended_at=None if info.ended_at is None else datetime.fromtimestamp(info.ended_at, UTC),
        settings=ProfileSettingsRead(
            grid=name,
            levels=None,
            interval_seconds=settings.interval_seconds,
            intervals=settings.intervals,
            store_url=without_password(settings.store_url),
        ),
        operators_summary=summary_of(measurements) if info.state == "done" else [],
        drift=drift_of(measurements),
    )
    asked = read.settings.model_dump(include={"interval_seconds", "intervals"})
    grid = {"grid": name} if name in ("small", "default") else {}
    return StoredRun(read, ProfileRunCreate.model_validate({"label": read.label, **asked, **grid}))
