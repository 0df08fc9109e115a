"""Queries of another SQL → CREATE QUERY; one that PIQL has no words for becomes a comment, with the reason.

`query_sources` cuts a text into queries, `import_queries` writes them. Each query is compiled beside the schema as it
stands, with PIQL's parameters; where that fails, as sqlglot translates it. An error about the cost of a query does not
count: it stays a query, and the compiler tells the user what would bound it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from piql import compiler
from piql.importing.dialects import Dialect
from piql.importing.parameters import ParameterNames, with_colons
from piql.importing.schema import Note, ReadStatement
from piql.importing.statements import Statement, statements_of
from piql.importing.tokens import shown, unquoted
from piql.importing.translating import MISSING, translated
from piql.importing.writing import comment, quoted
from piql.text.diagnostics.diagnostic import Edit
from piql.text.edits import apply_edits

MAX_QUERIES = 1_000  # of one import: each is compiled
_VERBS = frozenset({"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "("})
# Codes of errors about the cost of a query.
_COST = frozenset(
    """
    unbounded-scan unbounded-join unbounded-sort unbounded-aggregate unbounded-product stop-blocked missing-index
    bulk-write pattern-match offset recursive-query
    """.split()
)
_SPELLING = frozenset({"type-mismatch"})  # codes whose fixes only write a value as PIQL does
_END = ";\n"  # of a statement
_NAMED = re.compile(r"^\W*(?:name\s*:|:name)\s*(?P<name>[\w-]+)", re.IGNORECASE)
_PARAMETER = re.compile(r"\[(\w+)\](?: MAX \d+)?")
_WITH_COLON = re.compile(r"(?<![:\w]):(\w+)")


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
    """A query on its way: its statement in PIQL as far as it is known."""

    source: QuerySource
    name: str
    body: str
    changes: list[str]  # what the user is told about it
    error: str | None = None  # why the compiler refuses it, other than for its cost
    mended: str | None = None  # its statement with the values that have another spelling in PIQL, where that is known


def query_sources(text: str, dialect: Dialect, file: str) -> tuple[list[QuerySource], list[ReadStatement]]:
    """Cut a file into its queries; return them, and the statements that are none.

    Raises ImportRefused where the text is cut off.
    """
    text = with_colons(text)
    sources: list[QuerySource] = []
    left_out: list[ReadStatement] = []
    for statement in statements_of(text, dialect, skips_data=False):
        if statement.tokens[0].word in _VERBS and not statement.is_command:
            body = text[statement.tokens[0].start : statement.tokens[-1].end]
            sources.append(QuerySource(file, statement.line, body, _given_name(statement)))
        else:
            reason = "it is not a query: import it as a schema"
            words = shown(statement.tokens)
            left_out.append(ReadStatement(statement.line, statement.last_line, words, "left out", reason))
    return sources, left_out


def _given_name(statement: Statement) -> str:
    """Return the name in a comment above a query, such as `-- name: find-user`; '' where there is none."""
    for _, words in statement.comments:
        match = _NAMED.match(words)
        if match is not None:
            return match["name"].replace("-", "_")
    return ""


def import_queries(sources: Sequence[QuerySource], schema: str, dialect: Dialect) -> ImportedQueries:
    """Return queries as PIQL, to stand beside the schema, which is PIQL already; at most MAX_QUERIES of them."""
    taken: set[str] = set()
    originals = [_query(source, dialect, taken) for source in sources[:MAX_QUERIES]]
    _compile(originals, schema)
    keys = _only_keys(schema) if any(query.error is not None for query in originals) else {}
    translations = [None if query.error is None else _translation(query, dialect, keys) for query in originals]
    _compile([translation for translation in translations if translation is not None], schema)
    _mend([query for query in (*originals, *translations) if query is not None and query.mended is not None], schema)
    queries = [
        query if query.error is None or translation is None or translation.error is not None else translation
        for query, translation in zip(originals, translations, strict=True)
    ]
    notes = [
        Note(query.source.line, "left out", query.name, query.error, query.source.file)
        for query in queries
        if query.error is not None
    ]
    notes += [
        Note(query.source.line, "changed", query.name, change, query.source.file)
        for query in queries
        if query.error is None
        for change in query.changes
    ]
    for source in sources[MAX_QUERIES:]:
        notes.append(Note(source.line, "left out", "query", f"more than {MAX_QUERIES:,} queries", source.file))
    names = tuple(query.name for query in queries if query.error is None)
    return ImportedQueries("\n".join(map(_text, queries)), names, tuple(map(_outcome, queries)), tuple(notes))


def _outcome(query: _Query) -> ReadStatement:
    """Return what became of the statement of a query."""
    last_line = query.source.line + query.source.text.count("\n")
    if query.error is not None:
        return ReadStatement(query.source.line, last_line, query.name, "left out", query.error)
    return ReadStatement(query.source.line, last_line, query.name, "changed" if query.changes else "taken")


def _query(source: QuerySource, dialect: Dialect, taken: set[str]) -> _Query:
    """Return a query as it stands, with PIQL's parameters, under a name that is not taken yet."""
    statement = next(statements_of(source.text, dialect, skips_data=False))
    parameters = ParameterNames(statement.tokens, source.text)
    body = parameters.rewritten()
    name = wanted = source.name or _derived_name(statement)
    number = 2
    while name.lower() in taken:
        name, number = f"{wanted}{number}", number + 1
    taken.add(name.lower())
    return _Query(source, name, body, parameters.notes)


