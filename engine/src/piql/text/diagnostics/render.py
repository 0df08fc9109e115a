"""A diagnostic as text for a terminal: the message, the line with the cause underlined, labels and help.

error[unknown-column]: thoughts has no column ownr
  --> queries.piql:2:10
  |
2 | SELECT t.ownr, t.posted
  |          ^^^^
  = help: did you mean owner?
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from piql.text.diagnostics.diagnostic import Diagnostic, Fix
from piql.text.source import Source, Span

TAB = "    "
WIDTH = 100  # characters of a line of what a fix changes


def render(diagnostic: Diagnostic) -> str:
    """Return one diagnostic as lines of text."""
    span = diagnostic.span
    marks = [(span, "^", ""), *((label.span, "-", label.text) for label in diagnostic.labels)]
    width = max(len(str(where.line)) for where, _, _ in marks)
    margin = " " * width
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    for number, (where, mark, text) in enumerate(marks):
        if number == 0 or where.file != marks[number - 1][0].file:
            lines.append(f"{margin}--> {where.file or 'text'}:{where.line}:{where.utf16_column}")
            lines.append(f"{margin} |")
        if number == 0 or where.line != marks[number - 1][0].line or where.file != marks[number - 1][0].file:
            lines.append(f"{where.line:>{width}} | {_line(where.source, where.line).replace(chr(9), TAB)}")
        lines.append(f"{margin} | {_underline(where, mark)}{' ' + text if text else ''}")
    if diagnostic.allowed:
        return "\n".join([*lines, f"{margin} = allowed: {diagnostic.allowed}"])
    lines.extend(f"{margin} = help: {line}" for line in diagnostic.advice)
    for fix in diagnostic.fixes:
        lines.append(f"{margin} = fix: {fix.title}{_unblocked(fix)}")
        lines.extend(f"{margin}        {line}" for line in textwrap.wrap(fix.price, WIDTH))
    return "\n".join(lines)


def _unblocked(fix: Fix) -> str:
    """Return a note on the other queries that a fix makes bounded; empty where there are none."""
    names = fix.unblocks
    if not names:
        return ""
    return f" (bounds {', '.join(names)}, too)" if len(names) <= 3 else f" (bounds {len(names)} other queries, too)"


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """Return several diagnostics as text, an empty line between them."""
    return "\n\n".join(render(diagnostic) for diagnostic in diagnostics)


def _line(source: Source, number: int) -> str:
    return source.text.split("\n")[number - 1].rstrip("\r")


def _underline(span: Span, mark: str) -> str:
    """Return blanks up to the span and marks below it; of a span over several lines only the first is marked."""
    text = _line(span.source, span.line)
    start = span.start - (span.source.text.rfind("\n", 0, span.start) + 1)
    length = span.end - span.start if span.end_line == span.line else len(text) - start
    before = text[:start].replace("\t", TAB)
    below = text[start : start + length].replace("\t", TAB)
    return " " * len(before) + mark * max(1, len(below)) + ("…" if span.end_line != span.line else "")
