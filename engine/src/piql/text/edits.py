"""Applies edits to texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from piql.text.diagnostics.diagnostic import Edit


def apply_edits(texts: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    """Return the texts with the edits applied. Edits of one file must not overlap."""
    after = dict(texts)
    ordered = sorted(edits, key=lambda edit: (edit.file, edit.start))
    for file, group in groupby(ordered, key=lambda edit: edit.file):
        text = texts[file]
        parts: list[str] = []
        at = 0
        for edit in group:
            parts += (text[at : edit.start], edit.text)
            at = edit.end
        after[file] = "".join((*parts, text[at:]))
    return after
