"""Reads a folder of the server into a staged application: plain files only, no link is followed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from piql_backend.application_imports.staged import Staged, StagingRefused, write_staged
from piql_backend.application_imports.texts import MOST_SQL_BYTES, PIQL_ENDING, SQL_ENDINGS, take_texts
from piql_backend.archives.layout import MOST_FILE_BYTES, MOST_TEXT_BYTES

_MOST_ENTRIES = 50_000


def stage_folder(folder: Path, into: Path) -> None:
    """Write the files of a folder as a staged application. Raises StagingRefused."""
    texts, notes = take_texts(_texts(folder))
    write_staged(into, Staged(title=folder.name[:100] or "Application", notes=notes), texts)


def _texts(folder: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    seen = total = 0
    for place, folders, names in os.walk(folder):  # symbolic links to folders are not followed
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        seen += len(folders) + len(names)
        if seen > _MOST_ENTRIES:
            raise StagingRefused(f"the folder holds more than {_MOST_ENTRIES:,} files", "Name one below it.")
        for name in sorted(names):
            if name.startswith(".") or not name.lower().endswith((PIQL_ENDING, *SQL_ENDINGS)):
                continue
            file = Path(place) / name
            text = _text(file)
            if text is not None:
                texts[file.relative_to(folder).as_posix()] = text
                total += len(text)
            if total > MOST_TEXT_BYTES:
                raise StagingRefused(f"the files have more than {MOST_TEXT_BYTES:,} characters")
    return texts


def _text(file: Path) -> str | None:
    """The text of a plain file; None for a link, a device or a pipe, which nobody waits for."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        state = os.fstat(opened.fileno())
        if not stat.S_ISREG(state.st_mode):
            return None
        most = MOST_FILE_BYTES if file.name.endswith(PIQL_ENDING) else MOST_SQL_BYTES
        content = opened.read(most + 1)
    if len(content) > most:
        raise StagingRefused(f"{file.name} is larger than {most:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise StagingRefused(f"{file.name} is not a UTF-8 text") from None
