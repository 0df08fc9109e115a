"""The table of codes. To add one, add an entry to the list of its stage in `text.diagnostics.pages`.

The example of an entry is compiled by a test and must raise it; the page of the documentation is generated from it.
"""

from __future__ import annotations

from piql.text.diagnostics.code import Code
from piql.text.diagnostics.diagnostic import Diagnostic, Fix, Label
from piql.text.diagnostics.pages import bounds, queries, schema, syntax, writes
from piql.text.source import Span

__all__ = ["CODES", "Code", "report"]

CODES: dict[str, Code] = {
    code.slug: code for code in (*syntax.CODES, *schema.CODES, *queries.CODES, *writes.CODES, *bounds.CODES)
}


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
    """Return a diagnostic with the severity of its code; raises KeyError for a code that is not in CODES."""
    lines = (help,) if isinstance(help, str) else help
    return Diagnostic(code, CODES[code].severity, message, span, labels, lines, fixes, query)
