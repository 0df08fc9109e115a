"""Applies edits to texts, and finds the edits between two texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
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


def line_edits(before: str, after: str, file: str) -> tuple[Edit, ...]:
    """Return edits of whole lines that turn one text of a file into another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]  # offset of each line of `before`, and of its end
    for line in old:
        starts.append(starts[-1] + len(line))
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        Edit(file, starts[old_start], starts[old_end], "".join(new[new_start:new_end]))
        for kind, old_start, old_end, new_start, new_end in changes
        if kind != "equal"
    )
