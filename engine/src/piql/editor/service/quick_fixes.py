"""The fixes for a range of a text: those of every finding that is marked there, each set of edits once.

Last come the comments that allow a warning; whoever inserts one writes the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from piql.compiler.result import Compilation
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.source import Span


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A fix with the finding that it mends."""

    fix: Fix
    finding: Diagnostic

    @property
    def title(self) -> str:
        """Return the fix's title, the queries that it makes bounded, and the first query whose text it changes.

        A menu is narrow, so long lists are counted instead of named.
        """
        unblocked = self.fix.unblocks
        title = self.fix.title
        if unblocked:
            named = ", ".join(unblocked[:2]) + (f" and {len(unblocked) - 2} more" if len(unblocked) > 2 else "")
            title = f"{title} (also unblocks {named})"
        change = self.fix.consequence.split(";")[0]
        return f"{title}: {change}" if change else title


def quick_fixes(compilation: Compilation, file: str, start: int, end: int) -> tuple[QuickFix, ...]:
    """Return the fixes of findings whose span or label a range touches, or whose unbounded table it is in."""
    fixes: dict[tuple[object, ...], QuickFix] = {}
    allowed: dict[tuple[object, ...], QuickFix] = {}
    for finding in compilation.diagnostics:
        if any(_touches(span, file, start, end) for span in places_of(compilation, finding)):
            for fix in finding.fixes:
                fixes.setdefault(fix.edits, QuickFix(fix, finding))
            comment = allowing(compilation, finding)
            if comment is not None and finding.span.file == file:
                allowed[(comment,)] = QuickFix(Fix(f"Allow {finding.code} here, with a reason", (comment,)), finding)
    return (*fixes.values(), *allowed.values())


def allowing(compilation: Compilation, finding: Diagnostic) -> Edit | None:
    """Return the edit that puts `-- allow(code): ` above the query of a warning; None for other findings.

    The reason goes before the end of the line.
    """
    query = compilation.queries.get(finding.query) if finding.query is not None else None
    if query is None or finding.severity != "warning" or finding.code == "unused-allow":
        return None
    text, start = query.span.source.text, query.span.start
    line_start = text.rfind("\n", 0, start) + 1
    is_alone = not text[line_start:start].strip()
    at, before = (line_start, "") if is_alone else (start, "\n")
    return Edit(query.span.file, at, at, f"{before}-- allow({finding.code}): \n")


def places_of(compilation: Compilation, finding: Diagnostic) -> tuple[Span, ...]:
    """Return every range that a finding is about."""
    places = [finding.span, *(label.span for label in finding.labels)]
    query = compilation.queries.get(finding.query) if finding.query is not None else None
    for segment in query.unbounded if query is not None else ():
        table = compilation.tables.get(segment.table)
        places += segment.spans
        places += [span for span in (segment.table_span, table.span if table is not None else None) if span is not None]
    return tuple({(span.file, span.start, span.end): span for span in places}.values())


def _touches(span: Span, file: str, start: int, end: int) -> bool:
    return span.file == file and span.start <= end and start <= span.end
