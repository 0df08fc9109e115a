"""The best fix of each finding, made one after another: the texts that come out, with what was done and what was not.

A fix is made only if its finding is gone after it, and no error is new, nor any warning of a query that was bounded.
One that changes what is answered or written is made only for a code that somebody has named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from piql.compiler import compile  # noqa: A004
from piql.compiler.fixes.consequences import keeps_answers
from piql.compiler.result import Compilation
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.edits import apply_edits


@dataclass(frozen=True, slots=True)
class FixStep:
    """One fix with its finding, both as they were before it; `refusal` says why it was not made, empty where it was."""

    finding: Diagnostic
    fix: Fix
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class FixedTexts:
    """The texts after all fixes, compiled, and the steps in their order."""

    texts: Mapping[str, str]
    compilation: Compilation
    steps: tuple[FixStep, ...]


def fix_all(texts: Mapping[str, str], codes: frozenset[str] = frozenset()) -> FixedTexts:
    """Make the first fix of each finding with one of these codes, or without any of each error, while there are some.

    After each fix everything is compiled again, so one that mended several findings is made once. A fix that was not
    made is not tried again. It ends: each fix that is made takes a finding away and adds none that is chosen.
    """
    compilation = compile(texts)
    steps: list[FixStep] = []
    refused: set[tuple[object, ...]] = set()
    while True:
        for finding, fix in _candidates(compilation, codes):
            key = (*_place(finding), finding.span.text, finding.message, fix.title)
            if key in refused:
                continue
            if not codes and not keeps_answers(fix):
                change = f"it changes what the query answers or writes; --fix={finding.code} makes it"
                steps.append(FixStep(finding, fix, change))
                refused.add(key)
                continue
            texts_after = apply_edits(texts, _with_line_ends(texts, fix.edits))
            compilation_after = compile(texts_after)
            refusal = _refusal(finding, codes, compilation, compilation_after)
            steps.append(FixStep(finding, fix, refusal))
            if not refusal:
                texts, compilation = texts_after, compilation_after
                break
            refused.add(key)
        else:
            return FixedTexts(texts, compilation, tuple(steps))


def _candidates(compilation: Compilation, codes: frozenset[str]) -> Iterator[tuple[Diagnostic, Fix]]:
    """Return each finding that is to be mended with its first fix; what a comment allows is left alone.

    Where no code is named it is the first that keeps all answers, if there is one.
    """
    for finding in compilation.diagnostics:
        is_chosen = finding.code in codes if codes else finding.severity == "error"
        if is_chosen and not finding.allowed and finding.fixes:
            first = finding.fixes[0]
            yield finding, first if codes else next(filter(keeps_answers, finding.fixes), first)


def _place(finding: Diagnostic) -> tuple[object, ...]:
    """Return what findings are counted by before and after a fix: it stays the same when other text moves."""
    return finding.code, finding.query, finding.span.file


def _refusal(finding: Diagnostic, codes: frozenset[str], before: Compilation, after: Compilation) -> str:
    """Return why a fix is not made; empty where it mends its finding and harms nothing."""
    counts_before, counts_after = _counts(before), _counts(after)
    if counts_after[_place(finding)] >= counts_before[_place(finding)]:
        return "the finding would stay"
    for diagnostic in after.diagnostics:
        if diagnostic.allowed or counts_after[_place(diagnostic)] <= counts_before[_place(diagnostic)]:
            continue
        query = before.queries.get(diagnostic.query) if diagnostic.query is not None else None
        is_worse = diagnostic.severity == "warning" and query is not None and query.is_bounded
        if diagnostic.severity == "error" or diagnostic.code in codes or is_worse:
            span = diagnostic.span
            place = f"{span.file}:{span.line}" if span.file else f"line {span.line}"
            return f"{place} would have a new {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    return ""


def _counts(compilation: Compilation) -> Counter[tuple[object, ...]]:
    return Counter(_place(diagnostic) for diagnostic in compilation.diagnostics if not diagnostic.allowed)


def _with_line_ends(texts: Mapping[str, str], edits: tuple[Edit, ...]) -> list[Edit]:
    """Return edits whose lines end as those of the file do."""
    return [
        replace(edit, text=edit.text.replace("\r\n", "\n").replace("\n", "\r\n"))
        if "\r\n" in texts[edit.file]
        else edit
        for edit in edits
    ]
