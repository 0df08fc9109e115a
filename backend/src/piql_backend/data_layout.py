"""Where things lie in the data folder, and how a folder of an earlier layout becomes one of this.

    applications/scadr/                       its .piql files
    environments/scadr/development/           its store, measurements and history

Earlier there was one environment for all: its files lay in the data folder itself, and applications were called
workspaces. They are moved by renaming, one after the other, before anything is opened: a start that is killed between
two of them leaves the rest to the next. Nothing is removed, and nothing that stands in the new place is replaced.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from piql_backend.applications.templates import TEMPLATES
from piql_backend.environments.sample import mark_for_sample
from piql_backend.environments.settings_file import FILE, EnvironmentSettings, StoreChoice, write_settings
from piql_backend.files import write_atomically

log = logging.getLogger(__name__)

DEVELOPMENT = "development"
FIRST = "scadr"
_FILES = (
    *("profile-runs", "imports", "exports"),
    *(f"store{end}" for end in ("", "-journal", "-wal", "-shm")),
    *(f"workbench.duckdb{end}" for end in ("", ".wal", ".part", ".part.wal", ".new")),
)
_EARLIER_MARK = ".first-start-under-way"  # of a first start; that of this layout has no token


def applications_folder(data: Path) -> Path:
    return data / "applications"


def environment_folder(data: Path, application: str, environment: str) -> Path:
    return data / "environments" / application / environment


def move_earlier_layout(data: Path, samples: Path) -> None:
    """Give a data folder of an earlier layout this one; what is left of an interrupted move is moved, too."""
    earlier, now = data / "workspaces", applications_folder(data)
    if earlier.is_dir() and not now.exists():
        log.warning("the workspaces of %s become applications", data)
        earlier.rename(now)
    left = _left(data)
    if not left:
        return
    names = sorted(entry.name for entry in now.iterdir() if _is_visible_folder(entry)) if now.is_dir() else []
    folder = environment_folder(data, FIRST if FIRST in names or not names else names[0], DEVELOPMENT)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / FILE).exists():
        write_settings(folder, EnvironmentSettings(store=StoreChoice(kind="served")))
    for path in left:
        target = folder / path.name
        if target.exists():
            log.error("%s stays where it is: there is a %s already", path, target)
        elif path.name == _EARLIER_MARK:
            _take_over_mark(path, folder, now / FIRST, samples)
        else:
            path.rename(target)
    log.warning("what %s held of one environment is now in %s", data, folder)


def _left(data: Path) -> list[Path]:
    """What lies in the data folder of the one environment of an earlier layout; the mark of its start comes last."""
    if not data.is_dir():
        return []
    paths = [data / name for name in _FILES if (data / name).exists()] + sorted(data.glob("workbench.duckdb.damaged-*"))
    mark = data / _EARLIER_MARK
    return [*paths, mark] if mark.exists() and "token" in json.loads(mark.read_text()) else paths


def _take_over_mark(mark: Path, folder: Path, application: Path, samples: Path) -> None:
    """Let an interrupted first start go on as one of this layout; files that it has not copied are copied."""
    content = json.loads(mark.read_text())
    if content["step"] == "files":
        for path, text in TEMPLATES[FIRST].files(samples).items():
            if not (application / path).exists():
                write_atomically(application / path, text)
    mark_for_sample(folder, FIRST, content["token"])
    mark.unlink()


def _is_visible_folder(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith(".")
