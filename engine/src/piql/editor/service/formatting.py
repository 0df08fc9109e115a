"""Formatting as edits: only the lines that change, so that an editor keeps its caret and its folds."""

from __future__ import annotations

from piql.compiler.syntax.parser import parse_once
from piql.compiler.syntax.printer import print_file
from piql.text.diagnostics.diagnostic import Diagnostic, Edit
from piql.text.edits import line_edits
from piql.text.source import Source


class FormatRefused(Exception):
    """The text cannot be formatted; `finding` says what must be corrected first."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(f"line {finding.span.line} must be corrected first: {finding.message}")
        self.finding = finding


def format_edits(text: str, file: str = "") -> tuple[Edit, ...]:
    """Return the edits that format a file, none when it is formatted; raise FormatRefused when it has syntax errors."""
    parsed = parse_once(Source(text, file))
    if parsed.diagnostics:
        errors = (diagnostic for diagnostic in parsed.diagnostics if diagnostic.severity == "error")
        raise FormatRefused(next(errors, parsed.diagnostics[0]))
    formatted = print_file(parsed)
    if "\r\n" in text:
        formatted = formatted.replace("\r\n", "\n").replace("\n", "\r\n")
    return line_edits(text, formatted, file)
