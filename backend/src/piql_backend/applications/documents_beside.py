"""Where the documents of live sessions lie, beside the files of their application (`live_sessions/kept_states.py`).

A document is of one file. A file that is removed, or gets another path, takes no document with it and leaves none
behind: what somebody typed into it offline would else be merged into whichever file has that path next.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = ".live"
NEXT, KEPT = "next", "json"


def document_of(folder: Path, path: str, end: str) -> Path:
    """Where the document of a file is kept; `end` is NEXT or KEPT."""
    return folder / _FOLDER / f"{path}.{end}"


def has_document(folder: Path, path: str) -> bool:
    """Whether a file has a document, kept or on its way."""
    return any(document_of(folder, path, end).exists() for end in (NEXT, KEPT))


def forget_document(folder: Path, path: str) -> None:
    """Remove the document of a file. Raises OSError where it stays."""
    for end in (NEXT, KEPT):
        document_of(folder, path, end).unlink(missing_ok=True)