def _derived_name(statement: Statement) -> str:
    """Return a name made of the verb and the first table of a query: selectUsers."""
    words = [token.word for token in statement.tokens]
    verb = next((word for word in words if word in ("SELECT", "INSERT", "UPDATE", "DELETE")), "SELECT")
    marks = {"SELECT": "FROM", "DELETE": "FROM", "INSERT": "INTO", "UPDATE": "UPDATE"}
    at = words.index(marks[verb]) + 1 if marks[verb] in words else len(words)
    names = [token for token in statement.tokens[at : at + 3 : 2] if token.is_name]
    is_dotted = len(names) > 1 and words[at + 1] == "."
    table = re.sub(r"\W+", "_", unquoted(names[is_dotted])) if names else ""
    return verb.lower() + table[:1].upper() + table[1:]


def _compile(queries: Collection[_Query], schema: str) -> None:
    """Compile queries beside the schema, and set `error` of each to its first error that is not about its cost."""
    files = {f"{number}.piql": _statement(query) for number, query in enumerate(queries)}
    errors: dict[str, str] = {}
    edits: dict[str, list[Edit]] = {}
    for finding in compiler.compile({"schema.piql": schema, **files}).diagnostics:
        if finding.severity == "error" and finding.code not in _COST:
            if finding.code in _SPELLING and finding.fixes:
                edits.setdefault(finding.span.file, []).extend(finding.fixes[0].edits)
            way_out = f" ({finding.help[0]})" if finding.help else ""
            errors.setdefault(finding.span.file, f"{finding.message}{way_out}")
    for number, query in enumerate(queries):
        name = f"{number}.piql"
        query.error = errors.get(name)
        begin, end = len(_head(query)), len(_statement(query)) - len(_END)
        if name in edits and all(begin <= edit.start <= edit.end <= end for edit in edits[name]):
            query.mended = apply_edits(files, edits[name])[name][begin : -len(_END)]


def _mend(queries: Sequence[_Query], schema: str) -> None:
    """Compile queries as they are mended, and leave those mended that PIQL takes then."""
    mended = [replace(query, body=query.mended or query.body, mended=None) for query in queries]
    if not mended:
        return
    _compile(mended, schema)
    for query, changed in zip(queries, mended, strict=True):
        if changed.error is None:
            query.changes = [*query.changes, "truth values are written as TRUE and FALSE"]
            query.body, query.error = changed.body, None


def _only_keys(schema: str) -> dict[str, tuple[str, ...]]:
    """Return the primary key of each table that has no UNIQUE key, by the table's name in lower case."""
    tables = compiler.compile({"schema.piql": schema}).tables.values()
    return {table.name.lower(): table.primary_key for table in tables if not table.unique_keys}


def _translation(query: _Query, dialect: Dialect, only_keys: Mapping[str, tuple[str, ...]]) -> _Query:
    """Return a query as sqlglot writes it, or as it is where sqlglot cannot. Its parameters are `:name` for that."""
    parameters = {match.group(1): match.group() for match in _PARAMETER.finditer(query.body)}
    try:
        text = translated(_PARAMETER.sub(r":\1", query.body), dialect, only_keys)
    except ModuleNotFoundError:
        return replace(query, changes=[*query.changes, MISSING])
    if text is None:
        return query
    body = _WITH_COLON.sub(lambda match: parameters.get(match.group(1), match.group()), text)
    return replace(query, body=body, changes=[*query.changes, "it is rewritten in the syntax of PIQL"])


def _statement(query: _Query) -> str:
    """Return the query as a statement of PIQL."""
    return f"{_head(query)}{query.body}{_END}"


def _head(query: _Query) -> str:
    return f"CREATE QUERY {quoted(query.name)} AS\n"


def _text(query: _Query) -> str:
    """Return the query for the file of PIQL, below a comment with its origin; one that is left out is a comment."""
    origin = f"{query.source.file}:{query.source.line}" if query.source.file else f"line {query.source.line}"
    text = _statement(query)
    if query.error is None:
        return f"{comment(origin)}\n{text}"
    lines = [comment(f"{origin}: left out: {query.error}"), *(f"-- {line}" for line in text.splitlines())]
    return "\n".join(lines) + "\n"
