"""`piql import FILE`: a schema of another database in PIQL, with a list of what changed and what is left out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from piql.importing import Imported, ImportRefused, decoded, import_text
from piql.importing.schema import Note


def imported_file(path: Path, queries: Sequence[Path], dialect: str) -> Imported | None:
    """Import a schema with files of queries; None, with a message on stderr, where one cannot be read or is refused."""
    read = path
    try:
        texts: list[str] = []
        for read in (path, *queries):
            texts.append(decoded(read.read_bytes()))
        names = [str(query) for query in queries]
        return import_text(texts[0], dialect, path.name, dict(zip(names, texts[1:], strict=True)))
    except OSError as error:
        print(f"{read}: {error.strerror}", file=sys.stderr)
    except ImportRefused as refused:
        line = f":{refused.line}" if refused.line is not None else ""
        print(f"{refused.file or (read if not queries else path)}{line}: {refused.reason}", file=sys.stderr)
    return None


def report(imported: Imported, path: Path) -> str:
    """Return the list of changes and omissions, one a line, each beginning with its line in the input."""
    return "\n".join(_lines(imported.notes, path))


def _lines(notes: Iterable[Note], path: Path) -> Iterable[str]:
    for note in notes:
        yield f"{note.file or path.name}:{note.line}: {note.outcome}: {note.subject}: {note.reason}"
