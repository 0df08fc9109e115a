"""`piql check`: compiles files and prints every finding, and the bound of every query."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from piql.commands.arguments import add_output, add_source, compile_path
from piql.commands.table import counted, format_table
from piql.compiler.result import Compilation, CompiledQuery
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.render import render_all


def check(argv: Sequence[str] | None = None) -> int:
    """Print findings and bounds."""
    parser = argparse.ArgumentParser(prog="piql check", description="Print findings and bounds.")
    add_source(parser)
    add_output(parser)
    options = parser.parse_args(argv)
    compilation = compile_path(parser, options.path)
    if options.output == "json":
        print(json.dumps(as_json(compilation), indent=2))
    else:
        print(as_text(compilation))
    return 1 if compilation.has_errors else 0


def as_text(compilation: Compilation) -> str:
    """Return all findings, the bounds of all queries as a table, and how many of each there are."""
    shown = [diagnostic for diagnostic in compilation.diagnostics if not diagnostic.allowed]
    parts = [render_all(shown)] if shown else []
    if compilation.queries:
        heads = ("query", "kind", "class", "operations", "trips", "rows", "formula")
        parts.append(format_table(heads, [_row(query) for query in compilation.queries.values()]))
    errors = sum(diagnostic.severity == "error" for diagnostic in compilation.diagnostics)
    warnings = sum(diagnostic.severity == "warning" for diagnostic in compilation.diagnostics)
    totals = (len(compilation.queries), "query"), (errors, "error"), (warnings, "warning")
    counts = [counted(number, noun) for number, noun in totals]
    allowed = len(compilation.diagnostics) - len(shown)
    parts.append(", ".join([*counts, f"{allowed} allowed"] if allowed else counts))
    return "\n\n".join(parts)


def _row(query: CompiledQuery) -> tuple[object, ...]:
    if query.bound is None:
        return query.name, query.kind, query.scaling_class or "-", "refused", "-", "-", "-"
    bound = query.bound
    shown = query.scaling_class or "-"
    return query.name, query.kind, shown, bound.operations, bound.round_trips, bound.rows, bound.formula


def as_json(compilation: Compilation) -> dict[str, object]:
    """Return all findings and bounds as a value for JSON."""
    return {
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in compilation.diagnostics],
        "queries": [_query(query) for query in compilation.queries.values()],
    }


def _query(query: CompiledQuery) -> dict[str, object]:
    bound = query.bound
    return {
        "name": query.name,
        "kind": query.kind,
        "is_bounded": query.is_bounded,
        "scaling_class": query.scaling_class,
        "bound": None
        if bound is None
        else {
            "operations": bound.operations,
            "round_trips": bound.round_trips,
            "rows": bound.rows,
            "bytes": bound.bytes,
            "formula": bound.formula,
        },
        "indexes": [index.name for index in query.indexes],
    }


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": span.file,
        "start": span.start,
        "end": span.end,
        "line": span.line,
        "utf16_column": span.utf16_column,
        "query": diagnostic.query,
        "allowed": diagnostic.allowed,
        "help": list(diagnostic.help),
        "fixes": [
            {
                "title": fix.title,
                "consequence": fix.consequence,
                "cost": fix.cost,
                "edits": [asdict(edit) for edit in fix.edits],
            }
            for fix in diagnostic.fixes
        ],
    }
