"""Queries of another SQL → CREATE QUERY; those that PIQL has no words for become comments, with the reason.

Each is tried as it stands, with PIQL's parameters; then as sqlglot writes it. A query that is refused for its cost
stays a query: the compiler says what would bound it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from piql import compiler
from piql.importing.dialects import Dialect
from piql.importing.parameters import ParameterNames, with_colons
from piql.importing.schema import Note, ReadStatement
from piql.importing.statements import Statement, statements_of
from piql.importing.tokens import shown, unquoted
from piql.importing.translating import MISSING, translated
from piql.importing.writing import comment, quoted

MAX_QUERIES = 1_000  # of one import: each is compiled
_VERBS = frozenset({"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "("})
# Errors about the cost of a query: it is written in PIQL, and the compiler says what would bound it.
_COST = frozenset(
    """
    unbounded-scan unbounded-join unbounded-sort unbounded-aggregate unbounded-product stop-blocked missing-index
    bulk-write pattern-match offset
    """.split()
)
_NAMED = re.compile(r"^\W*(?:name\s*:|:name)\s*(?P<name>[\w-]+)", re.IGNORECASE)
_PARAMETER = re.compile(r"\[(\w+)\](?: MAX \d+)?")


@dataclass(frozen=True, slots=True)
class QuerySource:
    """One statement to import as a query: its file, its line, its text, and the name that the file gives it, or ''."""

    file: str
    line: int
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ImportedQueries:
    """The queries as PIQL, and what became of each statement."""

    text: str
    names: tuple[str, ...]
    statements: tuple[ReadStatement, ...]
    notes: tuple[Note, ...]


@dataclass(slots=True)
class _Query:
    source: QuerySource
    name: str
    body: str
    changes: list[str]
    finding: str = ""


def query_sources(text: str, dialect: Dialect, file: str) -> tuple[list[QuerySource], list[ReadStatement]]:
    """Cut a file into its queries; return them, and the statements that are none."""
    text = with_colons(text)
    sources: list[QuerySource] = []
    others: list[ReadStatement] = []
    for statement in statements_of(text, dialect, skips_data=False):
        if statement.tokens[0].word in _VERBS and not statement.is_command:
            body = text[statement.tokens[0].start : statement.tokens[-1].end]
            sources.append(QuerySource(file, statement.line, body, _given_name(statement)))
        else:
            reason = "it is no query: import it as a schema"
            words = shown(statement.tokens)
            others.append(ReadStatement(statement.line, statement.last_line, words, "left out", reason))
    return sources, others


def _given_name(statement: Statement) -> str:
    for _, words in statement.comments:
        match = _NAMED.match(words)
        if match is not None:
            return match["name"].replace("-", "_")
    return ""


def import_queries(sources: Sequence[QuerySource], schema: str, dialect: Dialect) -> ImportedQueries:
    """Return queries as PIQL, to stand beside the schema, which is PIQL already."""
    taken: set[str] = set()
    queries = [_query(source, dialect, taken) for source in sources[:MAX_QUERIES]]
    _find(queries, schema)
    again = [query for query in queries if query.finding]
    bodies = [(query.body, list(query.changes), query.finding) for query in again]
    for query in again:
        _translate(query, dialect)
    _find(again, schema)
    for query, (body, changes, finding) in zip(again, bodies, strict=True):
        if query.finding:
            query.body, query.changes, query.finding = body, changes, finding
    statements = tuple(
        ReadStatement(
            query.source.line,
            query.source.line + query.source.text.count("\n"),
            query.name,
            "left out" if query.finding else "changed" if query.changes else "taken",
            query.finding,
        )
        for query in queries
    )
    notes = [
        Note(query.source.line, "left out", query.name, query.finding, query.source.file)
        for query in again
        if query.finding
    ]
    notes += [
        Note(query.source.line, "changed", query.name, change, query.source.file)
        for query in queries
        if not query.finding
        for change in query.changes
    ]
    for source in sources[MAX_QUERIES:]:
        notes.append(Note(source.line, "left out", "query", f"more than {MAX_QUERIES:,} queries", source.file))
    names = tuple(query.name for query in queries if not query.finding)
    return ImportedQueries("\n".join(map(_text, queries)), names, statements, tuple(notes))


def _query(source: QuerySource, dialect: Dialect, taken: set[str]) -> _Query:
    statement = next(statements_of(source.text, dialect, skips_data=False))
    parameters = ParameterNames(statement.tokens, source.text)
    body = parameters.rewritten()
    name = source.name or _derived_name(statement)
    number = 2
    while name.lower() in taken:
        name, number = f"{(source.name or _derived_name(statement))}{number}", number + 1
    taken.add(name.lower())
    return _Query(source, name, body, parameters.notes)


def _derived_name(statement: Statement) -> str:
    """Name a query after its verb and its first table: selectUsers."""
    words = [token.word for token in statement.tokens]
    verb = next((word for word in words if word in ("SELECT", "INSERT", "UPDATE", "DELETE")), "SELECT")
    marks = {"SELECT": "FROM", "DELETE": "FROM", "INSERT": "INTO", "UPDATE": "UPDATE"}
    at = words.index(marks[verb]) + 1 if marks[verb] in words else len(words)
    names = [token for token in statement.tokens[at : at + 3 : 2] if token.is_name]
    is_dotted = len(names) > 1 and words[at + 1] == "."
    table = re.sub(r"\W+", "_", unquoted(names[is_dotted])) if names else ""
    return verb.lower() + table[:1].upper() + table[1:]


def _find(queries: Iterable[_Query], schema: str) -> None:
    """Compile queries beside the schema, and keep for each the first error that is not about its cost."""
    files = {f"{number}.piql": _statement(query) for number, query in enumerate(queries)}
    findings: dict[str, str] = {}
    for finding in compiler.compile({"schema.piql": schema, **files}).diagnostics:
        if finding.severity == "error" and finding.code not in _COST:
            way_out = f" ({finding.help[0]})" if finding.help else ""
            findings.setdefault(finding.span.file, f"{finding.message}{way_out}")
    for number, query in enumerate(queries):
        query.finding = findings.get(f"{number}.piql", "")


def _translate(query: _Query, dialect: Dialect) -> None:
    """Write a query as sqlglot does, where it can. Its parameters are `:name` for that."""
    most = {match.group(1): match.group() for match in _PARAMETER.finditer(query.body)}
    try:
        body = translated(_PARAMETER.sub(r":\1", query.body), dialect)
    except ModuleNotFoundError:
        query.changes.append(MISSING)
        return
    if body is not None:
        query.body = re.sub(r"(?<![:\w]):(\w+)", lambda match: most.get(match.group(1), match.group()), body)
        query.changes.append("it is written anew, in the words of PIQL")


def _statement(query: _Query) -> str:
    return f"CREATE QUERY {quoted(query.name)} AS\n{query.body};\n"


def _text(query: _Query) -> str:
    place = f"{query.source.file}:{query.source.line}" if query.source.file else f"line {query.source.line}"
    text = _statement(query)
    if not query.finding:
        return f"{comment(place)}\n{text}"
    return (
        "\n".join([comment(f"{place}: left out: {query.finding}"), *(f"-- {line}" for line in text.splitlines())])
        + "\n"
    )
