"""One trial: a copy of the text with edits made, compiled. The schema and some queries are enough, not the whole set.

    text + edits ──▶ the pieces that the queries need ──▶ Assembly ──▶ Compilation without fixes of its own

Enters: the `Assembly` of the text as it is, the edits, and the names of the queries that the trial is about. Nothing
here decides whether a fix is offered: `gap_fixes` and `working_fixes` do that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from piql.compiler.binding.binder import tables_of
from piql.compiler.query_set import Assembly, Part, assemble
from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import MAX_WORK, parse_once
from piql.schema.catalog import views_of
from piql.text.diagnostics.diagnostic import Diagnostic, Edit
from piql.text.source import Source
from piql.trees.sharing import LongList


def compile_edited(assembly: Assembly, edits: tuple[Edit, ...], names: set[str] | None) -> Compilation:
    """Compile the schema and the queries with these names, or with None everything, with edits made.

    Of several queries with one name only the first is compiled.
    """
    parts = assembly.first_parts_of(names) if names is not None else []
    copy = edited(assembly, edits, names, parts)
    return as_compilation(copy, copy.findings())


def compile_accepted(assembly: Assembly, edits: tuple[Edit, ...], names: set[str]) -> Compilation:
    """Compile the schema and some queries that have no findings, with edits made."""
    parts = (
        replace(part, has_findings=True) for part in assembly.parts if any(query.name in names for query in part.bound)
    )
    return compile_edited(replace(assembly, parts=LongList.of(parts)), edits, names)


def as_compilation(assembly: Assembly, findings: Sequence[Diagnostic]) -> Compilation:
    """Return an assembly with these diagnostics as a compilation: no files, no fixes."""
    catalog = assembly.catalog
    return Compilation(
        (), catalog, catalog.tables, assembly.by_name, assembly.settled.indexes, tuple(findings), assembly.repeated()
    )


def edited(assembly: Assembly, edits: tuple[Edit, ...], names: set[str] | None, parts: Sequence[Part]) -> Assembly:
    """Make edits in a copy of the text and assemble it: all of it, or with `names` the schema and these queries.

    `parts` are those that hold the queries. Offsets of edits count in the text before any of them is made.
    """
    files: Iterable[ast.ParsedFile] = assembly.files
    if names is not None:
        defining = _pieces_defining(assembly, edits, names, parts)
        files = assembly.files.items_with_ids(defining.union(id(part.file) for part in parts))
    changed: list[ast.ParsedFile] = []
    for file in files:
        file_edits = sorted((edit for edit in edits if edit.file == file.source.name), key=lambda edit: -edit.start)
        if file_edits:
            text = file.source.text if names is None else _without_other_queries(file, names)
            for edit in file_edits:
                text = text[: edit.start] + edit.text + text[edit.end :]
            file = parse_once(Source(text, file.source.name), MAX_WORK)
        if names is not None:
            statements = [
                statement
                for statement in file.statements
                if not isinstance(statement, ast.CreateQuery | ast.CreateUnit) or statement.name.text in names
            ]
            if len(statements) < len(file.statements):
                file = replace(file, statements=tuple(statements))
        changed.append(file)
    return assemble(LongList.of(changed))


def _pieces_defining(
    assembly: Assembly, edits: tuple[Edit, ...], names: set[str], parts: Sequence[Part]
) -> frozenset[int]:
    """Return the ids of the pieces that define what some queries name, so that a trial costs the same in any set.

    These pieces define the tables that the queries read, the tables that those reference, the indexes of both, whatever
    is edited, and the settings. If a query has no plan yet, it may name any table: then they are all of the schema.
    """
    queries = [query for part in parts for query in part.bound if query.name in names]
    if any(query.plan is None or query.has_errors for query in queries):
        return assembly.defining
    schema = assembly.schema
    waiting = [table.name for query in queries for table in tables_of(query)]
    tables: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in tables and name in schema.tables:
            tables.add(name)
            waiting += [key.table for key in schema.tables[name].foreign_keys]
            view = schema.tables[name].view
            waiting += view.tables if view is not None else [upkept.name for upkept in views_of(schema.tables, name)]
    spans = [schema.tables[name].span for name in tables]
    spans += [index.span for index in schema.indexes.values() if index.table in tables]
    files = {span.file for span in spans if span is not None} | {edit.file for edit in edits}
    return frozenset(id(file) for file in assembly.definitions if file.source.name in files or _has_settings(file))


def _has_settings(file: ast.ParsedFile) -> bool:
    return any(isinstance(statement, ast.SetSetting) for statement in file.statements)


def _without_other_queries(file: ast.ParsedFile, names: set[str]) -> str:
    """Return a piece's text with spaces instead of the other queries, so that offsets stay and little is parsed again.

    Text after the last statement that the parser had work left for is dropped. Otherwise the parser would now reach
    statements that it did not reach before.
    """
    text, parts, at = file.source.text, [], 0
    if file.work > MAX_WORK and file.statements:
        text = text[: file.statements[-1].span.end]
    starts = [*(statement.span.start for statement in file.statements), len(text)]
    for statement, start, end in zip(file.statements, starts, starts[1:], strict=False):
        if isinstance(statement, ast.CreateQuery | ast.CreateUnit) and statement.name.text not in names:
            parts += [text[at:start], " " * (end - start)]
            at = end
    return "".join((*parts, text[at:]))


def has_errors_around(compilation: Compilation, query: CompiledQuery) -> bool:
    """Return whether the query itself or a table of the schema has an error."""
    errors = [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]
    return any(
        error.query == query.name or (error.query is None and _is_about_table(error, compilation)) for error in errors
    )


def _is_about_table(diagnostic: Diagnostic, compilation: Compilation) -> bool:
    return any(
        table.span is not None
        and table.span.file == diagnostic.span.file
        and table.span.start <= diagnostic.span.start <= table.span.end
        for table in compilation.tables.values()
    )
