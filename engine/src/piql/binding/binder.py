"""Trees of all files → one Catalog and the logical plan of each query.

Enters: `ParsedFile`s, and perhaps the catalog of what is deployed already. Leaves: a `BoundProgram`. Next: `optimizer`.
The shape of a plan is told in `binding.queries`. The schema is bound first, so the order of files does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from piql.binding.expressions import QueryContext
from piql.binding.fetch import as_select
from piql.binding.queries import bind_nested, bind_query
from piql.binding.schema import bind_schema
from piql.binding.scope import TableNames
from piql.binding.writes import bind_write
from piql.catalog import Catalog
from piql.diagnostics.codes import report
from piql.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.logical.operators import LogicalNode, LogicalWrite, QueryParameter
from piql.source import Span
from piql.syntax import ast

QueryKind = Literal["select", "insert", "update", "delete"]


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """One query as its plan; `plan` is None when it is broken, and may stand beside an error that refuses the query."""

    name: str  # empty for a bare statement
    kind: QueryKind
    plan: LogicalNode | LogicalWrite | None
    parameters: tuple[QueryParameter, ...]
    span: Span  # the whole statement, without its semicolon
    name_span: Span
    body_span: Span
    ast: ast.CreateQuery | ast.BareStatement
    diagnostics: tuple[Diagnostic, ...]  # those of binding; those of parsing stand in the ParsedFile

    @property
    def has_errors(self) -> bool:
        return self.plan is None or any(each.severity == "error" for each in self.diagnostics)


@dataclass(frozen=True, slots=True)
class BoundProgram:
    """All that the files declare; `diagnostics` holds all findings in the order of the text."""

    catalog: Catalog
    queries: tuple[BoundQuery, ...]
    diagnostics: tuple[Diagnostic, ...]


def bind(files: Sequence[ast.ParsedFile], catalog: Catalog | None = None) -> BoundProgram:
    """Bind all files together; what they declare replaces what `catalog` holds under the same name."""
    diagnostics = [each for file in files for each in file.diagnostics]
    schema = bind_schema((each for file in files for each in file.statements), catalog)
    diagnostics.extend(schema.diagnostics)
    names = TableNames(schema.tables, frozenset(schema.broken))
    queries: list[BoundQuery] = []
    first_by_name: dict[str, BoundQuery] = {}
    for file in files:
        for statement in file.statements:
            if isinstance(statement, ast.CreateQuery):
                query = _bind_create_query(statement, names)
                first = first_by_name.setdefault(query.name.lower(), query)
                if first is not query:
                    query = replace(query, diagnostics=(*query.diagnostics, _duplicate(query, first)))
                queries.append(query)
                diagnostics.extend(query.diagnostics)
            elif not isinstance(statement, ast.CreateTable | ast.CreateEntity | ast.CreateIndex):
                diagnostics.append(_unnamed(statement))
    places = {id(file.source): number for number, file in enumerate(files)}
    diagnostics.sort(key=lambda each: (places.get(id(each.span.source), -1), each.span.start))
    return BoundProgram(Catalog(schema.tables, schema.indexes), tuple(queries), tuple(diagnostics))


def bind_statement(statement: ast.BareStatement, catalog: Catalog) -> BoundQuery:
    """Bind one bare statement of the interactive mode."""
    names = TableNames(catalog.tables)
    return _bind(statement, "", _kind(statement), statement, statement.span, statement.span, names)


def _bind_create_query(statement: ast.CreateQuery, names: TableNames) -> BoundQuery:
    name = statement.name.text
    return _bind(statement, name, statement.kind, statement.body, statement.name.span, statement.body_span, names)


def _bind(
    statement: ast.CreateQuery | ast.BareStatement,
    name: str,
    kind: QueryKind,
    body: ast.BareStatement | None,
    name_span: Span,
    body_span: Span,
    names: TableNames,
) -> BoundQuery:
    context = QueryContext(names, bind_nested, name or None)
    plan: LogicalNode | LogicalWrite | None = None
    parameters: tuple[QueryParameter, ...] = ()
    if body is not None:
        plan = _bind_body(context, body)
        errors_before = len(context.diagnostics)
        parameters = context.parameters.settle()
        if plan is not None:
            plan = context.parameters.finish(plan)
        found = context.parameters.diagnostics
        if plan is None and errors_before:
            # a parameter whose place could not be bound has no type: that is said already
            found = [each for each in found if each.code != "parameter-type-unknown"]
        context.diagnostics.extend(found)
    is_broken = isinstance(statement, ast.CreateQuery) and statement.is_broken
    if is_broken or (plan is not None and any(each.code in _BREAKING for each in context.diagnostics)):
        plan = None
    ordered = sorted(context.diagnostics, key=lambda each: each.span.start)
    diagnostics = tuple(replace(each, query=name or None) if name else each for each in ordered)
    return BoundQuery(name, kind, plan, parameters, statement.span, name_span, body_span, statement, diagnostics)


def _bind_body(context: QueryContext, body: ast.BareStatement) -> LogicalNode | LogicalWrite | None:
    match body:
        case ast.Select() | ast.UnionQuery():
            return bind_query(context, body)
        case ast.Fetch():
            select = as_select(context, body)
            return bind_query(context, select) if select is not None else None
        case _:
            return bind_write(context, body)


# Findings after which a plan would mean nothing: a LIMIT without its number, a parameter of two types.
_BREAKING = frozenset({"missing-max", "parameter-conflict", "parameter-type-unknown"})


def _kind(statement: ast.BareStatement) -> QueryKind:
    match statement:
        case ast.Insert():
            return "insert"
        case ast.Update():
            return "update"
        case ast.Delete():
            return "delete"
    return "select"


def _duplicate(query: BoundQuery, first: BoundQuery) -> Diagnostic:
    return report(
        "duplicate-query",
        f"there are two queries called {query.name}",
        query.name_span,
        labels=(Label(first.name_span, "the first one"),),
        help="rename one of them",
        query=query.name,
    )


def _unnamed(statement: ast.BareStatement) -> Diagnostic:
    kind = "FETCH" if isinstance(statement, ast.Fetch) else _kind(statement).upper()
    start = statement.span.start
    fix = Fix("Give it a name", (Edit(statement.span.file, start, start, "CREATE QUERY unnamed AS\n"),))
    return report(
        "unnamed-query",
        f"this {kind} has no name, so nothing can call it",
        statement.span,
        help=f"write CREATE QUERY name AS {kind} …",
        fixes=(fix,),
    )
