"""codes/: one page for each diagnostic, from the table of codes; the message about its example is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import piql
from piql.compiler import compile_statement
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.diagnostics.diagnostic import Diagnostic, Fix
from piql.text.diagnostics.pages import bounds, queries, schema, syntax, writes
from piql.text.diagnostics.render import render
from piql.text.diagnostics.report import CODES, Code
from piql.text.source import Source

from reference.markdown import block, code, table
from reference.mended import MENDED

_STAGES: Mapping[str, Iterable[Code]] = {
    "Reading the text": syntax.CODES,
    "The schema": schema.CODES,
    "Queries": queries.CODES,
    "Writes": writes.CODES,
    "Bounds": bounds.CODES,
}
_LONGEST_LINE = 120  # characters
_SEVERITIES = {
    "error": "an error: a set of queries that has one is not deployed",
    "warning": "a warning: the set is deployed all the same",
    "info": "a note: the set is deployed all the same",
}


def pages() -> dict[str, str]:
    """Return one page for each diagnostic code and the list of them, by file name."""
    pages_by_name = {f"codes/{slug}.md": _page(code_entry) for slug, code_entry in CODES.items()}
    return {"codes/README.md": _contents(), **pages_by_name}


def _contents() -> str:
    """Return the page that lists all codes, by the stage that finds them."""
    sections: list[str] = []
    for stage, entries in _STAGES.items():
        rows = [(f"[{entry.slug}]({entry.slug}.md)", entry.severity, entry.title) for entry in entries]
        sections.append(f"## {stage}\n\n{table(('code', 'severity', 'meaning'), rows)}")
    intro = (
        "Every message of the compiler has a stable code. The page of a code explains it, and shows an example with "
        "its message and the corrected example."
    )
    return f"# Diagnostics\n\n{intro}\n\n" + "\n\n".join(sections)


def _page(entry: Code) -> str:
    """Return the page of one code: explanation, example, message, and the corrected example."""
    text = example(entry)
    finding = finding_of(entry, text)
    says = "piql refused" if entry.severity == "error" and not entry.statement else "piql"
    parts = [
        f"# {entry.title}",
        f"{code(entry.slug)} is {_SEVERITIES[entry.severity]}.",
        entry.explanation,
        "## Example",
        block(text, says),
    ]
    if entry.statement:
        parts += ["and against what is deployed, the statement", block(entry.statement, "sql")]
    parts += ["The compiler says", block(_rendered(finding)), "## Corrected"]
    if len(finding.fixes) > 1:
        parts.append("Each of these fixes is offered, and each alone is enough; here the first is applied.")
        parts.append("\n".join(f"- {fix.title}" for fix in finding.fixes))
    elif finding.fixes:
        parts.append(f"The editor offers to do it: *{finding.fixes[0].title}*.")
    if entry.statement:
        text += f"\nCREATE QUERY q AS\n{entry.statement};"
    parts.append(block(mended(entry, text, finding), "piql"))
    return "\n\n".join(parts)


def example(entry: Code) -> str:
    """Return the example as the formatter writes it, or as it is where it cannot be read."""
    file = parse(Source(entry.example))
    is_broken = any(diagnostic.severity == "error" for diagnostic in file.diagnostics)
    return entry.example if is_broken else print_file(file)


def finding_of(entry: Code, text: str) -> Diagnostic:
    """Return the diagnostic with this code that the compiler finds in the example."""
    compilation = piql.compile(text)
    diagnostics = compilation.diagnostics
    if entry.statement:
        diagnostics = compile_statement(entry.statement, compilation).diagnostics
    return next(diagnostic for diagnostic in diagnostics if diagnostic.code == entry.slug)


def mended(entry: Code, text: str, finding: Diagnostic) -> str:
    """Return the example with the first fix of the compiler applied, or mended by hand."""
    if finding.fixes:
        return _applied(finding.fixes[0], text)
    for old, new in MENDED[entry.slug]:
        assert old in text, f"{entry.slug}: the example holds no {old!r}"
        text = text.replace(old, new, 1)
    return text


def _applied(fix: Fix, text: str) -> str:
    for edit in sorted(fix.edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _rendered(finding: Diagnostic) -> str:
    """Return a diagnostic as the terminal shows it; without the text where one of its lines is too long for a page."""
    lines = render(finding).split("\n")
    if max(map(len, lines)) > _LONGEST_LINE:
        lines = [line for line in lines[1:] if line.lstrip().startswith("= ")]
        lines.insert(0, f"{finding.severity}[{finding.code}]: {finding.message}")
    return "\n".join(lines)
