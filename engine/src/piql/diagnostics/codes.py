"""The table of codes: each stable slug with its title, its explanation, its severity and an example that raises it.

To add one, add an entry: the example is compiled by a test and must raise it, the docs page is generated from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from piql.diagnostics.diagnostic import Diagnostic, Fix, Label, Severity
from piql.source import Span


@dataclass(frozen=True, slots=True)
class Code:
    """What one code means: shown as its page, and the severity of its diagnostics."""

    slug: str
    title: str
    explanation: str
    example: str
    severity: Severity = "error"


CODES: dict[str, Code] = {}


def report(
    code: str,
    message: str,
    span: Span,
    *,
    labels: tuple[Label, ...] = (),
    help: str | tuple[str, ...] = (),
    fixes: tuple[Fix, ...] = (),
    query: str | None = None,
) -> Diagnostic:
    """Make a diagnostic with the severity that its code has."""
    known = CODES.get(code)
    return Diagnostic(
        code,
        known.severity if known else "error",
        message,
        span,
        labels,
        (help,) if isinstance(help, str) else help,
        fixes,
        query,
    )
