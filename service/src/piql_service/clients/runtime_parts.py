"""Joins the parts of a runtime, each a source file of its language, into the one file of a client."""

from __future__ import annotations

import re
from pathlib import Path


def join_parts(folder: Path, form: re.Pattern[str], imported: re.Pattern[str]) -> tuple[list[str], str]:
    """Return what the files of a folder import, sorted, and their bodies in the order of the files' names.

    `form` matches a whole file and has the groups `imports` and `body`; `imported` finds the names in `imports`.
    """
    names: set[str] = set()
    bodies = []
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        parts = form.fullmatch(file.read_text(encoding="utf-8"))
        assert parts is not None, file
        names.update(imported.findall(parts["imports"]))
        bodies.append(parts["body"].strip("\n"))
    return sorted(names), "\n\n".join(bodies)
