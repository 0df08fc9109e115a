"""How a data folder of an earlier layout is moved to this one, at the start.

Earlier there was one environment for all applications: its files lay in the data folder itself, and applications were
called workspaces. The files are renamed one after the other, before anything is opened. A start that is killed between
two renames leaves the rest to the next start. Nothing is removed, and no file in the new folder is replaced.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from piql_backend.applications.templates import TEMPLATES
from piql_backend.data_folder.files import write_atomically
from piql_backend.data_folder.layout import DEVELOPMENT, applications_folder, environment_folder
from piql_backend.environments.sample import mark_for_sample
from piql_backend.environments.settings_file import FILE, EnvironmentSettings, StoreChoice, write_settings

log = logging.getLogger(__name__)

_EARLIER_APPLICATION = "scadr"  # whose files were there when there was one environment
_EARLIER_FILES = (
    *("profile-runs", "imports", "exports"),
    *(f"store{end}" for end in ("", "-journal", "-wal", "-shm", "-turn")),
    *(f"workbench.duckdb{end}" for end in ("", ".wal", ".part", ".part.wal", ".new")),
)
_EARLIER_MARK = ".first-start-under-way"  # this layout has a mark of the same name, but without a token in it


def move_earlier_layout(data: Path, samples: Path) -> None:
    """Move the files of an earlier layout to where this one has them, also those that an interrupted move left."""
    workspaces, applications = data / "workspaces", applications_folder(data)
    if workspaces.is_dir() and not applications.exists():
        log.warning("the workspaces of %s become applications", data)
        workspaces.rename(applications)
    paths = _earlier_paths(data)
    if not paths:
        return
    names = []
    if applications.is_dir():
        names = sorted(entry.name for entry in applications.iterdir() if _is_visible_folder(entry))
    folder = environment_folder(
        data, _EARLIER_APPLICATION if _EARLIER_APPLICATION in names or not names else names[0], DEVELOPMENT
    )
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / FILE).exists():
        write_settings(folder, EnvironmentSettings(store=StoreChoice(kind="served")))
    for path in paths:
        target = folder / path.name
        if target.exists():
            log.error("%s stays where it is: there is a %s already", path, target)
        elif path.name == _EARLIER_MARK:
            _take_over_mark(path, folder, applications / _EARLIER_APPLICATION, samples)
        else:
            path.rename(target)
    log.warning("what %s held of one environment is now in %s", data, folder)


def _earlier_paths(data: Path) -> list[Path]:
    """The files of an earlier layout in the data folder; the mark of an interrupted first start comes last."""
    if not data.is_dir():
        return []
    paths = [data / name for name in _EARLIER_FILES if (data / name).exists()]
    paths += sorted(data.glob("workbench.duckdb.damaged-*"))
    mark = data / _EARLIER_MARK
    return [*paths, mark] if mark.exists() and "token" in json.loads(mark.read_text()) else paths


def _take_over_mark(mark: Path, folder: Path, application: Path, samples: Path) -> None:
    """Turn the mark of an interrupted first start into this layout's, and copy the sample files that it has not."""
    content = json.loads(mark.read_text())
    if content["step"] == "files":
        for path, text in TEMPLATES[_EARLIER_APPLICATION].files(samples).items():
            if not (application / path).exists():
                write_atomically(application / path, text)
    mark_for_sample(folder, _EARLIER_APPLICATION, content["token"])
    mark.unlink()


def _is_visible_folder(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith(".")
