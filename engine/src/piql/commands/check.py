"""`piql check`: compiles files and prints every finding, and the bound of every query."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from piql import compiler
from piql.commands.arguments import add_output
from piql.commands.fixing import (
    STANDARD_INPUT,
    add_files,
    add_fixing,
    codes_of,
    difference,
    fixed_as_json,
    fixed_as_text,
    read_files,
    with_bare_fix,
    write_fixed,
)
from piql.commands.pricing import (
    AskedPrice,
    add_price,
    asked_price,
    priced_as_json,
    priced_as_text,
    unpriced_rates,
)
from piql.commands.sarif import as_sarif
from piql.commands.table import counted, format_table
from piql.compiler.result import Compilation, CompiledQuery
from piql.editor.service.fix_all import fix_all
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.render import render_all


def check(argv: Sequence[str] | None = None) -> int:
    """Print findings and bounds; with --fix make the fixes first, with --diff only show them."""
    parser = argparse.ArgumentParser(prog="piql check", description="Print findings and bounds.", allow_abbrev=False)
    add_files(parser)
    add_output(parser, "sarif")
    add_fixing(parser)
    add_price(parser)
    options = parser.parse_args(with_bare_fix(parser, sys.argv[1:] if argv is None else argv))
    asked = asked_price(parser, options)
    is_sarif = options.output == "sarif"
    if is_sarif and (options.fix is not None or options.diff or asked is not None):
        parser.error("--output sarif holds what is found in the files as they are: leave out --fix, --diff and --price")
    files = read_files(parser, options.path)
    if options.fix is None and not options.diff:
        compilation = compiler.compile(files.texts)
        unpriced_rates(parser, compilation.queries, asked)
        if is_sarif:
            print(json.dumps(as_sarif(compilation.diagnostics, files), indent=2))
        elif options.output == "json":
            print(json.dumps(as_json(compilation, asked), indent=2))
        else:
            print(as_text(compilation, asked))
        return 1 if compilation.has_errors else 0
    fixed = fix_all(files.texts, codes_of(parser, options.fix or ()))
    unpriced_rates(parser, fixed.compilation.queries, asked)
    if not options.diff:
        write_fixed(parser, files, fixed.texts)
    compilation = compiler.compile(files.texts) if options.diff else fixed.compilation  # as the files are now
    if options.output == "json":
        print(json.dumps(fixed_as_json(files, fixed, options.diff) | as_json(compilation, asked), indent=2))
    elif options.diff or files.is_standard_input:  # what other programs read goes to the output, all else beside it
        sys.stdout.write(difference(files, fixed.texts) if options.diff else fixed.texts[STANDARD_INPUT])
        print(fixed_as_text(fixed, would=options.diff), file=sys.stderr)
    else:
        print(f"{fixed_as_text(fixed)}\n\n{as_text(compilation, asked)}")
    return 1 if compilation.has_errors else 0


def as_text(compilation: Compilation, asked: AskedPrice | None = None) -> str:
    """Return all findings, the bounds of all queries as a table, and how many of each there are.

    What the queries cost is said where it is asked for.
    """
    shown = [diagnostic for diagnostic in compilation.diagnostics if not diagnostic.allowed]
    parts = [render_all(shown)] if shown else []
    if compilation.queries:
        heads = ("query", "kind", "class", "operations", "trips", "rows", "formula")
        parts.append(format_table(heads, [_row(query) for query in compilation.queries.values()]))
        if asked is not None:
            parts.append(priced_as_text(compilation.queries.values(), asked))
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


def as_json(compilation: Compilation, asked: AskedPrice | None = None) -> dict[str, object]:
    """Return all findings and bounds as a value for JSON."""
    return {
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in compilation.diagnostics],
        "queries": [_query(query) | priced_as_json(query, asked) for query in compilation.queries.values()],
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
        "help": list(diagnostic.advice),
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
