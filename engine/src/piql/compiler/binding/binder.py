"""Trees of all files → one Catalog and the logical plan of each query.

Enters: `ParsedFile`s, and perhaps the catalog that is deployed. Leaves: a `BoundProgram` (`bind`), or what it is put
together from: a `BoundSchema` (`bind_schema_once`) and the `BoundQuery`s of a piece (`bind_piece`). Next: `optimizer`.
`binding.queries` describes the shape of a plan. The schema is bound first, so the order of files does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from piql.compiler.binding.expressions import QueryContext
from piql.compiler.binding.fetch import as_select
from piql.compiler.binding.let import bind_let, written_table
from piql.compiler.binding.parameters import Parameters
from piql.compiler.binding.queries import bind_nested, bind_query
from piql.compiler.binding.same_but_limits import are_same_but_limits, objects_of
from piql.compiler.binding.schema import BoundSchema, bind_schema, case_conflict
from piql.compiler.binding.scope import TableNames
from piql.compiler.binding.star_room import MOST_COLUMNS, StarRoom
from piql.compiler.binding.units import UnitStatement, refuse_second_rows, refusing
from piql.compiler.binding.writes import bind_write
from piql.compiler.logical.operators import Delete, Insert, LogicalNode, LogicalWrite, QueryParameter, Relation, Update
from piql.compiler.syntax import ast
from piql.compiler.syntax.lexer import MAX_FINDINGS
from piql.schema.catalog import Catalog, Table
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.caches import Cached
from piql.trees.templates import NoTemplate, Template

QueryKind = Literal["select", "insert", "update", "delete"]

# Errors after which a plan would be meaningless: a LIMIT without its number, a parameter of two types.
_BREAKING = frozenset({"missing-max", "parameter-conflict", "parameter-type-unknown"})

DEFINITIONS = (ast.CreateTable, ast.CreateEntity, ast.CreateIndex, ast.CreateView, ast.SetSetting)
_schemas: Cached[BoundSchema] = Cached(128)
_queries: Cached[BoundQuery] = Cached(4096)  # by statement, and by statement and schema
_units: Cached[tuple[BoundQuery, ...]] = Cached(512)  # the statements of a unit, by the same
_templates: Cached[tuple[tuple[Table, ...], Template]] = Cached(2048)  # by statement: the tables of a bound query
_broken: Cached[_OverBroken] = Cached(2048)  # by statement
_tables: Cached[tuple[Table, ...]] = Cached(2048)  # an edit of the schema asks for the tables of every query


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """One query with its plan. `plan` is None when it is broken; a plan may stand beside an error that refuses it.

    Each statement of a unit is one, too: with the name and the parameters of the unit, and its place in it. A LET is a
    SELECT of one value.
    """

    name: str  # empty for a bare statement
    kind: QueryKind
    plan: LogicalNode | LogicalWrite | None
    parameters: tuple[QueryParameter, ...]
    span: Span  # the whole statement, without its semicolon
    name_span: Span
    body_span: Span
    ast: ast.CreateQuery | ast.CreateUnit | ast.Let | ast.BareStatement
    diagnostics: tuple[Diagnostic, ...]  # of binding; those of parsing are in the ParsedFile
    star_columns: int = 0  # that its stars stand for
    unit: UnitStatement | None = None

    @property
    def is_first(self) -> bool:
        """Whether it stands for its name: every query does, and of a unit the first statement."""
        return self.unit is None or self.unit.number == 1

    @property
    def has_errors(self) -> bool:
        """Whether the query is refused by its names or types, or broken."""
        return self.plan is None or any(diagnostic.severity == "error" for diagnostic in self.diagnostics)


@dataclass(frozen=True, slots=True, eq=False)
class _OverBroken:
    """A query without a plan, and the tables that it names."""

    query: BoundQuery
    names: tuple[ast.Name, ...]
    tables: tuple[Table, ...]
    are_broken: Sequence[bool]


@dataclass(frozen=True, slots=True)
class BoundProgram:
    """All that the files declare; `diagnostics` holds those of all queries in the order of the text."""

    catalog: Catalog
    queries: tuple[BoundQuery, ...]
    diagnostics: tuple[Diagnostic, ...]


def bind(files: Sequence[ast.ParsedFile], catalog: Catalog | None = None) -> BoundProgram:
    """Bind all files together; what they declare replaces what `catalog` holds under the same name."""
    diagnostics = [diagnostic for file in files for diagnostic in file.diagnostics]
    schema = bind_schema_once(files, catalog)
    diagnostics.extend(schema.diagnostics)
    names = TableNames(schema.tables, frozenset(schema.broken))
    queries: list[BoundQuery] = []
    first_by_name: dict[str, BoundQuery] = {}
    for file in files:
        file_queries, unnamed, _ = bind_piece(file, schema, names)
        diagnostics.extend(unnamed)
        for query in file_queries:
            first = first_by_name.setdefault(query.name.lower(), query) if query.is_first else query
            queries.append(query if first is query else marked_duplicate(query, first))
            diagnostics.extend(queries[-1].diagnostics)
    file_numbers = {id(file.source): number for number, file in enumerate(files)}
    diagnostics.sort(key=lambda diagnostic: (file_numbers.get(id(diagnostic.span.source), -1), diagnostic.span.start))
    catalog = Catalog(schema.tables, schema.indexes, schema.thresholds)
    return BoundProgram(catalog, tuple(queries), tuple(diagnostics))


def bind_piece(
    file: ast.ParsedFile,
    schema: BoundSchema,
    names: TableNames,
    room: StarRoom = StarRoom(),  # noqa: B008
) -> tuple[list[BoundQuery], tuple[Diagnostic, ...], StarRoom]:
    """Bind the queries of one piece to a schema.

    Returns the queries, the diagnostics of those without a name, and the columns that stars in the rest of the file may
    still stand for. After a query that asked for more than that, the room is zero.
    """
    queries: list[BoundQuery] = []
    unnamed: list[Diagnostic] = []
    for statement in file.statements:
        if isinstance(statement, ast.CreateQuery):
            query = _bind_query_once(statement, schema, names, room.left)
            queries.append(query)
            room = room.taking(query.star_columns)
        elif isinstance(statement, ast.CreateUnit):
            unit = _bind_unit_once(statement, schema, names, room.left)
            queries += unit
            room = room.taking(sum(query.star_columns for query in unit))
        elif not isinstance(statement, DEFINITIONS) and len(unnamed) < MAX_FINDINGS:
            unnamed.append(_unnamed(statement))
    return queries, tuple(unnamed), room


def defines(file: ast.ParsedFile) -> bool:
    """Return whether a file declares a part of the schema."""
    return any(isinstance(statement, DEFINITIONS) for statement in file.statements)


def bind_schema_once(files: Iterable[ast.ParsedFile], catalog: Catalog | None = None) -> BoundSchema:
    """Bind the definitions; the schema of the very same statements and catalog is cached."""
    definitions = tuple(
        statement for file in files for statement in file.statements if isinstance(statement, DEFINITIONS)
    )
    return _schemas.recall((*definitions, catalog), lambda: bind_schema(definitions, catalog))


def _bind_query_once(statement: ast.CreateQuery, schema: BoundSchema, names: TableNames, room: int) -> BoundQuery:
    """Bind a query; the result is cached while its tables and the positions of their declarations stay the same."""
    cached = _queries.get((statement, schema))
    if cached is not None and cached.star_columns <= room:
        return cached
    last = _queries.get((statement,))
    is_kept = last is not None and not last.has_errors and last.star_columns <= room
    if last is not None and is_kept and _has_same_tables(last, schema):
        query = last
    else:
        over_these = _over_these_tables(last, schema) if last is not None and is_kept else None
        query = over_these or _over_broken_tables(statement, names) or _bind_create_query(statement, names, room)
        _keep_over_broken_tables(query, names)
        if query.star_columns > room:
            return query  # the error depends on the queries before it
        # One without errors stays: it may be right again after the next key.
        if last is None or last.has_errors or not query.has_errors:
            _queries.put((statement,), query)
    return _queries.put((statement, schema), query)


def _over_these_tables(last: BoundQuery, schema: BoundSchema) -> BoundQuery | None:
    """Return a SELECT over tables of which only limits and places have changed, without binding; else None."""
    before = tables_of(last)
    now = [schema.tables[table.name] for table in before if table.name in schema.tables]
    if last.kind != "select" or last.diagnostics or not are_same_but_limits(before, now):
        return None
    if any(table.name in schema.broken for table in now):
        return None
    template = _templates.get((last.ast,))
    if template is None or not are_same_but_limits(template[0], before):
        swapped = {id(part): at for at, part in enumerate(objects_of(before))}
        try:
            template = before, Template(last, swapped, frozenset((Span, type(last.ast))))
        except NoTemplate:
            return None
        _templates.put((last.ast,), template)
    query: BoundQuery = template[1].fill((), objects_of(now))
    return query


def _over_broken_tables(statement: ast.CreateQuery, names: TableNames) -> BoundQuery | None:
    """Return a SELECT over the same broken tables as before, which was found to be right but for these; else None."""
    known = _broken.get((statement,))
    if known is None:
        return None
    tables = _tables_named(known.names, names)
    if tables is None or not are_same_but_limits(known.tables, tables):
        return None
    return known.query if known.are_broken == [table.name in names.broken for table in tables] else None


def _keep_over_broken_tables(query: BoundQuery, names: TableNames) -> None:
    """Keep a SELECT that has no plan because of broken tables alone: it holds nothing of any table."""
    statement = query.ast
    if query.plan is not None or query.diagnostics or query.star_columns or not isinstance(statement, ast.CreateQuery):
        return
    known = _broken.get((statement,))
    if known is not None and known.query is query:
        return
    if not isinstance(statement.body, ast.Select | ast.UnionQuery):
        return
    named = tuple([node.table for node in statement.body.find(ast.TableName)])
    tables = _tables_named(named, names)
    if tables is not None:
        are_broken = [table.name in names.broken for table in tables]
        _broken.put((statement,), _OverBroken(query, named, tables, are_broken))


def _tables_named(tables: Iterable[ast.Name], names: TableNames) -> tuple[Table, ...] | None:
    """Return the tables of some names; None where one of them names none, or a name of WITH."""
    named = [names.find(name) for name in tables]
    return None if None in named else tuple([table for table in named if table is not None])


def _bind_unit_once(unit: ast.CreateUnit, schema: BoundSchema, names: TableNames, room: int) -> tuple[BoundQuery, ...]:
    """Bind a unit; the result is cached as that of a query is."""
    cached = _units.get((unit, schema))
    if cached is not None and _star_columns(cached) <= room:
        return cached
    last = _units.get((unit,))
    if (
        last is not None
        and _star_columns(last) <= room
        and not any(query.has_errors for query in last)
        and all(_has_same_tables(query, schema) for query in last)
    ):
        statements = last
    else:
        statements = _bind_unit(unit, names, room)
        if _star_columns(statements) > room:
            return statements
        _units.put((unit,), statements)
    return _units.put((unit, schema), statements)


def _star_columns(queries: Iterable[BoundQuery]) -> int:
    return sum(query.star_columns for query in queries)


def _has_same_tables(query: BoundQuery, schema: BoundSchema) -> bool:
    """Return whether a schema declares the tables of a query as they were when it was bound."""
    tables = tables_of(query)
    return all(
        table == schema.tables.get(table.name) and declaration_of(table) == declaration_of(schema.tables[table.name])
        for table in tables
    ) and not any(table.name in schema.broken for table in tables)


def tables_of(query: BoundQuery) -> tuple[Table, ...]:
    """Return the tables that a query reads or writes, each once."""
    if query.plan is None:
        return ()
    plan = query.plan
    return _tables.recall((plan,), lambda: _tables_in(plan))


def _tables_in(plan: LogicalNode | LogicalWrite) -> tuple[Table, ...]:
    named = (node.table for node in plan.walk() if isinstance(node, Relation | Insert | Update | Delete))
    return tuple({table.name: table for table in named}.values())


def declaration_of(table: Table) -> tuple[str, int, str]:
    """Return the file and offset of a table's declaration, and the text up to its end.

    Where these are the same, all spans in the declaration are, too.
    """
    span = table.span
    return ("", 0, "") if span is None else (span.file, span.start, span.source.text[: span.end])


def bind_statement(statement: ast.BareStatement, catalog: Catalog) -> BoundQuery:
    """Bind one statement of the interactive mode, without CREATE QUERY, against a deployed catalog."""
    names = TableNames(catalog.tables)
    return _bind(statement, "", _kind(statement), statement, statement.span, statement.span, names, MOST_COLUMNS)


def _bind_create_query(statement: ast.CreateQuery, names: TableNames, room: int) -> BoundQuery:
    name = statement.name.text
    return _bind(statement, name, statement.kind, statement.body, statement.name.span, statement.body_span, names, room)


def _bind(
    statement: ast.CreateQuery | ast.BareStatement,
    name: str,
    kind: QueryKind,
    body: ast.BareStatement | None,
    name_span: Span,
    body_span: Span,
    names: TableNames,
    room: int,
) -> BoundQuery:
    """Bind one statement; `room` is how many columns its stars may stand for.

    Without a `body`, or after errors that leave no meaning, the result has no plan.
    """
    context = QueryContext(names, bind_nested, name or None, room=room)
    plan: LogicalNode | LogicalWrite | None = None
    parameters: tuple[QueryParameter, ...] = ()
    if body is not None:
        plan = _bind_body(context, body)
        parameters = context.parameters.settle()
        if plan is not None:
            plan = context.parameters.finish(plan)
        findings = _of_parameters(context, body, is_whole=plan is not None)
        context.diagnostics.extend(findings)
    is_broken = isinstance(statement, ast.CreateQuery) and statement.is_broken
    if is_broken or _breaks(context.diagnostics):
        plan = None
    return BoundQuery(
        name,
        kind,
        plan,
        parameters,
        statement.span,
        name_span,
        body_span,
        statement,
        _in_order(context.diagnostics, name),
        context.star_columns,
    )


def _of_parameters(context: QueryContext, body: ast.BareStatement | ast.Let, *, is_whole: bool) -> list[Diagnostic]:
    """Return what was found about the parameters of a statement; `is_whole` if all that uses them has a meaning."""
    findings = context.parameters.diagnostics
    if not is_whole:  # a parameter in an expression with errors has no type; the errors are reported already
        findings = [diagnostic for diagnostic in findings if diagnostic.code != "parameter-type-unknown"]
    return [_as_column(diagnostic, body, context.tables) for diagnostic in findings]


def _breaks(findings: Iterable[Diagnostic]) -> bool:
    """Return whether a plan beside these findings would be meaningless."""
    return any(diagnostic.code in _BREAKING for diagnostic in findings)


def _in_order(findings: Iterable[Diagnostic], name: str) -> tuple[Diagnostic, ...]:
    """Return findings in the order of the text, with the name of their query, if it has one."""
    ordered = sorted(findings, key=lambda diagnostic: diagnostic.span.start)
    return tuple(replace(diagnostic, query=name) if name else diagnostic for diagnostic in ordered)


def _bind_unit(unit: ast.CreateUnit, names: TableNames, room: int) -> tuple[BoundQuery, ...]:
    """Bind the statements of a unit, which share their parameters; one without a plan for a unit without any."""
    name, name_span = unit.name.text, unit.name.span
    if not unit.statements:
        place = UnitStatement(1, 0, unit.span)
        return (BoundQuery(name, "update", None, (), unit.span, name_span, unit.body_span, unit, (), unit=place),)
    parameters = Parameters()
    contexts: list[QueryContext] = []
    plans: list[LogicalNode | LogicalWrite | None] = []
    new_ids = 0
    table = written_table(unit.statements, names)
    for node in unit.statements:
        context = QueryContext(names, bind_nested, name, parameters, room=room, new_ids=new_ids)
        plans.append(bind_let(context, node, table) if isinstance(node, ast.Let) else bind_write(context, node))
        contexts.append(context)
        room, new_ids = max(0, room - context.star_columns), context.new_ids
    settled = parameters.settle()
    is_whole = None not in plans
    statements: list[BoundQuery] = []
    for number, (node, context, plan) in enumerate(zip(unit.statements, contexts, plans, strict=True), 1):
        of_parameters = _of_parameters(context, node, is_whole=is_whole)
        context.diagnostics += [finding for finding in of_parameters if _is_in(finding.span, node.span)]
        is_refused = plan is None or unit.is_broken or _breaks(of_parameters)
        statements.append(
            BoundQuery(
                name,
                _kind(node),
                None if is_refused or plan is None else _in_unit(parameters.finish(plan)),
                settled,
                node.span,
                name_span,
                node.span,
                node,
                _in_order(context.diagnostics, name),
                context.star_columns,
                UnitStatement(number, len(unit.statements), unit.span),
            )
        )
    return refuse_second_rows(statements)


def _in_unit(plan: LogicalNode | LogicalWrite) -> LogicalNode | LogicalWrite:
    return refusing(plan) if isinstance(plan, Insert | Update | Delete) else plan


def _is_in(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start <= outer.end


def _bind_body(context: QueryContext, body: ast.BareStatement) -> LogicalNode | LogicalWrite | None:
    match body:
        case ast.Select() | ast.UnionQuery():
            return bind_query(context, body)
        case ast.Fetch():
            select = as_select(context, body)
            return bind_query(context, select) if select is not None else None
        case ast.Insert() | ast.Update() | ast.Delete():
            return bind_write(context, body)
        case _:
            assert_never(body)


def _as_column(finding: Diagnostic, body: ast.BareStatement | ast.Let, names: TableNames) -> Diagnostic:
    """Say of `SELECT [id]` that brackets make a parameter, where a table of the query has a column of that name."""
    shown = finding.span.text
    if finding.code != "parameter-type-unknown" or not (shown.startswith("[") and shown.endswith("]")):
        return finding
    tables = (names.find(name.table) for name in body.find(ast.TableName))
    columns = {
        folded: column for table in tables if table is not None for folded, column in names.column_names(table).items()
    }
    column = columns.get(shown[1:-1].strip().lower())
    if column is None:
        return finding
    edit = Edit(finding.span.file, finding.span.start, finding.span.end, column)
    return replace(
        finding,
        help=(f"brackets make a parameter: write {column} without them for the column", *finding.help),
        fixes=(
            Fix(f"Read the column {column}", (edit,), consequence="the column is read, and no parameter is asked for"),
        ),
    )


def _kind(statement: ast.BareStatement | ast.Let) -> QueryKind:
    match statement:
        case ast.Insert():
            return "insert"
        case ast.Update():
            return "update"
        case ast.Delete():
            return "delete"
        case ast.Select() | ast.UnionQuery() | ast.Fetch() | ast.Let():
            return "select"
        case _:
            assert_never(statement)


def marked_duplicate(query: BoundQuery, first: BoundQuery) -> BoundQuery:
    """Return `query` with the error that `first` has the same name."""
    diagnostic = report(
        "duplicate-query",
        case_conflict("queries", first.name, query.name) or f"there are two queries called {query.name}",
        query.name_span,
        labels=(Label(first.name_span, "the first one"),),
        help="rename one of them",
        query=query.name,
    )
    return replace(query, diagnostics=(*query.diagnostics, diagnostic))


def _unnamed(statement: ast.BareStatement) -> Diagnostic:
    """Return the error that a statement of a file has no name, with CREATE QUERY as its fix."""
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
