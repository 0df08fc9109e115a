"""The id of a data folder: two servers with folders of their own must not share one database of people."""

from __future__ import annotations

import secrets
from pathlib import Path

from piql_backend.data_folder.files import write_atomically

_FILE = ".folder-id"


def folder_id(data: Path) -> str | None:
    """The id of a data folder; None where it has none yet."""
    try:
        return (data / _FILE).read_text().strip() or None
    except FileNotFoundError:
        return None


def given_folder_id(data: Path) -> str:
    """The id of a data folder, which gets one where it has none; only whoever has its lock may ask."""
    present = folder_id(data)
    if present is None:
        present = secrets.token_hex(16)
        write_atomically(data / _FILE, f"{present}\n")
    return present
