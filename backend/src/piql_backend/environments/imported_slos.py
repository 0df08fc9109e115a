"""SLOs that came with an archive: they wait in a file until their environment is opened for the first time.

imported-slos.json     {"cart": {"quantile": 0.99, "threshold_ms": 100.0, "interval_seconds": 600.0}}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter

from piql_backend.data_folder.files import write_atomically
from piql_backend.slos.repository import SloTable
from piql_backend.web.schemas import SloWrite

_FILE = "imported-slos.json"
_SLOS = TypeAdapter(dict[str, SloWrite])


def let_wait(folder: Path, slos: Mapping[str, SloWrite]) -> None:
    """Keep SLOs in the folder of an environment until it is opened."""
    if slos:
        write_atomically(folder / _FILE, _SLOS.dump_json(dict(slos)).decode())


def waiting_slos(folder: Path) -> dict[str, SloWrite]:
    """The SLOs that wait in the folder of an environment, by query."""
    try:
        return _SLOS.validate_json((folder / _FILE).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}


def take_waiting(folder: Path, table: SloTable) -> None:
    """Put the SLOs that wait into the environment's table; a process that is killed here does it again."""
    slos = waiting_slos(folder)
    if slos:
        table.save(slos)
    (folder / _FILE).unlink(missing_ok=True)
