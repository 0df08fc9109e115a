"""Compiles a SELECT against the texts that are live; a refusal has the findings, with fixes as the editor offers them.

The statement alone may read only indexes that there are. To find fixes it is compiled once more as a query of the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql.client.selects import refuse_unless_select
from piql.compiler import compile_statement
from piql.compiler.result import CompiledQuery
from piql.errors import CompilationRefused

from piql_backend.compilations.reading import read_diagnostic, read_diagnostics
from piql_backend.compilations.service import Compilations
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import DiagnosticRead, FixRead

MOST_OPERATIONS = 10_000
MOST_ROWS = 10_000
_FILE = "SELECT"  # no file of an application has such a path


@dataclass(frozen=True, slots=True)
class SelectJob:
    """What a worker is to compile: a statement, against the deployed texts by their names."""

    text: str
    texts: Mapping[str, str]


def compile_select(compilations: Compilations, job: SelectJob) -> CompiledQuery:
    """Compile it; ApiError 422 with the findings for what is no bounded SELECT over the indexes that there are."""
    query = compile_statement(job.text, compilations.compile_texts(job.texts))
    try:
        refuse_unless_select(query)
    except CompilationRefused as refusal:
        fixes = _fixes(compilations, job) if query.diagnostics and query.bound_plan is not None else {}
        raise ApiError(
            422,
            "select-refused",
            f"{str(refusal).removeprefix('not run: ').rstrip('.')}.",
            "Nothing was run and nothing was made. Save it as a query to work on it, and deploy it to run it.",
            diagnostics=_read(query, fixes),
        ) from None
    assert query.bound is not None
    for most, unit, count in (
        (MOST_OPERATIONS, "operations", query.bound.operations),
        (MOST_ROWS, "rows", query.bound.rows),
    ):
        if count > most:
            message = (
                f"Its bound is {count:,} {unit}, and at most {most:,} are allowed for a SELECT that is not deployed."
            )
            raise ApiError(422, "select-too-large", message, "Give it a smaller LIMIT, or PAGINATE it.")
    return query


def _read(query: CompiledQuery, fixes: Mapping[str, list[FixRead]]) -> Sequence[DiagnosticRead]:
    sources = {query.span.source.name: query.span.source}
    read = [read_diagnostic(diagnostic, sources) for diagnostic in query.diagnostics]
    return [diagnostic.model_copy(update={"fixes": fixes.get(diagnostic.code, [])}) for diagnostic in read]


def _fixes(compilations: Compilations, job: SelectJob) -> Mapping[str, list[FixRead]]:
    """The fixes of the statement as a query of the set, by the codes of their findings."""
    taken = {name.lower() for name in compilations.compile_texts(job.texts).queries}
    name = "select_"
    while name in taken:
        name += "_"
    compilation = compilations.compile_texts({**job.texts, _FILE: f"CREATE QUERY {name} AS\n{job.text}"})
    findings = [read for read in read_diagnostics(compilation, name) if read.range.file == _FILE]
    return {read.code: read.fixes for read in reversed(findings) if read.fixes}
