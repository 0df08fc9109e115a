"""Warnings that a text allows, with the reason: a comment above or in the statement that they are about.

    -- allow(expensive-query, hot-partition): the report of the night
    CREATE QUERY everySale AS …

Enters: a parsed piece and its findings. Leaves: the findings, those allowed as hints with their reason; and warnings of
comments that allow nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from piql.compiler.syntax.ast import CreateQuery, CreateUnit, ParsedFile
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import CODES, report
from piql.text.source import Span

_ALLOW = re.compile(r"(?:--|//)\s*allow(\s*)\(([^)]*)\)\s*:?\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Allowance:
    """One code of a comment: the reason ('' where none is written), and where it holds."""

    code: str
    reason: str
    span: Span  # of the comment
    first: int  # offsets between which a finding begins that it allows
    last: int


def allowances(file: ParsedFile) -> tuple[Allowance, ...]:
    """Return what the comments of a piece allow, each for the statement that it stands above or in."""
    allowed: list[Allowance] = []
    for comment in file.comments:
        match = _ALLOW.match(comment.text)
        codes = (
            [] if match is None else [code for part in match[2].split(",") if (code := part.strip().lower())] or [""]
        )
        if match is None or (match[1] and not CODES.keys() & set(codes)):  # `-- allow (few) users …` is prose
            continue
        extent = next((node.span for node in file.statements if node.span.end >= comment.start), None)
        first, last = (extent.start, extent.end) if extent is not None else (comment.start, comment.start)
        span = Span(file.source, comment.start, comment.end)
        allowed += [Allowance(code, match[3].strip(), span, first, last) for code in codes]
    return tuple(allowed)


def with_allowed(findings: Iterable[Diagnostic], allowed: Sequence[Allowance]) -> tuple[Diagnostic, ...]:
    """Return findings of one piece; a warning that is allowed becomes a hint with the reason."""
    return tuple(_allowed(finding, allowed) for finding in findings)


def _allowed(finding: Diagnostic, allowed: Sequence[Allowance]) -> Diagnostic:
    for allowance in allowed:
        if allowance.reason and finding.severity == "warning" and _is_about(allowance, finding):
            return replace(finding, severity="info", allowed=allowance.reason)
    return finding


def _is_about(allowance: Allowance, finding: Diagnostic) -> bool:
    return allowance.code == finding.code and allowance.first <= finding.span.start <= allowance.last


def idle_allowances(
    file: ParsedFile, allowed: Sequence[Allowance], findings: Sequence[Diagnostic] | None
) -> tuple[Diagnostic, ...]:
    """Return a warning for each comment that allows nothing.

    `findings` are those of the piece; None where not all are known, because it has errors or is a part of the schema.
    """
    warnings: list[Diagnostic] = []
    for allowance in allowed:
        code = CODES.get(allowance.code)
        if not allowance.code:
            example = "`-- allow(expensive-query): the report of the night`"
            warnings.append(_idle(file, allowance, f"no finding is named here: write {example}", ""))
        elif code is None:
            near = get_close_matches(allowance.code, CODES, 1)
            message = f"no finding is called `{allowance.code}`"
            warnings.append(_idle(file, allowance, message, f"did you mean `{near[0]}`?" if near else ""))
        elif code.severity == "error":
            warnings.append(_idle(file, allowance, f"`{allowance.code}` is an error, and no error can be allowed", ""))
        elif not allowance.reason:
            example = f"`-- allow({allowance.code}): the report of the night`"
            warnings.append(_idle(file, allowance, f"no reason is given: write {example}", ""))
        elif findings is not None and not any(_is_about(allowance, finding) for finding in findings):
            warnings.append(
                _idle(
                    file,
                    allowance,
                    f"`{allowance.code}` is not found here, so nothing is allowed",
                    "leave the comment out",
                )
            )
    return tuple(warnings)


def _idle(file: ParsedFile, allowance: Allowance, message: str, help: str) -> Diagnostic:
    statement = next((node for node in file.statements if node.span.start == allowance.first), None)
    query = statement.name.text if isinstance(statement, CreateQuery | CreateUnit) else None
    span, text = allowance.span, file.source.text
    end = span.end + 1 if text[span.end : span.end + 1] == "\n" else span.end
    fix = Fix("Leave the comment out", (Edit(file.source.name, span.start, end, ""),))
    return report("unused-allow", message, span, help=help or (), fixes=(fix,), query=query)
