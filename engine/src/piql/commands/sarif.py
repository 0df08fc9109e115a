"""`piql check --output sarif`: the findings for code hosts and editors, which show them at the lines of a change.

The form is that of OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from piql import __version__
from piql.commands.fixing import SourceFiles
from piql.text.diagnostics.code import Code
from piql.text.diagnostics.diagnostic import Diagnostic, Fix, Severity
from piql.text.diagnostics.report import CODES
from piql.text.source import Source, Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_STANDARD_INPUT = "stdin"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def as_sarif(diagnostics: Sequence[Diagnostic], files: SourceFiles) -> dict[str, object]:
    """Return findings as a SARIF log of one run; columns count UTF-16 units.

    Files are named by the paths that were given, so a code host finds them where the command ran at the top of the
    repository. What a comment allows is there as suppressed.
    """
    sources = {name: Source(text, name) for name, text in files.texts.items()}
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    driver = {"name": "PIQL", "semanticVersion": __version__, "rules": [_rule(CODES[code]) for code in codes]}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "utf16CodeUnits",
                "results": [_result(diagnostic, codes, files, sources) for diagnostic in diagnostics],
            }
        ],
    }


def _rule(code: Code) -> dict[str, object]:
    return {
        "id": code.slug,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.explanation},
        "help": {
            "text": f"{code.explanation}\n\n{code.example}",
            "markdown": f"{code.explanation}\n\n```sql\n{code.example}\n```",
        },
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }


def _result(
    diagnostic: Diagnostic, codes: Sequence[str], files: SourceFiles, sources: Mapping[str, Source]
) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": "\n".join([diagnostic.message, *(f"help: {advice}" for advice in diagnostic.advice)])},
        "locations": [{"physicalLocation": _physical(diagnostic.span, files)}],
    }
    if diagnostic.labels:
        result["relatedLocations"] = [
            {"id": at, "message": {"text": label.text}, "physicalLocation": _physical(label.span, files)}
            for at, label in enumerate(diagnostic.labels)
        ]
    if diagnostic.allowed:
        result["suppressions"] = [{"kind": "inSource", "justification": diagnostic.allowed}]
    if diagnostic.fixes:
        result["fixes"] = [_fix(fix, files, sources) for fix in diagnostic.fixes]
    return result


def _fix(fix: Fix, files: SourceFiles, sources: Mapping[str, Source]) -> dict[str, object]:
    about = f"{fix.title}: {fix.price}" if fix.price else fix.title
    changes = [
        {
            "artifactLocation": _artifact(name, files),
            "replacements": [
                {
                    "deletedRegion": _region(sources[name].span(edit.start, edit.end)),
                    "insertedContent": {"text": edit.text},
                }
                for edit in fix.edits
                if edit.file == name
            ],
        }
        for name in dict.fromkeys(edit.file for edit in fix.edits)
    ]
    return {"description": {"text": about}, "artifactChanges": changes}


def _physical(span: Span, files: SourceFiles) -> dict[str, object]:
    return {"artifactLocation": _artifact(span.file, files), "region": _region(span)}


def _artifact(name: str, files: SourceFiles) -> dict[str, object]:
    if files.is_standard_input:
        return {"uri": _STANDARD_INPUT}
    path = Path(files.paths[name])
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.utf16_column,
        "endLine": span.end_line,
        "endColumn": span.end_utf16_column,
    }
