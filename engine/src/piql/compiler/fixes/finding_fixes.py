"""Fixes that come with a finding of the front end, such as a spelling: each is compiled before it is shown.

A fix that leaves its query with other errors is joined with the fixes of those errors. A fix that leaves it unbounded
is joined with a fix that bounds it, if possible one that keeps the answer. A fix that still does not work is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from piql.compiler.fixes.consequences import CHANGES, together
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix

MOST_TRIALS = 60  # in one compilation; a text with more mistakes is mended step by step
MOST_TEXT = 500_000  # characters read in all trials of one compilation
MOST_BOUNDING = 4  # fixes that bound a query whose mistake is mended


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of compiling a text with edits: are errors left, and what would bound the query if nothing does."""

    has_errors: bool
    is_bounded: bool
    bounding: tuple[Fix, ...] = ()  # fixes for the text with the edits; offsets count in it
    cost: str = ""  # of the query, as the user reads it; empty where it has no bound


NOT_TRIED = "no fix was tried here because there are so many problems: fix others first"

FindingTrial: TypeAlias = Callable[[tuple[Edit, ...]], Outcome]
"""Compiles the text with edits."""


class Trials:
    """Tries fixes; `left` says how many more may be tried in this compilation."""

    def __init__(self, text_length: int) -> None:
        self.left = min(MOST_TRIALS, MOST_TEXT // max(text_length, 1))

    def settled(self, findings: Sequence[Diagnostic], trial: FindingTrial) -> tuple[Diagnostic, ...]:
        """Return the findings of one query, or of one part of the schema, with fixes that work."""
        joined = _joined([finding for finding in findings if finding.severity == "error"])
        return tuple(self._settle(finding, joined, trial) for finding in findings)

    def _settle(self, finding: Diagnostic, joined: Fix | None, trial: FindingTrial) -> Diagnostic:
        """Return a finding with the fixes that work. `joined` corrects all errors of its query at once."""
        working: list[Fix] = []
        if finding.fixes and self.left == 0:
            return replace(finding, fixes=(), help=(*finding.help, NOT_TRIED))
        for fix in finding.fixes:
            fixes = self._working(fix, trial)
            if not fixes and joined is not None and set(fix.edits) < set(joined.edits):
                fixes = self._working(joined, trial)
            working.extend(fixes)
        working.sort(key=lambda fix: CHANGES in fix.consequence)
        return replace(finding, fixes=tuple(dict.fromkeys(working)))

    def _working(self, fix: Fix, trial: FindingTrial) -> list[Fix]:
        """Return the fix if it works, or the fix joined with others that make it work; none without a trial left."""
        if self.left == 0:
            return []
        self.left -= 1
        outcome = trial(fix.edits)
        if outcome.has_errors:
            return []
        if outcome.is_bounded:
            return [replace(fix, cost=outcome.cost)]
        fixes = []
        same_answer = [further for further in outcome.bounding if not further.consequence.startswith(CHANGES)]
        for further in (same_answer or outcome.bounding)[:MOST_BOUNDING]:
            edits = compose(fix.edits, further.edits)
            if edits is not None:
                consequence = together([fix.consequence, further.consequence])
                title = joined_title([fix.title, further.title])
                fixes.append(Fix(title, edits, further.unblocks, consequence, further.cost))
        return fixes


def _joined(errors: Sequence[Diagnostic]) -> Fix | None:
    """Return the first fixes of all errors as one; None where an error has none or two of them overlap."""
    if len(errors) < 2 or not all(error.fixes for error in errors):
        return None
    fixes = [error.fixes[0] for error in errors]
    edits = sorted({edit for fix in fixes for edit in fix.edits}, key=lambda edit: (edit.file, edit.start, edit.end))
    for first, second in pairwise(edits):
        if first.file == second.file and second.start < first.end:
            return None
    consequence = together(fix.consequence for fix in fixes)
    return Fix(joined_title([fix.title for fix in fixes]), tuple(edits), consequence=consequence)


def joined_title(titles: Sequence[str]) -> str:
    """Return the title of several fixes that are made as one."""
    first, *following = dict.fromkeys(titles)
    return " and ".join((first, *(title[0].lower() + title[1:] for title in following)))


def compose(first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...] | None:
    """Return both sets as edits of the original text; `second` edits the text after `first`. None if they overlap.

    Two texts that are put in at one place are one edit, in the order in which they then stand.
    """
    composed = list(first)
    for edit in second:
        start = _original(first, edit.file, edit.start)
        end = _original(first, edit.file, edit.end)
        if start is None or end is None or any(_overlap(earlier, edit.file, start, end) for earlier in first):
            return None
        at_one_place = (
            at
            for at, earlier in enumerate(composed)
            if (earlier.file, earlier.start, earlier.end) == (edit.file, start, end) and start == end
        )
        at = next(at_one_place, None)
        if at is None:
            composed.append(Edit(edit.file, start, end, edit.text))
        else:
            is_before = edit.start <= _start_after(first, composed[at])
            text = f"{edit.text}{composed[at].text}" if is_before else f"{composed[at].text}{edit.text}"
            composed[at] = Edit(edit.file, start, end, text)
    return tuple(sorted(composed, key=lambda edit: (edit.file, edit.start, edit.end)))


def _start_after(first: Sequence[Edit], edit: Edit) -> int:
    """Return where the text of an edit begins once all edits are made."""
    earlier = (before for before in first if before.file == edit.file and before.start < edit.start)
    return edit.start + sum(len(before.text) - (before.end - before.start) for before in earlier)


def _original(first: Sequence[Edit], file: str, offset: int) -> int | None:
    """Return the offset in the original text; None inside text that an edit inserted."""
    shift = 0
    for edit in sorted((edit for edit in first if edit.file == file), key=lambda edit: edit.start):
        start = edit.start + shift
        if offset <= start:
            break
        if offset < start + len(edit.text):
            return None
        shift += len(edit.text) - (edit.end - edit.start)
    return offset - shift


def _overlap(edit: Edit, file: str, start: int, end: int) -> bool:
    if edit.file != file:
        return False
    if start == end or edit.start == edit.end:
        return edit.start < start < edit.end or start < edit.start < end
    return edit.start < end and start < edit.end
