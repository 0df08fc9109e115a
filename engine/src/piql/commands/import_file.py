"""`piql import FILE`: a schema of another database in PIQL, with a list of what changed and what is left out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from piql.importing import Imported, ImportRefused, decoded, import_text
from piql.importing.scanning import LANGUAGES
from piql.importing.schema import Note

_LEFT_OUT_FOLDERS = frozenset({"node_modules", "vendor", "dist", "build", "__pycache__"})
_LONGEST_PROGRAM = 1_000_000  # bytes; a longer file was generated


def imported_file(path: Path, queries: Sequence[Path], folders: Sequence[Path], dialect: str) -> Imported | None:
    """Import a schema with files of queries; None, with a message on stderr, where one cannot be read or is refused.

    The programs in `folders` are searched for queries.
    """
    file = path  # the one that is read: a message names it
    try:
        texts: dict[str, str] = {}
        for file in queries:
            texts[str(file)] = decoded(file.read_bytes())
        programs = {name: text for folder in folders for name, text in _programs(folder)}
        file = path
        return import_text(decoded(path.read_bytes()), dialect, path.name, texts, programs)
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
    except ImportRefused as refused:
        line = f":{refused.line}" if refused.line is not None else ""
        print(f"{refused.file or file}{line}: {refused.reason}", file=sys.stderr)
    return None


def _programs(folder: Path) -> Iterable[tuple[str, str]]:
    """Yield the names and texts of the programs below a folder, without installed packages and build results."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        is_hidden = any(part.startswith(".") or part in _LEFT_OUT_FOLDERS for part in parts)
        is_program = path.suffix.lower() in LANGUAGES and not is_hidden and path.is_file()
        if is_program and path.stat().st_size <= _LONGEST_PROGRAM:
            yield str(path), path.read_bytes().decode(errors="replace")


def report(imported: Imported, path: Path) -> str:
    """Return the list of changes and omissions, one a line, each beginning with its line in the input."""
    return "\n".join(_lines(imported.notes, path))


def _lines(notes: Iterable[Note], path: Path) -> Iterable[str]:
    for note in notes:
        yield f"{note.file or path.name}:{note.line}: {note.outcome}: {note.subject}: {note.reason}"
